import MachineForms
public import StateMachines

/// A message in an inbox, with states and events as objects, after TransitionKit's own example.
///
/// | state | view(ada) | delete(ada) | markUnread(nil) |
/// | --- | --- | --- | --- |
/// | unread | → read > didChange unread read view ada | → deleted > didChange unread deleted delete ada | refused |
/// | read | refused | → deleted > didChange read deleted delete ada | → unread > didChange read unread markUnread nil |
/// | deleted | refused | refused | → unread > didChange deleted unread markUnread nil |
///
/// Every block emits an output, so that an event shows their order: willFire, willExit of the old state, willEnter of
/// the new one, the change and its notification, didExit, didEnter, didFire. Each output names the person who fired the
/// event. A new message is activated: it enters its first state without an event and without a person.
///
/// With `readOnly` the event delete declines (error 1001). Its condition is evaluated only in its source states, so in
/// `deleted` the error stays 1000. The condition emits nothing, because a refused event leaves no trace.
public struct Inbox: Machine {
  public enum State: MachineState {
    /// The message has not been seen.
    case unread
    /// The message has been seen.
    case read
    /// The message is in the bin; markUnread takes it out again.
    case deleted
  }

  public enum Event: MachineEvent {
    case view(by: String?)
    case delete(by: String?)
    case markUnread(by: String?)

    enum Name: NamedCases { case view, delete, markUnread }
  }

  /// A block that runs, or the notification.
  public struct Output: OutputWithData {
    public enum Name: NamedCases { case willFire, willExit, willEnter, didChange, didExit, didEnter, didFire }

    public let name: Name
    public let data: [Value]
  }

  public struct Parameters: ParameterSet {
    var blocks = true
    var readOnly = false
    public init() {}
  }

  public var state = State.unread
  public init() {}

  public mutating func start(in name: State, _ step: Step<Self>) -> State { Self.objects.start(in: name, step) }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .view(let user): fire(.view, by: user, step)
    case .delete(let user): fire(.delete, by: user, step)
    case .markUnread(let user): fire(.markUnread, by: user, step)
    }
  }

  private func fire(_ event: Event.Name, by user: String?, _ step: Step<Self>) -> Reaction<State> {
    Self.objects.reaction(in: state, to: event, userInfo: user, step)
  }
}

extension Inbox {
  /// The blocks act on the step, and the user info is the person who fired.
  typealias Objects = EventObjects<Step<Inbox>, String?>

  static let objects: Objects.Definition = {
    do {
      return try Objects.Definition(
        states: State.words.map(object(of:)),
        events: [
          object(of: "view", from: ["unread"], to: "read"),
          object(of: "delete", from: ["read", "unread"], to: "deleted") { step, _ in !step.parameters.readOnly },
          object(of: "markUnread", from: ["read", "deleted"], to: "unread"),
        ],
        didChange: { _, step, transition in
          let names = [transition.source.name, transition.destination.name, transition.event.name]
          step.emit(Output(name: .didChange, data: names.map(Value.text) + [transition.userInfo.value]))
        })
    } catch {
      preconditionFailure("the definition is wrong: \(error)")
    }
  }()

  private static func object(of state: String) -> Objects.State {
    Objects.State(
      state, willEnter: block(.willEnter, of: state), didEnter: block(.didEnter, of: state),
      willExit: block(.willExit, of: state), didExit: block(.didExit, of: state))
  }

  private static func object(
    of event: String, from sources: [String], to destination: String, shouldFire: Objects.Condition? = nil
  ) -> Objects.Event {
    Objects.Event(
      event, from: sources, to: destination, shouldFire: shouldFire,
      willFire: block(.willFire, of: event), didFire: block(.didFire, of: event))
  }

  /// A block of a state or an event that emits its name and the person who fired.
  private static func block(_ name: Output.Name, of object: String) -> Objects.StateBlock {
    { _, step, transition in
      guard step.parameters.blocks else { return }
      step.emit(Output(name: name, data: [.text(object), (transition?.userInfo).value]))
    }
  }
}

extension ValueType {
  fileprivate static let word = ValueType.text(bytes: 1...64)
  fileprivate static let who = ValueType.optional(.word)
}

extension Inbox {
  public static let kind = Kind(
    Inbox.self, "inbox", "a message in an inbox; its states and events are objects with blocks",
    form: .eventObjects,
    origin: "the introductory example of TransitionKit, a library for iOS, with its order of blocks and its errors",
    source: "talk",
    example: [
      "new inbox mail", "send mail view ada", "send mail view ada", "send mail delete", "send mail markUnread bob",
      "expect mail unread",
    ],
    states: {
      switch $0 {
      case .unread: "the message is unread"
      case .read: "the message was read"
      case .deleted: "the message is in the bin"
      }
    },
    events: [
      .event(Event.view, .optional(.text("by", bytes: 1...64, like: ["x"])), about: "a person reads the message"),
      .event(Event.delete, .optional(.text("by", bytes: 1...64, like: ["x"])), about: "a person deletes the message"),
      .event(
        Event.markUnread, .optional(.text("by", bytes: 1...64, like: ["x"])),
        about: "a person marks the message as unread"),
    ],
    outputs: {
      switch $0 {
      case .willFire: .output(("event", .word), ("by", .who), about: "the event's block, the first of all")
      case .willExit: .output(("state", .word), ("by", .who), about: "the old state's block before the change")
      case .willEnter: .output(("state", .word), ("by", .who), about: "the new state's block before the change")
      case .didChange:
        .output(("from", .word), ("to", .word), ("event", .word), ("by", .who), about: "the notification of the change")
      case .didExit: .output(("state", .word), ("by", .who), about: "the old state's block after the change")
      case .didEnter: .output(("state", .word), ("by", .who), about: "the new state's block after the change")
      case .didFire: .output(("event", .word), ("by", .who), about: "the event's block, the last of all")
      }
    },
    parameters: [
      .parameter("blocks", \.blocks, "off: the blocks emit nothing, only the notification does"),
      .parameter("readOnly", \.readOnly, "on: delete is declined"),
    ])
}
