import Simulator
import Synchronization

/// The one budget of memory of the daemon: what all worlds and clients hold, and whether somebody may have more.
///
/// Whoever holds something has a ``WorldShare`` or a ``ClientShare`` and reports through it what has changed. What is
/// counted may lag behind what the process really has, so that is looked at too, now and then.
///
/// It may be asked and told by any thread: all that changes is atomic, and nothing hangs on the order of two reports.
final class MemoryBudget: Sendable {
  /// What the budget is spent on, as `stats` names it.
  enum Use: Hashable, Sendable {
    case world(Footprint.Use)
    /// What clients have sent and nobody has carried out: input buffers, batches.
    case requests
    /// What waits for clients: output queues, and what long replies are made of.
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
  /// What the process has resident, as the system says; nil if it does not.
  private let measure: @Sendable () -> Int?
  private let counts: [Counter]
  private let total = Atomic<Int>(0)
  private let measured = Atomic<Int>(0)
  /// What was counted when the process was last measured.
  private let countedThen = Atomic<Int>(0)

  private final class Counter: Sendable {
    let bytes = Atomic<Int>(0)
  }

  /// A budget that is never used up, for worlds outside of a daemon.
  static let unlimited = MemoryBudget(bytes: .max) { nil }

  init(bytes: Int, measure: @escaping @Sendable () -> Int?) {
    self.bytes = bytes
    self.measure = measure
    counts = Use.all.map { _ in Counter() }
  }

  /// What every world may have, however full the daemon is.
  var freeForWorld: Int { bytes / 128 }

  /// What every client may have, however full the daemon is.
  var freeForClient: Int { bytes / 1_024 }

  /// Whether another long reply may begin though there is no room: many clients that read nothing have much together.
  var hasRoomForReplies: Bool { counted(for: .replies) <= bytes / 8 }

  var counted: Int { total.load(ordering: .relaxed) }

  /// What the process had resident when that was last looked at.
  var resident: Int { measured.load(ordering: .relaxed) }

  func counted(for use: Use) -> Int { counts[use.place].bytes.load(ordering: .relaxed) }

  func add(_ difference: Int, for use: Use) {
    guard difference != 0 else { return }
    counts[use.place].bytes.add(difference, ordering: .relaxed)
    total.add(difference, ordering: .relaxed)
  }

  /// Whether so much more is within the budget.
  ///
  /// What is resident may go a sixteenth over it: that much may be the allocator's, and free.
  func hasRoom(for more: Int) -> Bool {
    let (counted, isTooMuch) = counted.addingReportingOverflow(more)
    return !isTooMuch && counted <= bytes && resident - bytes / 16 <= bytes - more
  }

  /// Whether what can be made again is to be given up, before anything is refused.
  var isNearlyUsedUp: Bool { !hasRoom(for: bytes / 8) }

  /// Measures the process again if more than a little was counted since it was last measured.
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

/// What one world holds of the budget, as it was last reported. Its end gives it back.
struct WorldShare: ~Copyable {
  private(set) var budget = MemoryBudget.unlimited
  private var footprint = Footprint()

  deinit {
    for use in Footprint.Use.allCases { budget.add(-footprint[use], for: .world(use)) }
  }

  /// Begins to count.
  mutating func join(_ budget: MemoryBudget) {
    report(Footprint())
    self.budget = budget
  }

  mutating func report(_ now: Footprint) {
    for use in Footprint.Use.allCases { budget.add(now[use] - footprint[use], for: .world(use)) }
    footprint = now
    budget.remeasure()
  }

  /// Whether the world may have so much more than it has.
  func admits(_ more: Int) -> Bool {
    let (wanted, isTooMuch) = footprint.total.addingReportingOverflow(more)
    return budget.hasRoom(for: more) || (!isTooMuch && wanted <= budget.freeForWorld)
  }
}

/// What one client holds of the budget, as it was last reported. Its end gives it back.
struct ClientShare: ~Copyable {
  private(set) var budget = MemoryBudget.unlimited
  private var requests = 0
  private var replies = 0

  deinit {
    budget.add(-requests, for: .requests)
    budget.add(-replies, for: .replies)
  }

  /// Begins to count.
  mutating func join(_ budget: MemoryBudget) {
    report(requests: 0, replies: 0)
    self.budget = budget
  }

  mutating func report(requests: Int, replies: Int) {
    budget.add(requests - self.requests, for: .requests)
    budget.add(replies - self.replies, for: .replies)
    guard requests != self.requests || replies != self.replies else { return }
    self.requests = requests
    self.replies = replies
    budget.remeasure()
  }

  /// Whether so much more may wait for the client, or be kept of what it sent.
  ///
  /// - Parameter held: What is there already; less than the share where buffers have room.
  func admits(_ more: Int, beside held: Int) -> Bool {
    budget.hasRoom(for: more) || held + more <= budget.freeForClient
  }
}
