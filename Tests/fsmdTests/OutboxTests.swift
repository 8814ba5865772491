import LineProtocol
import StateMachines
import Testing

@testable import fsmd

@Suite("Outbox")
struct OutboxTests {
  private func add(notice: String, at place: Int, _ outbox: inout Outbox) {
    Array(notice.utf8).withUnsafeBytes { outbox.insertNotices($0, at: place) }
  }

  private func hold(_ notice: String, _ outbox: inout Outbox) {
    Array(notice.utf8).withUnsafeBytes { outbox.hold($0) }
  }

  private func text(_ outbox: borrowing Outbox) -> String { String(decoding: outbox.unwritten, as: UTF8.self) }

  @Test("notices stand before the reply, later ones behind earlier ones, and are counted apart from it")
  func order() {
    var outbox = Outbox()
    outbox.buffer.append(text: "first\n")
    let mark = outbox.buffer.count
    outbox.buffer.append(text: "reply\n")
    add(notice: "*1\n", at: mark, &outbox)
    add(notice: "*2\n", at: mark + 3, &outbox)
    #expect(text(outbox) == "first\n*1\n*2\nreply\n")
    #expect(outbox.noticeBytes == 6 && outbox.replyBytes == 12)
    add(notice: "*0\n", at: mark, &outbox)
    #expect(text(outbox) == "first\n*0\n*1\n*2\nreply\n")
    #expect(outbox.noticeBytes == 9 && outbox.replyBytes == 12)
  }

  @Test("what is held waits for the end of the reply, and counts as notices all the while")
  func held() {
    var outbox = Outbox()
    outbox.buffer.append(text: ". a\n")
    hold("*1\n", &outbox)
    #expect(text(outbox) == ". a\n")
    #expect(outbox.noticeBytes == 3 && outbox.replyBytes == 4)
    outbox.didWrite(4)
    #expect(outbox.isEmpty && outbox.noticeBytes == 3 && outbox.replyBytes == 0)
    outbox.buffer.append(text: "+ 1\n")
    hold("*2\n", &outbox)
    outbox.release()
    #expect(text(outbox) == "+ 1\n*1\n*2\n")
    #expect(outbox.noticeBytes == 6 && outbox.replyBytes == 4)
    outbox.release()
    #expect(outbox.noticeBytes == 6)
  }

  @Test("what was written is taken off, wherever the cut falls", arguments: 0..<20 as Range<UInt64>)
  func cuts(seed: UInt64) {
    var dice = Dice(seed: seed)
    var outbox = Outbox()
    var expected: [(byte: UInt8, isNotice: Bool)] = []
    for _ in 0..<400 {
      let length = 1 + dice.number(below: 900)
      switch dice.number(below: 3) {
      case 0:
        outbox.buffer.append(text: String(repeating: "r", count: length))
        expected += Array(repeating: (UInt8(ascii: "r"), false), count: length)
      case 1:
        add(notice: String(repeating: "n", count: length), at: outbox.buffer.count, &outbox)
        expected += Array(repeating: (UInt8(ascii: "n"), true), count: length)
      case _:
        let written = dice.number(below: outbox.unwritten.count + 1)
        outbox.didWrite(written)
        expected.removeFirst(written)
      }
      #expect(outbox.unwritten.elementsEqual(expected.map(\.byte)), "seed \(seed)")
      #expect(outbox.noticeBytes == expected.count { $0.isNotice }, "seed \(seed)")
      #expect(outbox.replyBytes == expected.count { !$0.isNotice }, "seed \(seed)")
    }
  }
}
