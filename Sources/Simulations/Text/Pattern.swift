import MachineForms
internal import StateMachines

/// A compiled regular expression. The time to judge a word is linear in its length.
///
/// Characters are Unicode scalars. The notation:
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
/// and `{` must be written `\{`.
///
/// A word costs O(characters × places of the pattern / 64) and a few look-ups, for every pattern and word: see
/// ``PatternProgram``.
struct Pattern: Accepting {
  typealias Position = PatternPosition

  /// The greatest depth of nested groups.
  static let deepest = 100

  let program: PatternProgram

  /// - Throws: The place and the reason, if the text is not a pattern.
  init(_ text: String) throws(PatternFailure) {
    var parser = PatternParser(text)
    program = PatternProgram(try parser.parse())
  }

  var start: Position { Position(places: program.start) }

  /// Whether the position is possible in this pattern.
  func has(_ position: Position) -> Bool { program.has(position.places) }

  func isFinal(_ position: Position) -> Bool { program.isFinal(position.places) }

  func next(_ position: Position, _ character: Unicode.Scalar) -> Position? {
    run(CollectionOfOne(character), from: position, haltOnFinal: false).state
  }

  func run(
    _ word: some Sequence<Unicode.Scalar>, from position: Position, haltOnFinal: Bool
  ) -> AcceptorRun<Position> {
    var places = position.places
    let (read, isDead) = program.run(word, from: &places, haltOnFinal: haltOnFinal)
    return AcceptorRun(
      state: isDead ? nil : Position(places: places), read: read, isAccepted: !isDead && program.isFinal(places))
  }
}

/// The result of the word so far: the places in the pattern that may come next, as bits.
public struct PatternPosition: Hashable, Sendable, Codable {
  var places: [UInt64]

  init(places: [UInt64]) {
    self.places = places
  }

  /// The beginning of a word, without the end.
  init(reading program: PatternProgram) {
    places = program.start
    places.remove(program.accept)
  }

  /// A place that allows no more characters.
  init(accepting program: PatternProgram) {
    places = Array(repeating: 0, count: program.words)
    places.insert(program.accept)
  }
}

/// The error in a pattern.
struct PatternFailure: Error, Hashable {
  /// The character's number, from 1.
  let place: Int
  let what: String

  var text: String { "character \(place): \(what)" }
}
