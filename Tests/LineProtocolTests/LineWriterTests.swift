import TestSupport
import LineProtocol
import StateMachines
import Testing

@Suite("Lines as they are written")
struct LineWriterTests {
  private func bytes<R>(_ text: StaticString, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    body(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @Test("the first byte tells the class")
  func classes() {
    expectEqual(LineClass.allCases.map { Character(Unicode.Scalar($0.rawValue)) }, ["+", "-", ".", "*", "!"])
  }

  @Test("a tag stands behind the class, and an empty one does not")
  func tags() {
    bytes("7") { tag in
      let line = ByteBuffer.text {
        $0.begin(.success, tag: tag)
        $0.word("moved")
        $0.key("seq", 12)
        $0.endLine()
      }
      expectEqual(line, "+ @7 moved seq=12\n")
    }
    bytes("") { tag in expectEqual(ByteBuffer.text { $0.begin(.data, tag: tag) }, ".") }
    expectEqual(ByteBuffer.text { $0.begin(.notice) }, "*")
  }

  @Test("words and keys, quoted where they must be")
  func words() {
    let line = ByteBuffer.text {
      $0.begin(.failure)
      $0.word("")
      $0.word(":")
      $0.word("a b")
      $0.word("a=b")
      $0.word("=b")
      $0.word("http://u?x=1")
      $0.word("c\\d")
      $0.word(42)
      $0.word(literal: "lit")
      $0.key("allowed", "")
      $0.key("got", "a b")
      $0.key("eq", "a=b")
      $0.key("q", "say \"\\\"\n\t")
      $0.endLine()
    }
    expectEqual(
      line, #"- "" ":" "a b" "a=b" =b http://u?x=1 c\d 42 lit allowed="" got="a b" eq=a=b q="say \"\\\"\n\t""# + "\n")
    bytes("b.1") { name in
      expectEqual(
        ByteBuffer.text {
          $0.word(bare: name)
          $0.key("k", bare: name)
        }, " b.1 k=b.1")
    }
  }

  @Test("a note goes to the end of the line, without line feeds")
  func notes() {
    expectEqual(ByteBuffer.text { $0.note("no \"fridge\" : k=v") }, " : no \"fridge\" : k=v")
    expectEqual(ByteBuffer.text { $0.note("one\ntwo\tthree\rfour\u{1}é") }, " : one two three four é")
    expectEqual(ByteBuffer.text { $0.note("") }, " : ")
    let line = ByteBuffer.text {
      $0.word("a\nb")
      $0.note("x\ny")
    }
    expectEqual(line, #" "a\nb" : x y"#)
  }

  @Test("seconds have three decimals at least, and no zeros past them")
  func seconds() {
    let times: [(Int64, String)] = [
      (0, "0.000"), (1, "0.000000001"), (1_000, "0.000001"), (1_000_000, "0.001"), (10_000_000, "0.010"),
      (100_000_000, "0.100"), (999_999_999, "0.999999999"), (1_000_000_000, "1.000"), (12_500_000_000, "12.500"),
      (2_495_329_850_041, "2495.329850041"), (343_116_647_000, "343.116647"), (1_000_100_000, "1.0001"),
      (1_000_010_000_000, "1000.010"), (10, "0.00000001"), (-1, "-0.000000001"), (-12_500_000_000, "-12.500"),
      (.max, "9223372036.854775807"), (.min, "-9223372036.854775808"),
    ]
    for (nanoseconds, text) in times { expectEqual(ByteBuffer.text { $0.append(seconds: nanoseconds) }, text) }
    expectEqual(ByteBuffer.text { $0.key("t", seconds: 200_000_000) }, " t=0.200")
  }

  @Test("seconds are read back as the same time", arguments: Thorough.rounds(0..<20))
  func secondsRoundTrip(seed: UInt64) {
    var dice = Dice(seed: seed)
    for _ in 0..<200 {
      let time = min(Int64(dice.next() >> UInt64(dice.number(1...62))), TimeText.longest)
      let text = ByteBuffer.text { $0.append(seconds: time) }
      expectEqual(TimeText.time(text), time, "seed \(seed), \(text)")
      let decimals = text.split(separator: ".")[1]
      expect(decimals.count == 3 || (decimals.count > 3 && decimals.last != "0"), "seed \(seed), \(text)")
    }
  }

  @Test(
    "numbers and times that are kept for the next line print as they would anew", arguments: Thorough.rounds(0..<20))
  func kept(seed: UInt64) {
    var dice = Dice(seed: seed)
    var counter = DecimalCounter()
    var times = TimeText.Cache()
    // A number that no counter has seen is its first value too.
    var number: UInt64 = dice.one(of: [0, 1, 9, 10, .max])
    var time: Int64 = dice.one(of: [-1, 0, 1])
    for _ in 0..<500 {
      let text = ByteBuffer.text {
        counter.append(number, to: &$0)
        $0.append(byte: 0x20)
        times.append(time, to: &$0)
      }
      expectEqual(text, "\(number) " + ByteBuffer.text { $0.append(seconds: time) }, "seed \(seed)")
      switch dice.number(0...9) {
      case 0...6: number &+= 1
      case 7: number = dice.next() >> UInt64(dice.number(0...63))
      case 8: number = number / 1_000 * 1_000 + 998
      default: break
      }
      if dice.number(0...2) == 0 { time = Int64(dice.next() >> UInt64(dice.number(1...62))) }
    }
  }

  @Test("bytes of every short count are appended whole")
  func shortBytes() {
    for count in 0...70 {
      let bytes = (0..<count).map { UInt8(0x21 + $0 % 90) }
      let text = ByteBuffer.text { buffer in
        buffer.append(byte: 0x3C)
        bytes.withUnsafeBytes { buffer.append($0) }
        buffer.append(byte: 0x3E)
      }
      expectEqual(text, "<" + String(decoding: bytes, as: UTF8.self) + ">")
    }
  }

  @Test("bytes put in at a place move the rest up")
  func inserting() {
    for place in 0...10 {
      for count in [0, 1, 7, 100, 5_000] {
        let text = ByteBuffer.text { buffer in
          buffer.append(literal: "0123456789")
          [UInt8](repeating: 0x2B, count: count).withUnsafeBytes { buffer.insert($0, at: place) }
        }
        let digits = Array("0123456789")
        expectEqual(text, String(digits[..<place]) + String(repeating: "+", count: count) + String(digits[place...]))
      }
    }
  }
}
