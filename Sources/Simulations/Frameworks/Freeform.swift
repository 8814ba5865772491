public import MachineForms
public import StateMachines

/// An object that takes any name for a state, and tells of the blocks that run around each change.
///
/// | state \ event | set(state) |
/// | --- | --- |
/// | none | → state(name): before, on, after |
/// | state(old) | → state(name): transitionTo, before, on, after, transitionFrom |
///
/// It prints as `none` until a name is set, and then as `state(name)`; one that is made in `state` has the name `inactive`. Each output stands for a block: there is one for
/// every name and for every pair of names, and they come in the order in which ``NamedStateChange`` has them. Nothing is
/// ever refused. Setting the name that the object already has is a change like any other; with `skipEqual` it is ignored.
///
/// The library that this follows does otherwise in its code than in its documentation; see ``NamedStateObject``.
public struct Freeform: LegacyMachine {
  public enum State: StateWithData {
    /// No name was set yet.
    case none
    /// This name was set last.
    case state(String)

    public enum Name: NamedCases { case none, state }

    public var name: Name {
      switch self {
      case .none: .none
      case .state: .state
      }
    }

    public var data: String? { text }

    public static var carriesData: Bool { true }

    fileprivate var text: String? {
      switch self {
      case .none: nil
      case .state(let text): text
      }
    }
  }

  public enum Event: Sendable {
    case set(String)
  }

  public enum Output: OutputWithData {
    case block(NamedStateChange.Occasion)

    public enum Name: NamedCases { case transitionTo, before, on, after, transitionFrom }

    public var name: Name {
      switch self {
      case .block(.transitionTo): .transitionTo
      case .block(.before): .before
      case .block(.on): .on
      case .block(.after): .after
      case .block(.transitionFrom): .transitionFrom
      }
    }

    /// Of a transition first the state before, then the one after.
    public var data: [Value] {
      switch self {
      case .block(.transitionTo(let next, let state)): [.text(state), .text(next)]
      case .block(.before(let state)), .block(.on(let state)), .block(.after(let state)): [.text(state)]
      case .block(.transitionFrom(let previous, let state)): [.text(previous), .text(state)]
      }
    }
  }

  public struct Parameters: ParameterSet {
    var skipEqual = false
    public init() {}
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .none {
    case .none: state = .none
    case .state: state = Self.change(from: nil, to: "inactive", step)
    }
  }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(.set(let name)):
      if state.text == name && step.parameters.skipEqual { return .ignore }
      return .move(to: Self.change(from: state.text, to: name, step))
    }
  }

  private static func change(from old: String?, to new: String, _ step: Step<Self>) -> State {
    let change = NamedStateChange(from: old, to: new)
    for occasion in change.before + change.after { step.emit(.block(occasion)) }
    return .state(new)
  }
}

extension ValueType {
  /// The name of a state that nobody has listed.
  fileprivate static let stateName = ValueType.text(bytes: 1...64)
}

extension Freeform {
  public static let kind = Kind(
    Freeform.self, "freeform", "an object that takes any name for a state, and the blocks around each change",
    form: .anyObject,
    origin: """
      Shift, a library that gives every Objective-C object a state by its name. What its documentation promises, in the order \
      of its code
      """,
    example: [
      "new freeform f", "watch f", "send f set inactive", "send f set active", "send f set active",
      "new freeform g skipEqual=on", "send g set active", "send g set active", "show g",
    ],
    states: [.none: "no name was set yet", .state: "this name was set last"],
    events: [
      .event(
        Event.set, .text("state", bytes: 1...64, like: ["inactive", "active"]),
        about: "gives the object a state of this name")
    ],
    outputs: [
      .transitionTo: .output(
        ("from", .stateName), ("to", .stateName), about: "the block before the change from one name to another"),
      .before: .output(("state", .stateName), about: "the block that runs just before the object has this state"),
      .on: .output(("state", .stateName), about: "the block that runs as soon as the object has this state"),
      .after: .output(("state", .stateName), about: "the block that runs when the change to this state has happened"),
      .transitionFrom: .output(
        ("from", .stateName), ("to", .stateName), about: "the block after the change from one name to another"),
    ],
    parameters: [
      .parameter("skipEqual", \.skipEqual, .flag, "on: setting the name that it already has is ignored")
    ])
}
