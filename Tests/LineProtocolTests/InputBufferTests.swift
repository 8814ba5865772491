import TestSupport
import LineProtocol
import StateMachines
import Testing

@Suite("Bytes in any pieces give the same lines")
struct InputBufferTests {
  static let longestLine = 10

  static let samples: [String] = [
    "", "\n", "\n\n\n", "a", "a\n", "a\nb", "a\nb\n", "\r\n", "\r\n\r\n", "a\r\nb\r\n", "\r", "\r\r\n", "a\rb\n",
    "tab\there\n", "é\n", "naïve ÿ\nplain\n", "nul\0\n", "del\u{7F}\n", "c1 \u{85}\n", "1234567\u{1}\n",
    "12345678\u{7F}\n",
    "0123456789\n", "0123456789\r\n", "0123456789", "0123456789\r", "01234567890\n", "01234567890\r\n",
    "01234567890", "0123456789\rx\n", "0123456789\r\r\n", "0123456789\r\rx", "012345678901234567890123456789\nok\n",
    "012345678901234567890123456789\r\nok\r\n", "012345678901\n012345678901\nok\n", "é23456789\n", "é234567890\n",
    "\u{1}23456789012345\nplain\n", "0123456789012345678", "ok\n0123456789012345678\n\nok\n01234567890",
  ]

  @Test("cut in two anywhere")
  func inTwo() {
    for sample in Self.samples {
      let bytes = Array(sample.utf8)
      let expected = Reading.expected(of: bytes, longestLine: Self.longestLine)
      for cut in 0...bytes.count {
        let readings = Reading.all(of: [bytes[..<cut], bytes[cut...]], longestLine: Self.longestLine)
        expectEqual(readings, expected, "\(sample.debugDescription) cut at \(cut)")
      }
    }
  }

  @Test("cut in three anywhere")
  func inThree() {
    for sample in Self.samples {
      let bytes = Array(sample.utf8)
      let expected = Reading.expected(of: bytes, longestLine: Self.longestLine)
      for first in 0...bytes.count {
        for second in first...bytes.count {
          let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
          let readings = Reading.all(of: pieces, longestLine: Self.longestLine)
          expectEqual(readings, expected, "\(sample.debugDescription) cut at \(first) and \(second)")
        }
      }
    }
  }

  @Test("byte by byte, all samples one after the other")
  func byteByByte() {
    let bytes = Self.samples.flatMap { Array($0.utf8) }
    let pieces = bytes.indices.map { bytes[$0...$0] }
    expectEqual(
      Reading.all(of: pieces, longestLine: Self.longestLine), Reading.expected(of: bytes, longestLine: Self.longestLine)
    )
  }

  @Test("random bytes in random pieces", arguments: Thorough.rounds(0..<200))
  func random(seed: UInt64) {
    var dice = Dice(seed: seed)
    let alphabet: [UInt8] = [0x0A, 0x0D, 0x41, 0x42, 0x20, 0x09, 0x7E, 0x7F, 0x80, 0xC3, 0xA9, 0xFF, 0x00, 0x1F]
    let isWild = seed % 2 == 0
    let bytes = (0..<dice.number(0...400)).map { _ -> UInt8 in
      isWild ? dice.one(of: alphabet) : dice.number(0...9) == 0 ? dice.one(of: [0x0A, 0x0D]) : 0x61
    }
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let length = min(rest.count, dice.number(0...12))
      pieces.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    expectEqual(
      Reading.all(of: pieces, longestLine: Self.longestLine),
      Reading.expected(of: bytes, longestLine: Self.longestLine), "seed \(seed)")
  }

  @Test("each byte that is not printable ASCII is noticed at each place", arguments: 0..<20)
  func plainness(place: Int) {
    for byte in UInt8.min...UInt8.max where byte != 0x0A {
      var bytes = [UInt8](repeating: 0x61, count: 20)
      bytes[place] = byte
      let readings = Reading.all(of: [bytes[...], [0x0A]], longestLine: 40)
      expectEqual(readings, Reading.expected(of: bytes + [0x0A], longestLine: 40), "byte \(byte)")
    }
  }
}

@Suite("A line has 65,536 bytes at most")
struct LongLineTests {
  static let longestLine = 65_536

  private func readings(_ length: Int, end: String, pieces size: Int) -> [Reading] {
    let bytes = [UInt8](repeating: 0x61, count: length) + Array(end.utf8)
    let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
    return Reading.all(of: pieces, longestLine: Self.longestLine)
  }

  @Test("at the limit it is a line", arguments: ["\n", "\r\n"], [4_096, 65_536, 65_537, 1 << 20])
  func atTheLimit(end: String, pieces: Int) {
    let line = Reading.line([UInt8](repeating: 0x61, count: Self.longestLine), isPlain: true)
    expectEqual(readings(Self.longestLine, end: end, pieces: pieces), [line])
  }

  @Test("one past the limit it is too long, told once, and the next line is read")
  func onePast() {
    for end in ["\n", "\r\n"] {
      for size in [4_096, 65_536, 65_537, 1 << 20] {
        let readings = readings(Self.longestLine + 1, end: end + "next\n", pieces: size)
        expectEqual(readings, [.tooLong, .line(Array("next".utf8), isPlain: true)], "pieces of \(size)")
      }
    }
  }

  @Test("a megabyte without an end is told once, at the first byte too many, and not kept")
  func withoutEnd() {
    var buffer = InputBuffer(longestLine: Self.longestLine)
    let piece = [UInt8](repeating: 0x61, count: 4_096)
    var readings: [Reading] = []
    for count in 1...256 {
      buffer.fill(piece[...])
      readings += buffer.takeAll()
      expectEqual(readings, (count > 16 ? [.tooLong] : []), "after \(count) pieces")
      expect(buffer.count + buffer.room(atLeast: 4_096).count <= 4 * Self.longestLine, "after \(count) pieces")
    }
    expectEqual(buffer.count, 0)
    buffer.fill(Array("end\nnext\n".utf8)[...])
    expectEqual(buffer.takeAll(), [.line(Array("next".utf8), isPlain: true)])
  }

  @Test("storage that a long line took is given back")
  func shrinking() {
    var buffer = InputBuffer(longestLine: Self.longestLine)
    buffer.fill([UInt8](repeating: 0x61, count: 60_000)[...])
    buffer.fill([UInt8](repeating: 0x61, count: 60_000)[...])
    buffer.shrinkIfEmpty()
    expectEqual(buffer.takeAll(), [.tooLong])
    buffer.shrinkIfEmpty()
    expect(buffer.room(atLeast: 1).count < 64 << 10)
    buffer.fill(Array("\nnext\n".utf8)[...])
    expectEqual(buffer.takeAll(), [.line(Array("next".utf8), isPlain: true)])
  }
}
