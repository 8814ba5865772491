package import StateMachines
import Synchronization

/// A set of machines with one clock, one agenda and one journal: the unit of isolation and of determinism.
///
/// Everything that changes a world is an input with a moment and a number. A step runs to completion: the input, its
/// effects in order, then wire deliveries, first in, first out, all at one moment; timers without delay follow. A world
/// never calls out: its journal contains what happened, and ``answer`` what a request caused.
///
/// It is a value with one owner and no clock. Time passes only when the owner calls `advance`, and a world cannot see
/// how late that call was.
package struct WorldCore: ~Copyable {
  package internal(set) var limits: WorldLimits
  /// The current moment. It goes back only when inputs are undone.
  package internal(set) var now = Instant.beginning
  /// The outcome of the last request's own input.
  package internal(set) var answer = Answer()
  /// Further facts about it, if ``Answer/hasDetails``.
  package internal(set) var answerDetails = AnswerDetails()
  /// Set when a limit ended a chain of firings or deliveries or kept a timer from running, until the owner takes it. No
  /// step depends on it.
  package internal(set) var livelock: Livelock?
  /// Whether due timers wait because their chain did not end. Time stands still until the next timer is disarmed or
  /// armed anew, or its machine dropped.
  package var isStalled: Bool { stallStamp != 0 }
  /// Whether there are kinds from documents, or machines of them, or were. Their steps can be long.
  package var hasDocuments: Bool { population.hasDocuments || !definitions.isEmpty }
  /// Whether there are kinds with long steps, or machines of them, or were.
  package var hasLongSteps: Bool { population.hasLongSteps || definesLongSteps }

  var registry = Registry()
  var population = MachineStorage()
  var agenda = Agenda()
  var keyedTimers = KeyedTimers()
  /// Whether a firing or delivery asked for a keyed timer beyond the limit; checked at its end.
  var hasRefusedTimer = false
  package internal(set) var journal: Journal
  var wires = Wires()
  var watchers = Watchers()
  var record: StepRecord
  /// The steps of charts from documents so far; wraps.
  @inline(__always)
  package var chartSteps: Int { record.chartSteps }
  var details = DetailWriter()
  var compositions: [String: CompositionRecord] = [:]
  /// The kinds from documents that are in effect, each in its present version, in the order in which they were defined.
  var definitions: ContiguousArray<DefinedKind> = [] {
    didSet {
      ownKinds = definitions.map(\.kind)
      definesLongSteps = ownKinds.contains(where: \.hasLongSteps)
    }
  }
  private var definesLongSteps = false
  /// The kinds from documents that `new` makes machines of, one for each name.
  package private(set) var ownKinds: [Kind] = []
  /// What is needed to go back in time.
  var past: UndoHistory
  /// The last answers to numbered requests.
  package internal(set) var answers = NumberedAnswers()
  /// What is not flushed yet; nil without persistence.
  var unflushed: Unflushed?

  /// How many timers were ever armed: the stamp of the last arming.
  var armings: UInt64 = 0
  /// The arming counter at the start of the current instant: a later stamp was given at this instant.
  var instantStamp: UInt64 = 0
  /// Firings at this instant of timers that were armed at this instant.
  var chain = 0
  /// The stamp of the timer that would have exceeded the limit of a chain; 0 if there is none.
  var stallStamp: UInt64 = 0
  /// Outputs to be delivered through wires.
  var deliveries: ContiguousArray<Delivery> = []
  var nextDelivery = 0
  /// How many deliveries led to the current step.
  var depth = 0
  /// Dropped machines whose numbers the journal still refers to, oldest first.
  var retired: ContiguousArray<(sequence: UInt64, machine: MachineID)> = []
  var nextRetired = 0
  /// The total number of timers that have expired or were fired.
  package internal(set) var firings: UInt64 = 0

  /// Where the number of an input is written before its step, for whoever wants to know what ended the process; nil for
  /// nowhere.
  ///
  /// Safety: the owner keeps the memory as long as this points to it, and no other thread writes it.
  package var underWay: UnsafeMutablePointer<UInt64>?
  /// What the number of an expiry has beside it.
  package static let expiry: UInt64 = 1 << 63

  /// Whether the journal keeps why inputs were refused. A stored world does not: its journal is compared with those of
  /// earlier releases.
  package var keepsReasons = false

  /// Keeps the value in memory, so that the compiler passes its address and not its fields one by one: it checks them
  /// in a third of the time.
  private let isAddressOnly = Atomic(true)

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
  @inline(__always)
  package var lastSequence: UInt64 { journal.last }

  /// Notes the next input as the one under way. Deliveries and timers without delay belong to the input that they follow.
  @inline(__always)
  func noteInput(_ expiry: UInt64 = 0) {
    if let underWay { underWay.pointee = (journal.last &+ 1) | expiry }
  }

  /// Moves the clock; a new instant begins.
  @inline(__always)
  mutating func move(to moment: Instant) {
    guard moment > now else { return }
    now = moment
    instantStamp = armings
    chain = 0
  }

  /// Returns and clears ``livelock``.
  package mutating func takeLivelock() -> Livelock? {
    guard let found = livelock else { return nil }
    livelock = nil
    return found
  }

  /// The outcome of one request's own input: numbers only, so that reading it is free.
  package struct Answer: BitwiseCopyable, Sendable {
    package internal(set) var sequence: UInt64 = 0
    package internal(set) var verdict = Verdict.ignored
    /// Indices in the kind's list of states.
    package internal(set) var from: UInt16 = 0
    package internal(set) var to: UInt16 = 0
    /// Whether ``WorldCore/answerDetails`` says more.
    package internal(set) var hasDetails = false
  }

  /// The part of an answer that most requests lack. Stored in the world and reused, so that an answer allocates
  /// nothing.
  package struct AnswerDetails: Sendable {
    /// The outputs emitted, as indices in the kind's list, in order.
    package internal(set) var outputs: ContiguousArray<UInt16> = []
    /// The same outputs as the machine emitted them, if ``StateMachines/StepRecord/keepsOutputs``.
    var typedOutputs: [any Sendable] = []
    /// The data of the state before and after, if the kind prints any.
    package internal(set) var dataBefore: String?
    package internal(set) var dataAfter: String?
    /// Why the input was refused.
    package internal(set) var reason: String?
    /// The limit that the input would have exceeded.
    package internal(set) var exceeded: ExceededLimit?

    package init() {}
  }

  /// An exceeded limit: a chain of firings or deliveries without passing time, or a machine's number of timers.
  package struct Livelock: Equatable, Sendable {
    package enum Chain: Equatable, Sendable {
      /// Timers armed and expired at one instant; `key` is 0 for a timer without a key.
      case timers(timer: UInt8, key: UInt32)
      /// A machine has its maximum of keyed timers, and this one was not armed.
      case keyedTimers(timer: UInt8, key: UInt32)
      /// Deliveries that followed from one another, or too many in one step.
      case wires(output: UInt16, isLong: Bool)
    }
    package let chain: Chain
    /// The machine of the next timer or output.
    package let machine: MachineID
    package let moment: Instant
  }

  struct Delivery {
    let wire: Wire
    let data: [Value]
    let depth: Int
    /// Whether the machine has named the target itself: then the data are the event's arguments.
    let isDirect: Bool
  }

  struct CompositionRecord {
    let name: String
    let composition: Composition
    /// The number of the input that made its first member.
    let sequence: UInt64
    /// Its members, including dropped ones.
    let all: [MachineID]
    /// The members left.
    var members: [MachineID]
  }
}
