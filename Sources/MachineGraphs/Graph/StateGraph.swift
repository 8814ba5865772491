public import StateMachines

/// What a kind of machine does, found by running its rule: every input in every state, with its outcomes.
///
/// It is derived from the rule, so each outcome is true. An ``Exploration`` makes it: from the machines that it starts with
/// it tries each event with the samples of its arguments and lets each running timer expire, until nothing new turns up.
/// Where it cannot try everything, the graph tells why (``whyPartial``) and where (``isPartial(from:by:)``).
///
/// The same kind and parameters give the same graph.
public struct StateGraph: Sendable {
  public let kind: Kind
  /// The parameters of the machines, in the kind's order.
  public let parameters: [Value]
  /// All states of the kind, in its order; where states are named by their data, those found, in the order in which
  /// they were found.
  public var states: [StateEntry] { numbers.states }
  public let numbers: StateNumbers
  /// The inputs tried, in the kind's order: events, each with its samples, then timers.
  public let inputs: [GraphInput]
  /// The machines found, nearest to the start first; each represents all machines that count as one with it.
  public let nodes: [GraphNode]
  /// What is known of the kind's timers, in its order.
  public let timers: [TimerFacts]
  /// The state of a machine made without `initial=`, as an index in ``states``; `nil` if none can be made.
  public let initialState: Int?
  /// The limit that a new machine made without `initial=` goes over, so that there is none.
  public let startLimit: String?
  /// Sentences that say what was not tried, and where; empty if everything was. What a machine does beyond the outcomes
  /// of this graph, it does only where ``isPartial(from:by:)``.
  public let whyPartial: [String]
  /// Whether everything was tried.
  public var isComplete: Bool { whyPartial.isEmpty }

  /// By state, then by input.
  let cells: [[[GraphOutcome]]]
  /// By state, then by input: whether other outcomes are possible than those found.
  let partial: [[Bool]]

  /// Whether an event or timer may have other outcomes in a state than those found.
  public func isPartial(from state: Int, by trigger: GraphTrigger) -> Bool {
    switch trigger {
    case .event(let event): inputs(ofEvent: event).contains { partial[state][$0] }
    case .timer(let timer): partial[state][input(ofTimer: timer)]
    }
  }

  /// The timers that run in a state, in the kind's order; those included whose expiry moves nothing.
  public func timers(in state: Int) -> [StateTimerFacts] { runningTimers[state] }
  let runningTimers: [[StateTimerFacts]]

  /// The distinct outcomes of an input in the machines found in a state. Empty if it never occurred: the state was not
  /// reached, or the timer does not run in it.
  public func outcomes(in state: Int, of input: Int) -> [GraphOutcome] { cells[state][input] }

  /// A state as it is printed, with its data.
  ///
  /// - Parameter state: The index in ``states``.
  public func stateWord(_ state: Int, data: String?) -> String {
    numbers.areWords ? states[state].word : kind.stateWord(state, data: data)
  }

  /// How a state was reached.
  public func reach(of state: Int) -> GraphReach { reaches[state] }
  let reaches: [GraphReach]

  /// The range in ``inputs`` of an event, one entry per sample choice.
  public func inputs(ofEvent event: Int) -> Range<Int> { eventInputs[event] }
  let eventInputs: [Range<Int>]

  /// The index in ``inputs`` of a timer.
  public func input(ofTimer timer: Int) -> Int { inputs.count - kind.timers.count + timer }
}

/// An input that is tried on machines.
public enum GraphInput: Hashable, Sendable {
  /// An event, as an index in the kind's list, with one choice of its arguments' samples.
  case event(Int, [Value])
  /// The expiry of a timer with any key.
  case timer(Int)
}

/// How a state can be reached.
public enum GraphReach: Hashable, Sendable {
  /// From a machine made without `initial=`.
  case fromStart
  /// Only from a machine made in a state other than the initial one.
  case fromInitial
  /// By nothing that was tried.
  case unreached
}

