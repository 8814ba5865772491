import MachineForms
public import StateMachines

/// A message in an inbox, with states and events as objects: what TransitionKit shows itself with.
///
/// | state | view | delete | markUnread |
/// | --- | --- | --- | --- |
/// | unread | → read | → deleted | error 1000 |
/// | read | error 1000 | → deleted | → unread |
/// | deleted | error 1000 | error 1000 | → unread |
///
/// Every block says that it runs, so an event shows their order: willFire, willExit of the old state, willEnter of
/// the new one, the change and its notification, didExit, didEnter, didFire. Each passes on who fired. A message that
/// is made is activated: it enters its first state, and there is no event and nobody then.
///
/// With `readOnly` the event delete declines (error 1001). It is asked only where its sources allow it, so in
/// `deleted` the answer stays error 1000. The block that is asked says nothing, since a refused event leaves no trace.
public struct Inbox: LegacyMachine {
  public enum State: MachineState {
    /// Nobody has seen the message.
    case unread
    /// Somebody has.
    case read
    /// It is in the bin, and can be taken out again by marking it unread.
    case deleted
  }

  public enum Event: Sendable {
    case view(by: String?)
    case delete(by: String?)
    case markUnread(by: String?)

    enum Name: NamedCases { case view, delete, markUnread }
  }

  public enum Output: OutputWithData {
    case willFire(String, by: String?)
    case willExit(String, by: String?)
    case willEnter(String, by: String?)
    case didChange(from: String, to: String, event: String, by: String?)
    case didExit(String, by: String?)
    case didEnter(String, by: String?)
    case didFire(String, by: String?)

    public enum Name: NamedCases {
      case willFire, willExit, willEnter, didChange, didExit, didEnter, didFire
    }

    public var name: Name {
      switch self {
      case .willFire: .willFire
      case .willExit: .willExit
      case .willEnter: .willEnter
      case .didChange: .didChange
      case .didExit: .didExit
      case .didEnter: .didEnter
      case .didFire: .didFire
      }
    }

    public var data: [Value] {
      switch self {
      case .willFire(let name, let user), .willExit(let name, let user), .willEnter(let name, let user),
        .didExit(let name, let user), .didEnter(let name, let user), .didFire(let name, let user):
        [.text(name), user.value]
      case .didChange(let from, let to, let event, let user):
        [.text(from), .text(to), .text(event), user.value]
      }
    }
  }

  public struct Parameters: ParameterSet {
    var blocks = true
    var readOnly = false
    public init() {}
  }

  public var state: State

  public init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .unread
    var step = step
    var message = Objects.Machine(Self.objects, initial: state)
    _ = try? message.activate(on: &step)  // Fails only for a machine that is active already.
  }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(let event):
      var step = step
      var message = Objects.Machine(Self.objects, in: state)
      do {
        try message.fire(event.name, userInfo: event.user, on: &step)
      } catch {
        return step.refuse(error.reason)
      }
      return .move(to: message.current(as: State.self) ?? state)
    }
  }
}

extension Inbox.Event {
  fileprivate var name: Name {
    switch self {
    case .view: .view
    case .delete: .delete
    case .markUnread: .markUnread
    }
  }

  fileprivate var user: String? {
    switch self {
    case .view(let user), .delete(let user), .markUnread(let user): user
    }
  }
}

extension Inbox {
  /// The blocks act upon the step, and the user info is who fired.
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
          step.emit(
            .didChange(
              from: transition.source.name, to: transition.destination.name, event: transition.event.name,
              by: transition.userInfo))
        })
    } catch {
      preconditionFailure("the definition is wrong: \(error)")
    }
  }()

  private static func object(of state: String) -> Objects.State {
    Objects.State(
      state,
      willEnter: { _, step, transition in say(.willEnter(state, by: transition?.userInfo), step) },
      didEnter: { _, step, transition in say(.didEnter(state, by: transition?.userInfo), step) },
      willExit: { _, step, transition in say(.willExit(state, by: transition?.userInfo), step) },
      didExit: { _, step, transition in say(.didExit(state, by: transition?.userInfo), step) })
  }

  private static func object(
    of event: String, from sources: [String], to destination: String, shouldFire: Objects.Condition? = nil
  ) -> Objects.Event {
    Objects.Event(
      event, from: sources, to: destination, shouldFire: shouldFire,
      willFire: { _, step, transition in say(.willFire(event, by: transition.userInfo), step) },
      didFire: { _, step, transition in say(.didFire(event, by: transition.userInfo), step) })
  }

  private static func say(_ output: Output, _ step: Step<Inbox>) {
    if step.parameters.blocks { step.emit(output) }
  }
}

extension ValueType {
  fileprivate static let word = ValueType.text(bytes: 1...64)
}

extension Inbox {
  public static let kind = Kind(
    Inbox.self, "inbox", "a message in an inbox, with states and events as objects with blocks",
    form: .eventObjects,
    origin: """
      the example with which TransitionKit, a library for iOS, introduces itself; its order of blocks and its errors \
      are followed exactly
      """,
    example: [
      "new inbox mail", "send mail view ada", "send mail view ada", "send mail delete", "send mail markUnread bob",
      "expect mail unread",
    ],
    states: [
      .unread: "nobody has seen the message",
      .read: "somebody has seen the message",
      .deleted: "the message is in the bin",
    ],
    events: [
      .event(Event.view, .optional(.text("by", bytes: 1...64)), about: "somebody reads the message"),
      .event(Event.delete, .optional(.text("by", bytes: 1...64)), about: "somebody throws the message away"),
      .event(Event.markUnread, .optional(.text("by", bytes: 1...64)), about: "somebody makes the message new again"),
    ],
    outputs: [
      .willFire: .output(("event", .word), ("by", .optional(.word)), about: "the event's block before all others"),
      .willExit: .output(("state", .word), ("by", .optional(.word)), about: "the old state's block before the change"),
      .willEnter: .output(("state", .word), ("by", .optional(.word)), about: "the new state's block before the change"),
      .didChange: .output(
        ("from", .word), ("to", .word), ("event", .word), ("by", .optional(.word)),
        about: "the notification of the change"),
      .didExit: .output(("state", .word), ("by", .optional(.word)), about: "the old state's block after the change"),
      .didEnter: .output(("state", .word), ("by", .optional(.word)), about: "the new state's block after the change"),
      .didFire: .output(("event", .word), ("by", .optional(.word)), about: "the event's block after all others"),
    ],
    parameters: [
      .parameter("blocks", \.blocks, .flag, "off: the blocks are silent, and only the notification is told"),
      .parameter("readOnly", \.readOnly, .flag, "on: delete declines"),
    ])
}
