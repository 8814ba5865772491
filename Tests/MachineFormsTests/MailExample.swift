import MachineForms
import StateMachines

/// A message in an inbox: what the documentation of `EventObjects` shows, and a log of every block besides.
struct Mail {
  typealias Objects = EventObjects<[String], String?>

  enum State: NamedCases { case unread, read, deleted }
  enum Event: NamedCases { case view, delete, markUnread }

  /// States and events, with blocks that write down what they see.
  static func definition() throws -> Objects.Definition {
    try Objects.Definition(
      states: State.words.map(state),
      events: [
        event("view", from: ["unread"], to: "read"),
        event("delete", from: ["read", "unread"], to: "deleted"),
        event("markUnread", from: ["read", "deleted"], to: "unread"),
      ],
      didChange: { message, log, transition in
        log.append("didChange \(transition.source.name) \(transition.destination.name) \(note(message, transition))")
      })
  }

  static func state(_ name: String) -> Objects.State {
    Objects.State(
      name,
      willEnter: { log(&$1, "willEnter \(name)", $0, $2) }, didEnter: { log(&$1, "didEnter \(name)", $0, $2) },
      willExit: { log(&$1, "willExit \(name)", $0, $2) }, didExit: { log(&$1, "didExit \(name)", $0, $2) })
  }

  static func event(_ name: String, from sources: [String]?, to destination: String) -> Objects.Event {
    Objects.Event(
      name, from: sources, to: destination,
      willFire: { log(&$1, "willFire \(name)", $0, $2) }, didFire: { log(&$1, "didFire \(name)", $0, $2) })
  }

  private static func log(
    _ log: inout [String], _ block: String, _ message: Objects.Machine, _ transition: Objects.Transition?
  ) {
    log.append("\(block) \(note(message, transition))")
  }

  /// The current state as a block sees it, and who fired.
  private static func note(_ message: Objects.Machine, _ transition: Objects.Transition?) -> String {
    "in \(message.current?.name ?? "none") by \(transition?.userInfo ?? "nobody")"
  }
}

/// Reads a message; the example of the documentation.
///
/// - Returns: The state after it, and what its block wrote.
func readMessage() throws -> (state: String?, log: [String]) {
  typealias Objects = EventObjects<[String], String?>

  let inbox = try Objects.Definition(
    states: [
      .init("unread"),
      .init("read", didEnter: { _, log, transition in log.append("read by \(transition?.userInfo ?? "nobody")") }),
      .init("deleted"),
    ],
    events: [
      .init("view", from: ["unread"], to: "read"),
      .init("delete", from: ["read", "unread"], to: "deleted"),
      .init("markUnread", from: ["read", "deleted"], to: "unread"),
    ])
  var message = Objects.Machine(inbox)
  var log: [String] = []
  try message.fire("view", userInfo: "ada", on: &log)
  return (message.current?.name, log)
}
