@testable import MachineForms
@testable import Simulations
import StateMachines
import TestSupport
import Testing

struct PatternTests {
  private func accepts(_ pattern: String, _ word: String) throws -> Bool {
    try Pattern(pattern).accepts(word.unicodeScalars)
  }

  @Test("what each sign means")
  func signs() throws {
    for (pattern, good, bad) in [
      ("(ab|c)*d", ["d", "abd", "cabcd"], ["", "ab", "abda"]),
      ("a", ["a"], ["", "b", "aa"]),
      ("", [""], ["a"]),
      ("()", [""], ["a"]),
      (".", ["a", "é", "漢", "\n"], ["", "ab"]),
      ("ab*", ["a", "abbb"], ["", "b", "ba"]),
      ("ab+", ["ab", "abbb"], ["a", "b"]),
      ("ab?", ["a", "ab"], ["abb"]),
      ("a|", ["a", ""], ["aa"]),
      ("|a|b", ["", "a", "b"], ["ab"]),
      ("(a|b)(c|d)", ["ac", "bd"], ["a", "ab"]),
      ("((a)(b))+", ["ab", "abab"], ["", "aba"]),
      ("a**", ["", "aaa"], ["b"]),
      ("a+?", ["", "a", "aa"], ["b"]),
      ("a++", ["a", "aa"], [""]),
      ("a??", ["", "a"], ["aa"]),
      ("(a*)*", ["", "aaaa"], ["b"]),
      ("(a*)+b", ["b", "aab"], ["a"]),
      ("[abx-z]", ["a", "b", "x", "y", "z"], ["", "c", "w", "-"]),
      ("[^ab]", ["c", "^", "é"], ["a", "b", ""]),
      ("[]a]", ["]", "a"], ["b"]),
      ("[^]a]", ["b"], ["]", "a"]),
      ("[a-]", ["a", "-"], ["b"]),
      ("[-a]", ["a", "-"], ["b"]),
      ("[a^]", ["a", "^"], ["b"]),
      (#"[\]\-\\]"#, ["]", "-", #"\"#], ["a"]),
      ("[.*+?|(){]", [".", "*", "+", "?", "|", "(", ")", "{"], ["a"]),
      ("[а-яё]+", ["ёж"], ["Ёж", ""]),
      (#"\(\.\*\)"#, ["(.*)"], ["", "(a)"]),
      (#"\d+\.\d+"#, ["3.14"], ["3,14", "3."]),
      (#"\w\s\w"#, ["a b", "_\t9"], ["a-b", "é b"]),
      (#"[\d,]+"#, ["1,2"], ["", "a"]),
      (#"a\tb\nc"#, ["a\tb\nc"], ["atbnc"]),
      ("^a$", ["^a$"], ["a"]),
      ("a}]", ["a}]"], ["a"]),
      (#"\{2\}"#, ["{2}"], ["2"]),
    ] {
      for word in good { try expect(accepts(pattern, word), "\(pattern) \(word)") }
      for word in bad { try expect(!accepts(pattern, word), "\(pattern) \(word)") }
    }
  }

  @Test("a pattern that is none: where and what")
  func failures() {
    for (pattern, place, what) in [
      ("(ab", 1, "'(' is not closed"), ("ab)", 3, "')' closes nothing"), ("a(b(c)", 2, "'(' is not closed"),
      ("*a", 1, "nothing to repeat before '*'"), ("a|+", 3, "nothing to repeat before '+'"),
      ("(?a)", 2, "nothing to repeat before '?'"), ("[ab", 1, "'[' is not closed"), ("x[", 2, "'[' is not closed"),
      ("[]", 1, "'[' is not closed"), ("[a-", 1, "'[' is not closed"), ("[z-a]", 2, "the range runs backwards"),
      (#"[\d-z]"#, 2, "a range between classes"), (#"a\"#, 2, #"'\' at the end"#),
      (#"a\q"#, 2, #"'\q' means nothing; there are \t \n \d \w \s and \ before signs"#),
      ("a{2}", 2, #"there are no counts; write \{ for the character"#),
      ("é(", 2, "'(' is not closed"),
      (String(repeating: "(", count: 101), 101, "more than 100 groups within groups"),
    ] {
      #expect(throws: PatternFailure(place: place, what: what), "\(pattern)") { try Pattern(pattern) }
    }
    let nested = String(repeating: "(", count: 100) + "a" + String(repeating: ")", count: 100)
    #expect(throws: Never.self) { try Pattern(nested) }
  }

  /// An independent check that a tree accepts a word, which tries all ways.
  private func ends(_ node: PatternNode, _ word: [Unicode.Scalar], from place: Int) -> Set<Int> {
    switch node {
    case .empty: return [place]
    case .character(let set): return place < word.count && set.contains(word[place].value) ? [place + 1] : []
    case .sequence(let nodes):
      return nodes.reduce([place]) { places, node in Set(places.flatMap { ends(node, word, from: $0) }) }
    case .alternatives(let nodes): return Set(nodes.flatMap { ends($0, word, from: place) })
    case .perhaps(let node): return ends(node, word, from: place).union([place])
    case .anyNumber(let node): return closure(node, word, [place])
    case .atLeastOnce(let node): return closure(node, word, ends(node, word, from: place))
    }
  }

  private func closure(_ node: PatternNode, _ word: [Unicode.Scalar], _ places: Set<Int>) -> Set<Int> {
    var found = places
    var waiting = Array(places)
    while let place = waiting.popLast() {
      for next in ends(node, word, from: place) where found.insert(next).inserted { waiting.append(next) }
    }
    return found
  }

  private func randomPattern(_ depth: Int, _ generator: inout Generator) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 4), using: &generator) {
    case 0, 1: return ["a", "b", "c"].randomElement(using: &generator)!
    case 2: return ["[ab]", "[^a]", "."].randomElement(using: &generator)!
    case 3: return "()"
    case 4: return "(\(randomPattern(depth - 1, &generator))|\(randomPattern(depth - 1, &generator)))"
    case 5, 6: return randomPattern(depth - 1, &generator) + randomPattern(depth - 1, &generator)
    default: return "(\(randomPattern(depth - 1, &generator)))" + ["*", "+", "?"].randomElement(using: &generator)!
    }
  }

  @Test(
    "random patterns: as trying all ways says, symbol by symbol, and with sets remembered",
    arguments: Thorough.rounds(0..<200))
  func random(seed: UInt64) throws {
    var generator = Generator(salt: seed)
    let text = randomPattern(5, &generator)
    let pattern = try Pattern(text)
    var parser = PatternParser(text)
    let tree = try parser.parse()
    for _ in 0..<40 {
      let word = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
        ["a", "b", "c"].randomElement(using: &generator)! as Unicode.Scalar
      }
      expectEqual(pattern.accepts(word), ends(tree, word, from: 0).contains(word.count), "\(text) \(word)")
      for haltOnFinal in [false, true] {
        let usual = StepByStep(pattern: pattern).run(word, haltOnFinal: haltOnFinal)
        expectEqual(pattern.run(word, haltOnFinal: haltOnFinal), usual, "\(text) \(word)")
      }
    }
  }

  /// The pattern's transitions, run one by one instead of by its own `run`.
  private struct StepByStep: Accepting {
    let pattern: Pattern
    var start: Pattern.Position { pattern.start }
    func isFinal(_ position: Pattern.Position) -> Bool { pattern.isFinal(position) }
    func next(_ position: Pattern.Position, _ character: Unicode.Scalar) -> Pattern.Position? {
      pattern.next(position, character)
    }
  }

  @Test("patterns over which a search that goes back would never end")
  func noBlowUp() throws {
    let long = String(repeating: "a", count: 20_000)
    try expect(!accepts("(a|a)*b", long))
    try expect(accepts("(a|a)*b", long + "b"))
    try expect(!accepts("(a*)*b", long))
    try expect(!accepts("(a+)+b", long))
    try expect(accepts("(.*)(.*)(.*)(.*)(.*)x?", long))
    let count = 60
    let optional = String(repeating: "a?", count: count) + String(repeating: "a", count: count)
    try expect(accepts(optional, String(repeating: "a", count: count)))
    try expect(accepts(optional, String(repeating: "a", count: 2 * count)))
    try expect(!accepts(optional, String(repeating: "a", count: count - 1)))
    try expect(!accepts(optional, String(repeating: "a", count: 2 * count + 1)))
  }

  @Test(
    "sets of places that never come up twice, in patterns of more than 64 places", arguments: [11, 62, 63, 64, 200])
  func manySets(distance: Int) throws {
    let pattern = try Pattern("(.|b)*a" + String(repeating: "[ab]", count: distance))
    var generator = Generator(salt: 1)
    var word: [Unicode.Scalar] = []
    for _ in 0..<1_500 { word.append(Bool.random(using: &generator) ? "a" : "b") }
    let lengths = stride(from: 500, through: 1_500, by: 37).shuffled(using: &generator)
    for length in lengths.prefix(Thorough.rounds(lengths.count)) {
      let expected = word[length - 1 - distance] == "a"
      expectEqual(pattern.accepts(word[..<length]), expected, "\(length)")
    }
    let parts = pattern.run(word[700..<1_400], from: try #require(pattern.run(word[..<700]).state), haltOnFinal: false)
    expectEqual(parts, pattern.run(word[..<1_400]).with(read: 700))
  }

  /// Patterns with the most work per character that 1,024 bytes allow.
  static let heavy = [
    "(.|b)*a" + String(repeating: ".", count: 1_000), String(repeating: ".?", count: 512),
    "(" + String(repeating: ".?", count: 510) + ")*", "(" + String(repeating: "a|", count: 510) + "b)*",
    "(" + String(repeating: ".*", count: 510) + ")+",
    String(repeating: "(.", count: 99) + String(repeating: ")*", count: 99),
    "((.|b)*a" + String(repeating: ".", count: 500) + "|(" + String(repeating: ".?", count: 250) + ")*)",
    String(repeating: "(.+|b)", count: 170),
  ]

  @Test("a character costs a bounded number of look-ups, whatever the pattern is", arguments: heavy)
  func work(text: String) throws {
    let pattern = try Pattern(text)
    expect(text.utf8.count <= 1_024)
    expect(pattern.program.mostWork <= 1_300)
    var generator = Generator(salt: 2)
    var word = String.UnicodeScalarView()
    for _ in 0..<2_000 { word.append(Bool.random(using: &generator) ? "a" : "b") }
    // The result does not depend on the number of pieces.
    var position = pattern.start
    for piece in 0..<20 {
      let from = word.index(word.startIndex, offsetBy: piece * 100)
      let run = pattern.run(word[from..<word.index(from, offsetBy: 100)], from: position, haltOnFinal: false)
      guard let next = run.state else { break }
      position = next
    }
    let whole = pattern.run(word)
    expect(whole.state == nil || whole.state == position)
  }

  @Test("bits that are no places of the pattern are told, since a stored value may be damaged")
  func foreignPlaces() throws {
    for (text, places) in [
      ("abc", 3), (String(repeating: "a", count: 63), 63), (String(repeating: "a", count: 64), 64),
    ] {
      let pattern = try Pattern(text)
      expectEqual(pattern.program.accept, places)
      expect(pattern.has(pattern.start))
      var beyond = pattern.start
      beyond.places.append(0)
      expect(!pattern.has(beyond))
      expect(!pattern.has(Pattern.Position(places: [])))
      if places % 64 < 63 {
        var outside = pattern.start
        outside.places.insert(places + 1)
        expect(!pattern.has(outside))
      }
    }
  }
}

extension AcceptorRun {
  fileprivate func with(read: Int) -> Self { Self(state: state, read: read, isAccepted: isAccepted) }
}
