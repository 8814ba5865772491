@testable import Scripts
import LineProtocol
import Testing

@testable import SimulationDaemon

/// A conversation written down: `> ` before what the client sends, then all that it gets for that.
struct Transcript {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// What the conversation looks like with this guest: the same requests, with what came.
  func played(with guest: Guest) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).filter { $0.hasPrefix("> ") }
      .flatMap { [String($0)] + guest.say(String($0.dropFirst(2))) }.joined(separator: "\n")
  }

  /// Plays it with a client in a virtual world of its own, and compares every byte; then in JSON, with another host.
  func expectHolds(
    _ host: @autoclosure () -> HostedService = HostedService(), sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let host = host
    let first = host()
    let guest = first.connect(toWorld: "w")
    let played = played(with: guest)
    #expect(played == text, "It went:\n\(played)", sourceLocation: sourceLocation)
    #expect(guest.violations() == [], sourceLocation: sourceLocation)
    let second = host()
    expectHoldsInJSON(with: second.connect(toWorld: "w"), sourceLocation)
  }

  /// Every line is an object as the schema has it, and says what the line of text says.
  private func expectHoldsInJSON(with guest: Guest, _ sourceLocation: SourceLocation) {
    guest.client.session.outbox.change(to: .json)
    let lines = played(with: guest).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.map(textLine).joined(separator: "\n") == text, sourceLocation: sourceLocation)
    for line in lines where line.hasPrefix("{") {
      let problem = JSONSchema.ofLines.problem(in: line)
      #expect(problem == nil, sourceLocation: sourceLocation)
    }
  }
}
