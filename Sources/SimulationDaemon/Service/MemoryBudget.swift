import Simulator
import Synchronization

/// The daemon's memory budget: what all worlds and clients hold, and whether one of them may have more.
///
/// Each holder has a ``WorldShare`` or a ``ClientShare`` and reports its changes through it. The count may lag behind
/// the process's real size, so the process is also measured from time to time.
///
/// Any thread may use it: all mutable state is atomic, and the order of two reports does not matter.
final class MemoryBudget: Sendable {
  /// A category of memory, as `stats` names it.
  enum Use: Hashable, Sendable {
    case world(Footprint.Use)
    /// Requests that have not run yet: input buffers and batches.
    case requests
    /// Unread output: output queues and the data of long replies.
    case replies

    static let all = Footprint.Use.allCases.map(Use.world) + [.requests, .replies]

    fileprivate var place: Int {
      switch self {
      case .world(let use): use.rawValue
      case .requests: Footprint.Use.allCases.count
      case .replies: Footprint.Use.allCases.count + 1
      }
    }
  }

  /// In bytes.
  let bytes: Int
  /// Bytes that every world may have, however full the daemon is. All worlds together get half of the budget at most.
  let freeForWorld: Int
  /// Bytes that every client may have, however full the daemon is. All clients together get a quarter at most.
  let freeForClient: Int
  /// Measures the process's resident bytes; nil if the system does not say.
  private let measure: @Sendable () -> Int?
  private let counts: [Counter]
  private let total = Atomic<Int>(0)
  private let measured = Atomic<Int>(0)
  /// The count at the last measurement.
  private let countedThen = Atomic<Int>(0)

  private final class Counter: Sendable {
    let bytes = Atomic<Int>(0)
  }

  /// A budget without a limit, for worlds outside a daemon.
  static let unlimited: MemoryBudget = {
    var limits = Limits()
    limits.memory = .max
    return MemoryBudget(limits) { nil }
  }()

  init(_ limits: Limits, measure: @escaping @Sendable () -> Int?) {
    bytes = limits.memory
    freeForWorld = bytes / max(128, 2 * limits.worlds)
    freeForClient = bytes / max(1_024, 4 * limits.clients)
    self.measure = measure
    counts = Use.all.map { _ in Counter() }
  }

  /// Whether a long reply may begin although the budget is spent. All clients share this allowance, since the replies
  /// of many that read nothing add up.
  var hasRoomForReplies: Bool { counted(for: .replies) <= bytes / 8 }

  var counted: Int { total.load(ordering: .relaxed) }

  /// Resident bytes at the last measurement.
  var resident: Int { measured.load(ordering: .relaxed) }

  func counted(for use: Use) -> Int { counts[use.place].bytes.load(ordering: .relaxed) }

  func add(_ difference: Int, for use: Use) {
    guard difference != 0 else { return }
    counts[use.place].bytes.add(difference, ordering: .relaxed)
    total.add(difference, ordering: .relaxed)
  }

  /// Whether this many more bytes fit the budget.
  ///
  /// The resident size may exceed the budget by a sixteenth: the allocator may hold that much as free memory.
  func hasRoom(for more: Int) -> Bool {
    let (counted, isTooMuch) = counted.addingReportingOverflow(more)
    return !isTooMuch && counted <= bytes && resident - bytes / 16 <= bytes - more
  }

  /// Whether to discard rebuildable data, before any request is refused.
  var isNearlyUsedUp: Bool { !hasRoom(for: bytes / 8) }

  /// Measures the process again if the count changed by more than a 1024th of the budget since the last measurement.
  func remeasure() {
    guard (counted - countedThen.load(ordering: .relaxed)).magnitude >= bytes / 1_024 else { return }
    measureNow()
  }

  func measureNow() {
    guard let resident = measure() else { return }
    measured.store(resident, ordering: .relaxed)
    countedThen.store(counted, ordering: .relaxed)
  }
}

/// Memory and machines reserved for a copy or a rewind, from the check until the world reports them. Two checks cannot
/// use the same room.
final class PromisedGrowth: Sendable {
  private let budget: MemoryBudget
  private let quota: UserQuota?
  private let bytes: Int
  private let machines: Int

