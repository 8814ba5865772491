import TestSupport
import Glibc
import StateMachines
import Testing
import UnixHost

/// Whatever is sent: no crash, no hang, exactly one final line per request line.
@Suite(.serialized)
struct RandomRequestTests {
  private static let codes: Set<Substring> = [
    "SYNTAX", "TOO-LONG", "UNKNOWN-VERB", "USAGE", "UNKNOWN-KIND", "UNKNOWN-MACHINE", "UNKNOWN-EVENT",
    "UNKNOWN-TIMER", "UNKNOWN-WORLD", "NAME-TAKEN", "BAD-ARGUMENT", "REFUSED", "EXPECTED", "TIMEOUT", "CANCELLED",
    "CLOCK", "BATCH", "LIMIT",
  ]

  /// Each is 150 lines of each seed.
  private static let rounds = Thorough.rounds(12, atLeast: 4)

  @Test(
    "random lines, valid, nearly valid and none at all, get one answer each",
    arguments: Thorough.rounds(1..<4 as Range<UInt64>))
  func answers(_ seed: UInt64) throws {
    var grammar = RequestGrammar(seed: seed)
    let daemon = try DaemonProcess(
      "--limit", "chain=200", "--limit", "wireChain=50", "--limit", "wireDeliveries=500", "--limit", "journal=3000",
      "--limit", "machines=300")
    let witness = try daemon.connect()
    let clients = try (0..<3).map { _ in try daemon.connect() }
    for client in clients { try expect(client.ask("clock virtual"), hasPrefix: "+ ") }
    let descriptors = try daemon.idleDescriptors()
    let storeDescriptors = daemon.facts.storeDescriptors
    var memory = 0
    for round in 0..<Self.rounds {
      for client in clients {
        var sent: [[UInt8]] = []
        var expected = 0
        for _ in 0..<50 {
          if grammar.chance(40) {
            expected += addBatch(&sent, &grammar)
          } else {
            let line = grammar.line()
            if RequestGrammar.isAnswered(line) { expected += 1 }
            sent.append(line)
          }
        }
        sent.append(Array("@last-of-\(round) sync".utf8))
        try client.send(Array(sent.joined(separator: [0x0A])) + [0x0A])
        let finals = try finals(of: client, upTo: "+ @last-of-\(round)")
        guard finals == expected else {
          throw HarnessFailure(
            what: "seed \(seed): \(finals) answers to \(expected) requests, round \(round):\n"
              + sent.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n"))
        }
      }
      try expectEqual(witness.ask("sync"), "+", "seed \(seed), round \(round)")
      if round == Self.rounds / 2 { memory = daemon.facts.residentKiB }
    }
    for client in clients {
      try expectEqual(client.ask("quit"), "+")
      try expectEqual(client.readToEnd().last, "! bye reason=quit")
    }
    // Those who read the store beside the daemon keep up to four connections of two files each.
    let kept = daemon.facts.storeDescriptors - storeDescriptors
    expect(kept <= 8)
    expectEqual(daemon.surplusDescriptors(over: descriptors - clients.count + kept), 0)
    expect(daemon.facts.residentKiB - memory < 16 << 10, "worlds, machines and journals are limited")
  }

  /// Adds a batch of random lines.
  ///
  /// - Returns: How many answers it gets: one for `begin`, one for each line that is one, one for `end`.
  private func addBatch(_ sent: inout [[UInt8]], _ grammar: inout RequestGrammar) -> Int {
    var expected = 2
    sent.append(Array("@b begin".utf8))
    for _ in 0..<grammar.number(below: 8) {
      let line = grammar.line()
      if RequestGrammar.isAnswered(line) { expected += 1 }
      sent.append(line)
    }
    sent.append(Array("@e end".utf8))
    return expected
  }

  /// Counts the final lines before the one given, and looks at every line on the way.
  ///
  /// What takes long, or waits on a real clock since chance has made a world with one, is cancelled.
  private func finals(of client: TestClient, upTo last: String) throws -> Int {
    var count = 0
    var cancels = 0
    var isLast = false
    var patience = Patience.deadline(milliseconds: 300)
    while true {
      let next = try client.line(by: patience)
      if HostClock.now() > patience {
        patience = Patience.deadline(milliseconds: 300)
        try client.send("@cancelled-by-test cancel\n")
        cancels += 1
        guard cancels < 100 else { throw HarnessFailure(what: "no cancel is answered any more") }
      }
      guard let line = next else { continue }
      let isOurs = line == last || line == "+ @cancelled-by-test"
      if line == last { isLast = true } else if isOurs { cancels -= 1 }
      if isLast, cancels == 0 { return count }
      if isOurs { continue }
      let words = line.split(separator: " ", maxSplits: 3)
      switch line.utf8.first {
      case UInt8(ascii: "+"): count += 1
      case UInt8(ascii: "-"):
        count += 1
        let code = words.dropFirst().first { !$0.hasPrefix("@") } ?? ""
        guard Self.codes.contains(code) else { throw HarnessFailure(what: "an unknown code: \(line)") }
      case UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: "!"): break
      default: throw HarnessFailure(what: "a line of no class: \(line)")
      }
    }
  }

  @Test("random bytes in random pieces do no harm", arguments: Thorough.rounds(7..<9 as Range<UInt64>))
  func bytes(_ seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let daemon = try DaemonProcess()
    let witness = try daemon.connect()
    for round in 0..<Thorough.rounds(60, atLeast: 12) {
      let client = try daemon.connect()
      var expected = 0
      var line: [UInt8] = []
      for _ in 0..<40 {
        var piece = (0..<dice.number(below: 2_000)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        // Mostly control characters and ends of lines.
        if dice.once(in: 3) { piece = piece.map { $0 & 0x0F } }
        for byte in piece {
          if byte == 0x0A {
            if RequestGrammar.isAnswered(line) { expected += 1 }
            line = []
          } else {
            line.append(byte)
          }
        }
        try client.send(piece)
      }
      client.closeSending()
      let lines = try client.readToEnd()
      expectEqual(lines.last, "! bye", "seed \(seed), round \(round)")
      expectEqual(lines.filter { $0.hasPrefix("- ") }.count, expected, "seed \(seed), round \(round)")
      try expectEqual(witness.ask("sync"), "+", "seed \(seed), round \(round)")
    }
    try expectEqual(witness.ask("list"), "+ 0")
  }
}
