/// The tables, and how a database identifies itself.
///
/// All sums are ``RowSum``s over the columns that `sum` names, checked whenever a row is read. Sequence numbers are
/// stored as signed numbers with the same bits.
enum StoreSchema {
  /// `fsmd`, as four letters; `file` shows it.
  static let applicationID: Int64 = 0x6673_6D64
  /// Raised when the tables, or the bytes in them, change. No other version is read.
  static let version = 4
  static let pageSize = 4096

  static let tables = [
    """
    CREATE TABLE store(
      identity INTEGER NOT NULL,  -- drawn when the file was made
      changes INTEGER NOT NULL,   -- how often a world was made or removed
      worlds INTEGER NOT NULL,    -- how many there are
      sum INTEGER NOT NULL        -- of all columns before
    ) STRICT
    """,
    """
    CREATE TABLE worlds(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      epoch INTEGER NOT NULL,     -- how often it was taken
      head INTEGER NOT NULL,      -- its last input
      first INTEGER NOT NULL,     -- the oldest input that is kept
      moment INTEGER NOT NULL,    -- nanoseconds since it began
      settings BLOB NOT NULL,     -- its owner's
      checkpoint INTEGER,         -- the input of the latest one
      kept INTEGER NOT NULL,      -- bytes in its segments
      removed INTEGER NOT NULL,   -- bytes in segments that retention removed
      names INTEGER NOT NULL,     -- rows in names
      revision INTEGER NOT NULL,  -- how often this row was written
      process INTEGER,            -- of whoever has taken it
      socket TEXT,
      since INTEGER,              -- seconds since 1970
      sum INTEGER NOT NULL        -- of all columns before
    ) STRICT
    """,
    """
    CREATE TABLE segments(
      id INTEGER PRIMARY KEY,
      world INTEGER NOT NULL,
      first INTEGER NOT NULL,     -- its first input
      last INTEGER NOT NULL,      -- its last
      stored INTEGER NOT NULL,    -- seconds since 1970
      sum INTEGER NOT NULL,       -- of world, first, last, stored, bytes
      bytes BLOB NOT NULL
    ) STRICT
    """,
    "CREATE UNIQUE INDEX segments_in_order ON segments(world, first)",
    """
    CREATE TABLE checkpoints(
      id INTEGER PRIMARY KEY,
      world INTEGER NOT NULL,
      sequence INTEGER NOT NULL,  -- the last input that it contains
      hash INTEGER NOT NULL,      -- of the world's state
      stored INTEGER NOT NULL,    -- seconds since 1970
      size INTEGER NOT NULL,      -- of bytes
      content INTEGER NOT NULL,   -- sum of bytes
      sum INTEGER NOT NULL,       -- of world, sequence, hash, stored, size, content
      bytes BLOB NOT NULL
    ) STRICT
    """,
    "CREATE UNIQUE INDEX checkpoints_in_order ON checkpoints(world, sequence)",
    """
    CREATE TABLE names(
      world INTEGER NOT NULL,
      number INTEGER NOT NULL,    -- of a machine
      sequence INTEGER NOT NULL,  -- the input from which on the number means this machine
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      sum INTEGER NOT NULL,       -- of all columns before
      PRIMARY KEY(world, number, sequence)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE undone(
      world INTEGER NOT NULL,
      last INTEGER NOT NULL,      -- the input that undid those before it
      first INTEGER NOT NULL,     -- the first of those
      sum INTEGER NOT NULL,       -- of all columns before
      PRIMARY KEY(world, last)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE kinds(
      world INTEGER NOT NULL,
      name TEXT NOT NULL,
      since INTEGER NOT NULL,     -- the input from which on segments are written by this description
      sum INTEGER NOT NULL,       -- of world, name, since, bytes
      bytes BLOB NOT NULL,        -- the description, its owner's
      PRIMARY KEY(world, name, since)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE removed(
      world INTEGER PRIMARY KEY   -- one that is gone, and whose rows are being removed
    ) STRICT
    """,
  ]

  /// Makes the tables in a new, empty database.
  static func make(in database: Database, identity: UInt64) throws(StoreFailure) {
    try database.run("PRAGMA page_size = \(pageSize)")
    try database.run("PRAGMA journal_mode = WAL")
    try database.writing { () throws(StoreFailure) in
      for table in tables { try database.run(table) }
      let row = StoreRow(identity: identity, changes: 0, worlds: 0)
      let insertion = database.kept("INSERT INTO store(identity, changes, worlds, sum) VALUES (?1, ?2, ?3, ?4)")
      try row.bind(to: insertion).run()
      try database.run("PRAGMA application_id = \(applicationID)")
      try database.run("PRAGMA user_version = \(version)")
    }
  }

  /// Checks that a database has exactly these tables.
  static func check(_ database: Database) throws(StoreFailure) {
    let found = try database.number("PRAGMA user_version") ?? 0
    guard found == Int64(version) else {
      throw .otherSchema(path: database.path, found: Int(found), known: version)
    }
    let listing = Statement(
      database, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    defer { listing.finalize() }
    var texts: [String] = []
    while try listing.step() { texts.append(listing.text(0)) }
    guard texts == tables else {
      throw .damaged(Damage(database.path, "its tables are not those of schema \(version)"))
    }
  }
}

/// The row about the store as a whole.
struct StoreRow: Hashable {
  let identity: UInt64
  var changes: UInt64
  var worlds: Int64

  func bind(to statement: Statement) throws(StoreFailure) -> Statement {
    try statement.bind(1, identity).bind(2, changes).bind(3, worlds).bind(4, sum)
  }

  private var sum: Int64 {
    var sum = RowSum()
    sum.mix(identity)
    sum.mix(changes)
    sum.mix(worlds)
    return sum.stored
  }

  static func read(_ database: Database) throws(StoreFailure) -> StoreRow {
    let statement = Statement(database, "SELECT identity, changes, worlds, sum FROM store")
    defer { statement.finalize() }
    if try statement.step() {
      let row = StoreRow(
        identity: statement.unsigned(0), changes: statement.unsigned(1), worlds: statement.number(2))
      if row.sum == statement.number(3) { return row }
    }
    throw .damaged(Damage(database.path, "the store's own row is not what was written"))
  }
}
