import LineProtocol
import TestSupport
import Testing

@Suite("Plain sends are taken apart in one go")
struct PlainSendTests {
  private static let longestLine = 40

  private static let samples: [(line: String, isPlain: Bool)] = [
    ("send m tap\n", true), ("send m000123 buttonClick\n", true), ("send a-b.c_d e\n", true),
    ("send #m @tap\n", true), ("send m0123456789012345678901 buttonClick\n", true),
    // One byte more than the limit.
    ("send m01234567890123456789012 buttonClick\n", false),
    ("send m tap\r\n", false), ("send  m tap\n", false), ("send m  tap\n", false), ("send m tap \n", false),
    (" send m tap\n", false), ("@1 send m tap\n", false), ("send m tap now\n", false), ("send m a=1\n", false),
    ("send m=1 tap\n", false), ("send \"m\" tap\n", false), ("send m \"tap\"\n", false), ("send m t\u{7F}p\n", false),
    ("send m täp\n", false), ("send ñ tap\n", false), ("send m\ttap\n", false), ("send m\n", false), ("send \n", false),
    ("send\n", false), ("sent m tap\n", false), ("\n", false), ("send m", false), ("send m tap", false),
  ]

  /// Takes plain sends where there are any, and other lines where not.
  private func take(_ buffer: inout InputBuffer, _ plain: inout Int, puttingBack: Bool = false) -> [Reading] {
    var readings: [Reading] = []
    while true {
      if let send = buffer.nextPlainSend() {
        if puttingBack {
          buffer.putBack()
        } else {
          plain += 1
          let line = Array("send ".utf8) + Array(send.name) + [0x20] + Array(send.event)
          expectEqual(send.length, line.count)
          readings.append(.line(line, isPlain: true))
          continue
        }
      }
      switch buffer.nextLine() {
      case .line(let line): readings.append(.line(Array(line.bytes), isPlain: line.isPlain))
      case .tooLong: readings.append(.tooLong)
      case .incomplete: return readings
      }
    }
  }

  @Test("all that are plain are found, and nothing else is")
  func which() {
    for (line, isPlain) in Self.samples {
      var buffer = InputBuffer(longestLine: Self.longestLine, capacity: 64)
      buffer.fill(Array(line.utf8)[...])
      expectEqual((buffer.nextPlainSend() != nil), isPlain, "\(line.debugDescription)")
    }
  }

  @Test("in any two pieces, put back or not, the lines are the same", arguments: [false, true])
  func pieces(puttingBack: Bool) {
    for first in Self.samples {
      for second in Self.samples {
        let bytes = Array((first.line + second.line + "send m tap\n").utf8)
        let expected = Reading.expected(of: bytes, longestLine: Self.longestLine)
        for cut in 0...bytes.count {
          var buffer = InputBuffer(longestLine: Self.longestLine, capacity: 64)
          var plain = 0
          buffer.fill(bytes[..<cut])
          var readings = take(&buffer, &plain, puttingBack: puttingBack)
          buffer.fill(bytes[cut...])
          readings += take(&buffer, &plain, puttingBack: puttingBack)
          expectEqual(readings, expected, "\(first.line.debugDescription) \(second.line.debugDescription) at \(cut)")
        }
      }
    }
  }
}
