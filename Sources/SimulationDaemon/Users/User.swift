import LineProtocol
import Synchronization

/// Somebody who uses the daemon. It belongs to the event loop; workers use only the ``quota``.
final class User {
  let id: UserID
  /// Nil for the daemon's owner, who has the daemon's limits alone.
  let quota: UserQuota?
  /// Open connections, and closed ones with unfinished work.
  var clients = 0
  /// Connections that are being admitted.
  var arriving = 0
  /// The host time of the last line in the log about a refused connection, and the refusals since.
  private var refusals: (loggedAt: UInt64?, since: Int) = (nil, 0)
  /// The least time between two such lines, in nanoseconds: one minute.
  private static let refusalInterval: UInt64 = 60_000_000_000
  /// The number of the last turn that a client or a world of this user had with a worker.
  var turn: UInt64 = 0
  /// That of the last turn that a client of this user had on the event loop.
  var served: UInt64 = 0
  /// Until when workers run the charts in this user's worlds, in host time.
  var chartsAreSlowUntil: UInt64 = 0
  /// The time that this user's clients were served in a round, in nanoseconds.
  private var spent: (round: UInt64, time: UInt64) = (0, 0)

  init(_ id: UserID, _ limits: Limits) {
    self.id = id
    quota = id == .owner ? nil : UserQuota(limits)
  }

  /// Counts a refused connection. A user who tries again and again must not fill the log.
  ///
  /// - Parameter host: The host time.
  /// - Returns: The refusals that the log has not been told of, if it is time for a line; otherwise nil.
  func noteRefusal(at host: UInt64) -> Int? {
    refusals.since += 1
    if let last = refusals.loggedAt, host < last + Self.refusalInterval { return nil }
    defer { refusals = (host, 0) }
    return refusals.since
  }

  /// Counts time for which a client was served.
  func spend(_ time: UInt64, inRound round: UInt64) {
    spent = (round, (spent.round == round ? spent.time : 0) &+ time)
  }

  /// The time that this user's clients were served in a round, in nanoseconds.
  func spent(inRound round: UInt64) -> UInt64 { spent.round == round ? spent.time : 0 }
}

/// How much the worlds and connections of one user hold, and how much they may. Any thread may use it.
final class UserQuota: Sendable {
  /// The limits.
  let bytes: Int
  let machines: Int
  private let heldBytes = Atomic<Int>(0)
  private let heldMachines = Atomic<Int>(0)

  init(_ limits: Limits) {
    bytes = limits.userMemory
    machines = limits.userMachines
  }

  func add(bytes: Int = 0, machines: Int = 0) {
    if bytes != 0 { heldBytes.add(bytes, ordering: .relaxed) }
    if machines != 0 { heldMachines.add(machines, ordering: .relaxed) }
  }

  var countedBytes: Int { heldBytes.load(ordering: .relaxed) }
  var countedMachines: Int { heldMachines.load(ordering: .relaxed) }

  /// Whether this many more bytes fit.
  func hasRoom(for more: Int) -> Bool {
    let (wanted, isTooMuch) = countedBytes.addingReportingOverflow(more)
    return !isTooMuch && wanted <= bytes
  }

  /// Whether so many more machines fit.
  func hasRoom(forMachines more: Int) -> Bool { countedMachines + more <= machines }
}

/// Which memory limit is reached: a user's, or that of the whole daemon.
enum MemoryShortage {
  case ofUser(limit: Int)
  /// Of users in a world of the daemon's owner.
  case ofGuests(limit: Int)
  case ofDaemon(limit: Int)

  /// - Parameter more: The bytes that did not fit.
  init(_ budget: MemoryBudget, _ quota: UserQuota?, for more: Int) {
    self =
      if let quota, !quota.hasRoom(for: more) { .ofUser(limit: quota.bytes) } else { .ofDaemon(limit: budget.bytes) }
  }

  /// The limit's name and value.
  var limit: (name: String, value: Int) {
    switch self {
    case .ofUser(let limit), .ofGuests(let limit): ("userMemory", limit)
    case .ofDaemon(let limit): ("memory", limit)
    }
  }

  /// Whose memory is used up.
  var holder: String {
    switch self {
    case .ofUser: "the memory for the worlds and connections of one user"
    case .ofGuests: "the memory that guests may use in this world"
    case .ofDaemon: "the daemon's memory"
    }
  }

  /// What a failure says: `name=` and `value=`.
  var keys: [(String, String)] { [("name", limit.name), ("value", "\(limit.value)")] }
}

/// How much a user's worlds may have in the store.
extension Limits {
  /// The most bytes of a durable world's journal that are stored. The worlds of a user share ``userStore``: each may have
  /// an equal part, or more if the others leave room.
  ///
  /// - Parameter others: The stored bytes of the owner's other durable worlds.
  func mostStored(of owner: UserID, beside others: [Int]) -> Int {
    if owner == .owner { return storeBytes }
    return min(storeBytes, max(userStore / (others.count + 1), others.reduce(userStore, -)))
  }

  /// The bytes of a world's journal after its last checkpoint in the store that make the next one due. Nothing after it can
  /// be removed.
  func mostAfterCheckpoint(of owner: UserID) -> Int {
    (owner == .owner ? storeBytes : min(storeBytes, max(Limits.fewestStored, userStore / userWorlds))) / 4
  }
}
