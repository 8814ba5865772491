package import JournalStore

/// What changes of a world: the content of a row of its log.
struct WorldState {
  var takes: UInt64
  var head: UInt64
  var moment: Int64
  var settings: [UInt8]
  /// Bytes of all segments that it ever had.
  var total: Int64
  var holder: WorldHolder?
  /// The lease of the holder, if it has a name.
  var run: Epoch?
  /// What is inserted with the row.
  var round: Append?
  /// Whether the row was written in another history of the database: before a restore or a failover.
  private(set) var isOfOtherHistory = false
  /// For how long the holder is known to have served the world after this row, in milliseconds.
  private(set) var idle: Int64 = 0

  static let columns = """
    l.takes, l.head, l.moment, l.settings, l.total, l.process, l.daemon, l.since, l.run,
    CASE WHEN pg_is_in_recovery() THEN false ELSE l.history <> fsmd.history() END,
    EXISTS (SELECT FROM fsmd.hosts h WHERE h.run = l.run AND h.current AND h.ends > clock_timestamp()),
    (SELECT greatest(0, extract(epoch FROM h.renewed - l.stored) * 1000)::bigint FROM fsmd.hosts h WHERE h.run = l.run)
    """

  init(takes: UInt64, head: UInt64, moment: Int64, settings: [UInt8], total: Int64 = 0) {
    (self.takes, self.head, self.moment, self.settings, self.total) = (takes, head, moment, settings, total)
  }

  /// Reads ``columns``.
  ///
  /// - Parameter own: The lease of this daemon.
  init(_ row: Row, at column: Int, own: Epoch?) {
    self.init(
      takes: row.unsigned(column), head: row.unsigned(column + 1), moment: row.number(column + 2),
      settings: row.bytes(column + 3), total: row.number(column + 4))
    (isOfOtherHistory, idle) = (row.bool(column + 9), row.isNull(column + 11) ? 0 : row.number(column + 11))
    if row.isNull(column + 5) { return }
    run = row.isNull(column + 8) ? nil : row.epoch(column + 8)
    let (process, name) = (Int32(truncatingIfNeeded: row.number(column + 5)), row.text(column + 6))
    holder = WorldHolder(
      writer: StoreWriter(process: process, socket: run == nil ? name : "", name: run == nil ? nil : name),
      since: row.number(column + 7),
      lease: run != nil && run == own ? .own : row.bool(column + 10) ? .others : .ended)
  }
}

/// Translates names of worlds between a daemon and the database that it shares.
package struct WorldNaming: Sendable {
  /// The name in the database.
  let stored: @Sendable (String) throws(StoreFailure) -> String
  /// The name here; nil for a world that this host leaves to others.
  let local: @Sendable (String) -> String?

  /// - Precondition: `local` of what `stored` returns is the name that it was given.
  package init(
    stored: @escaping @Sendable (String) throws(StoreFailure) -> String, local: @escaping @Sendable (String) -> String?
  ) {
    (self.stored, self.local) = (stored, local)
  }

  /// The same everywhere.
  package static let same = WorldNaming(stored: { $0 }, local: { $0 })
}

