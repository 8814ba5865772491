internal import LineProtocol
internal import UnixHost

/// A second connection for completion requests, so that they do not mix with the user's.
///
/// Opened when first needed and reopened after a loss. One completion takes at most ``patience``: after that TAB does
/// nothing, which is better than a prompt that hangs.
final class CompletionClient {
  private let endpoint: Endpoint
  private var connection: Dialogue?
  private var grammar: Grammar?

  /// Time limit for one press of TAB, in nanoseconds.
  private static let patience: UInt64 = 250_000_000

  init(endpoint: Endpoint) {
    self.endpoint = endpoint
  }

  /// The completions for the end of `text` in this world.
  func complete(_ text: String, world: String) -> Completion {
    guard let grammar = knownGrammar(in: world, until: HostClock.now() + Self.patience) else { return Completion() }
    return Completer(replies: { self.replies(to: $0) }).complete(text, grammar: grammar)
  }

  /// A hint for the end of `text`; asks nobody.
  func hint(after text: String) -> String { InputHint.text(after: text, grammar: grammar ?? .builtIn) }

  func close() {
    connection?.close()
    connection = nil
    grammar = nil
  }

  private func knownGrammar(in world: String, until deadline: UInt64) -> Grammar? {
    if connection == nil { connection = Dialogue(to: endpoint, until: deadline) }
    connection?.deadline = deadline
    guard connection?.use(world) == true else {
      close()
      return nil
    }
    if grammar == nil {
      grammar = replies(to: ["help"])[0].map { Grammar.atPrompt(help: $0.dropLast()) }
    }
    return grammar
  }

  /// The lines of each reply. If one does not come in time, closes the connection.
  private func replies(to requests: [String]) -> [[ServerLine]?] {
    guard let connection else { return requests.map { _ in nil } }
    let replies = connection.ask(requests)
    if replies.contains(nil) { close() }
    return replies
  }
}
