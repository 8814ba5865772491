/// Rebuilding a world from what is left of another.
extension SQLiteStore {
  package func replace(_ world: String, by lease: Lease) throws(StoreFailure) {
    let (store, identity) = try database.writing { () throws(StoreFailure) in
      let old = try row(of: world)
      var new = try heldRow(lease, head: nil)
      for text in [
        "DELETE FROM worlds WHERE id = \(old.identity)", "DELETE FROM worlds WHERE id = \(new.identity)",
        "INSERT INTO removed(world) VALUES (\(old.identity))",
      ] { try database.run(text) }
      new.name = world
      new.holder = nil
      let insertion = Statement(database, WorldRow.insertion)
      defer { insertion.finalize() }
      try new.bind(to: insertion).run()
      return (try countWorlds(-1), old.identity)
    }
    forget(identity)
    forget(lease.identity)
    noting { (notes) throws(StoreFailure) in try notes.note(store, removed: identity) }
  }
}
