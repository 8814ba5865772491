internal import LineProtocol
internal import UnixHost

/// A second connection for completion requests, so that they do not mix with the user's.
///
/// Opened when first needed and reopened after a loss. One completion takes at most ``patience``: after that TAB does
/// nothing, which is better than a prompt that hangs.
final class CompletionClient {
  private let endpoint: Endpoint
  private var connection: Connection?
  /// The world that the connection is in.
  private var world = "main"
  private var grammar: Grammar?
  private var deadline: UInt64 = 0

  /// Time limit for one press of TAB, in nanoseconds.
  private static let patience: UInt64 = 250_000_000

  init(endpoint: Endpoint) {
    self.endpoint = endpoint
  }

  /// The completions for the end of `text` in this world.
  func complete(_ text: String, world: String) -> Completion {
    deadline = HostClock.now() + Self.patience
    guard let grammar = knownGrammar(in: world) else { return Completion() }
    return Completer(ask: { self.ask($0) }).complete(text, grammar: grammar)
  }

  /// A hint for the end of `text`; asks nobody.
  func hint(after text: String) -> String { InputHint.text(after: text, grammar: grammar ?? .builtIn) }

  func close() {
    connection?.close()
    connection = nil
    grammar = nil
  }

  private func knownGrammar(in world: String) -> Grammar? {
    if connection == nil {
      guard let made = try? endpoint.connectAgain() else { return nil }
      connection = made
      guard let greeting = reply()?.last, greeting.lineClass == .success else {
        close()
        return nil
      }
      self.world = greeting["world"] ?? "main"
    }
    if world != self.world {
      guard ask(["use \(world)"])[0] != nil else { return nil }
      self.world = world
    }
    if grammar == nil {
      let ours = PromptHelp.usageRows.compactMap { ServerLine($0) }
      grammar = ask(["help"])[0].map { Grammar(help: $0 + ours) }
    }
    return grammar
  }

  /// Sends all requests at once and reads the answers in order.
  private func ask(_ requests: [String]) -> [[ServerLine]?] {
    guard let connection else { return requests.map { _ in nil } }
    for request in requests { connection.send(request) }
    return requests.map { _ in
      guard let lines = reply(), let last = lines.last, last.lineClass == .success else { return nil }
      return lines.dropLast()
    }
  }

  /// The lines of the next reply, the final one last. If none comes in time, closes the connection and returns `nil`.
  private func reply() -> [ServerLine]? {
    guard let connection else { return nil }
    var lines: [ServerLine] = []
    while true {
      while let raw = connection.nextLine() {
        guard let line = ServerLine(raw.text) else { continue }
        switch line.lineClass {
        case .data: lines.append(line)
        case .success, .failure: return lines + [line]
        case .flow where line.code == "world" && line["dropped"] == world: world = "main"
        case .flow, .notice: break
        }
      }
      let readiness = Readiness(
        [.init(descriptor: connection.descriptor, writes: connection.wantsToWrite)], until: deadline)
      if readiness.canWrite(connection.descriptor) { connection.flush() }
      let hasData = readiness.canRead(connection.descriptor)
      guard hasData || HostClock.now() < deadline, !hasData || connection.receive() == .open else {
        close()
        return nil
      }
    }
  }
}
