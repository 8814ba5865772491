import LineProtocol
import Simulator
import StateMachines

/// Plays the example of a kind's catalogue entry.
///
/// The entry has only the requests. The answers come from a separate service with a virtual clock, so they match a real
/// daemon's and no other world is affected.
enum ExampleSession {
  /// The most turns of an example.
  private static let mostTurns = 10_000
  /// The most steps of documents' machines: after them the rest of an example is not played.
  static let mostChartSteps = 100_000

  /// - Parameters:
  ///   - requests: Lines as a client would send them.
  ///   - goesOn: Called between two requests; the rest is left out if it returns false.
  /// - Returns: Each request, marked with `> `, followed by its reply.
  static func play(_ requests: [String], catalogue: Catalogue, while goesOn: () -> Bool = { true }) -> [String] {
    let service = Service(catalogue: catalogue, limits: Limits(), version: Release.version, host: 0)
    let client = service.open()
    _ = exchange("clock virtual", client, service)
    var lines: [String] = []
    for request in requests where client.hosted.home.map({ $0.live.world.chartSteps < mostChartSteps }) ?? false {
      guard goesOn() else { break }
      lines += ["> \(request)"] + exchange(request, client, service)
    }
    return lines
  }

  private static func exchange(_ request: String, _ client: Service.Client, _ service: Service) -> [String] {
    let line = Array((request + "\n").utf8)
    var received: [UInt8] = []
    service.beginRound(host: 0)
    take(client)
    client.session.input.room(atLeast: line.count).copyBytes(from: line)
    client.session.input.didFill(line.count)
    service.serve(client)
    for _ in 0..<mostTurns {
      service.workOn()
      service.endRound()
      _ = service.takeDirty()
      received += take(client)
      service.didWrite(client)
      guard service.needsTurn else { break }
      service.beginRound(host: 0)
    }
    return String(decoding: received, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Takes the unread output.
  @discardableResult
  private static func take(_ client: Service.Client) -> [UInt8] {
    let bytes = Array(client.session.outbox.unwritten)
    client.session.outbox.didWrite(bytes.count)
    return bytes
  }
}
