import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Lines as server-sent events")
struct EventFramingTests {
  private static let lines = ["{}", "{\"a\":1}", "", String(repeating: "x", count: 30)]
  private static let events = lines.map { "data: \($0)\n\n" }.joined()

  @Test("they are the same however the lines come and however much fits", arguments: 1...40, [8, 9, 13, 100])
  func pieces(size: Int, room: Int) {
    let source = Self.lines.flatMap { Array("\($0)\n".utf8) }
    var framing = EventFraming()
    var framed: [UInt8] = []
    var place = 0
    while place < source.count {
      let piece = Array(source[place..<min(place + size, source.count)])
      var buffer = [UInt8](repeating: 0, count: room)
      let (read, written) = piece.withUnsafeBytes { piece in
        buffer.withUnsafeMutableBytes { framing.frame(piece, into: $0) }
      }
      expect(read > 0 || written > 0)
      place += read
      framed += buffer.prefix(written)
    }
    expectEqual(String(decoding: framed, as: UTF8.self), Self.events)
    expect(framing.isBetweenEvents)
  }

  @Test("nothing may come between the pieces of an event")
  func between() {
    var framing = EventFraming()
    var buffer = [UInt8](repeating: 0, count: 100)
    expect(framing.isBetweenEvents)
    _ = Array("{".utf8).withUnsafeBytes { piece in
      buffer.withUnsafeMutableBytes { framing.frame(piece, into: $0) }
    }
    expect(!framing.isBetweenEvents)
  }
}
