extension SQLiteStore {
  package func append(_ round: [Append]) throws(StoreFailure) -> [String: StoreFailure] {
    guard !round.isEmpty else { return [:] }
    var shutOut: [String: StoreFailure] = [:]
    do throws(StoreFailure) {
      let stored = now()
      var rows: [WorldRow] = []
      rows.reserveCapacity(round.count)
      try writing { () throws(StoreFailure) in
        for append in round {
          do throws(StoreFailure) {
            rows.append(try write(append, stored))
          } catch {
            switch error {
            case .fenced, .outOfStep: shutOut[append.lease.world] = error
            case _: throw error
            }
          }
        }
      }
      for row in rows { held[row.identity] = row }
      noting { (notes) throws(StoreFailure) in try notes.note(rows) }
      return shutOut
    } catch {
      for append in round { forgetIfUnknown(append.lease, error) }
      throw error
    }
  }

  /// Writes a round's changes to one world; returns its new row.
  private func write(_ append: Append, _ stored: Int64) throws(StoreFailure) -> WorldRow {
    precondition(
      append.bytes.isEmpty ? append.last == append.head : append.last > append.head,
      "a segment has bytes if and only if it has inputs")
    var row = try heldRow(append.lease, head: append.head)
    row.head = append.last
    row.moment = append.moment
    if let settings = append.settings { row.settings = settings }
    row.kept += Int64(append.bytes.count)
    row.names += Int64(append.creations.count)
    row.revision += 1
    // First, so that a fenced writer gets no further.
    try update(row, epoch: append.lease.epoch, head: append.head)
    if !append.bytes.isEmpty {
      try write(Segment(first: append.head + 1, last: append.last, stored: stored, bytes: append.bytes), row)
    }
    for creation in append.creations { try write(creation, row) }
    if !append.undone.isEmpty { try write(undone: append.undone, row) }
    for kind in append.kinds { try write(kind, row) }
    return row
  }
  func write(_ segment: Segment, _ row: WorldRow) throws(StoreFailure) {
    let sum = SegmentSQL.sum(
      world: row.identity, first: segment.first, last: segment.last, stored: segment.stored, segment.bytes)
    try segmentInsertion.bind(1, row.identity).bind(2, segment.first).bind(3, segment.last).bind(4, segment.stored)
      .bind(5, sum).bind(6, lent: segment.bytes).run()
  }

  func write(_ creation: StoredCreation, _ row: WorldRow) throws(StoreFailure) {
    try nameInsertion.bind(1, row.identity).bind(2, Int64(creation.number)).bind(3, creation.sequence)
      .bind(4, creation.name).bind(5, creation.kind).bind(6, NameSQL.sum(world: row.identity, creation)).run()
  }
}
