/// A position in the table `names` of a world.
struct NamePlace {
  let number: Int64
  let sequence: UInt64
}

extension SQLiteStore {
  /// How much one call removes: some milliseconds of work.
  private enum Batch {
    static let segments = 64
    static let bytes: Int64 = 4 << 20
    static let names = 2000
  }

  package func retain(_ lease: Lease, _ retention: Retention) throws(StoreFailure) -> Bool {
    let row = try heldRow(lease, head: nil)
    let doomed = try doomedSegments(of: row, retention)
    if !doomed.isEmpty {
      try trustLatestCheckpoint(of: row)
      try change(lease) { (row) throws(StoreFailure) in try remove(doomed, of: &row) }
      nameSweeps[row.identity] = NamePlace(number: 0, sequence: 0)
      return true
    }
    guard let place = nameSweeps[row.identity] else { return false }
    let next = try sweepNames(lease, row, from: place)
    nameSweeps[row.identity] = next
    return next != nil
  }

  private struct OldSegment {
    let id: Int64
    let last: UInt64
    let bytes: Int64
  }

  /// The oldest segments that exceed the limits and are not needed; at most one batch.
  private func doomedSegments(of row: WorldRow, _ retention: Retention) throws(StoreFailure) -> [OldSegment] {
    let mostBytes = retention.bytes.map(Int64.init) ?? .max
    let oldest = retention.age.map { now() - $0 } ?? .min
    guard let checkpoint = row.checkpoint, row.kept > mostBytes || retention.age != nil else { return [] }
    let statement = Statement(database, SegmentSQL.oldest)
    defer { statement.finalize() }
    try statement.bind(1, row.identity).bind(2, Int64(Batch.segments))
    var doomed: [OldSegment] = []
    var bytes: Int64 = 0
    while bytes < Batch.bytes, try statement.step() {
      let segment = OldSegment(id: statement.number(0), last: statement.unsigned(2), bytes: statement.number(4))
      let isBeyond = row.kept - bytes > mostBytes || statement.number(3) < oldest
      guard isBeyond, segment.last <= checkpoint else { break }
      doomed.append(segment)
      bytes += segment.bytes
    }
    return doomed
  }

  /// Checks that the checkpoint that replaces removed segments can be read.
  private func trustLatestCheckpoint(of row: WorldRow) throws(StoreFailure) {
    guard let checkpoint = row.checkpoint, trustedCheckpoints[row.identity] != checkpoint else { return }
    try database.reading { () throws(StoreFailure) in try checkLatestCheckpoint(of: row) }
    trustedCheckpoints[row.identity] = checkpoint
  }

  private func remove(_ doomed: [OldSegment], of row: inout WorldRow) throws(StoreFailure) {
    let deletion = Statement(database, SegmentSQL.deletion)
    defer { deletion.finalize() }
    for segment in doomed {
      try deletion.bind(1, segment.id).run()
      row.first = segment.last + 1
      row.kept -= segment.bytes
      row.removed += segment.bytes
    }
    try forgetUndone(of: row)
    // A checkpoint is useless for replay if its next input is gone.
    for checkpoint in try marks(of: row) where checkpoint.mark.sequence + 1 < row.first {
      if checkpoint.mark.sequence != row.checkpoint { try delete(checkpoint) }
    }
  }

  // MARK: Names

  /// Removes names that were reassigned before the first stored input.
  ///
  /// - Returns: The position to continue from; nil when all were checked.
  private func sweepNames(
    _ lease: Lease, _ row: WorldRow, from place: NamePlace
  ) throws(StoreFailure) -> NamePlace? {
    let listing = Statement(
      database,
      """
      SELECT number, sequence FROM names WHERE world = ?1 AND (number, sequence) >= (?2, ?3)
      ORDER BY number, sequence LIMIT ?4
      """)
    defer { listing.finalize() }
    try listing.bind(1, row.identity).bind(2, place.number).bind(3, place.sequence).bind(4, Int64(Batch.names))
    var seen: [NamePlace] = []
    while try listing.step() { seen.append(NamePlace(number: listing.number(0), sequence: listing.unsigned(1))) }
    let doomed = zip(seen, seen.dropFirst()).filter { name, next in
      name.number == next.number && next.sequence <= row.first
    }.map(\.0)
    if !doomed.isEmpty {
      try change(lease) { (row) throws(StoreFailure) in
        let deletion = Statement(database, "DELETE FROM names WHERE world = ?1 AND number = ?2 AND sequence = ?3")
        defer { deletion.finalize() }
        for name in doomed { try deletion.bind(1, row.identity).bind(2, name.number).bind(3, name.sequence).run() }
        row.names -= Int64(doomed.count)
      }
    }
    // The last name is checked again with the next batch.
    return seen.count == Batch.names ? seen.last : nil
  }

  // MARK: Removed worlds

  package func sweep() throws(StoreFailure) -> Bool {
    guard let world = try database.number("SELECT world FROM removed LIMIT 1") else { return false }
    try writing { () throws(StoreFailure) in
      guard try sweep(world, "segments", "id", atMost: Batch.segments) else { return }
      guard try sweep(world, "checkpoints", "id", atMost: 1) else { return }
      guard try sweep(world, "names", "(number, sequence)", atMost: Batch.names) else { return }
      guard try sweep(world, "undone", "last", atMost: Batch.names) else { return }
      guard try sweep(world, "kinds", "(name, since)", atMost: Batch.names) else { return }
      try database.run("DELETE FROM removed WHERE world = \(world)")
    }
    return true
  }

  /// Deletes rows of a world.
  ///
  /// - Returns: Whether there were fewer than `most`, so that none is left.
  private func sweep(_ world: Int64, _ table: String, _ key: String, atMost most: Int) throws(StoreFailure) -> Bool {
    let keys = key.split(whereSeparator: { "(), ".contains($0) }).joined(separator: ", ")
    try database.run(
      """
      DELETE FROM \(table) WHERE world = \(world)
        AND \(key) IN (SELECT \(keys) FROM \(table) WHERE world = \(world) LIMIT \(most))
      """)
    return database.changes < most
  }
}
