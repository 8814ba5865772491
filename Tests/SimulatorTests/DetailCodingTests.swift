import TestSupport
@testable import Simulator
import StateMachines
import Testing

@Suite("The details of an input are read as they were written")
struct DetailCodingTests {
  static let moment = Instant(nanoseconds: 5_000_000_000)

  private static func value(_ dice: inout Dice) -> Value {
    let wide = Int64(bitPattern: dice.next()) >> Int64(dice.number(0...63))
    switch dice.number(0...6) {
    case 0: return .none
    case 1: return .text(dice.one(of: ["", "a", "é😀\n\"\0", String(repeating: "long", count: 100)]))
    case 2: return .integer(dice.one(of: [Int(wide), .min, .max, 0, -1]))
    case 3:
      return .number(dice.one(of: [Double(bitPattern: 1), -0.0, 1.5, .pi, .greatestFiniteMagnitude, Double(wide)]))
    case 4: return .flag(dice.once(in: 2))
    case 5: return .interval(Nanoseconds(nanoseconds: dice.one(of: [wide, .min, .max, 0])))
    default:
      return .moment(Instant(nanoseconds: dice.one(of: [wide.magnitude > 0 ? Int64(wide.magnitude >> 1) : 0, .max])))
    }
  }

  private static func values(_ dice: inout Dice) -> [Value] {
    (0..<dice.number(0...4)).map { _ in value(&dice) }
  }

  /// Writes what may belong to an input, and returns it as text.
  private static func writeInput(_ writer: inout DetailWriter, _ dice: inout Dice) -> [String] {
    let place = dice.one(of: [UInt16(dice.number(0...255)), UInt16(dice.number(0...65_535)), 255, 256])
    let machine = MachineID(UInt32(dice.number(0...MachineID.max - 1)))
    let distance = dice.next() >> UInt64(dice.number(2...63))
    let key = UInt32(dice.number(1...Int(UInt32.max)) >> dice.number(0...31)) | 1
    var texts: [String] = []
    if dice.once(in: 4) {
      writer.tag(.kind, number: UInt64(machine.number))
      texts.append("kind \(machine.number)")
    }
    if dice.once(in: 4) {
      writer.tag(.initial, place: place)
      texts.append("initial \(place)")
    }
    let parameters = values(&dice).map { (parameter: dice.number(0...300), value: $0) }
    writer.parameters(parameters)
    let arguments = values(&dice)
    writer.arguments(arguments)
    texts += ["parameters \(parameters)", "arguments \(arguments)"]
    if dice.once(in: 4) {
      writer.tag(.source, place: place, of: machine)
      texts.append("source \((machine: machine, output: Int(place)))")
    }
    if dice.once(in: 4) {
      writer.tag(.target, place: place, of: machine)
      texts.append("target \((machine: machine, event: Int(place)))")
    }
    if dice.once(in: 4) {
      writer.tag(.due, number: distance)
      texts.append("due \(moment + Nanoseconds(nanoseconds: Int64(distance)))")
    }
    if dice.once(in: 4) {
      writer.tag(.key, number: UInt64(key))
      texts.append("key \(key)")
    }
    if dice.once(in: 4) {
      writer.tag(.dataBefore, text: "before é")
      texts.append("before before é")
    }
    if dice.once(in: 4) {
      writer.tag(.dataAfter, text: "")
      texts.append("after ")
    }
    return texts
  }

  private static func texts(_ input: JournalInput) -> [String] {
    [
      input.kind.map { "kind \($0)" }, input.initial.map { "initial \($0)" }, "parameters \(input.parameters)",
      "arguments \(input.arguments)", input.source.map { "source \($0)" }, input.target.map { "target \($0)" },
      input.due.map { "due \($0)" }, input.key == 0 ? nil : "key \(input.key)", input.before.map { "before \($0)" },
      input.after.map { "after \($0)" },
    ].compactMap(\.self)
  }

  private static func writeEffect(_ writer: inout DetailWriter, _ dice: inout Dice) -> JournalInput.Effect {
    let byte = UInt8(dice.number(0...255))
    let distance = dice.next() >> UInt64(dice.number(2...63))
    let due = moment + Nanoseconds(nanoseconds: Int64(distance))
    let key = UInt32(dice.number(1...Int(UInt32.max)) >> dice.number(0...31)) | 1
    switch dice.number(0...4) {
    case 0:
      writer.tag(.armed, byte, distance)
      return .armed(timer: Int(byte), key: 0, due: due)
    case 1:
      writer.tag(.disarmed, byte, distance)
      return .disarmed(timer: Int(byte), key: 0, due: due)
    case 2:
      writer.tag(.armedKey, byte, distance)
      writer.number(UInt64(key))
      return .armed(timer: Int(byte), key: key, due: due)
    case 3:
      writer.tag(.disarmedKey, byte, distance)
      writer.number(UInt64(key))
      return .disarmed(timer: Int(byte), key: key, due: due)
    default:
      let (place, data) = (dice.one(of: [UInt16(byte), UInt16(dice.number(0...65_535)), 255, 256]), values(&dice))
      writer.tag(.emitted, place: place)
      writer.values(data)
      return .emitted(output: Int(place), data: data)
    }
  }

  @Test("every detail with every value, one input after the other", arguments: Thorough.rounds(0..<100))
  func roundTrip(seed: Int) {
    var dice = Dice(seed: seed)
    var journal = Journal(inputs: 1_000, bytes: 1 << 20)
    var expected: [[String]] = []
    for _ in 0..<30 {
      var writer = DetailWriter()
      let texts = Self.writeInput(&writer, &dice)
      expected.append(texts + (0..<dice.number(0...6)).map { _ in "\(Self.writeEffect(&writer, &dice))" })
      _ = journal.append(
        .event, MachineID(1), index: 0, StepResult(verdict: .moved, from: 0, to: 0), at: Self.moment, writer)
    }
    var reader = journal.reader(from: 1)
    var read: [[String]] = []
    while let entry = journal.read(&reader) {
      let input = JournalInput(entry)
      let effects = input.effects.map { "\($0)" }
      expectEqual(JournalInput.Effects(of: entry).map { "\($0)" }, effects)
      read.append(Self.texts(input) + effects)
    }
    expectEqual(read, expected, "seed \(seed)")
  }

  @Test("what belongs to an input stands before its effects, or the record is damaged")
  func order() throws {
    var journal = Journal(inputs: 10, bytes: 1 << 20)
    var details = DetailWriter()
    details.tag(.armed, 0, 5)
    details.tag(.dataAfter, text: "x")
    _ = journal.append(
      .event, MachineID(0), index: 0, StepResult(verdict: .stayed, from: 0, to: 0), at: .beginning, details)
    var bytes: [UInt8] = []
    journal.withRecords(from: journal.reader(from: 1)) { moment, pieces in
      JournalSegment.Facts(from: moment, to: moment, WorldLimits(), creations: 0, wallMarks: 0, answers: 0)
        .append(to: &bytes)
      for piece in pieces { bytes.append(contentsOf: piece) }
    }
    try bytes.withUnsafeBytes { bytes in
      let segment = try #require(JournalSegment(bytes))
      var scanner = RecordScanner(segment, first: 1)
      #expect(throws: SegmentFailure.damaged("its details are not in order")) { _ = try scanner.read() }
    }
  }
}
