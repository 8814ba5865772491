extension SQLiteReader {
  package func readSegments(
    of world: String, from sequence: UInt64, _ body: (Segment) -> Bool
  ) throws(StoreFailure) {
    try database.reading { () throws(StoreFailure) in
      let row = try row(of: world)
      let start = max(sequence, row.first)
      guard start <= row.head else { return }
      // A separate statement, since `body` may read as well.
      let statement = Statement(database, SegmentSQL.from)
      defer { statement.finalize() }
      try statement.bind(1, row.identity).bind(2, start)
      var last: UInt64?
      while try stepping(statement, row, after: last ?? start - 1) {
        let segment = try segment(statement, row)
        let fits = if let last { segment.first == last + 1 } else { (row.first...start).contains(segment.first) }
        guard fits, segment.last >= segment.first, last != nil || segment.last >= start, segment.last <= row.head else {
          throw missing(row, from: last.map { $0 + 1 } ?? start, before: segment.first)
        }
        last = segment.last
        guard body(segment) else { return }
      }
      guard last == row.head else { throw missing(row, from: last.map { $0 + 1 } ?? start, before: row.head + 1) }
    }
  }

  /// Steps to the next segment; adds the position to damage that SQLite finds.
  private func stepping(_ statement: Statement, _ row: WorldRow, after last: UInt64) throws(StoreFailure) -> Bool {
    do throws(StoreFailure) {
      return try statement.step()
    } catch {
      if case .damaged(let damage) = error { throw self.damage(row, at: last + 1, damage.finding) }
      throw error
    }
  }

  private func segment(_ statement: Statement, _ row: WorldRow) throws(StoreFailure) -> Segment {
    let segment = Segment(
      first: statement.unsigned(0), last: statement.unsigned(1), stored: statement.number(2),
      bytes: statement.bytes(4))
    let sum = SegmentSQL.sum(
      world: row.identity, first: segment.first, last: segment.last, stored: segment.stored, segment.bytes)
    guard sum == statement.number(3) else {
      throw damage(row, at: segment.first, "the segment of inputs from here on is not what was written")
    }
    return segment
  }

  private func missing(_ row: WorldRow, from first: UInt64, before next: UInt64) -> StoreFailure {
    damage(row, at: first, next > first ? "inputs \(first) to \(next - 1) are missing" : "its segments overlap")
  }

  package func creation(
    of number: UInt32, in world: String, at sequence: UInt64
  ) throws(StoreFailure) -> StoredCreation? {
    try database.reading { () throws(StoreFailure) in
      let row = try row(of: world)
      try nameAtInput.bind(1, row.identity).bind(2, Int64(number)).bind(3, sequence)
      defer { nameAtInput.reset() }
      return try nameAtInput.step() ? try NameSQL.read(nameAtInput, row.identity, path: files.database, world) : nil
    }
  }

  package func creations(of world: String) throws(StoreFailure) -> [StoredCreation] {
    try database.reading { () throws(StoreFailure) in
      let row = try row(of: world)
      let statement = Statement(database, NameSQL.all)
      defer { statement.finalize() }
      try statement.bind(1, row.identity)
      var creations: [StoredCreation] = []
      while try statement.step() {
        creations.append(try NameSQL.read(statement, row.identity, path: files.database, world))
      }
      return creations.sorted { $0.sequence < $1.sequence }
    }
  }

  package func holdings(of world: String) throws(StoreFailure) -> StorageStats {
    try database.reading { () throws(StoreFailure) in
      let row = try row(of: world)
      return StorageStats(
        first: row.first, head: row.head, bytes: Int(row.kept), removedBytes: Int(row.removed),
        machines: Int(row.names), checkpoints: try marks(of: row).map(\.mark))
    }
  }
}
