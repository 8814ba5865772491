import TestSupport
import LineProtocol
import StateMachines
import Testing

@testable import SimulationDaemon

@Suite("Outbox")
struct OutboxTests {
  private func add(notice: String, at place: Int, _ outbox: inout Outbox) {
    Array(notice.utf8).withUnsafeBytes { outbox.insertNotices($0, at: place) }
  }

  private func hold(_ notice: String, _ outbox: inout Outbox) {
    Array(notice.utf8).withUnsafeBytes { outbox.hold($0) }
  }

  private func text(_ outbox: inout Outbox) -> String {
    outbox.commit()
    return String(decoding: outbox.unwritten, as: UTF8.self)
  }

  @Test("notices stand before the reply, later ones behind earlier ones, and are counted apart from it")
  func order() {
    var outbox = Outbox()
    outbox.buffer.append(text: "first\n")
    let mark = outbox.buffer.count
    outbox.buffer.append(text: "reply\n")
    add(notice: "*1\n", at: mark, &outbox)
    add(notice: "*2\n", at: mark + 3, &outbox)
    expectEqual(text(&outbox), "first\n*1\n*2\nreply\n")
    expect(outbox.noticeBytes == 6 && outbox.replyBytes == 12)
    add(notice: "*0\n", at: mark, &outbox)
    expectEqual(text(&outbox), "first\n*0\n*1\n*2\nreply\n")
    expect(outbox.noticeBytes == 9 && outbox.replyBytes == 12)
  }

  @Test("what is held waits for the end of the reply, and counts as notices all the while")
  func held() {
    var outbox = Outbox()
    outbox.buffer.append(text: ". a\n")
    hold("*1\n", &outbox)
    expectEqual(text(&outbox), ". a\n")
    expect(outbox.noticeBytes == 3 && outbox.replyBytes == 4)
    outbox.didWrite(4)
    expect(outbox.isEmpty && outbox.noticeBytes == 3 && outbox.replyBytes == 0)
    outbox.buffer.append(text: "+ 1\n")
    hold("*2\n", &outbox)
    outbox.release()
    expectEqual(text(&outbox), "+ 1\n*1\n*2\n")
    expect(outbox.noticeBytes == 6 && outbox.replyBytes == 4)
    outbox.release()
    expectEqual(outbox.noticeBytes, 6)
  }

