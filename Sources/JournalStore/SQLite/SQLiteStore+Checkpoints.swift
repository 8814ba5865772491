extension SQLiteStore {
  package func putCheckpoint(
    _ lease: Lease, at sequence: UInt64, hash: UInt64, _ bytes: UnsafeRawBufferPointer
  ) throws(StoreFailure) {
    try change(lease) { (row) throws(StoreFailure) in
      precondition(sequence <= row.head, "a checkpoint has no inputs that are not stored")
      try insert(CheckpointMark(sequence: sequence, hash: hash, size: bytes.count, stored: now()), bytes, of: row)
      row.checkpoint = max(sequence, row.checkpoint ?? 0)
      let all = try marks(of: row)
      for place in CheckpointThinning.superfluous(all.map(\.mark.sequence)) { try delete(all[place]) }
    }
    // The replaced checkpoint may have been verified; this one has not.
    trustedCheckpoints[lease.identity] = nil
  }

  func insert(_ mark: CheckpointMark, _ bytes: UnsafeRawBufferPointer, of row: WorldRow) throws(StoreFailure) {
    var content = RowSum()
    content.mix(bytes)
    let insertion = Statement(
      database,
      """
      INSERT OR REPLACE INTO checkpoints(world, sequence, hash, stored, size, content, sum, bytes)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    defer { insertion.finalize() }
    try insertion.bind(1, row.identity).bind(2, mark.sequence).bind(3, mark.hash).bind(4, mark.stored)
      .bind(5, Int64(mark.size)).bind(6, content.stored)
      .bind(7, Self.sum(world: row.identity, mark, content: content.stored)).bind(8, lent: bytes).run()
  }

  func delete(_ checkpoint: MarkRow) throws(StoreFailure) {
    let deletion = Statement(database, "DELETE FROM checkpoints WHERE id = ?1")
    defer { deletion.finalize() }
    try deletion.bind(1, checkpoint.id).run()
  }
}
