internal import JournalStore

/// The tables, in the schema `fsmd` of a database.
///
/// All sums are ``RowSum``s over the columns that `sum` names, checked whenever a row is read. Numbers of inputs are
/// stored as signed numbers with the same bits.
enum Schema {
  /// The version that this release writes and reads.
  static let version: Int64 = 5
  /// It has the same tables. Daemons that use it may run on: its `append` stays, and goes with the next version.
  private static let oldVersion: Int64 = 4

  /// What makes version 5. Bytes are compact already, so TOAST does not try to compress them.
  static let tables = [
    """
    CREATE TABLE fsmd.store(
      version bigint NOT NULL,
      made timestamptz NOT NULL DEFAULT now())
    """,
    """
    CREATE TABLE fsmd.worlds(
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE)
    """,
    "COMMENT ON TABLE fsmd.worlds IS 'durable worlds; what changes of them is the last row of each in fsmd.log'",
    """
    CREATE TABLE fsmd.hosts(
      run uuid PRIMARY KEY,       -- drawn by each process
      name text NOT NULL,
      current boolean NOT NULL DEFAULT true,  -- false for a process that has ended or has lost its name
      process bigint NOT NULL,
      socket text NOT NULL,
      began timestamptz NOT NULL DEFAULT now(),
      renewed timestamptz NOT NULL,
      ends timestamptz NOT NULL,
      given bigint NOT NULL DEFAULT 0)  -- worlds that other daemons gave to it
    """,
    "COMMENT ON TABLE fsmd.hosts IS 'daemons and their leases'",
    "CREATE UNIQUE INDEX hosts_name ON fsmd.hosts(name) WHERE current",
    """
    CREATE TABLE fsmd.log(
      world bigint NOT NULL,
      number bigint NOT NULL,
      epoch uuid NOT NULL,        -- drawn by whoever took the world last
      taking boolean NOT NULL,    -- whether this row took it
      takes bigint NOT NULL,      -- how often it was taken
      head bigint NOT NULL,       -- its last input
      moment bigint NOT NULL,     -- nanoseconds since it began
      settings bytea NOT NULL,    -- its owner's
      total bigint NOT NULL,      -- bytes of all segments that it ever had
      process bigint,             -- of whoever has it
      daemon text,                -- its name, or its socket if it has none
      since bigint,               -- seconds since 1970
      run uuid,                   -- its lease, if it has one
      history bigint NOT NULL,    -- what fsmd.history() was
      stored timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY(world, number))
    """,
    "COMMENT ON TABLE fsmd.log IS 'who writes which world: rows are inserted and never change'",
    """
    CREATE TABLE fsmd.segments(
      world bigint NOT NULL,
      first bigint NOT NULL,      -- its first input
      last bigint NOT NULL,       -- its last
      start bigint NOT NULL,      -- bytes of all segments before it
      size bigint NOT NULL,       -- of bytes
      sum bigint NOT NULL,        -- of first, last, bytes
      stored timestamptz NOT NULL DEFAULT now(),
      bytes bytea NOT NULL,
      PRIMARY KEY(world, first, stored)) PARTITION BY RANGE (stored)
    """,
    "ALTER TABLE fsmd.segments ALTER COLUMN bytes SET STORAGE EXTERNAL",
    """
    CREATE TABLE fsmd.checkpoints(
      world bigint NOT NULL,
      sequence bigint NOT NULL,   -- the last input that it contains
      hash bigint NOT NULL,       -- of the world's state
      sum bigint NOT NULL,        -- of sequence, hash, bytes
      stored timestamptz NOT NULL DEFAULT now(),
      bytes bytea NOT NULL,
      PRIMARY KEY(world, sequence))
    """,
    "ALTER TABLE fsmd.checkpoints ALTER COLUMN bytes SET STORAGE EXTERNAL",
    """
    CREATE TABLE fsmd.names(
      world bigint NOT NULL,
      number bigint NOT NULL,     -- of a machine
      sequence bigint NOT NULL,   -- the input from which on the number means this machine
      name text NOT NULL,
      kind text NOT NULL,
      sum bigint NOT NULL,        -- of number, sequence, name, kind
      PRIMARY KEY(world, number, sequence))
    """,
    """
    CREATE TABLE fsmd.undone(
      world bigint NOT NULL,
      last bigint NOT NULL,       -- the input that undid those before it
      first bigint NOT NULL,      -- the first of those
      sum bigint NOT NULL,        -- of last, first
      PRIMARY KEY(world, last))
    """,
    """
    CREATE TABLE fsmd.kinds(
      world bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      since bigint NOT NULL,      -- the input from which on segments are written by this description
      sum bigint NOT NULL,        -- of name, since, bytes
      bytes bytea NOT NULL,
      PRIMARY KEY(world, name, since))
    """,
    // Worlds that are gone, and whose rows are being removed.
    "CREATE TABLE fsmd.removed(world bigint PRIMARY KEY)",
    // Another number once the database went back in time or is a copy: the timeline, and where the table is. As a volatile
    // function it becomes a part of the statement that calls it.
    """
    CREATE FUNCTION fsmd.history() RETURNS bigint LANGUAGE sql VOLATILE AS $$
      SELECT (('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint << 32)
        | 'fsmd.log'::regclass::oid::bigint
    $$
    """,
    """
    CREATE VIEW fsmd.status AS
      SELECT w.name, l.head AS inputs, l.moment / 1e9 AS seconds, l.daemon, l.process,
        EXISTS (SELECT FROM fsmd.hosts h WHERE h.run = l.run AND h.current AND h.ends > clock_timestamp()) AS served,
        l.takes, to_timestamp(l.since) AS taken, l.stored AS written
      FROM fsmd.worlds w
        CROSS JOIN LATERAL (SELECT * FROM fsmd.log WHERE world = w.id ORDER BY number DESC LIMIT 1) l
    """,
    "COMMENT ON VIEW fsmd.status IS 'for operators: each world, and which daemon has it'",
    append,
    "INSERT INTO fsmd.store(version) VALUES (\(version))",
  ]

