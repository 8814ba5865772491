import LineProtocol
import TestSupport
import Testing

@Suite("Looking ahead at the lines that wait")
struct WaitingLinesTests {
  private func waiting(in buffer: inout InputBuffer) -> [String] {
    var lines: [String] = []
    buffer.waitingLines {
      lines.append(String(decoding: $0, as: UTF8.self))
      return .goOn
    }
    return lines
  }

  @Test("complete lines are seen in order, without their ends, and stay")
  func seen() {
    var buffer = InputBuffer(longestLine: 20)
    buffer.fill(Array("one\ntwo\r\n\nhalf".utf8)[...])
    expectEqual(waiting(in: &buffer), ["one", "two", ""])
    expectEqual(buffer.takeAll().count, 3)
    expectEqual(waiting(in: &buffer), [])
    buffer.fill(Array(" done\n".utf8)[...])
    expectEqual(waiting(in: &buffer), ["half done"])
  }

  @Test("the look ends when it is told to")
  func ends() {
    var buffer = InputBuffer(longestLine: 20)
    buffer.fill(Array("one\ntwo\nthree\n".utf8)[...])
    var looks = 0
    buffer.waitingLines {
      looks += 1
      return $0.elementsEqual("two".utf8) ? .stop : .goOn
    }
    expectEqual(looks, 2)
  }

  @Test("behind a line that was too long the lines are seen, and the rest of that line is none")
  func behindTooLong() {
    var buffer = InputBuffer(longestLine: 20)
    buffer.fill([UInt8](repeating: 0x61, count: 30)[...])
    expectEqual(buffer.takeAll(), [.tooLong])
    buffer.fill(Array("rest\ncancel\n".utf8)[...])
    expectEqual(waiting(in: &buffer), ["cancel"])
    expectEqual(buffer.takeAll(), [.line(Array("cancel".utf8), isPlain: true)])
  }

  @Test("a line may be blanked out in place")
  func blankedOut() {
    var buffer = InputBuffer(longestLine: 20)
    buffer.fill(Array("send a b\ncancel\r\nlast\n".utf8)[...])
    buffer.waitingLines { line in
      guard line.elementsEqual("cancel".utf8) else { return .goOn }
      for place in line.indices { line[place] = 0x20 }
      return .stop
    }
    expectEqual(
      buffer.takeAll(),
      [
        .line(Array("send a b".utf8), isPlain: true), .line(Array("      ".utf8), isPlain: true),
        .line(Array("last".utf8), isPlain: true),
      ])
  }

  @Test("bytes that are no lines are passed over, however they come")
  func skipped() {
    var buffer = InputBuffer(longestLine: 20)
    var lines: [String] = []
    func look() {
      buffer.waitingLines {
        let line = String(decoding: $0, as: UTF8.self)
        lines.append(line)
        return line == "bytes" ? .skip(10) : line == "endless" ? .skip(.max) : .goOn
      }
    }
    for piece in ["one\nbytes\ncan", "cel\n", "ce\ntw", "o\nbytes\n123456789\nthree\nendless\n", "x\ncancel\n"] {
      buffer.fill(Array(piece.utf8)[...])
      look()
    }
    expectEqual(lines, ["one", "bytes", "two", "bytes", "three", "endless"])
  }

  @Test("no line is seen twice, and the next look goes on behind the last")
  func once() {
    var buffer = InputBuffer(longestLine: 20)
    func isUnseen() -> Bool { buffer.isUnseen }
    expect(isUnseen())
    buffer.fill(Array("one\ntwo\nhal".utf8)[...])
    expectEqual(waiting(in: &buffer), ["one", "two"])
    expect(!isUnseen())
    expectEqual(waiting(in: &buffer), [])
    buffer.fill(Array("f\nthree\n".utf8)[...])
    expectEqual(waiting(in: &buffer), ["half", "three"])
    expectEqual(buffer.takeAll().count, 4)
    expect(isUnseen())
    buffer.fill(Array("four\n".utf8)[...])
    expectEqual(waiting(in: &buffer), ["four"])
  }

  @Test("a line that was put back comes again, whatever was looked at meanwhile")
  func putBack() {
    var buffer = InputBuffer(longestLine: 20)
    buffer.fill(Array("one\ntwo é\nthree\n".utf8)[...])
    expectEqual(waiting(in: &buffer), ["one", "two é", "three"])
    guard case .line = buffer.nextLine(), case .line(let second) = buffer.nextLine() else {
      Issue.record("two lines are there")
      return
    }
    expect(!second.isPlain)
    buffer.putBack()
    expectEqual(waiting(in: &buffer), [])
    expectEqual(
      buffer.takeAll(), [.line(Array("two é".utf8), isPlain: false), .line(Array("three".utf8), isPlain: true)])
  }
}
