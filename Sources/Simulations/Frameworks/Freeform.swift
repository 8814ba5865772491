import MachineForms
public import StateMachines

/// An object that takes any name as its state, and reports the blocks that run around each change.
///
/// | state \ event | set(state) |
/// | --- | --- |
/// | none | → state(name): before, on, after |
/// | state(old) | → state(name): transitionTo, before, on, after, transitionFrom |
///
/// The state is `none` until a name is set, and then `state(name)`. An object that is made in `state` has the name
/// `inactive`. Each output stands for a block; there is a block for every name and for every pair of names. They run in
/// the order of `NamedStateChange`. No event is refused. Setting the present name again is a change like any other;
/// with `skipEqual` it is ignored.
///
/// In the library that this follows, code and documentation differ; see `NamedStateObject`.
public struct Freeform: Machine {
  public enum State: StateWithData {
    /// No name was set yet.
    case none
    /// This name was set last.
    case state(String)

    public enum Name: NamedCases { case none, state }

    public var data: String? { if case .state(let text) = self { text } else { nil } }
    public static var carriesData: Bool { true }
  }

  public enum Event: MachineEvent {
    case set(String)
  }

  /// A block that runs. A transition names the state before and then the state after.
  public enum Output: OutputWithData {
    case transitionTo(String, String), before(String), on(String), after(String), transitionFrom(String, String)

    public enum Name: NamedCases { case transitionTo, before, on, after, transitionFrom }

    fileprivate init(_ occasion: NamedStateChange.Occasion) {
      self =
        switch occasion {
        case .transitionTo(let next, let state): .transitionTo(state, next)
        case .before(let state): .before(state)
        case .on(let state): .on(state)
        case .after(let state): .after(state)
        case .transitionFrom(let previous, let state): .transitionFrom(previous, state)
        }
    }
  }

  public struct Parameters: ParameterSet {
    var skipEqual = false
    public init() {}
  }

  public var state = State.none
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .none: .none
    case .state: change(to: "inactive", step)
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .set(let name):
      switch state {
      case .state(name) where step.when("skipEqual", step.parameters.skipEqual): .ignore
      case .none, .state: .move(to: change(to: name, step))
      }
    }
  }

  private func change(to name: String, _ step: Step<Self>) -> State {
    let change = NamedStateChange(from: state.data, to: name)
    for occasion in change.before + change.after { step.emit(Output(occasion)) }
    return .state(name)
  }
}

extension ValueType {
  /// The name of a state, which can be any text.
  fileprivate static let stateName = ValueType.text(bytes: 1...64)
}

extension Freeform {
  public static let kind = Kind(
    Freeform.self, "freeform", "an object whose state is any name, and the blocks that run around each change",
    form: .anyObject,
    origin: "Shift, a library that gives Objective-C objects named states: its documentation, in its code's order",
    source: "talk",
    example: [
      "new freeform f", "watch f", "send f set inactive", "send f set active", "send f set active",
      "new freeform g skipEqual=on", "send g set active", "send g set active", "show g",
    ],
    states: {
      switch $0 {
      case .none: "no name is set yet"
      case .state: "this name is set"
      }
    },
    events: [
      .event(Event.set, .text("state", bytes: 1...64, like: ["inactive", "active"]), about: "sets the state's name")
    ],
    outputs: {
      switch $0 {
      case .transitionTo:
        .output(("from", .stateName), ("to", .stateName), about: "the block before the change between these states")
      case .before: .output(("state", .stateName), about: "the block just before the change to this state")
      case .on: .output(("state", .stateName), about: "the block at the change to this state")
      case .after: .output(("state", .stateName), about: "the block after the change to this state")
      case .transitionFrom:
        .output(("from", .stateName), ("to", .stateName), about: "the block after the change between these states")
      }
    },
    parameters: [
      .parameter("skipEqual", \.skipEqual, "on: setting the present name is ignored")
    ])
}