  /// Inserts each row of the log whose number is free and whose predecessor has the epoch that its writer knows, in the
  /// order given, each with its segment unless that is null; and returns the worlds of those that were inserted.
  ///
  /// With `force_generic_plan` PostgreSQL plans the statements once for each connection, also behind a pooler. Without, it
  /// plans each call anew, which takes ten times as long as the rest of an append. The function makes the settings of
  /// ``Connection/transactionSettings``. A statement outside of it is parsed in each call, and takes as long as it has
  /// parameters: so there are three, of rows as they are in the tables.
  private static let append = """
    CREATE FUNCTION fsmd.append(rows fsmd.log[], epochs_before uuid[], segments fsmd.segments[])
    RETURNS bigint[] LANGUAGE plpgsql AS $$
    DECLARE
      settings_made text := concat(
        \(Connection.transactionSettings), set_config('plan_cache_mode', 'force_generic_plan', true));
      history_now bigint := fsmd.history();
      r fsmd.log;
      s fsmd.segments;
      inserted bigint[] := '{}';
    BEGIN
      FOR i IN 1..cardinality(rows) LOOP
        r := rows[i];
        INSERT INTO fsmd.log(
          world, number, epoch, taking, takes, head, moment, settings, total, process, daemon, since, run, history)
        SELECT r.world, r.number, r.epoch, r.taking, r.takes, r.head, r.moment, r.settings, r.total, r.process, r.daemon,
          r.since, r.run, history_now
        WHERE (SELECT l.epoch FROM fsmd.log l WHERE l.world = r.world AND l.number = r.number - 1) = epochs_before[i]
        ON CONFLICT (world, number) DO NOTHING;
        CONTINUE WHEN NOT FOUND;
        s := segments[i];
        IF s.world IS NOT NULL THEN
          INSERT INTO fsmd.segments(world, first, last, start, size, sum, bytes)
          VALUES (s.world, s.first, s.last, s.start, s.size, s.sum, s.bytes);
        END IF;
        inserted := inserted || r.world;
      END LOOP;
      RETURN inserted;
    END $$
    """

  /// Makes the schema in a database that has none, or that of ``oldVersion``.
  ///
  /// - Throws: `otherSchema` for that of another release; what running statements throws.
  static func make(_ connection: Connection, _ path: String) throws(StoreFailure) {
    let found = try find(connection, path)
    if found == version { return }
    do throws(StoreFailure) {
      try connection.transaction({ failure($0, path) }) { () throws(StoreFailure) in
        if found == oldVersion {
          for text in [append, "UPDATE fsmd.store SET version = \(version)"] {
            _ = try ask(connection, Query(text), path)
          }
          return
        }
        // An administrator may have made it, for a role that may make none.
        if try ask(connection, Query("SELECT to_regnamespace('fsmd') IS NULL"), path).rows.first?.bool(0) == true {
          _ = try ask(connection, Query("CREATE SCHEMA fsmd"), path)
        }
        for table in tables { _ = try ask(connection, Query(table), path) }
      }
    } catch {
      // Another daemon may have made it at the same time.
      guard connection.isOpen, try find(connection, path) == version else { throw error }
    }
  }

  /// The version of the schema, which can be read; nil if there is none.
  ///
  /// - Throws: `otherSchema` for that of another release.
  static func find(_ connection: Connection, _ path: String) throws(StoreFailure) -> Int64? {
    let there = Query("SELECT to_regclass('fsmd.store') IS NOT NULL")
    guard try ask(connection, there, path).rows.first?.bool(0) == true else { return nil }
    let found = try ask(connection, Query("SELECT version FROM fsmd.store"), path).rows.first?.number(0) ?? 0
    guard oldVersion...version ~= found else { throw .otherSchema(path: path, found: Int(found), known: Int(version)) }
    return found
  }

