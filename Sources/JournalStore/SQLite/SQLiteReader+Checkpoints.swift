extension SQLiteReader {
  /// A checkpoint's row without its bytes.
  struct MarkRow {
    let id: Int64
    let mark: CheckpointMark
    /// The checksum of its bytes.
    let content: Int64
  }

  private static let columns = "id, sequence, hash, stored, size, content, sum"

  package func checkpoints(of world: String) throws(StoreFailure) -> [CheckpointMark] {
    try database.reading { () throws(StoreFailure) in try marks(of: try row(of: world)).map(\.mark) }
  }

  package func checkpoint(of world: String, atOrBefore sequence: UInt64) throws(StoreFailure) -> StoredCheckpoint? {
    try database.reading { () throws(StoreFailure) in
      let row = try row(of: world)
      guard let found = try marks(of: row).last(where: { $0.mark.sequence <= sequence }) else { return nil }
      return try withBytes(of: found, row) { StoredCheckpoint(mark: found.mark, bytes: Array($0)) }
    }
  }

  /// Checks that the latest checkpoint, if a world has one, can be read.
  ///
  /// - Throws: `damaged` when it is missing, or its bytes differ from those written.
  /// - Complexity: That of reading the checkpoint.
  func checkLatestCheckpoint(of row: WorldRow) throws(StoreFailure) {
    if let latest = try latestMark(of: row) { try withBytes(of: latest, row) { _ in } }
  }

  /// The row of the latest checkpoint, without reading its bytes; nil when a world has none.
  ///
  /// - Throws: `damaged` when the checkpoint is missing.
  func latestMark(of row: WorldRow) throws(StoreFailure) -> MarkRow? {
    let latest = try marks(of: row).last
    guard latest?.mark.sequence == row.checkpoint else {
      throw damage(row, at: row.checkpoint, "its latest checkpoint is missing")
    }
    return latest
  }

  /// Lends a checkpoint's bytes to `body`.
  ///
  /// - Throws: `damaged` when they differ from those written.
  func withBytes<Result>(
    of checkpoint: MarkRow, _ row: WorldRow, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StoreFailure) -> Result {
    let statement = Statement(database, "SELECT bytes FROM checkpoints WHERE id = ?1")
    defer { statement.finalize() }
    try statement.bind(1, checkpoint.id)
    if try statement.step() {
      let bytes = statement.bytes(0)
      var content = RowSum()
      content.mix(bytes)
      if content.stored == checkpoint.content, bytes.count == checkpoint.mark.size { return body(bytes) }
    }
    throw damage(row, at: checkpoint.mark.sequence, "the checkpoint is not what was written")
  }

  /// All checkpoints of a world, oldest first.
  func marks(of row: WorldRow) throws(StoreFailure) -> [MarkRow] {
    let statement = Statement(
      database, "SELECT \(Self.columns) FROM checkpoints WHERE world = ?1 ORDER BY sequence")
    defer { statement.finalize() }
    try statement.bind(1, row.identity)
    var rows: [MarkRow] = []
    while try statement.step() {
      let mark = CheckpointMark(
        sequence: statement.unsigned(1), hash: statement.unsigned(2),
        size: Int(statement.number(4)), stored: statement.number(3))
      let content = statement.number(5)
      guard Self.sum(world: row.identity, mark, content: content) == statement.number(6) else {
        throw damage(row, at: mark.sequence, "the checkpoint's row is not what was written")
      }
      rows.append(MarkRow(id: statement.number(0), mark: mark, content: content))
    }
    return rows
  }

  static func sum(world: Int64, _ mark: CheckpointMark, content: Int64) -> Int64 {
    var sum = RowSum()
    sum.mix(world)
    sum.mix(mark.sequence)
    sum.mix(mark.hash)
    sum.mix(mark.stored)
    sum.mix(Int64(mark.size))
    sum.mix(content)
    return sum.stored
  }
}
