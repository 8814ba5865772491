import LineProtocol
import Simulator
import StateMachines

/// Plays a script's lines as `fsmrepl run` would: in a separate virtual world, as requests, but without a socket.
final class DryRun {
  private let service: Service
  private let client: Service.Client
  private static let host: UInt64 = 1
  private static let world = "script"

  /// The result of a request.
  enum Answer: Equatable {
    case success
    /// It failed with this code.
    case failure(code: String, line: String)
  }

  /// The digest of the inputs up to ``end``; see ``InputDigest``.
  let digest = InputDigest()
  private var reader: JournalReader
  private let end: UInt64

  /// - Parameters:
  ///   - end: The last input to include in the digest.
  ///   - limits: The world's limits.
  init(_ catalogue: Catalogue, seed: UInt64, _ limits: WorldLimits, to end: UInt64) {
    var all = Limits()
    all.world = limits
    service = Service(catalogue: catalogue, limits: all, version: Release.version, host: Self.host)
    client = service.open()
    reader = WorldCore().journalReader(from: 1)
    self.end = end
    for request in ["world new \(Self.world) seed=\(seed)", "use \(Self.world)"] {
      guard case .success = play(request) else { preconditionFailure("a new daemon has room for a world") }
    }
  }

  /// The world's last input.
  var lastSequence: UInt64 { client.hosted.presentStatus.lastSequence }
  var now: Instant { client.hosted.presentStatus.now }

  /// Passes the world to `body`.
  func withWorld<R>(_ body: (inout WorldCore) throws -> R) rethrows -> R {
    guard let home = client.hosted.home else { preconditionFailure("without workers a world is home between requests") }
    return try body(&home.live.world)
  }

  /// Plays one request.
  ///
  /// - Parameter document: The bytes that follow the line.
  func play(_ line: String, _ document: [UInt8] = []) -> Answer {
    round {
      (Array("\(line)\n".utf8) + document).withUnsafeBytes { bytes in
        client.session.input.room(atLeast: bytes.count).copyBytes(from: bytes)
        client.session.input.didFill(bytes.count)
      }
      service.serve(client)
    }
    var answer = lastAnswer()
    while answer == nil {
      precondition(service.needsTurn, "a request is answered, or there is more to do")
      round { service.passTime() }
      answer = lastAnswer()
    }
    return answer ?? .success
  }

  private func round(_ body: () -> Void) {
    service.beginRound(host: Self.host)
    body()
    service.workOn()
    service.endRound()
    _ = service.takeDirty()
    note()
  }

  /// Adds new inputs to the digest.
  private func note() {
    guard client.hosted !== service.main, let home = client.hosted.home else { return }
    while reader.next <= end, let entry = home.live.world.read(&reader) { digest.add(entry, of: home.live.world) }
  }

  /// Takes all output and returns the answer in it; nil if there is none.
  private func lastAnswer() -> Answer? {
    var answer: Answer?
    while !client.session.outbox.isEmpty {
      let bytes = client.session.outbox.unwritten
      for line in bytes.split(separator: UInt8(ascii: "\n")) {
        switch LineClass(rawValue: line[line.startIndex]) {
        case .success: answer = .success
        case .failure:
          let text = String(decoding: line, as: UTF8.self)
          answer = .failure(code: text.split(separator: " ").dropFirst().first.map(String.init) ?? "", line: text)
        case .data, .notice, .flow, nil: break
        }
      }
      client.session.outbox.didWrite(bytes.count)
      service.didWrite(client)
    }
    return answer
  }
}