  /// Makes the partitions for this week and the next one, if they are missing. The table stays usable meanwhile.
  static func makePartitions(_ connection: Connection, _ path: String) throws(StoreFailure) {
    let weeks = try ask(
      connection,
      Query(
        """
        SELECT to_char(week, '"segments_"YYYYMMDD'), week::text, (week + interval '7 days')::text
        FROM generate_series(date_trunc('week', now(), 'UTC'), now() + interval '7 days', interval '7 days') AS week
        WHERE to_regclass('fsmd.' || to_char(week, '"segments_"YYYYMMDD')) IS NULL
        """), path
    ).rows
    for week in weeks {
      let name = "fsmd.\(week.text(0))"
      do throws(StoreFailure) {
        try connection.transaction({ failure($0, path) }) { () throws(StoreFailure) in
          for text in [
            "SELECT set_config('lock_timeout', '2s', true)",
            "CREATE TABLE \(name) (LIKE fsmd.segments INCLUDING DEFAULTS INCLUDING STORAGE)",
            "ALTER TABLE fsmd.segments ATTACH PARTITION \(name) FOR VALUES FROM ('\(week.text(1))') TO ('\(week.text(2))')",
          ] { _ = try ask(connection, Query(text), path) }
        }
      } catch {
        // Another daemon may have made it at the same time.
        guard connection.isOpen,
          try ask(connection, Query("SELECT to_regclass($1) IS NOT NULL", .text(name)), path).rows.first?.bool(0)
            == true
        else { throw error }
      }
    }
  }

  /// Removes partitions of past weeks that have no row left, so that their files are gone. Appends never wait for it: a
  /// partition is detached concurrently, and whoever waits for a lock does so for half a second.
  static func dropPartitions(_ connection: Connection, _ path: String) throws(StoreFailure) {
    let old = try ask(
      connection,
      Query(
        """
        SELECT c.relname::text, i.inhrelid IS NOT NULL, coalesce(i.inhdetachpending, false)
        FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
        WHERE c.relnamespace = 'fsmd'::regnamespace AND c.relkind = 'r' AND c.relname ~ '^segments_[0-9]{8}$'
          AND c.relname < to_char(date_trunc('week', now(), 'UTC') - interval '7 days', '"segments_"YYYYMMDD')
        """), path
    ).rows
    // A partition is detached outside of transactions, so the time to wait for its lock is a setting of the session. Behind
    // a pooler the next user of the session would inherit it.
    let backend = try ask(connection, Query("SELECT pg_backend_pid()::bigint"), path).rows.first?.number(0)
    guard !old.isEmpty, backend == Int64(connection.process) else { return }
    _ = try ask(connection, Query("SET lock_timeout = '500ms'"), path)
    defer { _ = try? ask(connection, Query("RESET lock_timeout"), path) }
    for row in old {
      let name = "fsmd.\(row.text(0))"
      func isEmpty() throws(StoreFailure) -> Bool {
        try ask(connection, Query("SELECT NOT EXISTS (SELECT FROM \(name))"), path).rows.first?.bool(0) == true
      }
      guard try isEmpty() else { continue }
      // One that was interrupted is finished.
      let way = row.bool(2) ? "FINALIZE" : "CONCURRENTLY"
      if row.bool(1) {
        _ = try ask(connection, Query("ALTER TABLE fsmd.segments DETACH PARTITION \(name) \(way)"), path)
      }
      if try isEmpty() { _ = try ask(connection, Query("DROP TABLE \(name)"), path) }
    }
  }

  /// Runs one statement, which is not the end of a transaction: if its reply is lost, the server rolls back.
  static func ask(_ connection: Connection, _ query: Query, _ path: String) throws(StoreFailure) -> Rows {
    do throws(QueryFailure) {
      guard let rows = try connection.run([query]).first else { throw .lost("the server gave no result") }
      return rows
    } catch {
      if case .lost(let reason) = error { throw .cannotOpen(path: path, reason: reason) }
      throw failure(error, path)
    }
  }

  /// What a failed statement means for the store.
  static func failure(_ failure: QueryFailure, _ path: String) -> StoreFailure {
    switch failure {
    case .lost(let reason): .unknown(path: path, reason: reason)
    case .refused("53100", _): .full(path: path)
    case .refused("25006", _): .readOnly(path: path)
    case .refused("55P03", _): .locked(path: path, by: nil)
    case .refused("42501", let text):
      .other(path: path, reason: "\(text); 'fsmd store setup URL --print' prints the grants that it needs")
    case .refused(let state, let text): .other(path: path, reason: "\(text) (\(state))")
    }
  }
}