  init(bytes: Int, machines: Int, _ budget: MemoryBudget, _ quota: UserQuota?) {
    (self.budget, self.quota, self.bytes, self.machines) = (budget, quota, bytes, machines)
    budget.add(bytes, for: .world(.machines))
    quota?.add(bytes: bytes, machines: machines)
  }

  deinit {
    budget.add(-bytes, for: .world(.machines))
    quota?.add(bytes: -bytes, machines: -machines)
  }
}

/// A world's part of the budget, as last reported. Its deinit returns it.
struct WorldShare: ~Copyable {
  private(set) var budget = MemoryBudget.unlimited
  /// The quota of the world's owner, if there is one.
  private(set) var quota: UserQuota?
  /// The quota of the user whose request runs now. It bounds a world whose owner has no quota, so that nobody fills the worlds
  /// of the daemon's owner.
  var guest: UserQuota?
  private var footprint = Footprint()
  private var machines = 0

  deinit {
    for use in Footprint.Use.allCases { budget.add(-footprint[use], for: .world(use)) }
    quota?.add(bytes: -footprint.total, machines: -machines)
  }

  /// Counts against this budget and this quota from now on.
  mutating func join(_ budget: MemoryBudget, _ quota: UserQuota? = nil) {
    report(Footprint())
    report(machines: 0)
    self.budget = budget
    self.quota = quota
  }

  mutating func report(_ now: Footprint) {
    for use in Footprint.Use.allCases { budget.add(now[use] - footprint[use], for: .world(use)) }
    quota?.add(bytes: now.total - footprint.total)
    footprint = now
    budget.remeasure()
  }

  mutating func report(machines now: Int) {
    quota?.add(machines: now - machines)
    machines = now
  }

  /// Which limit does not admit this many more bytes.
  func shortage(of more: Int = 0) -> MemoryShortage {
    if let limit = guestLimit, footprint.total > limit - more { return .ofGuests(limit: limit) }
    return MemoryShortage(budget, quota, for: more)
  }

  /// Whether a guest is served whose quota limits the world.
  @inline(__always)
  var isBoundForGuest: Bool { guest != nil && quota == nil }

  /// The most bytes that the world may take when a guest changes it; nil if the owner is served, or has a quota.
  private var guestLimit: Int? { quota == nil ? guest?.bytes : nil }

  /// Whether the world may grow by this many bytes.
  func admits(_ more: Int) -> Bool {
    if let quota, !quota.hasRoom(for: more) { return false }
    let (wanted, isTooMuch) = footprint.total.addingReportingOverflow(more)
    if let limit = guestLimit, isTooMuch || wanted > limit { return false }
    return budget.hasRoom(for: more) || (!isTooMuch && wanted <= budget.freeForWorld)
  }
}

/// A client's part of the budget, as last reported. Its deinit returns it.
struct ClientShare: ~Copyable {
  private(set) var budget = MemoryBudget.unlimited
  /// The quota of the client's user, if there is one.
  private(set) var quota: UserQuota?
  private var requests = 0
  private var replies = 0

  deinit {
    budget.add(-requests, for: .requests)
    budget.add(-replies, for: .replies)
    quota?.add(bytes: -requests - replies)
  }

  /// Counts against this budget and this quota from now on.
  mutating func join(_ budget: MemoryBudget, _ quota: UserQuota? = nil) {
    report(requests: 0, replies: 0)
    self.budget = budget
    self.quota = quota
  }

  mutating func report(requests: Int, replies: Int) {
    budget.add(requests - self.requests, for: .requests)
    budget.add(replies - self.replies, for: .replies)
    quota?.add(bytes: requests + replies - self.requests - self.replies)
    guard requests != self.requests || replies != self.replies else { return }
    self.requests = requests
    self.replies = replies
    budget.remeasure()
  }

  /// Which limit does not admit this many more bytes.
  func shortage(of more: Int = 0) -> MemoryShortage { MemoryShortage(budget, quota, for: more) }

  /// Whether this many more bytes may be queued for the client or kept of its requests.
  ///
  /// - Parameter held: The bytes in use now; fewer than reported if buffers have spare capacity.
  func admits(_ more: Int, beside held: Int) -> Bool {
    held + more <= budget.freeForClient || (budget.hasRoom(for: more) && quota?.hasRoom(for: more) ?? true)
  }
}
