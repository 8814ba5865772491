public import StateMachines

/// A machine made from a ``Definition``, as a value: the active states, histories and data of its sessions, and what they
/// have sent and nobody has received yet.
///
/// It is stable: no event is left in an internal queue, and no eventless transition can be taken.
public struct RunningChart: Hashable, Sendable, Codable {
  /// The session of the document itself.
  var root = Session(number: 0, chart: 0)
  /// The sessions that were invoked and go on, in the order of their start.
  var invoked: [Session] = []
  /// Sends that are under way, in the order in which they were sent.
  var pending: [PendingSend] = []
  var nextSession: UInt32 = 1

  init() {}

  /// The active states of the document.
  public var configuration: StateSet { root.configuration }

  /// The top-level final state that ended the machine; `nil` while it goes on.
  public var final: Int? { root.final < 0 ? nil : Int(root.final) }

  /// The keys of the timers that the machine waits for.
  public var timers: [UInt32] { pending.map(\.key) }
}

/// One run of one chart.
struct Session: Hashable, Sendable, Codable {
  var number: UInt32
  /// The place in ``Definition/charts``.
  var chart: Int32
  /// The session that has invoked this one; -1 for the machine itself.
  var parent: Int32 = -1
  /// The id by which the parent knows it.
  var invokeID = ""
  var configuration = StateSet()
  /// What each history remembers; empty for one that nothing was remembered in. Empty altogether before the first.
  var history: [StateSet] = []
  /// States whose data got their values, if that is when they are first entered.
  var bound = StateSet()
  var variables: [DataValue?] = []
  var invocations: [Invocation] = []
  /// The top-level final state that was entered; -1 before.
  var final: Int32 = -1
  /// How many ids were made up.
  var ids: UInt32 = 0

  struct Invocation: Hashable, Sendable, Codable {
    var id: String
    var session: UInt32
    var state: Int32
    var invoke: Int32
  }
}

/// An event on its way. Sends without a delay are on their way, too, until the machine gets their timer: each input is
/// one macrostep.
struct PendingSend: Hashable, Sendable, Codable {
  enum Recipient: Hashable, Sendable, Codable {
    case session(UInt32)
    case machine(String)
    case output
  }

  var key: UInt32
  var sender: UInt32
  var recipient: Recipient
  var event: ChartEvent
  /// Whether there was a delay: then it can be cancelled, and ends with its sender.
  var isDelayed: Bool
}

/// An event of a chart with what `_event` tells of it.
struct ChartEvent: Hashable, Sendable, Codable {
  enum Kind: String, Hashable, Sendable, Codable {
    case `internal`
    case platform
    case external
  }

  var name: String
  var kind: Kind
  var sendID: String?
  var origin: String?
  var invokeID: String?
  var data: DataValue = .undefined

  /// The processor that all events between charts come through.
  static var processor: String { "http://www.w3.org/TR/scxml/#SCXMLEventProcessor" }

  /// Whether a `<send>` of a type goes to charts.
  static func isProcessor(_ type: String) -> Bool { type == "scxml" || type == processor || type == processor + "/" }

  /// Whether an `<invoke>` of a type starts a chart.
  static func isInvocable(_ type: String) -> Bool {
    ["scxml", "http://www.w3.org/TR/scxml", "http://www.w3.org/TR/scxml/"].contains(type)
  }

  /// The members of ``value``, in order.
  private static let members = ["name", "type", "sendid", "origin", "origintype", "invokeid", "data"]

  /// What ``value`` costs: a step for each member that is set.
  static let stepsOfValue = members.count

  /// As `_event` has it.
  var value: DataValue {
    func text(_ text: String?) -> DataValue { text.map { .string($0) } ?? .undefined }
    // Data that is nested as deeply as values can be does not fit into an event.
    return .object(
      DataObject(
        few: Self.members,
        [
          .string(name), .string(kind.rawValue), text(sendID), text(origin),
          text(origin == nil ? nil : Self.processor), text(invokeID), data,
        ]))
  }
}

/// What a chart gets.
public enum ChartInput: Sendable {
  /// An event from outside, with `_event.data`.
  // Indirect: it is handed on as one reference.
  indirect case event(EventName, data: DataValue = .undefined)
  /// The timer with this key has expired.
  case timer(UInt32)
  /// A send to another machine was in vain.
  case unreachable(sendID: String?)
}

/// The name of an event, looked up in a definition once.
public struct EventName: Hashable, Sendable {
  public let text: String
  let number: Int32
}

