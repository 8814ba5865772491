@testable import Scripts
import LineProtocol
import Testing

@testable import SimulationDaemon

/// A written conversation: `> ` before each line that the client sends, then all lines that it gets.
struct Transcript {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// The conversation with this guest: the same requests, with the received lines.
  func played(with guest: Guest) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).filter { $0.hasPrefix("> ") }
      .flatMap { [String($0)] + guest.say(String($0.dropFirst(2))) }.joined(separator: "\n")
  }

  /// Plays it with a client in a new virtual world and compares every byte; then in JSON, with another host.
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

  /// Checks that every line is an object that conforms to the schema and has the content of its text line.
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
