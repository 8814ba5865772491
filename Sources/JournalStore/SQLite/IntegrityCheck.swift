/// Checks of a database beyond those of each row read.
enum IntegrityCheck {
  /// Checks a store when it is opened for writing: that all worlds exist, that each has its first and its last segment,
  /// and in a small database the structure of all pages.
  ///
  /// - Returns: The store's row, and its worlds.
  static func check(_ database: Database) throws(StoreFailure) -> (StoreRow, [WorldRow]) {
    try database.reading { () throws(StoreFailure) in
      if try database.number("PRAGMA page_count") ?? 0 <= SQLiteStore.largestCheckedInFull / StoreSchema.pageSize {
        try checkStructure(database, "quick_check")
      }
      let store = try StoreRow.read(database)
      let rows = try worlds(database)
      guard rows.count == Int(store.worlds) else {
        throw .damaged(Damage(database.path, "\(store.worlds) worlds were written, and \(rows.count) are there"))
      }
      for row in rows { try checkEnds(of: row, database) }
      return (store, rows)
    }
  }

  static func worlds(_ database: Database) throws(StoreFailure) -> [WorldRow] {
    let statement = Statement(database, "SELECT \(WorldRow.columns) FROM worlds ORDER BY name")
    defer { statement.finalize() }
    var rows: [WorldRow] = []
    while try statement.step() { rows.append(try WorldRow(statement, path: database.path)) }
    return rows
  }

  /// Lets SQLite check its own structure.
  ///
  /// - Parameter pragma: `quick_check`, or `integrity_check`, which also compares indices with their tables.
  static func checkStructure(_ database: Database, _ pragma: String) throws(StoreFailure) {
    let statement = Statement(database, "PRAGMA \(pragma)(1)")
    defer { statement.finalize() }
    guard try statement.step() else { throw .damaged(Damage(database.path, "SQLite's check found no answer")) }
    let answer = statement.text(0)
    guard answer == "ok" else {
      let line = answer.split(separator: "\n").joined(separator: " ")
      throw .damaged(Damage(database.path, "SQLite's check found: \(line)"))
    }
  }

  private static func checkEnds(of row: WorldRow, _ database: Database) throws(StoreFailure) {
    let ends = try [true, false].map { (isFirst) throws(StoreFailure) -> UInt64? in
      let statement = Statement(database, SegmentSQL.end(isFirst: isFirst))
      defer { statement.finalize() }
      try statement.bind(1, row.identity)
      return try statement.step() ? statement.unsigned(0) : nil
    }
    let isEmpty = row.first == row.head + 1
    guard isEmpty ? ends == [nil, nil] : ends == [row.first, row.head] else {
      let found = if let first = ends[0], let last = ends[1] { "\(first) to \(last)" } else { "none" }
      throw .damaged(
        Damage(
          database.path, world: row.name,
          "inputs \(row.first) to \(row.head) were written, and of its segments there are \(found)"))
    }
  }
}

extension SQLiteReader {
  /// Reads everything and compares it with its checksums and with the watermarks, all in one snapshot.
  ///
  /// - Parameter progress: Called with each world's name before it is read.
  /// - Returns: What a power cut took, as durability `batch` allows, if no daemon has reported it yet.
  /// - Throws: `damaged` with the first difference.
  /// - Complexity: O(size).
  @discardableResult
  package func inspect(_ progress: (String) -> Void = { _ in }) throws(StoreFailure) -> [StoreWarning] {
    // Read before the database: a daemon may write meanwhile, and older watermarks do no harm. For a snapshot that
    // began earlier they would be too new.
    let noted = database.isInTransaction ? nil : try CommitWatermarks.read(files.heads, faults: nil)
    return try withSnapshot { () throws(StoreFailure) in
      let (store, rows) = try inspectContents(progress)
      return try noted?.check(store, rows, boot: boot, path: files.database) ?? []
    }
  }

  /// Reads the whole database and compares it with its checksums.
  ///
  /// - Returns: The store's row, and its worlds.
  @discardableResult
  func inspectContents(_ progress: (String) -> Void = { _ in }) throws(StoreFailure) -> (StoreRow, [WorldRow]) {
    try withSnapshot { () throws(StoreFailure) in
      let (store, rows) = try IntegrityCheck.check(database)
      try IntegrityCheck.checkStructure(database, "integrity_check")
      for row in rows {
        progress(row.name)
        var bytes: Int64 = 0
        try readSegments(of: row.name, from: 0) { segment in
          bytes += Int64(segment.bytes.count)
          return true
        }
        guard bytes == row.kept else {
          throw damage(row, "\(row.kept) bytes of segments were written, and \(bytes) are there")
        }
        let marks = try checkpoints(of: row.name)
        guard marks.last?.sequence == row.checkpoint else { throw damage(row, "its latest checkpoint is missing") }
        for mark in marks { _ = try checkpoint(of: row.name, atOrBefore: mark.sequence) }
        let names = try countNames(of: row)
        _ = try undone(in: row.name, 0...UInt64.max)
        _ = try kinds(of: row.name)
        guard names == row.names else { throw damage(row, "\(row.names) names were written, and \(names) are there") }
      }
      return (store, rows)
    }
  }

  private func countNames(of row: WorldRow) throws(StoreFailure) -> Int64 {
    let statement = Statement(database, NameSQL.all)
    defer { statement.finalize() }
    try statement.bind(1, row.identity)
    var count: Int64 = 0
    while try statement.step() {
      _ = try NameSQL.read(statement, row.identity, path: files.database, row.name)
      count += 1
    }
    return count
  }

  func damage(_ row: WorldRow, at sequence: UInt64? = nil, _ finding: String) -> StoreFailure {
    .damaged(Damage(files.database, world: row.name, at: sequence, finding))
  }
}
