extension SQLiteStore {
  package func create(
    _ world: String, head: UInt64, moment: Int64, settings: [UInt8]
  ) throws(StoreFailure) {
    let (store, row) = try writing { () throws(StoreFailure) in
      let row = try insert(WorldRow(identity: 0, name: world, head: head, moment: moment, settings: settings))
      return (try countWorlds(1), row)
    }
    noting { (notes) throws(StoreFailure) in try notes.note(store, made: row) }
  }

  /// Inserts the row of a new world.
  ///
  /// - Parameter draft: Its row, without an identity.
  /// - Throws: `worldExists`; what ``append(_:)`` throws.
  func insert(_ draft: WorldRow) throws(StoreFailure) -> WorldRow {
    guard try find(draft.name) == nil else { throw .worldExists(draft.name) }
    // The row's sum includes the identity, which the database assigns: inserted first without it, then updated.
    let insertion = Statement(database, WorldRow.insertion)
    defer { insertion.finalize() }
    try draft.bind(to: insertion).bindNull(1).run()
    var row = draft
    row.identity = database.lastRow
    try update(row, epoch: 0, head: row.head)
    return row
  }

  package func remove(_ world: String) throws(StoreFailure) {
    let (store, identity) = try writing { () throws(StoreFailure) in
      let row = try self.row(of: world)
      for text in ["DELETE FROM worlds WHERE id = ?1", "INSERT INTO removed(world) VALUES (?1)"] {
        let statement = Statement(database, text)
        defer { statement.finalize() }
        try statement.bind(1, row.identity).run()
      }
      return (try countWorlds(-1), row.identity)
    }
    forget(identity)
    noting { (notes) throws(StoreFailure) in try notes.note(store, removed: identity) }
  }

  package func take(_ worlds: [String]) throws(StoreFailure) -> [Result<TakenWorld, StoreFailure>] {
    let rows = try writing { () throws(StoreFailure) in
      var rows: [Result<WorldRow, StoreFailure>] = []
      for world in worlds {
        do throws(StoreFailure) {
          rows.append(.success(try noteTaking(of: world)))
        } catch {
          switch error {
          case .noSuchWorld, .damaged: rows.append(.failure(error))
          case _: throw error
          }
        }
      }
      return rows
    }
    let taken = rows.compactMap { try? $0.get() }
    for row in taken {
      forget(row.identity)
      held[row.identity] = row
    }
    noting { (notes) throws(StoreFailure) in try notes.note(taken) }
    return rows.map { row in
      row.map { row in
        TakenWorld(
          lease: Lease(world: row.name, identity: row.identity, epoch: row.epoch), world: row.world(ended))
      }
    }
  }

  /// Writes that this writer takes a world.
  private func noteTaking(of world: String) throws(StoreFailure) -> WorldRow {
    var row = try self.row(of: world)
    // Checked before any write. The checkpoint's bytes are not read: commits of other worlds would wait for it.
    _ = try latestMark(of: row)
    let (epoch, head) = (row.epoch, row.head)
    row.epoch += 1
    row.revision += 1
    row.holder = WorldHolder(writer: writer, since: now())
    try update(row, epoch: epoch, head: head)
    return row
  }

  package func release(_ lease: Lease) throws(StoreFailure) {
    guard held[lease.identity]?.epoch == lease.epoch else { return }
    do throws(StoreFailure) {
      try change(lease) { (row) throws(StoreFailure) in row.holder = nil }
    } catch {
      switch error {
      case .fenced, .outOfStep: break
      case _: throw error
      }
    }
    forget(lease.identity)
  }

  func countWorlds(_ difference: Int64) throws(StoreFailure) -> StoreRow {
    var store = try StoreRow.read(database)
    store.changes += 1
    store.worlds += difference
    let statement = Statement(database, "UPDATE store SET changes = ?2, worlds = ?3, sum = ?4 WHERE identity = ?1")
    defer { statement.finalize() }
    try store.bind(to: statement).run()
    return store
  }

  func forget(_ identity: Int64) {
    held[identity] = nil
    trustedCheckpoints[identity] = nil
    nameSweeps[identity] = nil
  }

  // MARK: Writing leased worlds

  /// Changes a leased world in its own transaction.
  func change<Result>(
    _ lease: Lease, _ body: (inout WorldRow) throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result {
    do throws(StoreFailure) {
      let (row, result) = try writing { () throws(StoreFailure) in
        var row = try heldRow(lease, head: nil)
        let head = row.head
        let result = try body(&row)
        row.revision += 1
        try update(row, epoch: lease.epoch, head: head)
        return (row, result)
      }
      held[lease.identity] = row
      noting { (notes) throws(StoreFailure) in try notes.note([row]) }
      return result
    } catch {
      forgetIfUnknown(lease, error)
      throw error
    }
  }

  /// The known row of a leased world; the write checks whether it is current.
  ///
  /// - Parameter head: The writer's head, where it matters.
  func heldRow(_ lease: Lease, head: UInt64?) throws(StoreFailure) -> WorldRow {
    guard let row = held[lease.identity], row.epoch == lease.epoch, head == nil || head == row.head else {
      throw try shutOut(lease, head: head ?? held[lease.identity]?.head ?? 0)
    }
    return row
  }

  /// Updates the row that has this epoch and head.
  ///
  /// - Throws: `fenced` and `outOfStep` when there is no such row.
  func update(_ row: WorldRow, epoch: UInt64, head: UInt64) throws(StoreFailure) {
    try row.bind(to: rowUpdate).bind(17, epoch).bind(18, head).run()
    guard database.changes == 1 else {
      throw try shutOut(Lease(world: row.name, identity: row.identity, epoch: epoch), head: head)
    }
  }

  /// Why a lease may not write.
  private func shutOut(_ lease: Lease, head: UInt64) throws(StoreFailure) -> StoreFailure {
    try rowByIdentity.bind(1, lease.identity)
    let found = try readRow(rowByIdentity)
    return if let found, found.epoch == lease.epoch {
      .outOfStep(world: lease.world, expected: head, found: found.head)
    } else {
      .fenced(world: lease.world, by: found?.holder)
    }
  }

  /// Forgets the known row after a commit with unknown outcome.
  func forgetIfUnknown(_ lease: Lease, _ failure: StoreFailure) {
    switch failure {
    case .unknown, .gone: forget(lease.identity)
    case .fenced, .outOfStep, .lost, .noSuchWorld, .worldExists, .full, .readOnly, .locked, .damaged, .otherSchema,
      .absent,
      .cannotOpen, .other:
      break
    }
  }
}
