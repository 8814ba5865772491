/// A row of the table `worlds`: everything that changes with each round, and links to the other tables.
struct WorldRow: Hashable {
  var identity: Int64
  var name: String
  var epoch: UInt64 = 0
  var head: UInt64
  var first: UInt64
  var moment: Int64
  var settings: [UInt8]
  /// The input of the latest checkpoint.
  var checkpoint: UInt64?
  var kept: Int64 = 0
  var removed: Int64 = 0
  var names: Int64 = 0
  var revision: UInt64 = 0
  var holder: WorldHolder?

  init(identity: Int64, name: String, head: UInt64, moment: Int64, settings: [UInt8]) {
    self.identity = identity
    self.name = name
    self.head = head
    first = head + 1
    self.moment = moment
    self.settings = settings
  }

  /// - Parameter ended: What ended a daemon, in any world.
  func world(_ ended: [InterruptedWork]) -> StoredWorld {
    StoredWorld(
      name: name, epoch: epoch, head: head, first: first, moment: moment, settings: settings, holder: holder,
      identity: identity, fatal: ended.filter { $0.comesAgain(in: self) }, bytes: Int(kept))
  }

  private var sum: Int64 {
    var sum = RowSum()
    sum.mix(identity)
    sum.mix(name)
    sum.mix(epoch)
    sum.mix(head)
    sum.mix(first)
    sum.mix(moment)
    sum.mix(settings)
    sum.mix(checkpoint == nil ? UInt64(0) : 1)
    sum.mix(checkpoint ?? 0)
    sum.mix(kept)
    sum.mix(removed)
    sum.mix(names)
    sum.mix(revision)
    sum.mix(holder == nil ? UInt64(0) : 1)
    if let holder {
      sum.mix(Int64(holder.writer.process))
      sum.mix(holder.writer.socket)
      sum.mix(holder.since)
    }
    return sum.stored
  }

  // MARK: As SQL

  static let columns = """
    id, name, epoch, head, first, moment, settings, checkpoint, kept, removed, names, revision, process, socket, since, sum
    """

  static let insertion = """
    INSERT INTO worlds(\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
    """

  /// Updates the row that has the epoch ?17 and the head ?18, and changes nothing if there is none: this check fences.
  static let update = """
    UPDATE worlds SET epoch = ?3, head = ?4, first = ?5, moment = ?6, settings = ?7, checkpoint = ?8, kept = ?9,
      removed = ?10, names = ?11, revision = ?12, process = ?13, socket = ?14, since = ?15, sum = ?16
    WHERE id = ?1 AND name = ?2 AND epoch = ?17 AND head = ?18
    """

  func bind(to statement: Statement) throws(StoreFailure) -> Statement {
    try statement.bind(1, identity).bind(2, name).bind(3, epoch).bind(4, head).bind(5, first).bind(6, moment)
      .bind(7, settings).bind(9, kept).bind(10, removed).bind(11, names).bind(12, revision).bind(16, sum)
    // Unbound columns are NULL.
    if let checkpoint { try statement.bind(8, checkpoint) }
    if let holder {
      try statement.bind(13, Int64(holder.writer.process)).bind(14, holder.writer.socket).bind(15, holder.since)
    }
    return statement
  }

  /// Reads the current row of a statement that selects ``columns``.
  init(_ statement: Statement, path: String) throws(StoreFailure) {
    identity = statement.number(0)
    name = statement.text(1)
    epoch = statement.unsigned(2)
    head = statement.unsigned(3)
    first = statement.unsigned(4)
    moment = statement.number(5)
    settings = Array(statement.bytes(6))
    checkpoint = statement.isNull(7) ? nil : statement.unsigned(7)
    kept = statement.number(8)
    removed = statement.number(9)
    names = statement.number(10)
    revision = statement.unsigned(11)
    if !statement.isNull(12) {
      holder = WorldHolder(
        writer: StoreWriter(process: Int32(truncatingIfNeeded: statement.number(12)), socket: statement.text(13)),
        since: statement.number(14))
    }
    guard sum == statement.number(15) else {
      throw .damaged(Damage(path, world: name, "the world's row is not what was written"))
    }
  }
}
