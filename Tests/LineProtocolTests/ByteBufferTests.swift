import TestSupport
import LineProtocol
import StateMachines
import Testing

extension ByteBuffer {
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// What `write` appends to an empty buffer.
  static func text(_ write: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer(capacity: 1)
    write(&buffer)
    return buffer.text
  }
}

@Suite("A growing run of bytes")
struct ByteBufferTests {
  @Test("decimals of every count of digits, at both ends of each")
  func decimals() {
    var power: UInt64 = 1
    for _ in 0..<20 {
      for number in [power &- 1, power, power &+ 1, power &* 9, power &* 5 &+ 7] {
        expectEqual(ByteBuffer.text { $0.append(decimal: number) }, "\(number)")
      }
      power &*= 10
    }
    expectEqual(ByteBuffer.text { $0.append(decimal: .max) }, "18446744073709551615")
    for number in 0..<10_000 as Range<UInt64> {
      let text = ByteBuffer.text { $0.append(decimal: number) }
      if text != "\(number)" { Issue.record("\(number) became \(text)") }
    }
  }

  @Test("random decimals", arguments: Thorough.rounds(0..<20))
  func randomDecimals(seed: UInt64) {
    var dice = Dice(seed: seed)
    for _ in 0..<500 {
      let number = dice.next() >> UInt64(dice.number(0...63))
      expectEqual(ByteBuffer.text { $0.append(decimal: number) }, "\(number)", "seed \(seed)")
    }
  }

  @Test("it grows with what is written, and keeps it", arguments: Thorough.rounds(0..<20))
  func growth(seed: UInt64) {
    var dice = Dice(seed: seed)
    var buffer = ByteBuffer(capacity: 1)
    var model: [UInt8] = []
    for step in 0..<300 {
      switch dice.number(0...9) {
      case 0...2:
        let byte = UInt8(truncatingIfNeeded: dice.next())
        buffer.append(byte: byte)
        model.append(byte)
      case 3:
        buffer.append(literal: "literal")
        model += Array("literal".utf8)
      case 4:
        let number = dice.next() >> UInt64(dice.number(0...63))
        buffer.append(decimal: number)
        model += Array("\(number)".utf8)
      case 5:
        buffer.append(text: "é – \(step)")
        model += Array("é – \(step)".utf8)
      case 6, 7:
        let bytes = [UInt8](repeating: UInt8(step % 256), count: dice.number(0...3_000))
        bytes.withUnsafeBytes { buffer.append($0) }
        model += bytes
      case 8:
        let count = dice.number(0...model.count)
        buffer.removeFirst(count)
        model.removeFirst(count)
      default:
        let count = dice.number(0...model.count)
        buffer.truncate(to: count)
        model.removeLast(model.count - count)
      }
      expect(buffer.bytes.elementsEqual(model), "seed \(seed), step \(step)")
      expect(buffer.isEmpty == model.isEmpty && buffer.count == model.count)
    }
  }

  @Test("emptied, it can be used again, whether it kept its storage or not")
  func removeAll() {
    for size in [10, 300 << 10] {
      var buffer = ByteBuffer()
      [UInt8](repeating: 1, count: size).withUnsafeBytes { buffer.append($0) }
      buffer.removeAll()
      expectEqual(buffer.count, 0)
      buffer.append(literal: "again")
      [UInt8](repeating: 0x21, count: 10_000).withUnsafeBytes { buffer.append($0) }
      expectEqual(buffer.text, "again" + String(repeating: "!", count: 10_000))
    }
  }

  @Test("nothing appended is nothing")
  func nothing() {
    expectEqual(ByteBuffer.text { $0.append(UnsafeRawBufferPointer(start: nil, count: 0)) }, "")
    expectEqual(ByteBuffer.text { $0.append(text: "") }, "")
  }
}
