import Testing

@testable import fsmd

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

  /// Plays it with a client in a virtual world of its own, and compares every byte.
  func expectHolds(
    _ host: HostedService = HostedService(), sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let guest = host.connect(toWorld: "w")
    let played = played(with: guest)
    #expect(played == text, "It went:\n\(played)", sourceLocation: sourceLocation)
    #expect(guest.violations() == [], sourceLocation: sourceLocation)
  }
}
