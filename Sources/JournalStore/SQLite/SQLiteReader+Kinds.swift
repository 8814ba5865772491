/// The descriptions of kinds with which a world's segments were written, so that a later program can read them.
///
/// There is one for each kind, and another for each later change of it. They are removed only with the world.
enum KindSQL {
  static let insertion = """
    INSERT OR REPLACE INTO kinds(world, name, since, sum, bytes) VALUES (?1, ?2, ?3, ?4, ?5)
    """
  static let all = "SELECT name, since, sum, bytes FROM kinds WHERE world = ?1 ORDER BY since, name"
}

extension SQLiteReader {
  package func kinds(of world: String) throws(StoreFailure) -> [StoredKind] {
    try database.reading { () throws(StoreFailure) in
      let row = try row(of: world)
      let statement = Statement(database, KindSQL.all)
      defer { statement.finalize() }
      try statement.bind(1, row.identity)
      var kinds: [StoredKind] = []
      while try statement.step() {
        let kind = StoredKind(
          name: statement.text(0), since: statement.unsigned(1), bytes: Array(statement.bytes(3)))
        guard Self.sum(row, kind) == statement.number(2) else {
          throw damage(row, "how kind \(kind.name) was described is not what was written")
        }
        kinds.append(kind)
      }
      return kinds
    }
  }

  fileprivate static func sum(_ row: WorldRow, _ kind: StoredKind) -> Int64 {
    var sum = RowSum()
    sum.mix(row.identity)
    sum.mix(kind.name)
    sum.mix(kind.since)
    sum.mix(kind.bytes)
    return sum.stored
  }
}

extension SQLiteStore {
  func write(_ kind: StoredKind, _ row: WorldRow) throws(StoreFailure) {
    let insertion = Statement(database, KindSQL.insertion)
    defer { insertion.finalize() }
    try insertion.bind(1, row.identity).bind(2, kind.name).bind(3, kind.since).bind(4, SQLiteReader.sum(row, kind))
      .bind(5, kind.bytes).run()
  }
}
