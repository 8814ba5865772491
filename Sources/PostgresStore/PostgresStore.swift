internal import Glibc
package import JournalStore

extension StoreFailure: LogFailure {
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

/// Worlds in one PostgreSQL database. Any number of daemons may open it; of each world, the one that took it last is its
/// writer.
///
/// What fences is the insertion into `fsmd.log` (``LogWriter``). A call may wait for the server, up to ``patience``.
package final class PostgresStore: PostgresReader, WorldStore {
  /// How long a round may take, with all attempts to learn what became of it, in nanoseconds.
  static let patience: UInt64 = 10_000_000_000
  /// How long to wait between two attempts, in microseconds.
  private static let pause: UInt32 = 100_000

  private let writer: StoreWriter
  /// Seconds since 1970.
  private let now: () -> Int64
  private let pool: PostgresReaders
  private let ownHosts: PostgresHosts?
  package var hosts: (any StoreHosts)? { ownHosts }
  package var readers: any StoreReaders { pool }
  package var workNotes: WorkNotes? { nil }
  package var waitsForLocks = true
  package var isLogLong: Bool { false }

  private lazy var log = LogWriter(self)
  /// How many rows each world's log has beside those that fence, at most.
  private var unpruned: [Int64: Int] = [:]

  private init(_ url: PostgresURL, _ writer: StoreWriter, _ naming: WorldNaming, _ now: @escaping () -> Int64) {
    self.writer = writer
    self.now = now
    let run = writer.name.map { _ in Self.drawnEpoch() }
    let pool = PostgresReaders(url, run, naming)
    self.pool = pool
    ownHosts = writer.name.flatMap { name in run.map { PostgresHosts(name, $0, writer, pool) } }
    super.init(url, run, naming)
  }

  /// Opens the store, and makes its tables if they are missing.
  ///
  /// - Parameters:
  ///   - writer: This process. If it has a name it gets a lease, and no other daemon takes its worlds while that is good.
  ///   - opened: Stores that this process has opened with a name.
  /// - Returns: The one of them that is in this database, if there is one: addresses can differ, and lead to one database.
  /// - Throws: `cannotOpen`, `otherSchema`, `readOnly`; `other`, also if another daemon has the name.
  package static func open(
    _ address: String, writer: StoreWriter, naming: WorldNaming = .same, beside opened: [PostgresStore] = [],
    now: @escaping () -> Int64 = { Int64(time(nil)) }
  ) throws(StoreFailure) -> PostgresStore {
    let store = PostgresStore(try PostgresURL(address), writer, naming, now)
    let connection = try store.connection()
    try Schema.make(connection, store.path)
    // A copy of a database lacks a lease that was just made, so a match means the same database.
    let runs = opened.compactMap(\.run).map { Parameter.epoch($0) }
    if let run = try store.ask("SELECT run FROM fsmd.hosts WHERE run = ANY($1)", .array(.epochs, runs)).first?.epoch(0)
    {
      store.close()
      return opened.first { $0.run == run } ?? store
    }
    try Schema.makePartitions(connection, store.path)
    try store.hosts?.renew()
    return store
  }

  package override func close() {
    if isConnected, let connection = try? connection() { ownHosts?.leave(connection) }
    pool.close()
    super.close()
  }

  package func writeBackLog() {}

  package func tryWriting() throws(StoreFailure) {
    // No world has this number.
    try transaction { () throws(StoreFailure) in
      _ = try ask("INSERT INTO fsmd.removed(world) VALUES (-1)")
      _ = try ask("DELETE FROM fsmd.removed WHERE world = -1")
    }
  }

  func transaction<R>(_ body: () throws(StoreFailure) -> R) throws(StoreFailure) -> R {
    let path = path
    return try connection().transaction({ Schema.failure($0, path) }, body)
  }

  // MARK: Worlds

  package func create(_ world: String, head: UInt64, moment: Int64, settings: [UInt8]) throws(StoreFailure) {
    try transaction { () throws(StoreFailure) in
      _ = try insert(world, WorldState(takes: 0, head: head, moment: moment, settings: settings))
    }
  }

  /// Inserts a world with the first row of its log; returns its number.
  private func insert(_ world: String, _ state: WorldState) throws(StoreFailure) -> Int64 {
    let made = try ask(
      "INSERT INTO fsmd.worlds(name) VALUES ($1) ON CONFLICT (name) DO NOTHING RETURNING id",
      .text(try naming.stored(world))
    ).first
    guard let made else { throw .worldExists(world) }
    _ = try ask(
      """
      INSERT INTO fsmd.log(world, number, epoch, taking, takes, head, moment, settings, total, history)
      VALUES ($1, 1, $2, true, 0, $3, $4, $5, $6, fsmd.history())
      """, .number(made.number(0)), .epoch(drawEpoch()), .number(state.head), .number(state.moment),
      .bytes(state.settings), .number(state.total))
    return made.number(0)
  }

  package func copy(_ lease: Lease, to world: String, moment: Int64, settings: [UInt8]) throws(StoreFailure) {
    guard let held = held(lease) else { throw shutOut(lease, by: nil) }
    try transaction { () throws(StoreFailure) in
      // The last row is read in this transaction: nobody has taken the world so far, and what follows is no part of it.
      guard let end = try end(of: lease.identity), end.epoch == held.epoch else { throw shutOut(lease, by: nil) }
      var state = end.content
      (state.moment, state.settings) = (moment, settings)
      let new = try insert(world, state)
      for (table, columns) in [
        ("segments", "first, last, start, size, sum, stored, bytes"),
        ("checkpoints", "sequence, hash, sum, stored, bytes"), ("names", "number, sequence, name, kind, sum"),
        ("undone", "last, first, sum"), ("kinds", "name, since, sum, bytes"),
      ] {
        _ = try ask(
          "INSERT INTO fsmd.\(table)(world, \(columns)) SELECT $2, \(columns) FROM fsmd.\(table) WHERE world = $1",
          .number(lease.identity), .number(new))
      }
    }
  }

  package func remove(_ world: String) throws(StoreFailure) {
    let stored = try found(world)
    try transaction { () throws(StoreFailure) in try remove(stored) }
  }

  package func replace(_ world: String, by lease: Lease) throws(StoreFailure) {
    let stored = try found(world)
    try change(lease) { (state) throws(StoreFailure) in
      (state.holder, state.run) = (nil, nil)
      try remove(stored)
      _ = try ask(
        "UPDATE fsmd.worlds SET name = $2 WHERE id = $1", .number(lease.identity), .text(try naming.stored(world)))
    }
    log.forget(lease.identity)
  }

  /// Within a transaction.
  private func remove(_ stored: StoredWorld) throws(StoreFailure) {
    // A writer's next append meets this row, or one that was inserted before it.
    _ = try ask(
      """
      INSERT INTO fsmd.log(world, number, epoch, taking, takes, head, moment, settings, total, history)
      SELECT world, number + 1, $2, true, takes, head, moment, '', total, history FROM fsmd.log WHERE world = $1
      ORDER BY number DESC LIMIT 1
      """, .number(stored.identity), .epoch(drawEpoch()))
    guard try !ask("DELETE FROM fsmd.worlds WHERE id = $1 RETURNING id", .number(stored.identity)).isEmpty else {
      throw .noSuchWorld(stored.name)
    }
    _ = try ask("INSERT INTO fsmd.removed(world) VALUES ($1)", .number(stored.identity))
    log.forget(stored.identity)
  }

  package func take(_ worlds: [String]) throws(StoreFailure) -> [Result<TakenWorld, StoreFailure>] {
    var names: [Parameter] = []
    for world in worlds { names.append(.text(try naming.stored(world))) }
    let known = Dictionary(
      uniqueKeysWithValues: try self.worlds(where: "w.name = ANY($1)", .array(.texts, names)).map { ($0.name, $0) })
    let holder = WorldHolder(writer: writer, since: now(), lease: run == nil ? .ended : .own)
    let deadline = Deadline(Self.patience)
    // All daemons insert in this order, so that none waits for another that waits for it.
    let takings = try log.take(known.values.map(\.identity).sorted(), while: { deadline.waits(Self.pause) }) { state in
      if state.holder?.lease == .others { return nil }
      var state = state
      state.takes += 1
      (state.holder, state.run) = (holder, run)
      state.round = nil
      return state
    }
    return worlds.map { name in
      Result { () throws(StoreFailure) in
        guard let stored = known[name] else { throw .noSuchWorld(name) }
        switch takings[stored.identity] {
        case .taken(let row, let before): return try taken(stored, row.content, after: before)
        case .gone, nil: throw .noSuchWorld(name)
        case .refused(let last): throw .fenced(world: name, by: last.holder)
        }
      }
    }
  }

  /// - Parameter stored: As the world was before.
  private func taken(
    _ stored: StoredWorld, _ state: WorldState, after before: WorldState
  ) throws(StoreFailure) -> TakenWorld {
    unpruned[stored.identity] = nil
    let present = state.head == stored.head ? stored : try found(stored.name)
    return TakenWorld(
      lease: Lease(world: stored.name, identity: stored.identity, epoch: state.takes),
      world: StoredWorld(
        name: stored.name, epoch: state.takes, head: state.head, first: present.first, moment: state.moment,
        settings: state.settings, holder: state.holder, identity: stored.identity, fatal: [], bytes: present.bytes,
        idle: before.idle),
      mayHaveLost: before.isOfOtherHistory)
  }

  package func release(_ lease: Lease) throws(StoreFailure) {
    guard held(lease) != nil else { return }
    do throws(StoreFailure) {
      try change(lease) { (state) throws(StoreFailure) in (state.holder, state.run) = (nil, nil) }
    } catch {
      switch error {
      case .fenced, .outOfStep: break
      case _: throw error
      }
    }
    log.forget(lease.identity)
  }

  package func handOver(
    _ lease: Lease, to host: String, moment: Int64, settings: [UInt8]
  ) throws(StoreFailure) -> [String]? {
    let others = try change(lease) { (state) throws(StoreFailure) -> [String]? in
      let found = try ask(
        """
        UPDATE fsmd.hosts SET given = given + 1 WHERE name = $1 AND current AND ends > clock_timestamp()
        RETURNING process, run
        """, .text(host)
      ).first
      guard let found else {
        return try ask("SELECT name FROM fsmd.hosts WHERE current AND ends > clock_timestamp() ORDER BY name")
          .map { $0.text(0) }
      }
      (state.moment, state.settings, state.run) = (moment, settings, found.epoch(1))
      state.holder = WorldHolder(
        writer: StoreWriter(process: Int32(truncatingIfNeeded: found.number(0)), socket: "", name: host), since: now())
      return nil
    }
    if others == nil { log.forget(lease.identity) }
    return others
  }

  // MARK: Rounds

  package func append(_ round: [Append]) throws(StoreFailure) -> [String: StoreFailure] {
    var refused: [String: StoreFailure] = [:]
    var contents: [(world: Int64, WorldState)] = []
    // All daemons insert in this order, so that none waits for another that waits for it.
    for append in round.sorted(by: { $0.lease.identity < $1.lease.identity }) {
      guard let held = held(append.lease) else {
        refused[append.lease.world] = shutOut(append.lease, by: try end(of: append.lease.identity)?.content.holder)
        continue
      }
      guard held.content.head == append.head else {
        refused[append.lease.world] = .outOfStep(
          world: append.lease.world, expected: append.head, found: held.content.head)
        continue
      }
      var state = held.content
      state.head = append.last
      state.moment = append.moment
      if let settings = append.settings { state.settings = settings }
      state.total += Int64(append.bytes.count)
      state.round = append
      contents.append((append.lease.identity, state))
    }
    let deadline = Deadline(Self.patience)
    let names = Dictionary(uniqueKeysWithValues: round.map { ($0.lease.identity, $0.lease) })
    for (world, refusal) in log.append(contents, while: { deadline.waits(Self.pause) }) {
      guard let lease = names[world] else { continue }
      refused[lease.world] = failure(refusal, lease)
    }
    for content in contents { unpruned[content.world, default: 0] += 1 }
    return refused
  }

  private func failure(_ refusal: LogWriter<PostgresStore>.Refusal, _ lease: Lease) -> StoreFailure {
    switch refusal {
    case .fenced(let end): shutOut(lease, by: end?.content.holder)
    case .lost(let end): .lost(world: lease.world, from: end.content.head + 1)
    case .lostAndFenced: .lost(world: lease.world, from: nil)
    case .failed(let failure): failure
    }
  }

  private func shutOut(_ lease: Lease, by holder: WorldHolder?) -> StoreFailure {
    .fenced(world: lease.world, by: holder)
  }

  /// The last row of a world that this store has with a lease; nil if the lease has ended.
  func held(_ lease: Lease) -> LogRow<WorldState>? {
    guard let row = log[lease.identity], row.content.takes == lease.epoch else { return nil }
    return row
  }

  /// Changes a world in a transaction of its own, and appends a row to its log for that.
  func change<R>(
    _ lease: Lease, _ body: (inout WorldState) throws(StoreFailure) -> R
  ) throws(StoreFailure) -> R {
    guard let held = held(lease) else { throw shutOut(lease, by: try end(of: lease.identity)?.content.holder) }
    var state = held.content
    state.round = nil
    do throws(StoreFailure) {
      let (row, result) = try transaction { () throws(StoreFailure) in
        let result = try body(&state)
        guard let (row, epoch) = log.next(in: lease.identity, state),
          try Schema.ask(connection(), Self.insertion([(row, epoch)]), path).rows.first?.numbers(0).count == 1
        else { throw shutOut(lease, by: try end(of: lease.identity)?.content.holder) }
        return (row, result)
      }
      log.didStore(row)
      return result
    } catch {
      if error.isUnknown { log.forget(lease.identity) }
      throw error
    }
  }

  // MARK: Checkpoints

  package func putCheckpoint(
    _ lease: Lease, at sequence: UInt64, hash: UInt64, _ bytes: UnsafeRawBufferPointer
  ) throws(StoreFailure) {
    let bytes = Array(bytes)
    try change(lease) { (state) throws(StoreFailure) in
      precondition(sequence <= state.head, "a checkpoint has no inputs that are not stored")
      try write(bytes, at: sequence, hash: hash, lease.identity)
      let all = try ask(
        "SELECT sequence FROM fsmd.checkpoints WHERE world = $1 ORDER BY sequence", .number(lease.identity)
      ).map { $0.unsigned(0) }
      for place in CheckpointThinning.superfluous(all) { try delete(lease.identity, all[place]) }
    }
  }

  private func write(_ bytes: [UInt8], at sequence: UInt64, hash: UInt64, _ world: Int64) throws(StoreFailure) {
    try delete(world, sequence)
    _ = try ask(
      "INSERT INTO fsmd.checkpoints(world, sequence, hash, sum, bytes) VALUES ($1, $2, $3, $4, $5)", .number(world),
      .number(sequence), .number(hash), .number(Self.sum(sequence, hash, bytes: bytes)), .bytes(bytes))
  }

  private func delete(_ world: Int64, _ sequence: UInt64) throws(StoreFailure) {
    _ = try ask(
      "DELETE FROM fsmd.checkpoints WHERE world = $1 AND sequence = $2", .number(world), .number(sequence))
  }

  // MARK: Retention

  /// How much one call removes: some milliseconds of work.
  private static let rowsAtOnce: Int64 = 64
  /// How many rows of a world's log may wait for their removal.
  private static let mostUnpruned = 256

  package func retain(_ lease: Lease, _ retention: Retention) throws(StoreFailure) -> Bool {
    guard held(lease) != nil else { throw shutOut(lease, by: try end(of: lease.identity)?.content.holder) }
    try prune(lease)
    let world = Parameter.number(lease.identity)
    let stats = try holdings(of: lease.world)
    guard let latest = stats.checkpoints.last else { return false }
    // The oldest that exceed the limits and that no restart needs.
    let doomed = try ask(
      """
      SELECT last, size, coalesce(stored < now() - $3::bigint * interval '1 second', false) FROM fsmd.segments
      WHERE world = $1 AND last <= $2 ORDER BY first LIMIT $4
      """, world, .number(latest.sequence), .number(retention.age), .number(Self.rowsAtOnce))
    var (last, bytes): (UInt64?, Int) = (nil, stats.bytes)
    for segment in doomed {
      guard bytes > retention.bytes ?? .max || segment.bool(2) else { break }
      last = segment.unsigned(0)
      bytes -= Int(segment.number(1))
    }
    guard let last else { return false }
    // Its bytes are verified by reading them.
    _ = try checkpoint(of: lease.world, atOrBefore: latest.sequence)
    try change(lease) { (_) throws(StoreFailure) in
      _ = try ask("DELETE FROM fsmd.segments WHERE world = $1 AND last <= $2", world, .number(last))
      _ = try ask("DELETE FROM fsmd.undone WHERE world = $1 AND last <= $2", world, .number(last))
      // A checkpoint is useless for replay if its next input is gone.
      _ = try ask(
        "DELETE FROM fsmd.checkpoints WHERE world = $1 AND sequence < $2 AND sequence <> $3", world, .number(last),
        .number(latest.sequence))
      // Names that were given anew before the first input that is left.
      _ = try ask(
        """
        DELETE FROM fsmd.names n WHERE world = $1 AND EXISTS (SELECT FROM fsmd.names m
          WHERE m.world = $1 AND m.number = n.number AND m.sequence > n.sequence AND m.sequence <= $2)
        """, world, .number(last + 1))
    }
    return true
  }

  /// Removes rows of a world's log that do not fence any more: those before the last one, but not those that took the
  /// world, and the ones right before them. A late insertion meets the former; the latter tell what became of it.
  private func prune(_ lease: Lease) throws(StoreFailure) {
    guard let held = held(lease), unpruned[lease.identity, default: 0] > Self.mostUnpruned else { return }
    _ = try ask(
      """
      DELETE FROM fsmd.log l WHERE world = $1 AND number < $2 AND NOT taking
        AND NOT EXISTS (SELECT FROM fsmd.log t WHERE t.world = $1 AND t.number = l.number + 1 AND t.taking)
      """, .number(lease.identity), .number(held.number - 1))
    unpruned[lease.identity] = 0
  }

  package func sweep() throws(StoreFailure) -> Bool {
    guard let world = try ask("SELECT world FROM fsmd.removed LIMIT 1").first?.number(0) else {
      try Schema.dropPartitions(try connection(), path)
      _ = try ask("DELETE FROM fsmd.hosts WHERE ends < now() - interval '30 days'")
      return false
    }
    for (table, key) in [
      ("segments", "first"), ("checkpoints", "sequence"), ("names", "sequence"), ("undone", "last"), ("kinds", "since"),
      ("log", "number"),
    ] {
      let gone = try ask(
        """
        DELETE FROM fsmd.\(table) WHERE world = $1
          AND \(key) IN (SELECT \(key) FROM fsmd.\(table) WHERE world = $1 ORDER BY \(key) LIMIT $2) RETURNING 1::bigint
        """, .number(world), .number(Self.rowsAtOnce * (table == "segments" || table == "checkpoints" ? 1 : 32)))
      if !gone.isEmpty { return true }
    }
    _ = try ask("DELETE FROM fsmd.removed WHERE world = $1", .number(world))
    return true
  }
}

/// A time until which a call may wait.
private struct Deadline {
  private let end: UInt64

  init(_ nanoseconds: UInt64) { end = Deadline.now() + nanoseconds }

  /// Waits a little, in microseconds; false if the time is over.
  func waits(_ microseconds: UInt32) -> Bool {
    guard Deadline.now() < end else { return false }
    usleep(microseconds)
    return true
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
