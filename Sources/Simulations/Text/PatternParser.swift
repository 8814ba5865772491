/// A pattern as a tree.
indirect enum PatternNode: Hashable, Sendable {
  /// The empty word.
  case empty
  case character(CharacterSet)
  case sequence([PatternNode])
  case alternatives([PatternNode])
  case anyNumber(PatternNode)
  case atLeastOnce(PatternNode)
  case perhaps(PatternNode)
}

/// A set of characters, as ranges.
struct CharacterSet: Hashable, Sendable {
  var ranges: [ClosedRange<UInt32>]
  var isNegated = false

  static let any = CharacterSet(ranges: [], isNegated: true)
  static let digits = CharacterSet(ranges: [0x30...0x39])
  static let word = CharacterSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let space = CharacterSet(ranges: [0x09...0x0A, 0x20...0x20])

  init(ranges: [ClosedRange<UInt32>], isNegated: Bool = false) {
    self.ranges = ranges
    self.isNegated = isNegated
  }

  init(_ character: Unicode.Scalar) {
    self.init(ranges: [character.value...character.value])
  }

  func contains(_ value: UInt32) -> Bool { ranges.contains { $0.contains(value) } != isNegated }
}

/// Reads a pattern from left to right, by recursive descent.
struct PatternParser {
  private let text: [Unicode.Scalar]
  private var place = 0
  private var depth = 0

  init(_ text: String) {
    self.text = Array(text.unicodeScalars)
  }

  mutating func parse() throws(PatternFailure) -> PatternNode {
    let node = try alternatives()
    // Before the end, only a closing parenthesis ends the alternatives.
    guard place == text.count else { throw failure("')' closes nothing", at: place) }
    return node
  }

  private var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

  private func failure(_ what: String, at place: Int) -> PatternFailure { PatternFailure(place: place + 1, what: what) }

  private mutating func alternatives() throws(PatternFailure) -> PatternNode {
    var nodes = [try sequence()]
    while next == "|" {
      place += 1
      nodes.append(try sequence())
    }
    return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
  }

  private mutating func sequence() throws(PatternFailure) -> PatternNode {
    var nodes: [PatternNode] = []
    while let character = next, character != "|", character != ")" {
      nodes.append(try repeated())
    }
    return nodes.isEmpty ? .empty : nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  private mutating func repeated() throws(PatternFailure) -> PatternNode {
    var node = try single()
    // Consecutive signs are combined, so that they do not deepen the tree.
    var atLeast = 1
    var atMost = 1
    var isRepeated = false
    while let sign = next, sign == "*" || sign == "+" || sign == "?" {
      place += 1
      isRepeated = true
      if sign != "+" { atLeast = 0 }
      if sign != "?" { atMost = 2 }
    }
    guard isRepeated else { return node }
    switch (atLeast == 0, atMost == 1) {
    case (true, true): node = .perhaps(node)
    case (true, false): node = .anyNumber(node)
    case (false, _): node = .atLeastOnce(node)
    }
    return node
  }

  private mutating func single() throws(PatternFailure) -> PatternNode {
    let begin = place
    let character = text[place]
    place += 1
    switch character {
    case "(": return try group(from: begin)
    case "[": return .character(try characterClass(from: begin))
    case "\\": return .character(try escape(from: begin))
    case ".": return .character(.any)
    case "*", "+", "?": throw failure("nothing to repeat before '\(character)'", at: begin)
    case "{": throw failure("there are no counts; write \\{ for the character", at: begin)
    case _: return .character(CharacterSet(character))
    }
  }

  private mutating func group(from begin: Int) throws(PatternFailure) -> PatternNode {
    depth += 1
    guard depth <= Pattern.deepest else {
      throw failure("more than \(Pattern.deepest) groups within groups", at: begin)
    }
    let node = try alternatives()
    guard next == ")" else { throw failure("'(' is not closed", at: begin) }
    place += 1
    depth -= 1
    return node
  }

  private mutating func escape(from begin: Int) throws(PatternFailure) -> CharacterSet {
    guard let character = next else { throw failure("'\\' at the end", at: begin) }
    place += 1
    switch character {
    case "t": return CharacterSet("\t")
    case "n": return CharacterSet("\n")
    case "d": return .digits
    case "w": return .word
    case "s": return .space
    case _:
      guard character.value < 0x80, !character.isWordCharacter else {
        throw failure("'\\\(character)' means nothing; there are \\t \\n \\d \\w \\s and \\ before signs", at: begin)
      }
      return CharacterSet(character)
    }
  }

  /// The content of brackets. A `]` that comes first and a `-` that comes first or last stand for themselves.
  private mutating func characterClass(from begin: Int) throws(PatternFailure) -> CharacterSet {
    var set = CharacterSet(ranges: [])
    if next == "^" {
      set.isNegated = true
      place += 1
    }
    var isFirst = true
    while let character = next, character != "]" || isFirst {
      isFirst = false
      let at = place
      let low = try member(from: begin)
      guard next == "-", place + 1 < text.count, text[place + 1] != "]" else {
        set.ranges += low.ranges
        continue
      }
      place += 1
      let high = try member(from: begin)
      guard let first = low.only, let last = high.only else { throw failure("a range between classes", at: at) }
      guard first <= last else { throw failure("the range runs backwards", at: at) }
      set.ranges.append(first...last)
    }
    guard next == "]" else { throw failure("'[' is not closed", at: begin) }
    place += 1
    return set
  }

  private mutating func member(from begin: Int) throws(PatternFailure) -> CharacterSet {
    guard let character = next else { throw failure("'[' is not closed", at: begin) }
    place += 1
    return character == "\\" ? try escape(from: place - 1) : CharacterSet(character)
  }
}

extension CharacterSet {
  /// The character, if there is only one.
  fileprivate var only: UInt32? {
    guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
    return range.lowerBound
  }
}
