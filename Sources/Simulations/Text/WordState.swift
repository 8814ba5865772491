import MachineForms
public import StateMachines

/// The state of a machine that judges words by a pattern.
public enum WordState: StateWithData {
  /// The word so far is not accepted; with more it may be.
  case reading(Progress)
  /// The word so far is accepted.
  case accepting(Progress)
  /// No word that begins like this is accepted.
  case rejecting(Failing)
  /// The word was accepted; so many characters.
  case accepted(length: Int)
  /// The word was not accepted.
  case rejected(length: Int)

  public enum Name: NamedCases { case reading, accepting, rejecting, accepted, rejected }

  public var name: Name {
    switch self {
    case .reading: .reading
    case .accepting: .accepting
    case .rejecting: .rejecting
    case .accepted: .accepted
    case .rejected: .rejected
    }
  }

  /// A word that can still become one.
  public struct Progress: Hashable, Sendable, Codable {
    let position: Pattern.Position
    let length: Int
  }

  /// A word that cannot.
  public struct Failing: Hashable, Sendable, Codable {
    let length: Int
    /// How many characters were all right.
    let good: Int
  }

  /// Characters of the word so far.
  var length: Int {
    switch self {
    case .reading(let progress), .accepting(let progress): progress.length
    case .rejecting(let failing): failing.length
    case .accepted(let length), .rejected(let length): length
    }
  }

  /// How many characters of the word were all right, if one was not.
  var good: Int? {
    if case .rejecting(let failing) = self { failing.good } else { nil }
  }

  /// Before a word.
  static func start(_ pattern: Pattern, haltOnFinal: Bool = false) -> WordState {
    WordState(pattern.start, length: 0, pattern, haltOnFinal: haltOnFinal)
  }

  private init(_ position: Pattern.Position, length: Int, _ pattern: Pattern, haltOnFinal: Bool) {
    let progress = Progress(position: position, length: length)
    if !pattern.isFinal(position) {
      self = .reading(progress)
    } else {
      self = haltOnFinal ? .accepted(length: length) : .accepting(progress)
    }
  }

  /// A state that was asked for by its name: the beginning of a word for `reading`, one to which nothing can be added
  /// for `accepting`.
  static func named(_ name: Name, _ pattern: Pattern, haltOnFinal: Bool = false) -> WordState {
    let accept = pattern.program.accept
    var places = pattern.program.start
    switch name {
    case .reading:
      places.remove(accept)
      return .reading(Progress(position: Pattern.Position(places: places), length: 0))
    case .accepting where haltOnFinal: return .accepted(length: 0)
    case .accepting:
      places = Array(repeating: 0, count: places.count)
      places.insert(accept)
      return .accepting(Progress(position: Pattern.Position(places: places), length: 0))
    case .rejecting: return .rejecting(Failing(length: 0, good: 0))
    case .accepted: return .accepted(length: 0)
    case .rejected: return .rejected(length: 0)
    }
  }

  /// Whether the places that a state was written with are places of the pattern.
  func isAtHome(in pattern: Pattern) -> Bool {
    switch self {
    case .reading(let progress), .accepting(let progress): pattern.has(progress.position)
    case .rejecting, .accepted, .rejected: true
    }
  }

  /// The state after more of the word; the same once it is over.
  func reading(_ text: String, _ pattern: Pattern, haltOnFinal: Bool = false) -> WordState {
    switch self {
    case .reading(let progress), .accepting(let progress):
      let run = pattern.run(text.unicodeScalars, from: progress.position, haltOnFinal: haltOnFinal)
      guard let position = run.state else {
        return .rejecting(
          Failing(length: progress.length + text.unicodeScalars.count, good: progress.length + run.read))
      }
      return WordState(position, length: progress.length + run.read, pattern, haltOnFinal: haltOnFinal)
    case .rejecting(let failing):
      return .rejecting(Failing(length: failing.length + text.unicodeScalars.count, good: failing.good))
    case .accepted, .rejected: return self
    }
  }

  /// The state after the end of the word.
  var ended: WordState {
    switch self {
    case .accepting(let progress): .accepted(length: progress.length)
    case .reading(let progress): .rejected(length: progress.length)
    case .rejecting(let failing): .rejected(length: failing.length)
    case .accepted, .rejected: self
    }
  }
}

/// What a machine that judges words gets.
public enum WordEvent: Sendable {
  case text(String)
  case char(Character)
  case end, reset
}

/// What it says: its judgement, and how many characters the word had.
public enum WordJudgement: OutputWithData {
  case accepted(length: Int)
  case rejected(length: Int)

  public enum Name: NamedCases { case accepted, rejected }

  public var name: Name {
    switch self {
    case .accepted: .accepted
    case .rejected: .rejected
    }
  }

  public var data: [Value] {
    switch self {
    case .accepted(let length), .rejected(let length): [.integer(length)]
    }
  }
}

/// A pattern as it is given, compiled when it is set, so that a step finds it made.
struct PatternParameter: Hashable, Sendable {
  static let example = PatternParameter("(ab|c)*d")

  let text: String
  private let compiled: Result<Pattern, PatternFailure>

  init(_ text: String) {
    self.text = text
    compiled = Result { () throws(PatternFailure) in try Pattern(text) }
  }

  var conflict: ParameterConflict? {
    guard case .failure(let failure) = compiled else { return nil }
    return ParameterConflict("pattern", allowed: "a regular expression; \(failure.text)")
  }

  /// About how many bytes of memory the compiled pattern takes.
  var compiledBytes: Int {
    guard case .success(let pattern) = compiled else { return 0 }
    return pattern.program.bytes
  }

  /// - Precondition: There is no ``conflict``.
  var pattern: Pattern {
    switch compiled {
    case .success(let pattern): pattern
    case .failure(let failure): preconditionFailure("a machine was made of a pattern that is none: \(failure.text)")
    }
  }

  static func == (left: Self, right: Self) -> Bool { left.text == right.text }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

// MARK: What the catalogue says of both kinds alike

extension ValueType {
  static let pattern = ValueType.text(bytes: 0...1_024)
  static let wordLength = ValueType.integer(0...Int.max)
}

extension EventForm<WordEvent> {
  static let ofWords: [EventForm] = [
    .event(
      WordEvent.text, .text("word", bytes: 0...65_536, like: ["abd", "ab", "x"]), about: "the word goes on with these"),
    .event(
      WordEvent.char, .character("c", like: [Character("c"), Character("d"), Character("x")]),
      about: "the word goes on with one character"),
    .event(.end, "the word ends"),
    .event(.reset, "forgets the word so far"),
  ]
}