/// One outcome of an input in a state.
public struct GraphOutcome: Hashable, Sendable {
  public let verdict: Verdict
  /// The state afterwards, as an index in ``StateGraph/states``.
  public let to: Int
  /// Why it was refused, in the machine's words.
  public let reason: String?
  /// The limit that the step would go over, for which it is refused.
  public let limit: String?
  /// The outputs emitted, as indices in the kind's list, without those that only watchers get.
  public let outputs: [Int]
  /// The named guards that the rule asked for, in order, with their values: see ``Step/when(_:_:)``.
  public let guards: [GraphGuard]
  /// The state's data before and afterwards, where the outcome was first seen.
  public let dataBefore: String?
  public let dataAfter: String?
  /// The index in ``StateGraph/nodes`` of the machine on which it was first seen.
  public let node: Int
  /// The step with which it was seen.
  public let step: GraphStep
  /// Whether the machine rests afterwards: the state can be observed, since no timer is due at the same time.
  public let rests: Bool
  /// Whether the same steps may have another outcome: random numbers were drawn, or it depends on the moment, or on the
  /// machine that is drawn.
  public let isByChance: Bool
  /// The word of `initial=` with which a new machine shows the same outcome at once; a timer is fired then.
  public internal(set) var initial: String?

  /// Whether two outcomes are equal, apart from the place where they were seen.
  func says(theSameAs other: GraphOutcome) -> Bool {
    verdict == other.verdict && to == other.to && reason == other.reason && limit == other.limit
      && outputs == other.outputs && guards == other.guards
  }

  /// Whether two outcomes look the same from outside, data included.
  func isSeen(as other: GraphOutcome) -> Bool {
    says(theSameAs: other) && dataBefore == other.dataBefore && dataAfter == other.dataAfter
  }
}

/// A named condition that a rule asked for in a step, and its value there.
public struct GraphGuard: Hashable, Sendable {
  public let name: String
  public let isTrue: Bool
}

/// A machine found by an exploration.
public struct GraphNode: Sendable {
  /// Its state, as an index in ``StateGraph/states``.
  public let state: Int
  /// The state's data, printed in parentheses.
  public let data: String?
  /// The word of `initial=` that the machine was made with; `nil` for none.
  public let start: String?
  /// Whether the path may lead elsewhere: random numbers were drawn on it, or it depends on moments that its steps do
  /// not tell, or the machine that is drawn is at its beginning.
  public let isByChance: Bool
  /// The shortest path to it, of those searched first.
  public let way: [GraphStep]
  /// The running timers, in the order of expiry.
  public let timers: [RunningTimer]
  /// Whether the machine rests here. If not, a timer is due now, and nothing else can happen before it.
  public var isSettled: Bool { timers.first.map { $0.left > .zero } ?? true }

  public struct RunningTimer: Hashable, Sendable {
    /// The index in the kind's list.
    public let timer: Int
    /// 0 for a timer without a key.
    public let key: UInt32
    /// The time until it expires.
    public let left: Nanoseconds
  }
}

/// One step of a path through a machine's states.
public enum GraphStep: Hashable, Sendable {
  case send(event: Int, [Value])
  /// Time passes until the next timer expires, which is this one.
  case step(timer: Int, key: UInt32)
  /// A timer is fired early.
  case fire(timer: Int, key: UInt32)
  /// A timer without delay expires by itself, before anything else can happen.
  case fireDue(timer: Int, key: UInt32)
}

/// What is known of a timer.
public struct TimerFacts: Hashable, Sendable {
  /// Its duration: the value of the parameter that the kind names, or the duration seen if it was always the same, in
  /// whole milliseconds; `nil` if it varies or the timer never ran.
  public let duration: Nanoseconds?
  /// Whether it was ever seen running.
  public let runs: Bool
  /// Whether it was ever disarmed while it ran.
  public let isDisarmed: Bool
}

/// A timer that runs in a state.
public struct StateTimerFacts: Hashable, Sendable {
  /// The index in the kind's list.
  public let timer: Int
  /// The duration with which it was armed, if that was always the same for machines in this state, in whole
  /// milliseconds; `nil` if it varies.
  public let duration: Nanoseconds?
}
