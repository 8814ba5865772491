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

  /// Writes a random detail and returns the text to expect when it is read.
  private static func write(_ writer: inout DetailWriter, _ dice: inout Dice) -> String {
    let byte = UInt8(dice.number(0...255))
    let place = dice.one(of: [UInt16(byte), UInt16(dice.number(0...65_535)), 255, 256])
    let machine = MachineID(UInt32(dice.number(0...MachineID.most - 1)))
    let distance = Int64(dice.next() >> UInt64(dice.number(2...63)))
    let later = moment + Nanoseconds(nanoseconds: distance)
    let key = UInt32(dice.number(1...Int(UInt32.max)) >> dice.number(0...31)) | 1
    switch dice.number(1...15) {
    case 1:
      let values = values(&dice)
      writer.tag(.emitted, place: place)
      writer.values(values)
      return "\(JournalDetail.emitted(output: place, data: values))"
    case 2:
      writer.tag(.armed, byte)
      writer.number(UInt64(distance))
      return "\(JournalDetail.armed(timer: byte, key: 0, due: later))"
    case 3:
      writer.tag(.disarmed, byte)
      writer.number(UInt64(distance))
      return "\(JournalDetail.disarmed(timer: byte, key: 0, due: later))"
    case 4:
      writer.tag(.dataBefore)
      writer.text("before é")
      return "\(JournalDetail.dataBefore("before é"))"
    case 5:
      writer.tag(.dataAfter)
      writer.text("")
      return "\(JournalDetail.dataAfter(""))"
    case 6:
      let values = values(&dice)
      writer.tag(.arguments)
      writer.values(values)
      return "\(JournalDetail.arguments(values))"
    case 7:
      let parameters = values(&dice).map { (parameter: dice.number(0...300), value: $0) }
      writer.tag(.parameters)
      writer.number(UInt64(parameters.count))
      for (parameter, value) in parameters {
        writer.number(UInt64(parameter))
        writer.value(value)
      }
      return "\(JournalDetail.parameters(parameters))"
    case 8:
      writer.tag(.initial, place: place)
      return "\(JournalDetail.initial(place))"
    case 9:
      writer.tag(.kind)
      writer.number(UInt64(machine.number))
      return "\(JournalDetail.kind(machine.number))"
    case 10:
      writer.tag(.due)
      writer.number(UInt64(distance))
      return "\(JournalDetail.due(later))"
    case 11:
      writer.tag(.source, place: place)
      writer.number(UInt64(machine.number))
      return "\(JournalDetail.source(machine, output: place))"
    case 12:
      writer.tag(.armedKey, byte)
      writer.number(UInt64(distance))
      writer.number(UInt64(key))
      return "\(JournalDetail.armed(timer: byte, key: key, due: later))"
    case 13:
      writer.tag(.disarmedKey, byte)
      writer.number(UInt64(distance))
      writer.number(UInt64(key))
      return "\(JournalDetail.disarmed(timer: byte, key: key, due: later))"
    case 14:
      writer.tag(.key)
      writer.number(UInt64(key))
      return "\(JournalDetail.key(key))"
    default:
      writer.tag(.target, place: place)
      writer.number(UInt64(machine.number))
      return "\(JournalDetail.target(machine, event: place))"
    }
  }

  @Test("every detail with every value, in any order, one input behind the other", arguments: Thorough.rounds(0..<100))
  func roundTrip(seed: Int) {
    var dice = Dice(seed: seed)
    var journal = Journal(inputs: 1_000, bytes: 1 << 20)
    var expected: [[String]] = []
    for _ in 0..<30 {
      var writer = DetailWriter()
      expected.append((0..<dice.number(0...6)).map { _ in Self.write(&writer, &dice) })
      _ = journal.append(
        .event, MachineID(1), index: 0, StepResult(verdict: .moved, from: 0, to: 0), at: Self.moment, writer)
    }
    var reader = journal.reader(from: 1)
    var read: [[String]] = []
    while let entry = journal.read(&reader) {
      var details = DetailReader(entry)
      var texts: [String] = []
      while let detail = details.next() { texts.append("\(detail)") }
      let end = details.next()
      expectNil(end, "the end is the end")
      read.append(texts)
    }
    expectEqual(read, expected, "seed \(seed)")
  }
}