/// Reads worlds in a database, over a connection that is made when it is needed.
package class PostgresReader: StoreReading {
  /// What is read at once: bytes of segments, about.
  private static let segmentsAtOnce: Int64 = 64

  let url: PostgresURL
  /// The lease of this daemon; nil for a program that has none.
  let run: Epoch?
  let naming: WorldNaming
  var path: String { url.shown }
  private var open: Connection?
  /// What is known of the snapshot that is open; nil without one.
  private var seen: Seen?

  private struct Seen {
    var worlds: [String: StoredWorld] = [:]
    /// By the numbers of worlds.
    var checkpoints: [Int64: [CheckpointMark]] = [:]
    var kinds: [Int64: [StoredKind]] = [:]
  }

  init(_ url: PostgresURL, _ run: Epoch? = nil, _ naming: WorldNaming = .same) {
    (self.url, self.run, self.naming) = (url, run, naming)
  }

  /// Opens a store for reading only.
  ///
  /// - Throws: `absent` when the database has none; `newer`, `cannotOpen`, `other`.
  package static func open(
    _ address: String, naming: WorldNaming = .same
  ) throws(StoreFailure) -> PostgresReader {
    let reader = PostgresReader(try PostgresURL(address), nil, naming)
    guard try Schema.find(try reader.connection(), reader.path) != nil else { throw .absent(path: reader.path) }
    return reader
  }

  /// The connection, a new one if something was lost on the last.
  func connection() throws(StoreFailure) -> Connection {
    if let open, open.isOpen { return open }
    let new = try Connection(url)
    open = new
    return new
  }

  /// Whether a connection is open that can be used again.
  var isConnected: Bool { open?.isOpen ?? false }

  package func close() {
    open?.close()
    open = nil
  }

  func ask(_ text: String, _ parameters: [Parameter]) throws(StoreFailure) -> [Row] {
    let connection = try connection()
    return try Schema.ask(connection, Query(text, parameters), path).rows
  }

  func ask(_ text: String, _ parameters: Parameter...) throws(StoreFailure) -> [Row] { try ask(text, parameters) }

  package func withSnapshot<R: ~Copyable>(_ body: () throws(StoreFailure) -> R) throws(StoreFailure) -> R {
    let connection = try connection()
    let begin = Query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    let patience = Query("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")
    do throws(QueryFailure) { _ = try connection.run([begin, patience]) } catch { throw Schema.failure(error, path) }
    seen = Seen()
    defer {
      seen = nil
      do throws(QueryFailure) { _ = try connection.run([Query("ROLLBACK")]) } catch { close() }
    }
    return try body()
  }

  package func inspect(_ progress: (String) -> Void) throws(StoreFailure) -> [StoreWarning] { [] }

  // MARK: Worlds

  /// The last row of a world's log.
  static let end = "(SELECT * FROM fsmd.log WHERE world = w.id ORDER BY number DESC LIMIT 1) l"

  package func worlds() throws(StoreFailure) -> [StoredWorld] { try worlds(where: "true") }

  package func world(_ name: String) throws(StoreFailure) -> StoredWorld? {
    if let world = seen?.worlds[name] { return world }
    let world = try worlds(where: "w.name = $1", .text(try naming.stored(name))).first
    seen?.worlds[name] = world
    return world
  }

  func worlds(where condition: String, _ parameters: Parameter...) throws(StoreFailure) -> [StoredWorld] {
    let text = """
      SELECT w.id, w.name, coalesce(s.first, l.head + 1), coalesce(l.total - s.start, 0), \(WorldState.columns)
      FROM fsmd.worlds w CROSS JOIN LATERAL \(Self.end)
        LEFT JOIN LATERAL (SELECT * FROM fsmd.segments WHERE world = w.id ORDER BY first LIMIT 1) s ON true
      WHERE \(condition) ORDER BY w.name
      """
    return try ask(text, parameters).compactMap { row in
      guard let name = naming.local(row.text(1)) else { return nil }
      let state = WorldState(row, at: 4, own: run)
      return StoredWorld(
        name: name, epoch: state.takes, head: state.head, first: row.unsigned(2), moment: state.moment,
        settings: state.settings, holder: state.holder, identity: row.number(0), fatal: [],
        bytes: Int(row.number(3)), idle: state.idle)
    }
  }

  func found(_ name: String) throws(StoreFailure) -> StoredWorld {
    guard let world = try world(name) else { throw .noSuchWorld(name) }
    return world
  }

  package func holdings(of name: String) throws(StoreFailure) -> StorageStats {
    let world = try found(name)
    let row = try ask(
      """
      SELECT (SELECT total FROM fsmd.log WHERE world = $1 ORDER BY number DESC LIMIT 1),
        (SELECT start FROM fsmd.segments WHERE world = $1 ORDER BY first LIMIT 1),
        (SELECT count(*) FROM fsmd.names WHERE world = $1)
      """, .number(world.identity)
    ).first
    let total = row?.number(0) ?? 0
    let removed = row?.isNull(1) ?? true ? total : row?.number(1) ?? 0
    return StorageStats(
      first: world.first, head: world.head, bytes: Int(total - removed), removedBytes: Int(removed),
      machines: Int(row?.number(2) ?? 0), checkpoints: try checkpoints(of: world))
  }

  // MARK: Segments

  package func readSegments(
    of name: String, from sequence: UInt64, _ body: (Segment) -> Bool
  ) throws(StoreFailure) {
    let world = try found(name)
    let start = max(sequence, world.first)
    guard start <= world.head else { return }
    // The first one may begin before.
    var next = try ask(
      "SELECT first FROM fsmd.segments WHERE world = $1 AND first <= $2 ORDER BY first DESC LIMIT 1",
      .number(world.identity), .number(start)
    ).first?.unsigned(0)
    guard next != nil else { throw missing(world, start) }
    while let first = next, first <= world.head {
      let rows = try ask(
        """
        SELECT first, last, extract(epoch FROM stored)::bigint, sum, bytes FROM fsmd.segments
        WHERE world = $1 AND first >= $2 ORDER BY first LIMIT $3
        """, .number(world.identity), .number(first), .number(Self.segmentsAtOnce))
      if rows.isEmpty { throw missing(world, first) }
      for row in rows {
        let (first, last) = (row.unsigned(0), row.unsigned(1))
        // Something newer than what was known of the world.
        if first > world.head { return }
        guard first == next, last >= first else { throw missing(world, next ?? start) }
        next = last + 1
        if last < start { continue }
        let bytes = row.bytes(4)
        guard Self.sum(first, last, bytes: bytes) == row.number(3) else {
          throw damage(name, first, "the segment of inputs from here on is not what was written")
        }
        let goesOn = bytes.withUnsafeBytes { bytes in
          body(Segment(first: first, last: last, stored: row.number(2), bytes: bytes))
        }
        guard goesOn else { return }
      }
    }
  }

  private func missing(_ world: StoredWorld, _ first: UInt64) -> StoreFailure {
    damage(world.name, first, "inputs from \(first) on are missing")
  }

  func damage(_ world: String, _ sequence: UInt64?, _ finding: String) -> StoreFailure {
    .damaged(Damage(path, world: world, at: sequence, finding))
  }

  static func sum(_ numbers: UInt64..., texts: [String] = [], bytes: [UInt8] = []) -> Int64 {
    var sum = RowSum()
    for number in numbers { sum.mix(number) }
    for text in texts { sum.mix(text) }
    sum.mix(bytes)
    return sum.stored
  }

  // MARK: Checkpoints

  package func checkpoints(of name: String) throws(StoreFailure) -> [CheckpointMark] {
    try checkpoints(of: try found(name))
  }

  private func checkpoints(of world: StoredWorld) throws(StoreFailure) -> [CheckpointMark] {
    if let known = seen?.checkpoints[world.identity] { return known }
    return try checkpoints(of: [world.identity])[world.identity] ?? []
  }

  private func checkpoints(of worlds: [Int64]) throws(StoreFailure) -> [Int64: [CheckpointMark]] {
    let rows = try ask(
      """
      SELECT sequence, hash, octet_length(bytes)::bigint, extract(epoch FROM stored)::bigint, world FROM fsmd.checkpoints
      WHERE world = ANY($1) ORDER BY sequence
      """, .array(.numbers, worlds.map { .number($0) }))
    return Dictionary(grouping: rows) { $0.number(4) }.mapValues { $0.map(mark) }
  }

  package func prepare(_ names: [String]) throws(StoreFailure) {
    var stored: [Parameter] = []
    for name in names { stored.append(.text(try naming.stored(name))) }
    let found = try worlds(where: "w.name = ANY($1)", .array(.texts, stored))
    let numbers = found.map(\.identity)
    let (checkpoints, kinds) = (try checkpoints(of: numbers), try kinds(of: numbers))
    seen = Seen(
      worlds: Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) }),
      checkpoints: Dictionary(uniqueKeysWithValues: numbers.map { ($0, checkpoints[$0] ?? []) }),
      kinds: Dictionary(uniqueKeysWithValues: numbers.map { ($0, kinds[$0] ?? []) }))
  }

  private func mark(_ row: Row) -> CheckpointMark {
    CheckpointMark(
      sequence: row.unsigned(0), hash: row.unsigned(1), size: Int(row.number(2)), stored: row.number(3))
  }

  package func checkpoint(of name: String, atOrBefore sequence: UInt64) throws(StoreFailure) -> StoredCheckpoint? {
    let world = try found(name)
    let row = try ask(
      """
      SELECT sequence, hash, octet_length(bytes)::bigint, extract(epoch FROM stored)::bigint, sum, bytes
      FROM fsmd.checkpoints WHERE world = $1 AND sequence <= $2 ORDER BY sequence DESC LIMIT 1
      """, .number(world.identity), .number(sequence)
    ).first
    guard let row else { return nil }
    let bytes = row.bytes(5)
    guard Self.sum(row.unsigned(0), row.unsigned(1), bytes: bytes) == row.number(4) else {
      throw damage(name, row.unsigned(0), "the checkpoint is not what was written")
    }
    return StoredCheckpoint(mark: mark(row), bytes: bytes)
  }

  // MARK: Names, undone inputs, kinds

  package func creation(
    of number: UInt32, in name: String, at sequence: UInt64
  ) throws(StoreFailure) -> StoredCreation? {
    try creations(
      of: name, where: "number = $2 AND sequence <= $3 ORDER BY sequence DESC LIMIT 1",
      [.number(Int64(number)), .number(sequence)]
    ).first
  }

  /// All names of a world's machines, in the order of the inputs that made them.
  package func creations(of name: String) throws(StoreFailure) -> [StoredCreation] {
    try creations(of: name, where: "true ORDER BY sequence, number", [])
  }

  private func creations(
    of name: String, where condition: String, _ parameters: [Parameter]
  ) throws(StoreFailure) -> [StoredCreation] {
    let world = try found(name)
    let rows = try ask(
      "SELECT number, sequence, name, kind, sum FROM fsmd.names WHERE world = $1 AND \(condition)",
      [.number(world.identity)] + parameters)
    var creations: [StoredCreation] = []
    for row in rows {
      let creation = StoredCreation(
        sequence: row.unsigned(1), number: UInt32(truncatingIfNeeded: row.number(0)), name: row.text(2),
        kind: row.text(3))
      guard Self.sum(creation) == row.number(4) else {
        throw damage(name, creation.sequence, "the name of machine \(creation.number) is not what was written")
      }
      creations.append(creation)
    }
    return creations
  }

  static func sum(_ creation: StoredCreation) -> Int64 {
    sum(UInt64(creation.number), creation.sequence, texts: [creation.name, creation.kind])
  }

  package func undone(in name: String, _ inputs: ClosedRange<UInt64>) throws(StoreFailure) -> [ClosedRange<UInt64>] {
    let world = try found(name)
    // The largest numbers of inputs are above what is stored.
    let (low, high) = (min(inputs.lowerBound, .max >> 1), min(inputs.upperBound, .max >> 1))
    let rows = try ask(
      "SELECT last, first, sum FROM fsmd.undone WHERE world = $1 AND last >= $2 AND first <= $3 ORDER BY last",
      .number(world.identity), .number(low), .number(high))
    var found: [ClosedRange<UInt64>] = []
    for row in rows {
      let (last, first) = (row.unsigned(0), row.unsigned(1))
      guard first <= last, Self.sum(last, first) == row.number(2) else {
        throw damage(name, last, "a row of undone inputs is not what was written")
      }
      found.append(first...last)
    }
    return found
  }

  package func kinds(of name: String) throws(StoreFailure) -> [StoredKind] {
    let world = try found(name)
    if let known = seen?.kinds[world.identity] { return known }
    return try kinds(of: [world.identity])[world.identity] ?? []
  }

  private func kinds(of worlds: [Int64]) throws(StoreFailure) -> [Int64: [StoredKind]] {
    let rows = try ask(
      """
      SELECT k.name, since, sum, bytes, world, w.name FROM fsmd.kinds k JOIN fsmd.worlds w ON w.id = world
      WHERE world = ANY($1) ORDER BY since, k.name
      """, .array(.numbers, worlds.map { .number($0) }))
    var kinds: [Int64: [StoredKind]] = [:]
    for row in rows {
      let kind = StoredKind(name: row.text(0), since: row.unsigned(1), bytes: row.bytes(3))
      guard Self.sum(kind) == row.number(2) else {
        throw damage(row.text(5), nil, "how kind \(kind.name) was described is not what was written")
      }
      kinds[row.number(4), default: []].append(kind)
    }
    return kinds
  }

  static func sum(_ kind: StoredKind) -> Int64 { sum(kind.since, texts: [kind.name], bytes: kind.bytes) }
}
