/// Undone inputs, stored as ranges. An old part of a journal can be read with them, without all later inputs.
///
/// Ranges never touch: a longer undo replaces the ranges that it covers.
extension SQLiteReader {
  package func undone(in world: String, _ inputs: ClosedRange<UInt64>) throws(StoreFailure) -> [ClosedRange<UInt64>] {
    try database.reading { () throws(StoreFailure) in
      let row = try row(of: world)
      let statement = Statement(
        database, "SELECT last, first, sum FROM undone WHERE world = ?1 AND last >= ?2 ORDER BY last")
      defer { statement.finalize() }
      try statement.bind(1, row.identity).bind(2, inputs.lowerBound)
      var found: [ClosedRange<UInt64>] = []
      while try statement.step() {
        let (last, first) = (statement.unsigned(0), statement.unsigned(1))
        guard first <= last, Self.sum(undone: row, first, last) == statement.number(2) else {
          throw damage(row, at: last, "a row of undone inputs is not what was written")
        }
        guard first <= inputs.upperBound else { break }
        found.append(first...last)
      }
      return found
    }
  }

  static func sum(undone row: WorldRow, _ first: UInt64, _ last: UInt64) -> Int64 {
    var sum = RowSum()
    sum.mix(row.identity)
    sum.mix(last)
    sum.mix(first)
    return sum.stored
  }
}
