import TestSupport
@testable import Simulator
import Testing

@Suite("Patterns match as in a shell")
struct NamePatternTests {
  /// The meaning of a pattern, without regard to speed.
  private static func matches(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return name.isEmpty }
    let rest = pattern.dropFirst()
    if first == UInt8(ascii: "*") {
      return matches(rest, name) || (!name.isEmpty && matches(pattern, name.dropFirst()))
    }
    guard let byte = name.first else { return false }
    return (first == UInt8(ascii: "?") || first == byte) && matches(rest, name.dropFirst())
  }

  @Test("the plain cases")
  func plain() {
    let cases: [(String, String, Bool)] = [
      ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("**", "abc", true), ("?", "a", true),
      ("?", "", false), ("?", "ab", false), ("a*", "a", true), ("a*", "ba", false), ("*a", "ba", true),
      ("*a", "ab", false), ("a*b", "ab", true), ("a*b", "axxb", true), ("a*b", "axxbx", false), ("a?c", "abc", true),
      ("fridge-*", "fridge-12", true), ("fridge-?", "fridge-12", false), ("A", "a", false), ("[ab]", "a", false),
      ("*b*", "abc", true), ("a*a", "a", false), ("*ab", "aab", true), ("a.b", "axb", false),
    ]
    for (pattern, name, matches) in cases {
      expectEqual(name.bytes { NamePattern(pattern.utf8).matches($0) }, matches, "\(pattern) \(name)")
    }
  }

  @Test("random patterns agree with the meaning of a pattern", arguments: Thorough.rounds(0..<20))
  func random(seed: Int) {
    var dice = Dice(seed: seed)
    for _ in 0..<500 {
      let pattern = (0..<dice.number(0...7)).map { _ in dice.one(of: Array("ab*?*".utf8)) }
      let name = (0..<dice.number(0...8)).map { _ in dice.one(of: Array("ab".utf8)) }
      let found = name.withUnsafeBytes { NamePattern(pattern).matches($0) }
      expectEqual(
        found, Self.matches(pattern[...], name[...]),
        "seed \(seed): \(String(decoding: pattern, as: UTF8.self)) \(String(decoding: name, as: UTF8.self))")
    }
  }

  @Test("a pattern of many stars takes no longer than pattern times name")
  func manyStars() {
    let pattern = NamePattern(String(repeating: "*a", count: 500).utf8 + Array("b".utf8))
    let name = String(repeating: "a", count: 2_000)
    expectEqual(name.bytes { pattern.matches($0) }, false)
  }

  @Test("names of machines are held against the worst patterns in a bounded number of looks")
  func boundedWork() {
    let name = String(repeating: "a", count: 64)
    let worst = [
      String(repeating: "*a", count: 128), String(repeating: "*", count: 256),
      String(repeating: "*a", count: 127) + "*b",
      String(repeating: "?", count: 256), "*" + String(repeating: "a", count: 254) + "b",
      "*" + String(repeating: "a", count: 31) + "b*", String(repeating: "*aaab", count: 51),
      String(repeating: "*?", count: 60) + "b", String(repeating: "*a*a*b", count: 12),
    ]
    for pattern in worst {
      expect(pattern.utf8.count <= NamePattern.maxBytes)
      var looks = 0
      _ = name.bytes { NamePattern(pattern.utf8).matches($0) { _ in looks += 1 } }
      expect(looks <= 64 * 64 / 4 + 128, "\(pattern) \(looks)")
    }
    expect(name.bytes { NamePattern((String(repeating: "*", count: 200) + "a").utf8).matches($0) })
    // Watched patterns are distinguished by their text.
    expect(NamePattern("**".utf8) != NamePattern("*".utf8))
  }

  @Test("what all matches begin with, and patterns that match all or one")
  func properties() {
    expectEqual(NamePattern("fridge-*x".utf8).prefix, Array("fridge-".utf8))
    expectEqual(NamePattern("a?b".utf8).prefix, Array("a".utf8))
    expect(NamePattern("ab".utf8).isLiteral && !NamePattern("a*".utf8).isLiteral && !NamePattern("?".utf8).isLiteral)
    expect(NamePattern.all.matchesAll && NamePattern("***".utf8).matchesAll)
    expect(!NamePattern("*?".utf8).matchesAll && !NamePattern("".utf8).matchesAll && !NamePattern("a".utf8).matchesAll)
  }

  @Test("a world finds those that match, in the order of names", arguments: Thorough.rounds(0..<10))
  func inAWorld(seed: Int) throws {
    var dice = Dice(seed: seed)
    var world = WorldCore()
    var names: Set<String> = []
    for _ in 0..<100 {
      let name = (0..<dice.number(1...5)).map { _ in dice.one(of: ["a", "b", "c", "-"]) }.joined()
      if names.insert(name).inserted { try world.make(Relay.kind, name) }
      if dice.once(in: 5), let gone = names.sorted().randomElement(using: &dice) {
        names.remove(gone)
        world.drop(gone)
      }
      let pattern = NamePattern((0..<dice.number(0...4)).map { _ in dice.one(of: Array("ab*?-".utf8)) })
      let found = world.machines(matching: pattern).map { world.name(of: $0) }
      expectEqual(found, names.sorted().filter { $0.bytes { pattern.matches($0) } }, "seed \(seed)")
      // Name by name, as a long list is written.
      let start = names.sorted().randomElement(using: &dice) ?? ""
      let next = start.bytes { world.machine(after: $0) }.map { world.name(of: $0) }
      expectEqual(next, names.sorted().first { $0 > start }, "seed \(seed)")
      let same = start.bytes { world.machine(atOrAfter: $0) }.map { world.name(of: $0) }
      expectEqual(same, names.sorted().first { $0 >= start }, "seed \(seed)")
    }
  }
}
