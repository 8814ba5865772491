internal import JournalStore

/// The log as tables: one transaction inserts the rows of many worlds, with their segments and what belongs to them.
extension PostgresStore: FencedLog {
  typealias Content = WorldState

  func drawEpoch() -> Epoch { Self.drawnEpoch() }

  static func drawnEpoch() -> Epoch {
    var generator = SystemRandomNumberGenerator()
    return .drawn(using: &generator)
  }

  func insert(_ rows: [(row: LogRow<WorldState>, after: Epoch)]) throws(StoreFailure) -> Set<Int64> {
    guard !rows.isEmpty else { return [] }
    let details = RoundDetails(
      rows.compactMap { row, _ in row.content.round.map { (row.world, $0.creations, $0.undone, $0.kinds) } })
    let queries =
      [Self.insertion(rows)] + details.queries(fence: rows.map { ($0.row.world, $0.row.number, $0.row.epoch) })
    while true {
      let connection = try connection()
      do throws(QueryFailure) {
        return Set(try connection.commit(queries, areSettingsMade: true).first?.rows.first?.numbers(0) ?? [])
      } catch {
        // There is no partition for the present time.
        guard case .refused("23514", _) = error else { throw Schema.failure(error, path) }
        try Schema.makePartitions(connection, path)
      }
    }
  }

  func ends(of worlds: [Int64]) throws(StoreFailure) -> [Int64: LogRow<WorldState>] {
    let rows = try ask(
      """
      SELECT l.world, l.number, l.epoch, l.taking, \(WorldState.columns)
      FROM fsmd.worlds w CROSS JOIN LATERAL \(Self.end) WHERE w.id = ANY($1)
      """, .array(.numbers, worlds.map { .number($0) }))
    let ends = rows.map { row in
      LogRow(
        world: row.number(0), number: row.number(1), epoch: row.epoch(2), isTaking: row.bool(3),
        WorldState(row, at: 4, own: run))
    }
    return Dictionary(uniqueKeysWithValues: ends.map { ($0.world, $0) })
  }

  func epoch(of world: Int64, at number: Int64) throws(StoreFailure) -> Epoch? {
    try ask("SELECT epoch FROM fsmd.log WHERE world = $1 AND number = $2", .number(world), .number(number)).first?
      .epoch(0)
  }

  /// Inserts rows with their segments by `fsmd.append`, which returns the worlds of those that it inserted.
  static func insertion(_ rows: [(row: LogRow<WorldState>, after: Epoch)]) -> Query {
    Query(
      "SELECT fsmd.append($1, $2, $3)", .array(.records, rows.map { record($0.row) }),
      .array(.epochs, rows.map { .epoch($0.after) }), .array(.records, rows.map { segment(of: $0.row) }))
  }

  /// A row of `fsmd.log`. The database itself enters its history and the time.
  private static func record(_ row: LogRow<WorldState>) -> Parameter {
    let (state, holder) = (row.content, row.content.holder)
    return .record([
      .number(row.world), .number(row.number), .epoch(row.epoch), .bool(row.isTaking), .number(state.takes),
      .number(state.head), .number(state.moment), .bytes(state.settings), .number(state.total),
      .number(holder.map { Int64($0.writer.process) }), .text(holder.map { $0.writer.name ?? $0.writer.socket }),
      .number(holder?.since), .epoch(state.run), .number(nil), .noTime,
    ])
  }

  /// The row of `fsmd.segments` that belongs to one of the log; null if there are no inputs.
  private static func segment(of row: LogRow<WorldState>) -> Parameter {
    guard let round = row.content.round, !round.bytes.isEmpty else { return .record(nil) }
    let (first, bytes) = (round.head + 1, Array(round.bytes))
    return .record([
      .number(row.world), .number(first), .number(round.last), .number(row.content.total - Int64(bytes.count)),
      .number(Int64(bytes.count)), .number(PostgresReader.sum(first, round.last, bytes: bytes)), .noTime, .bytes(bytes),
    ])
  }
}

/// What belongs to rounds beside their segments: names of machines, undone inputs and descriptions of kinds.
struct RoundDetails {
  typealias Part = (world: Int64, creations: [StoredCreation], undone: [ClosedRange<UInt64>], kinds: [StoredKind])

  private let parts: [Part]

  init(_ parts: [Part]) { self.parts = parts }

  /// The statements that store them.
  ///
  /// - Parameter fence: The rows of the log that must be there, or nothing of their world is stored.
  func queries(fence: [(world: Int64, number: Int64, epoch: Epoch)]) -> [Query] {
    let names = parts.flatMap { part in part.creations.map { (part.world, $0) } }
    let undone = parts.flatMap { part in part.undone.map { (part.world, $0) } }
    let kinds = parts.flatMap { part in part.kinds.map { (part.world, $0) } }
    func numbers(_ values: [Int64]) -> Parameter { .array(.numbers, values.map { .number($0) }) }
    func texts(_ values: [String]) -> Parameter { .array(.texts, values.map { .text($0) }) }
    func big(_ number: UInt64) -> Int64 { Int64(bitPattern: number) }
    var queries: [Query] = []
    func add(_ text: (_ fence: String) -> String, _ parameters: [Parameter]) {
      let count = parameters.count
      let condition = """
        EXISTS (SELECT FROM unnest($\(count + 1)::bigint[], $\(count + 2)::bigint[], $\(count + 3)::uuid[])
          AS f(world, number, epoch) JOIN fsmd.log l USING (world, number, epoch) WHERE l.world = i.world)
        """
      queries.append(
        Query(
          text(condition),
          parameters + [
            numbers(fence.map(\.world)), numbers(fence.map(\.number)), .array(.epochs, fence.map { .epoch($0.epoch) }),
          ]))
    }
    if !names.isEmpty {
      add(
        { fence in
          """
          INSERT INTO fsmd.names(world, number, sequence, name, kind, sum)
          SELECT i.* FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[])
            AS i(world, number, sequence, name, kind, sum) WHERE \(fence)
          """
        },
        [
          numbers(names.map(\.0)), numbers(names.map { Int64($0.1.number) }), numbers(names.map { big($0.1.sequence) }),
          texts(names.map(\.1.name)), texts(names.map(\.1.kind)),
          numbers(names.map { PostgresReader.sum($0.1) }),
        ])
    }
    // One after the other: a longer undo replaces those that it covers.
    for (world, inputs) in undone {
      let (first, last) = (inputs.lowerBound, inputs.upperBound)
      add(
        { fence in
          "DELETE FROM fsmd.undone i WHERE world = $1 AND last >= $2 AND \(fence)"
        }, [.number(world), .number(first)])
      add(
        { fence in
          """
          INSERT INTO fsmd.undone(world, last, first, sum)
          SELECT i.* FROM (VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint)) AS i(world, last, first, sum)
          WHERE \(fence)
          """
        }, [.number(world), .number(last), .number(first), .number(PostgresReader.sum(last, first))])
    }
    if !kinds.isEmpty {
      add(
        { fence in
          """
          INSERT INTO fsmd.kinds(world, name, since, sum, bytes)
          SELECT i.* FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bytea[])
            AS i(world, name, since, sum, bytes) WHERE \(fence)
          ON CONFLICT (world, name, since) DO UPDATE SET sum = excluded.sum, bytes = excluded.bytes
          """
        },
        [
          numbers(kinds.map(\.0)), texts(kinds.map(\.1.name)), numbers(kinds.map { big($0.1.since) }),
          numbers(kinds.map { PostgresReader.sum($0.1) }), .array(.blobs, kinds.map { .bytes($0.1.bytes) }),
        ])
    }
    return queries
  }
}