/// What a chart asks for, in order.
public enum ChartEffect: Hashable, Sendable {
  /// `<log>`.
  case log(label: String, value: DataValue)
  /// `<send type="output">`.
  case output(name: String, data: DataValue)
  /// A timer with a key of its own shall expire, now if it is due.
  case arm(key: UInt32, event: String, due: Instant)
  case disarm(key: UInt32, event: String)
  /// `<send target="#name">`.
  case send(machine: String, event: String, data: DataValue, sendID: String?)
}

/// What came of an input.
public enum ChartOutcome: Hashable, Sendable {
  /// A state of the document was left or entered.
  case moved
  /// A transition was taken without that, or an invoked chart had the input.
  case stayed
  /// No transition was taken.
  case ignored
  /// The input was too much. The machine stays as it was.
  case limit(StatechartLimit)
}

/// What a machine may use.
public struct StatechartLimits: Hashable, Sendable {
  public var budget = Budget()
  /// Bytes of the data of a session, and of all events on their way.
  public var data = 1 << 20
  public var sends = 1_000
  /// Events in an internal queue.
  public var events = 10_000
  /// Sessions at the same time.
  public var sessions = 32
  /// Effects of one input.
  public var effects = 10_000

  public init() {}
}

extension Definition {
  /// The name of an event, to be used for any number of inputs.
  public func event(named text: String) -> EventName {
    EventName(text: text, number: charts[0].chart.events.number(of: text))
  }
}

extension Definition {
  /// The active atomic states of a machine in document order, or the top-level final state that has ended it.
  public func activeStates(of machine: RunningChart) -> [Int] {
    if let final = machine.final { return [final] }
    return machine.configuration.filter(charts[0].chart.isAtomic)
  }

  /// The state of a machine in one word: the ids of its active atomic states, joined by `+`.
  public func word(of machine: RunningChart) -> String {
    activeStates(of: machine).map(id).joined(separator: "+")
  }
}

extension RunningChart {
  /// Why a machine that was read from storage does not belong to a definition; `nil` if it does.
  public func damage(for definition: Definition) -> String? {
    let sessions = [root] + invoked
    guard root.number == 0, root.chart == 0, root.parent == -1 else { return "the first session is another" }
    for (place, session) in sessions.enumerated() {
      guard definition.charts.indices.contains(Int(session.chart)) else { return "a chart is not there" }
      if place > 0, !sessions.contains(where: { Int64($0.number) == Int64(session.parent) }) {
        return "a session was invoked by nobody"
      }
      if sessions[..<place].contains(where: { $0.number == session.number }) || session.number >= nextSession {
        return "two sessions have one number"
      }
      if let damage = session.damage(for: definition.charts[Int(session.chart)].chart) { return damage }
    }
    guard Set(timers).count == pending.count, !timers.contains(0) else { return "a key comes twice" }
    return nil
  }
}

extension Session {
  fileprivate func damage(for chart: Chart) -> String? {
    let count = chart.states.count
    func isThere(_ states: StateSet) -> Bool { states.last(upTo: count - 1) == states.reversed().first }
    guard isThere(configuration), isThere(bound), history.allSatisfy(isThere) else { return "a state is not there" }
    guard history.isEmpty || history.count == chart.histories else { return "a history is not there" }
    guard variables.count <= chart.symbols.names.count else { return "a variable is not there" }
    guard final < 0 || Int(final) < count && chart.states[Int(final)].kind == .final else {
      return "an end is not there"
    }
    for invocation in invocations {
      guard (0..<Int32(count)).contains(invocation.state), chart.invokes.indices.contains(Int(invocation.invoke)) else {
        return "an invocation is not there"
      }
    }
    // Each active state's parent is active, and each has the children that it has to have.
    if final >= 0 { return configuration.isEmpty ? nil : "a machine that has ended has active states" }
    for state in configuration {
      let own = chart.states[state]
      if own.history != Chart.none || state == 0 { return "something is active that is no state" }
      if own.parent > 0, !configuration.contains(Int(own.parent)) { return "a state is active without its parent" }
    }
    for state in [0] + configuration {
      let children = chart.children(of: state).filter { chart.states[$0].history == Chart.none }
      let active = children.count { configuration.contains($0) }
      switch chart.states[state].kind {
      case .compound: if active != 1 { return "\(active) states are active where there is one" }
      case .parallel: if active != children.count { return "a region is not active" }
      case .atomic, .final, .shallowHistory, .deepHistory: break
      }
    }
    return nil
  }
}

extension Chart {
  /// The states and histories directly below a state.
  func children(of state: Int) -> [Int] {
    var children: [Int] = []
    var child = state + 1
    while child < Int(states[state].end) {
      children.append(child)
      child = Int(states[child].end)
    }
    return children
  }
}
