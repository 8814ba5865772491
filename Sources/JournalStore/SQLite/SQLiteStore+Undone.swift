extension SQLiteStore {
  private enum SQL {
    static let insertion = "INSERT INTO undone(world, last, first, sum) VALUES (?1, ?2, ?3, ?4)"
    static let takingIn = "DELETE FROM undone WHERE world = ?1 AND last >= ?2"
    static let sweep = "DELETE FROM undone WHERE world = ?1 AND last < ?2"
  }

  /// Stores the ranges that a round has undone.
  func write(undone: [ClosedRange<UInt64>], _ row: WorldRow) throws(StoreFailure) {
    let takingIn = Statement(database, SQL.takingIn)
    let insertion = Statement(database, SQL.insertion)
    defer {
      takingIn.finalize()
      insertion.finalize()
    }
    for stretch in undone {
      let (first, last) = (stretch.lowerBound, stretch.upperBound)
      try takingIn.bind(1, row.identity).bind(2, first).run()
      try insertion.bind(1, row.identity).bind(2, last).bind(3, first).bind(4, Self.sum(undone: row, first, last)).run()
    }
  }

  /// Removes ranges of inputs that are no longer stored.
  func forgetUndone(of row: WorldRow) throws(StoreFailure) {
    let sweep = Statement(database, SQL.sweep)
    defer { sweep.finalize() }
    try sweep.bind(1, row.identity).bind(2, row.first).run()
  }
}
