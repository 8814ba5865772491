/// Copies of worlds within the store.
extension SQLiteStore {
  package func copy(
    _ lease: Lease, to world: String, moment: Int64, settings: [UInt8]
  ) throws(StoreFailure) {
    let (store, row) = try writing { () throws(StoreFailure) in
      let old = try self.row(of: lease.world)
      guard old.identity == lease.identity, old.epoch == lease.epoch else {
        throw .fenced(world: lease.world, by: old.holder)
      }
      var draft = WorldRow(identity: 0, name: world, head: old.head, moment: moment, settings: settings)
      (draft.first, draft.checkpoint, draft.kept, draft.names) = (old.first, old.checkpoint, old.kept, old.names)
      let new = try insert(draft)
      try copySegments(old, to: new)
      for checkpoint in try marks(of: old) {
        let bytes = try withBytes(of: checkpoint, old) { Array($0) }
        try bytes.withUnsafeBytes { bytes in
          Result { () throws(StoreFailure) in try insert(checkpoint.mark, bytes, of: new) }
        }.get()
      }
      for creation in try creations(of: old.name) { try write(creation, new) }
      try write(undone: try undone(in: old.name, 0...UInt64.max), new)
      for kind in try kinds(of: old.name) { try write(kind, new) }
      return (try countWorlds(1), new)
    }
    noting { (notes) throws(StoreFailure) in try notes.note(store, made: row) }
  }

  private func copySegments(_ old: WorldRow, to new: WorldRow) throws(StoreFailure) {
    let failure = try readSegments(
      of: old.name, from: old.first,
      trying: { (segment) throws(StoreFailure) in
        try write(segment, new)
        return true
      })
    if let failure { throw failure }
  }
}
