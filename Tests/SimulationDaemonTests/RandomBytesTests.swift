import TestSupport
import StateMachines
import Testing

@testable import SimulationDaemon

/// Random bytes in random pieces: every line that is not blank gets one final line, and the conversation goes on.
@Suite("Random bytes")
struct RandomBytesTests {
  private static let alphabets: [[UInt8]] = [
    Array(0...255),
    Array("send m1 buttonClick@.\"\\=#:\t\r\n\n ".utf8),
    Array("\u{0}\u{7F}\u{80}\u{FFFD}é\n\"= ".utf8) + [0xFF, 0xC0],
    Array(0x20...0x7E) + [0x0A],
  ]

  @Test("any bytes", arguments: Thorough.rounds(0..<8 as Range<UInt64>))
  func anything(seed: UInt64) {
    var dice = Dice(seed: seed)
    let host = HostedService(limits: FuzzTests.limits)
    let guest = host.connect()
    for _ in 0..<400 {
      let alphabet = dice.one(of: RandomBytesTests.alphabets)
      var bytes: [UInt8] = []
      for _ in 0..<dice.number(below: 2_000) { bytes.append(dice.one(of: alphabet)) }
      bytes.append(0x0A)
      var rest = bytes[...]
      host.round {
        while !rest.isEmpty {
          let count = 1 + dice.number(below: dice.once(in: 2) ? 3 : 700)
          guest.arrive(Array(rest.prefix(count)))
          rest = rest.dropFirst(count)
        }
      }
      host.settle()
      let expected = RandomBytesTests.requests(in: bytes)
      let finals = RandomBytesTests.finals(in: guest.bytes())
      expectEqual(finals, expected, "seed \(seed): \(bytes)")
      if finals != expected { return }
    }
    expectEqual(guest.say("@z sync"), ["+ @z"], "seed \(seed)")
    expect(guest.violations().isEmpty, "seed \(seed)")
  }

  @Test(
    "good requests with a byte changed, left out, doubled or moved", arguments: Thorough.rounds(0..<8 as Range<UInt64>))
  func mutations(seed: UInt64) {
    var dice = Dice(seed: seed)
    var random = RandomRequests(seed: seed, HostedService.catalogue)
    let host = HostedService(limits: FuzzTests.limits)
    let guest = host.connect(toWorld: "w")
    for _ in 0..<3_000 {
      var line = Array(random.request().utf8)
      // These are answered out of turn or wait, or one digit more makes them endless.
      if ["await", "cancel", "step", "advance"].contains(where: { line.starts(with: $0.utf8) }) { continue }
      for _ in 0...dice.number(below: 3) where !line.isEmpty {
        let place = dice.number(below: line.count)
        switch dice.number(below: 4) {
        case 0: line[place] = UInt8(dice.number(below: 256))
        case 1: line.remove(at: place)
        case 2: line.insert(line[place], at: place)
        case _: line.swapAt(place, dice.number(below: line.count))
        }
      }
      line.append(0x0A)
      let text = String(decoding: line, as: UTF8.self)
      host.round { guest.arrive(line) }
      host.settle()
      let finals = RandomBytesTests.finals(in: guest.bytes())
      expectEqual(finals, RandomBytesTests.requests(in: line), "seed \(seed): \(text)")
    }
    expect(guest.violations().isEmpty, "seed \(seed)")
  }

  /// How many lines are answered: those that are neither blank nor a comment.
  private static func requests(in bytes: [UInt8]) -> Int {
    bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().count { line in
      let line = line.last == 0x0D ? line.dropLast() : line
      if line.count > FuzzTests.limits.line { return true }
      guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }) else { return false }
      return first != UInt8(ascii: "#")
    }
  }

  private static func finals(in bytes: [UInt8]) -> Int {
    var count = 0
    FuzzTests.eachLine(bytes) { line in
      if line[0] == UInt8(ascii: "+") || line[0] == UInt8(ascii: "-") { count += 1 }
    }
    return count
  }
}
