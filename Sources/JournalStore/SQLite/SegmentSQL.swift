/// The statements and checksums for segments.
enum SegmentSQL {
  static let insertion = """
    INSERT INTO segments(world, first, last, stored, sum, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    """

  /// From the segment that contains input ?2 on, or from the first one.
  static let from = """
    SELECT first, last, stored, sum, bytes FROM segments WHERE world = ?1
      AND first >= coalesce((SELECT max(first) FROM segments WHERE world = ?1 AND first <= ?2), 0)
    ORDER BY first
    """

  /// The oldest ones, with the length of their bytes.
  static let oldest = """
    SELECT id, first, last, stored, length(bytes) FROM segments WHERE world = ?1 ORDER BY first LIMIT ?2
    """

  static let deletion = "DELETE FROM segments WHERE id = ?1"

  /// The first input of the first segment, or the last input of the last one.
  static func end(isFirst: Bool) -> String {
    isFirst
      ? "SELECT first FROM segments WHERE world = ?1 ORDER BY first LIMIT 1"
      : "SELECT last FROM segments WHERE world = ?1 ORDER BY first DESC LIMIT 1"
  }

  static func sum(
    world: Int64, first: UInt64, last: UInt64, stored: Int64, _ bytes: UnsafeRawBufferPointer
  ) -> Int64 {
    var sum = RowSum()
    sum.mix(world)
    sum.mix(first)
    sum.mix(last)
    sum.mix(stored)
    sum.mix(bytes)
    return sum.stored
  }
}

/// The statements and checksums for names of machines.
enum NameSQL {
  static let insertion = """
    INSERT INTO names(world, number, sequence, name, kind, sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    """

  private static let columns = "number, sequence, name, kind, sum"

  static let all = "SELECT \(columns) FROM names WHERE world = ?1"

  /// The machine that had number ?2 at input ?3.
  static let atInput = """
    SELECT \(columns) FROM names WHERE world = ?1 AND number = ?2 AND sequence <= ?3 ORDER BY sequence DESC LIMIT 1
    """

  static func sum(world: Int64, _ creation: StoredCreation) -> Int64 {
    var sum = RowSum()
    sum.mix(world)
    sum.mix(UInt64(creation.number))
    sum.mix(creation.sequence)
    sum.mix(creation.name)
    sum.mix(creation.kind)
    return sum.stored
  }

  static func read(
    _ statement: Statement, _ world: Int64, path: String, _ name: String
  ) throws(StoreFailure) -> StoredCreation {
    let creation = StoredCreation(
      sequence: statement.unsigned(1), number: UInt32(truncatingIfNeeded: statement.number(0)),
      name: statement.text(2), kind: statement.text(3))
    guard sum(world: world, creation) == statement.number(4) else {
      throw .damaged(
        Damage(
          path, world: name, at: creation.sequence, "the name of machine \(creation.number) is not what was written"))
    }
    return creation
  }
}
