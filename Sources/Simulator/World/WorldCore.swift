package import StateMachines

/// A set of machines with one clock, one agenda and one journal: the unit of isolation and of determinism.
///
/// Everything that changes a world is an input with a moment and a number. A step runs to completion: the input, its
/// effects in order, then what wires deliver, first in, first out, all at one moment; timers without delay follow. A
/// world never calls out: what happened stands in its journal, and what a request caused in ``answer``.
///
/// It is a value with one owner and no clock. Time passes only when the owner says so, through `advance`; nothing here
/// can see how late that was.
package struct WorldCore: ~Copyable {
  package internal(set) var limits: WorldLimits
  /// The present moment. It goes back only when what has happened is undone.
  package internal(set) var now = Instant.beginning
  /// What the last request's own input came to.
  package internal(set) var answer = Answer()
  /// What there is to say of it besides, if ``Answer/hasDetails``.
  package internal(set) var answerDetails = AnswerDetails()
  /// Set when a limit ended a chain of firings or deliveries or kept a timer from running, until the owner takes it. No
  /// step depends on it.
  package internal(set) var livelock: Livelock?
  /// Whether timers that are due wait, because a chain of them had no end. Time stands still until the one that is next
  /// is disarmed or armed anew, or its machine dropped.
  package var isStalled: Bool { stallStamp != 0 }

  var registry = Registry()
  var population = MachineStorage()
  var agenda = Agenda()
  var keyedTimers = KeyedTimers()
  /// Whether a firing or a delivery, whose end looks at it, was to arm a keyed timer beyond the limit.
  var hasRefusedTimer = false
  package internal(set) var journal: Journal
  var wires = Wires()
  var watchers = Watchers()
  var record: StepRecord
  var details = DetailWriter()
  var compositions: [String: CompositionRecord] = [:]
  /// What it takes to go back in time.
  var past: UndoHistory
  /// What has not been handed out to the one who keeps the journal; nil if nobody does.
  var unflushed: Unflushed?

  /// How many timers were ever armed: each arming's stamp.
  var armings: UInt64 = 0
  /// The arming counter when the present instant began: what has a later stamp was armed at this instant.
  var instantStamp: UInt64 = 0
  /// Firings at this instant of timers that were armed at it.
  var chain = 0
  /// The stamp of the timer that would have been one too many in a chain; 0 if none was.
  var stallStamp: UInt64 = 0
  /// Outputs on their way through wires.
  var deliveries: ContiguousArray<Delivery> = []
  var nextDelivery = 0
  /// How many deliveries have led to the present step.
  var depth = 0
  /// Dropped machines whose numbers lines of the journal still speak of, oldest first.
  var retired: ContiguousArray<(sequence: UInt64, machine: MachineID)> = []
  var nextRetired = 0
  /// Timers that have expired or were fired, ever.
  package internal(set) var firings: UInt64 = 0

  package init(seed: UInt64 = 0, limits: WorldLimits = WorldLimits()) {
    self.limits = limits
    journal = Journal(inputs: limits.journal, bytes: limits.journalBytes)
    past = UndoHistory(seed: seed, limits)
    record = StepRecord(generator: Generator(seed: seed))
  }

  deinit {
    for number in 0..<registry.capacity {
      let location = registry.location(of: MachineID(UInt32(number)))
      if location.isSomewhere {
        population.slots[population.kind(at: location)].machine.destroy(population.value(at: location))
      }
    }
  }

  /// The number of the last input; 0 before the first.
  ///
  /// On a hot path of another target `journal.last` is read instead: to call this there copies the world.
  @inline(__always)
  package var lastSequence: UInt64 { journal.last }

  /// Moves the clock; a new instant begins.
  @inline(__always)
  mutating func move(to moment: Instant) {
    guard moment > now else { return }
    now = moment
    instantStamp = armings
    chain = 0
  }

  /// Hands ``livelock`` over to the owner.
  package mutating func takeLivelock() -> Livelock? {
    guard let found = livelock else { return nil }
    livelock = nil
    return found
  }

  /// What one request's own input came to: numbers only, so that reading it costs nothing.
  package struct Answer: BitwiseCopyable, Sendable {
    package internal(set) var sequence: UInt64 = 0
    package internal(set) var verdict = Verdict.ignored
    /// Places in the kind's list of states.
    package internal(set) var from: UInt8 = 0
    package internal(set) var to: UInt8 = 0
    /// Whether ``WorldCore/answerDetails`` says more.
    package internal(set) var hasDetails = false
  }

  /// The part of an answer that most requests do not have. Kept in the world and used again, so that an answer allocates
  /// nothing.
  package struct AnswerDetails: Sendable {
    /// What was emitted, as places in the kind's list of outputs, in order.
    package internal(set) var outputs: ContiguousArray<UInt8> = []
    /// The data of the state before and after, where the kind prints any.
    package internal(set) var dataBefore: String?
    package internal(set) var dataAfter: String?
    /// Why the input was refused.
    package internal(set) var reason: String?

    package init() {}
  }

  /// What went over its limit: a chain of firings or deliveries without time in between, or the timers of a machine.
  package struct Livelock: Equatable, Sendable {
    package enum Chain: Equatable, Sendable {
      /// Timers armed and expired at one instant; `key` is 0 where the timer bears none.
      case timers(timer: UInt8, key: UInt32)
      /// A machine has as many keyed timers as it may, and this one was not armed.
      case keyedTimers(timer: UInt8, key: UInt32)
      /// Deliveries that followed from one another, or were too many in one step.
      case wires(output: UInt8, isLong: Bool)
    }
    package let chain: Chain
    /// The machine whose timer or output comes next.
    package let machine: MachineID
    package let moment: Instant
  }

  struct Delivery {
    let wire: Wire
    let data: [Value]
    let depth: Int
  }

  struct CompositionRecord {
    let name: String
    let composition: Composition
    /// The number of the input that made its first member.
    let sequence: UInt64
    /// Its members, those that were dropped included.
    let all: [MachineID]
    /// Those that are left.
    var members: [MachineID]
  }
}
