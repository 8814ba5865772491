/// The tables of the exported database; Docs/Export.md documents them.
enum ExportTables {
  /// Increases when a table or column is removed or changes its meaning, not when one is added.
  static let version = 1

  static let tables = [
    """
    CREATE TABLE about(
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE inputs(
      seq INTEGER PRIMARY KEY,
      t REAL NOT NULL,
      t_ns INTEGER NOT NULL,
      machine TEXT,
      kind TEXT,
      what TEXT NOT NULL,
      name TEXT,
      arguments TEXT,
      outcome TEXT,
      from_state TEXT,
      to_state TEXT,
      source TEXT,
      source_output TEXT,
      undone_by INTEGER,
      at TEXT
    )
    """,
    """
    CREATE TABLE transitions(
      seq INTEGER PRIMARY KEY,
      t REAL NOT NULL,
      t_ns INTEGER NOT NULL,
      machine TEXT NOT NULL,
      kind TEXT NOT NULL,
      from_state TEXT,
      to_state TEXT,
      cause TEXT NOT NULL,
      name TEXT
    )
    """,
    """
    CREATE TABLE machines(
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      parameters TEXT,
      created_seq INTEGER PRIMARY KEY,
      created_t REAL,
      created_ns INTEGER,
      dropped_seq INTEGER,
      dropped_t REAL,
      dropped_ns INTEGER,
      state TEXT
    )
    """,
    outputs("outputs"),
    outputs("told"),
    """
    CREATE TABLE timers(
      seq INTEGER NOT NULL,
      place INTEGER NOT NULL,
      t REAL NOT NULL,
      t_ns INTEGER NOT NULL,
      machine TEXT NOT NULL,
      kind TEXT NOT NULL,
      timer TEXT NOT NULL,
      what TEXT NOT NULL,
      due REAL,
      due_ns INTEGER,
      PRIMARY KEY(seq, place)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE wires(
      source TEXT NOT NULL,
      output TEXT NOT NULL,
      target TEXT NOT NULL,
      event TEXT NOT NULL,
      made_seq INTEGER PRIMARY KEY,
      made_t REAL NOT NULL,
      made_ns INTEGER NOT NULL,
      removed_seq INTEGER,
      removed_t REAL,
      removed_ns INTEGER
    )
    """,
    "CREATE INDEX machines_by_end ON machines(dropped_seq) WHERE dropped_seq IS NOT NULL",
    "CREATE INDEX wires_by_source ON wires(source)",
    "CREATE INDEX wires_by_target ON wires(target)",
    "CREATE INDEX wires_by_end ON wires(removed_seq) WHERE removed_seq IS NOT NULL",
  ]

  /// What machines emitted, or told only those who watch everything.
  private static func outputs(_ table: String) -> String {
    """
    CREATE TABLE \(table)(
      seq INTEGER NOT NULL,
      place INTEGER NOT NULL,
      t REAL NOT NULL,
      t_ns INTEGER NOT NULL,
      machine TEXT NOT NULL,
      kind TEXT NOT NULL,
      output TEXT NOT NULL,
      data TEXT,
      PRIMARY KEY(seq, place)
    ) WITHOUT ROWID
    """
  }

  /// Created after the rows, which is faster.
  static let indexes = [
    "CREATE INDEX inputs_by_machine ON inputs(machine, seq)",
    "CREATE INDEX transitions_by_machine ON transitions(machine, t, seq)",
    "CREATE INDEX machines_by_name ON machines(name)",
    "CREATE INDEX outputs_by_machine ON outputs(machine, t)",
    "CREATE INDEX told_by_machine ON told(machine, t)",
    "CREATE INDEX timers_by_machine ON timers(machine, timer, seq)",
  ]

  static let states = """
    UPDATE machines SET state =
      (SELECT to_state FROM transitions WHERE machine = machines.name ORDER BY t DESC, seq DESC LIMIT 1)
    WHERE dropped_seq IS NULL
    """

  static let views = [
    """
    CREATE VIEW history AS
      SELECT * FROM inputs WHERE undone_by IS NULL AND what <> 'undo'
    """,
    """
    CREATE VIEW spells AS
      SELECT machine, kind, state, since, since_ns, until, until_ns, since_seq FROM (
        SELECT machine, kind, to_state AS state, t AS since, t_ns AS since_ns, seq AS since_seq,
          lead(t) OVER life AS until, lead(t_ns) OVER life AS until_ns
        FROM transitions
        WINDOW life AS (PARTITION BY machine ORDER BY t, seq)
      ) WHERE state IS NOT NULL
    """,
    """
    CREATE VIEW running_timers AS
      SELECT machine, kind, timer, t AS since, t_ns AS since_ns, due, due_ns FROM timers AS armed
      WHERE what = 'armed' AND EXISTS (
        SELECT 1 FROM machines WHERE name = armed.machine AND dropped_seq IS NULL AND created_seq <= armed.seq
      ) AND NOT EXISTS (
        SELECT 1 FROM timers AS later
        WHERE later.machine = armed.machine AND later.timer = armed.timer
          AND (later.seq, later.place) > (armed.seq, armed.place)
      )
    """,
  ]
}
