internal import Glibc
internal import JournalStore
internal import Synchronization

/// The daemons on one database, each with a row of `fsmd.hosts` as its lease.
final class PostgresHosts: StoreHosts {
  /// How long a renewal may take, in milliseconds.
  private static let patience: Int32 = 1_500

  let name: String
  /// This process among all that have or had the name.
  let run: Epoch
  private let writer: StoreWriter
  private let readers: PostgresReaders
  private let lease = Mutex(HostLease())
  /// Whether this process has had the name.
  private let hasBegun = Atomic(false)

  init(_ name: String, _ run: Epoch, _ writer: StoreWriter, _ readers: PostgresReaders) {
    (self.name, self.run, self.writer, self.readers) = (name, run, writer, readers)
  }

  var term: Int? { lease.withLock { $0.term(at: Self.now()) } }

  var wait: UInt64 {
    let (now, next) = (Self.now(), lease.withLock { $0.nextRenewal })
    return next > now ? next - now : 0
  }

  func takeNews() -> Bool { lease.withLock { $0.takeNews() } }

  func renew() throws(StoreFailure) {
    do throws(StoreFailure) {
      try readers.lending { (reader) throws(StoreFailure) in
        let connection = try reader.connection()
        connection.patience = Self.patience
        defer { connection.patience = Connection.usualPatience }
        let sent = Self.now()
        let rows: Rows?
        do throws(QueryFailure) {
          rows = try connection.commit(queries).last
        } catch {
          // Two daemons with one name.
          guard case .refused("23505", _) = error else { throw Schema.failure(error, reader.path) }
          throw .other(
            path: reader.path, reason: "another daemon is named \(name); '--name NAME' gives this one another name")
        }
        var others: [Epoch: UInt64] = [:]
        for row in rows?.rows ?? [] where !row.isNull(1) {
          others[row.epoch(1)] = UInt64(max(0, row.number(2))) * 1_000
        }
        let given = rows?.rows.first?.number(0) ?? 0
        lease.withLock { $0.didRenew(sent: sent, now: Self.now(), others: others, given: given) }
        hasBegun.store(true, ordering: .relaxed)
      }
    } catch {
      lease.withLock { $0.didFail(now: Self.now()) }
      throw error
    }
  }

  private var queries: [Query] {
    // A name is free if its daemon has ended: its lease is over, or this one listens on its socket.
    let socket = hasBegun.load(ordering: .relaxed) ? nil : writer.socket
    let ended = Query(
      """
      UPDATE fsmd.hosts SET current = false, ends = least(ends, clock_timestamp())
      WHERE name = $1 AND run <> $2 AND current AND (ends < clock_timestamp() OR socket = $3)
      """, .text(name), .epoch(run), .text(socket))
    let renewal = Query(
      """
      INSERT INTO fsmd.hosts(run, name, process, socket, renewed, ends)
      VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + $5 * interval '1 microsecond')
      ON CONFLICT (run) DO UPDATE SET current = true, renewed = excluded.renewed, ends = excluded.ends
      """, .epoch(run), .text(name), .number(Int64(writer.process)), .text(writer.socket),
      .number(HostLease.span / 1_000))
    let look = Query(
      """
      SELECT m.given, h.run, (extract(epoch FROM h.ends - clock_timestamp()) * 1000000)::bigint
      FROM fsmd.hosts m LEFT JOIN fsmd.hosts h ON h.current AND h.run <> m.run AND h.ends > clock_timestamp()
      WHERE m.run = $1
      """, .epoch(run))
    return (term == nil ? [ended] : []) + [renewal, look]
  }

  /// Ends the lease: the daemon leaves, and others may take its worlds.
  func leave(_ connection: Connection) {
    let query = Query(
      "UPDATE fsmd.hosts SET current = false, renewed = clock_timestamp(), ends = clock_timestamp() WHERE run = $1",
      .epoch(run))
    // Otherwise it ends by itself.
    _ = try? connection.commit([query])
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
