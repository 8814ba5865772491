public import StateMachines

/// What a kind of machine does, found by running its rule: every input in every state, with what came of it.
///
/// It is no second description of a machine, so it cannot differ from the rule. An ``Exploration`` makes one: beginning with
/// a new machine, each event is tried with the samples of its arguments and each running timer is let expire, until nothing
/// new turns up. States that cannot be reached so are tried from a machine that is made in them.
///
/// The same kind and parameters give the same graph.
public struct StateGraph: Sendable {
  public let kind: Kind
  /// The parameters that the machines were made with, in the kind's order.
  public let parameters: [Value]
  /// All states of the kind, in its order.
  public let states: [StateEntry]
  /// What was tried, in the kind's order: events, each with its samples, and then timers.
  public let inputs: [GraphInput]
  /// The machines that were come upon, nearest to the start first; each stands for all that are in an equal state with
  /// the same timers running.
  public let nodes: [GraphNode]
  /// What is known of the kind's timers, in its order.
  public let timers: [TimerFacts]
  /// The state of a machine that is made plainly.
  public let initialState: Int
  /// Whether all was tried that there is to try. If not, one of the limits of ``Exploration`` was met, and an outcome
  /// that depends on rare data may be missing.
  public let isComplete: Bool

  /// By state and then by input.
  let cells: [[[GraphOutcome]]]

  /// What came of an input in the machines that were found in a state, each different outcome once; empty if it never
  /// happened: the state was not found, or the timer does not run in it.
  public func outcomes(in state: Int, of input: Int) -> [GraphOutcome] { cells[state][input] }

  /// How a state was come upon.
  public func reach(of state: Int) -> GraphReach { reaches[state] }
  let reaches: [GraphReach]

  /// The places in ``inputs`` that belong to an event, one per class of its data.
  public func inputs(ofEvent event: Int) -> Range<Int> { eventInputs[event] }
  let eventInputs: [Range<Int>]

  /// The place in ``inputs`` of a timer.
  public func input(ofTimer timer: Int) -> Int { inputs.count - kind.timers.count + timer }
}

/// Something that a machine can be tried with.
public enum GraphInput: Hashable, Sendable {
  /// An event, by its place in the kind's list, with one choice of its arguments' samples.
  case event(Int, [Value])
  /// The expiry of a timer, whatever its key.
  case timer(Int)
}

/// How a state of a kind can come about.
public enum GraphReach: Hashable, Sendable {
  /// A machine that is made plainly can get there.
  case fromStart
  /// Only a machine that is made in some other state than the initial one can.
  case fromInitial
  /// Nothing that was tried leads there.
  case unreached
}

/// What came of an input in a state.
public struct GraphOutcome: Hashable, Sendable {
  public let verdict: Verdict
  /// The state afterwards, by its place in the kind's list.
  public let to: Int
  /// Why it was refused, in the words of the machine.
  public let reason: String?
  /// What was emitted, by places in the kind's list.
  public let outputs: [Int]
  /// The data of the state before and afterwards, where it was first seen.
  public let dataBefore: String?
  public let dataAfter: String?
  /// The place in ``StateGraph/nodes`` of the machine in which it was first seen.
  public let node: Int
  /// The step that it was seen with.
  public let step: GraphStep
  /// Whether the machine rests afterwards: whether it can be seen in this state, since no timer is due at the same moment.
  public let rests: Bool
  /// Whether numbers were drawn for it, so that the same input may turn out otherwise.
  public let isByChance: Bool
  /// The word of `initial=` that a machine can be made with to see the same of it at once; a timer is fired then.
  public internal(set) var initial: String?

  /// Whether two outcomes are the same but for the place where they were seen.
  func says(theSameAs other: GraphOutcome) -> Bool {
    verdict == other.verdict && to == other.to && reason == other.reason && outputs == other.outputs
  }

  /// Whether two outcomes look the same from outside, data included.
  func isSeen(as other: GraphOutcome) -> Bool {
    says(theSameAs: other) && dataBefore == other.dataBefore && dataAfter == other.dataAfter
  }
}

/// A machine that an exploration came upon.
public struct GraphNode: Sendable {
  /// Its state, by its place in the kind's list.
  public let state: Int
  /// What its state prints in parentheses.
  public let data: String?
  /// The word of `initial=` that the machine was made with; `nil` for one that was made plainly.
  public let start: String?
  /// Whether numbers were drawn on the way, so that it may lead elsewhere.
  public let isByChance: Bool
  /// The shortest way there, of those that were looked at first.
  public let way: [GraphStep]
  /// The timers that run, in the order in which they will expire.
  public let timers: [RunningTimer]
  /// Whether the machine rests here. If not, a timer is due at this very moment, and nothing else can happen before it.
  public var isSettled: Bool { timers.first.map { $0.left > .zero } ?? true }

  public struct RunningTimer: Hashable, Sendable {
    /// The place in the kind's list.
    public let timer: Int
    /// 0 where the timer bears none.
    public let key: UInt32
    /// The time until it expires.
    public let left: Nanoseconds
  }
}

/// One step of a way through a machine's states.
public enum GraphStep: Hashable, Sendable {
  case send(event: Int, [Value])
  /// Time passes until the next timer expires, which is this one.
  case step(timer: Int, key: UInt32)
  /// A timer is let expire before its time.
  case fire(timer: Int, key: UInt32)
  /// A timer without delay expires by itself, before anything else can happen.
  case fireDue(timer: Int, key: UInt32)
}

/// What is known of a timer.
public struct TimerFacts: Hashable, Sendable {
  /// How long it runs: the value of the parameter that its kind names, or, in whole milliseconds, what it always was;
  /// `nil` if that differs, or if it never ran.
  public let duration: Nanoseconds?
  /// Whether it was ever seen to run.
  public let runs: Bool
  /// Whether it was ever seen to be disarmed while it ran.
  public let isDisarmed: Bool
}
