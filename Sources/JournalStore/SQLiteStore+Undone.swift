/// What was undone, so that who reads an old stretch of a journal need not read all that came after it.
///
/// No stretch touches another: who goes back further takes in what was undone there.
extension SQLiteStore {
  private enum SQL {
    static let insertion = "INSERT INTO undone(world, last, first, sum) VALUES (?1, ?2, ?3, ?4)"
    static let takingIn = "DELETE FROM undone WHERE world = ?1 AND last >= ?2"
    static let from = "SELECT last, first, sum FROM undone WHERE world = ?1 AND last >= ?2 ORDER BY last"
    static let sweep = "DELETE FROM undone WHERE world = ?1 AND last < ?2"
  }

  package func undone(in world: String, _ inputs: ClosedRange<UInt64>) throws(StoreFailure) -> [ClosedRange<UInt64>] {
    try database.reading { () throws(StoreFailure) in
      let row = try row(of: world)
      let statement = Statement(database, SQL.from)
      defer { statement.finalize() }
      try statement.bind(1, row.identity).bind(2, inputs.lowerBound)
      var found: [ClosedRange<UInt64>] = []
      while try statement.step() {
        let (last, first) = (statement.unsigned(0), statement.unsigned(1))
        guard first <= last, Self.sum(row, first, last) == statement.number(2) else {
          throw damage(row, at: last, "what was undone then is not what was written")
        }
        guard first <= inputs.upperBound else { break }
        found.append(first...last)
      }
      return found
    }
  }

  /// Writes down what a round has undone.
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
      try insertion.bind(1, row.identity).bind(2, last).bind(3, first).bind(4, Self.sum(row, first, last)).run()
    }
  }

  /// Removes what is about inputs that are not kept any more.
  func forgetUndone(of row: WorldRow) throws(StoreFailure) {
    let sweep = Statement(database, SQL.sweep)
    defer { sweep.finalize() }
    try sweep.bind(1, row.identity).bind(2, row.first).run()
  }

  private static func sum(_ row: WorldRow, _ first: UInt64, _ last: UInt64) -> Int64 {
    var sum = RowSum()
    sum.mix(row.identity)
    sum.mix(last)
    sum.mix(first)
    return sum.stored
  }
}
