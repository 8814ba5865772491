internal import StateMachines

/// A regular expression, compiled: which words it accepts, in time that grows with the word and never explodes.
///
/// Characters are Unicode scalars. What there is:
///
/// | written | means |
/// | --- | --- |
/// | `a` | the character itself; so do `-` `,` and all others that are not in this table |
/// | `.` | any character |
/// | `[abx-z]`, `[^abx-z]` | one of these, or of a range; any but these |
/// | `x*`, `x+`, `x?` | any number of times; at least once; once or not at all |
/// | `xy`, `x\|y` | one after the other; one or the other. Either side may be empty |
/// | `(x)` | a group |
/// | `\.` | the character itself, for those in this table, and for other signs |
/// | `\t` `\n` | tab, line feed |
/// | `\d` `\w` `\s` | a digit 0–9; a letter a–z or A–Z, a digit or the low line; space, tab or line feed; also within `[]` |
///
/// A word is accepted as a whole. There are no anchors, counts, captures or look-arounds: `^` and `$` are characters,
/// `{` must be written `\{`.
///
/// It is an automaton with the sets of states of Thompson's automaton as its states, made as a word leads to them: so a
/// word costs O(characters × size of the pattern) at the very most, and a table look-up per character where sets come
/// up again, as they nearly always do.
struct Pattern: Accepting {
  /// Where a word has led to: the places in the pattern that may come next, in order.
  struct Position: Hashable, Sendable, Codable {
    var places: [UInt16]
  }

  /// Groups within groups.
  static let deepest = 100

  let program: PatternProgram

  /// - Throws: Where the pattern is none, and what is wrong there.
  init(_ text: String) throws(PatternFailure) {
    var parser = PatternParser(text)
    program = PatternProgram(try parser.parse())
  }

  var start: Position { Position(places: program.closure(of: [program.start])) }

  /// Whether these can be places of this pattern.
  func has(_ position: Position) -> Bool { position.places.allSatisfy { $0 <= program.accept } }

  func isFinal(_ position: Position) -> Bool { position.places.last == program.accept }

  func next(_ position: Position, _ character: Unicode.Scalar) -> Position? {
    let places = program.places(after: position.places, character)
    return places.isEmpty ? nil : Position(places: places)
  }

  func run(
    _ word: some Sequence<Unicode.Scalar>, from position: Position, haltOnFinal: Bool
  ) -> AcceptorRun<Position> {
    var subsets = SubsetTable(program)
    var subset = subsets.number(of: position.places)
    var read = 0
    func outcome(_ subset: Int, isDead: Bool = false) -> AcceptorRun<Position> {
      AcceptorRun(
        state: isDead ? nil : Position(places: subsets.sets[subset]), read: read,
        isAccepted: !isDead && subsets.isFinal[subset])
    }
    if haltOnFinal, subsets.isFinal[subset] { return outcome(subset) }
    for character in word {
      guard let next = subsets.next(subset, program.column(of: character.value)) else {
        return outcome(subset, isDead: true)
      }
      subset = next
      read += 1
      if haltOnFinal, subsets.isFinal[subset] { break }
    }
    return outcome(subset)
  }
}

/// What is wrong with a pattern.
struct PatternFailure: Error, Hashable {
  /// The character, counted from 1.
  let place: Int
  let what: String

  var text: String { "character \(place): \(what)" }
}
