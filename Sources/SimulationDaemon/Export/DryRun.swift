import LineProtocol
import Simulator
import StateMachines

/// A script's lines played as `fsmrepl run` will play them: in a virtual world of their own, through the same requests,
/// but without a socket.
final class DryRun {
  private let service: Service
  private let client: Service.Client
  private static let host: UInt64 = 1
  private static let world = "script"

  /// What an answer says.
  enum Answer: Equatable {
    case success
    /// It failed with this code.
    case failure(code: String, line: String)
  }

  /// The inputs that came, in words; see ``InputDigest``. Those behind ``end`` are left out.
  let digest = InputDigest()
  private var reader: JournalReader
  private let end: UInt64

  /// - Parameters:
  ///   - end: The last input that is to be the same as elsewhere.
  ///   - limits: Those of the world.
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

  /// The last input.
  var lastSequence: UInt64 { client.hosted.presentStatus.lastSequence }
  var now: Instant { client.hosted.presentStatus.now }

  /// What is in the world.
  func withWorld<R>(_ body: (inout WorldCore) throws -> R) rethrows -> R {
    guard let home = client.hosted.home else { preconditionFailure("without workers a world is home between requests") }
    return try body(&home.realm.world)
  }

  /// Carries out one request.
  func play(_ line: String) -> Answer {
    round {
      var line = line + "\n"
      line.withUTF8 { bytes in
        let bytes = UnsafeRawBufferPointer(bytes)
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

  /// Takes the inputs in that have come.
  private func note() {
    guard client.hosted !== service.main, let home = client.hosted.home else { return }
    while reader.next <= end, let entry = home.realm.world.read(&reader) { digest.add(entry, of: home.realm.world) }
  }

  /// The answer among the lines that were written; all are taken.
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