  @Test("requests without an answer leave nothing")
  func unanswered() {
    var outbox = Outbox()
    outbox.change(to: .json)
    let before = outbox.storageBytes
    for _ in 0..<1_000 {
      outbox.beginReply(.new)
      outbox.beginReply(.drop)
      var elsewhere = outbox.standIn()
      elsewhere.beginReply(.send)
      outbox.append(elsewhere)
    }
    expect(outbox.storageBytes < before + 100)
    outbox.beginReply(.count)
    outbox.buffer.append(text: "+ 3\n")
    expectEqual(text(&outbox), #"{"class":"success","lines":3}"# + "\n")
  }

  @Test("what was written is taken off, wherever the cut falls", arguments: Thorough.rounds(0..<20 as Range<UInt64>))
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
        outbox.commit()
        let written = dice.number(below: outbox.unwritten.count + 1)
        outbox.didWrite(written)
        expected.removeFirst(written)
      }
      outbox.commit()
      expect(outbox.unwritten.elementsEqual(expected.map(\.byte)), "seed \(seed)")
      expectEqual(outbox.noticeBytes, expected.count { $0.isNotice }, "seed \(seed)")
      expectEqual(outbox.replyBytes, expected.count { !$0.isNotice }, "seed \(seed)")
    }
  }

  @Test(
    "lines go out in the form that held when they were written, however they are taken",
    arguments: Thorough.rounds(0..<20 as Range<UInt64>))
  func forms(seed: UInt64) {
    var dice = Dice(seed: seed)
    var outbox = Outbox()
    var expected = ""
    var sent = ""
    func take(_ most: Int) {
      outbox.commit()
      let count = min(most, outbox.unwritten.count)
      sent += String(decoding: outbox.unwritten.prefix(count), as: UTF8.self)
      outbox.didWrite(count)
    }
    for turn in 0..<300 {
      let length = dice.number(below: dice.once(in: 20) ? 9_000 : 40)
      let word = "w\(turn)" + String(repeating: "x", count: length)
      let isJSON = outbox.form == .json
      switch dice.number(below: 6) {
      case 0:
        outbox.change(to: dice.once(in: 2) ? .json : .text)
      case 1:
        add(notice: "* 1 0.000 m armed \(word)\n", at: outbox.buffer.count, &outbox)
        expected +=
          (isJSON
            ? #"{"class":"notice","seq":1,"t":0.000,"name":"m","what":"armed","timer":"\#(word)"}"#
            : "* 1 0.000 m armed \(word)")
          + "\n"
      case 2:
        let start = outbox.buffer.count
        outbox.buffer.append(text: ". @tag \(word)  \n")
        outbox.keepWhole(from: start, tagLength: 3)
        expected += (isJSON ? #"{"class":"data","tag":"tag","text":"\#(word)  "}"# : ". @tag \(word)  ") + "\n"
      case 3:
        outbox.buffer.append(text: "+ stayed \(word)\n")
        expected += (isJSON ? #"{"class":"success","what":"stayed","state":"\#(word)"}"# : "+ stayed \(word)") + "\n"
      case _:
        take(dice.number(below: 3_000))
      }
      expectEqual(outbox.isEmpty, (expected.utf8.count == sent.utf8.count), "seed \(seed)")
    }
    while !outbox.isEmpty { take(.max) }
    expectEqual(sent, expected, "seed \(seed)")
    expect(outbox.waiting == 0 && outbox.noticeBytes == 0 && outbox.replyBytes == 0)
  }

  @Test("objects are made a piece at a time, so that few wait that nobody takes")
  func pieces() {
    var outbox = Outbox()
    outbox.change(to: .json)
    for _ in 0..<20_000 { outbox.buffer.append(text: "+ moved off on t=0.000 seq=1\n") }
    outbox.commit()
    let text = outbox.waiting
    expect(outbox.unwritten.count < 66_000)
    expect(outbox.replyBytes < text && outbox.replyBytes > text - 66_000)
    var lines = 0
    while !outbox.isEmpty {
      lines += outbox.unwritten.count { $0 == UInt8(ascii: "\n") }
      outbox.didWrite(outbox.unwritten.count)
    }
    expectEqual(lines, 20_000)
  }

  @Test("what is not settled is not given out; what was sealed is, when the commit has succeeded")
  func sealed() {
    var outbox = Outbox()
    outbox.buffer.append(text: "+ 1\n")
    let nothing = !outbox.hasUnwritten && !outbox.isEmpty && outbox.isUncommitted
    expect(nothing)
    outbox.seal()
    outbox.buffer.append(text: "+ 2\n")
    outbox.commitSealed()
    let some = outbox.hasUnwritten && outbox.isUncommitted
    expect(some)
    expectEqual(String(decoding: outbox.unwritten, as: UTF8.self), "+ 1\n")
    outbox.didWrite(4)
    let rest = outbox.hasUnwritten
    expect(!rest)
    expectEqual(text(&outbox), "+ 2\n")
    let uncommitted = outbox.isUncommitted
    expect(!uncommitted)
  }

  @Test("of what is taken back, that stands which holds whatever the store says")
  func standing() {
    var outbox = Outbox()
    outbox.buffer.append(text: "+ stored\n")
    outbox.commit()
    outbox.buffer.append(text: "+ moved\n")
    let mark = outbox.buffer.count
    outbox.buffer.append(text: "+ created w\n")
    outbox.keepOnRollback(from: mark)
    outbox.buffer.append(text: "+ moved again\n")
    let taken = outbox.rollBack()
    expectEqual(String(decoding: taken.lines, as: UTF8.self), "+ moved\n+ created w\n+ moved again\n")
    expectEqual(taken.entries.map(\.start), [0, 8, 20])
    expectEqual(taken.entries.map(\.survives), [false, true, false])
    expectEqual(text(&outbox), "+ stored\n")
  }

  @Test("what a stand-in has written is behind all that was there, with its notices")
  func standIn() {
    var outbox = Outbox()
    outbox.buffer.append(text: "+ 1\n")
    add(notice: "*1\n", at: outbox.buffer.count, &outbox)
    var other = outbox.standIn()
    expect(other.noticeBytes == 3 && other.replyBytes == 4 && other.waiting == 7)
    other.buffer.append(text: "+ 2\n")
    add(notice: "*2\n", at: 0, &other)
    expect(other.noticeBytes == 6 && other.replyBytes == 8)
    outbox.append(other)
    expect(outbox.noticeBytes == 6 && outbox.replyBytes == 8)
    expectEqual(text(&outbox), "+ 1\n*1\n*2\n+ 2\n")
  }
}
