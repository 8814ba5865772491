import MachineForms
public import StateMachines

/// The state of a machine that judges words by a pattern.
public enum WordState: StateWithData {
  /// The word so far is not accepted; with more it may be.
  case reading(PatternPosition, length: Int)
  /// The word so far is accepted.
  case accepting(PatternPosition, length: Int)
  /// No word that begins like this is accepted. The first `good` characters could begin one.
  case rejecting(length: Int, good: Int)
  /// The word was accepted; it had this many characters.
  case accepted(length: Int)
  /// The word was not accepted.
  case rejected(length: Int)

  public enum Name: NamedCases { case reading, accepting, rejecting, accepted, rejected }

  /// The number of characters of the word so far.
  var length: Int {
    switch self {
    case .reading(_, let length), .accepting(_, let length), .rejecting(let length, _), .accepted(let length),
      .rejected(let length):
      length
    }
  }

  /// The number of characters before the one without a transition; `nil` if there is none.
  var good: Int? { if case .rejecting(_, let good) = self { good } else { nil } }

  /// The state before a word.
  static func start(_ parameters: some PatternParameters) -> WordState {
    WordState(parameters.pattern.start, length: 0, parameters)
  }

  private init(_ position: PatternPosition, length: Int, _ parameters: some PatternParameters) {
    if !parameters.pattern.isFinal(position) {
      self = .reading(position, length: length)
    } else {
      self = parameters.haltOnFinal ? .accepted(length: length) : .accepting(position, length: length)
    }
  }

  /// A state asked for by its name: the beginning of a word for `reading`, and a place that allows no more characters
  /// for `accepting`.
  static func named(_ name: Name, _ parameters: some PatternParameters) -> WordState {
    let program = parameters.pattern.program
    return switch name {
    case .reading: .reading(PatternPosition(reading: program), length: 0)
    case .accepting where parameters.haltOnFinal: .accepted(length: 0)
    case .accepting: .accepting(PatternPosition(accepting: program), length: 0)
    case .rejecting: .rejecting(length: 0, good: 0)
    case .accepted: .accepted(length: 0)
    case .rejected: .rejected(length: 0)
    }
  }

  /// Whether a stored state's places are possible in the pattern.
  func isValid(for parameters: some PatternParameters) -> Bool {
    switch self {
    case .reading(let position, _), .accepting(let position, _): parameters.pattern.has(position)
    case .rejecting, .accepted, .rejected: true
    }
  }

  /// The state after more of the word; a judged word does not change.
  func reading(_ text: String, _ parameters: some PatternParameters) -> WordState {
    switch self {
    case .reading(let position, let length), .accepting(let position, let length):
      let run = parameters.pattern.run(text.unicodeScalars, from: position, haltOnFinal: parameters.haltOnFinal)
      if let next = run.state { return WordState(next, length: length + run.read, parameters) }
      return .rejecting(length: length + text.unicodeScalars.count, good: length + run.read)
    case .rejecting(let length, let good):
      return .rejecting(length: length + text.unicodeScalars.count, good: good)
    case .accepted, .rejected: return self
    }
  }

  /// The place in the pattern's automaton, for diagrams; `nil` if there are too many.
  func place(_ parameters: some PatternParameters) -> String? {
    guard let numbers = parameters.compiled.samples.value?.numbers, !numbers.isEmpty else { return nil }
    switch self {
    case .reading(let position, _), .accepting(let position, _): return numbers[position].map { "q\($0)" }
    case .rejecting, .accepted, .rejected: return ""
    }
  }

  /// The state after the end of the word.
  var ended: WordState {
    switch self {
    case .accepting: .accepted(length: length)
    case .reading, .rejecting: .rejected(length: length)
    case .accepted, .rejected: self
    }
  }

  /// The output of a state that is a judgement.
  var judgement: WordJudgement? {
    switch self {
    case .reading, .accepting, .rejecting: nil
    case .accepted(let length): .accepted(length: length)
    case .rejected(let length): .rejected(length: length)
    }
  }

  /// Stays if the next state has the same name, and moves otherwise.
  func going(to next: WordState) -> Reaction<WordState> { next.name == name ? .stayAs(next) : .move(to: next) }
}

/// The length of a word decides nothing.
extension WordState: PartlyIncidental {
  public enum Essence: Hashable, Codable, Sendable {
    case reading(PatternPosition), accepting(PatternPosition)
    case rejecting, accepted, rejected
  }

  public func essence(for parameters: any ParameterSet) -> Essence {
    switch self {
    case .reading(let position, _): .reading(position)
    case .accepting(let position, _): .accepting(position)
    case .rejecting: .rejecting
    case .accepted: .accepted
    case .rejected: .rejected
    }
  }
}

/// The events of a machine that judges words.
public enum WordEvent: MachineEvent {
  case text(String)
  case char(Character)
  case end, reset
}

/// The judgement, and the number of characters of the word.
public enum WordJudgement: OutputWithData {
  case accepted(length: Int)
  case rejected(length: Int)

  public enum Name: NamedCases { case accepted, rejected }
}

/// The parameters of a machine that judges words by a pattern.
protocol PatternParameters: ParameterSet {
  var compiled: CompiledPattern { get set }
  /// Whether the machine stops at the first final state.
  var haltOnFinal: Bool { get }
}

extension PatternParameters {
  var text: String {
    get { compiled.text }
    set { compiled = CompiledPattern(newValue) }
  }

  /// - Precondition: There is no ``conflict``.
  var pattern: Pattern {
    switch compiled.result.value {
    case .success(let pattern): pattern
    case .failure(let failure): preconditionFailure("a machine was made of a pattern that is none: \(failure.text)")
    }
  }

  public var conflict: ParameterConflict? {
    guard case .failure(let failure) = compiled.result.value else { return nil }
    return ParameterConflict("pattern", allowed: "a regular expression; \(failure.text)")
  }

  /// Words and letters for dry runs.
  var samples: EventSamples<WordEvent> { compiled.samples.value?.all ?? EventSamples() }

  /// The memory of the compiled pattern, in bytes, estimated.
  public var compiledBytes: Int {
    guard case .success(let pattern) = compiled.result.value else { return 0 }
    return pattern.program.bytes
  }
}

/// A pattern as text and compiled.
struct CompiledPattern: Hashable, Sendable {
  static let example = CompiledPattern("(ab|c)*d")

  let text: String
  let result: Derived<Result<Pattern, PatternFailure>>
  /// Words and letters for dry runs: those that the pattern tells apart.
  let samples: Derived<WordSamples<PatternPosition>?>

  init(_ text: String) {
    self.text = text
    let result = Result { () throws(PatternFailure) in try Pattern(text) }
    self.result = Derived(result)
    samples = Derived((try? result.get()).map { CompiledPattern.samples(of: $0, text) })
  }

  private static func samples(of pattern: Pattern, _ text: String) -> WordSamples<PatternPosition> {
    let program = pattern.program
    let all = program.letters
    let letters = Array(all.prefix(WordLimits.letters))
    let isLiteral = pattern.run(text.unicodeScalars, from: pattern.start, haltOnFinal: false).isAccepted
    return WordSamples(
      of: pattern, from: [pattern.start, PatternPosition(reading: program), PatternPosition(accepting: program)],
      letters: letters, areLettersAll: letters.count == all.count && program.areClassesOfASCII,
      word: isLiteral ? text : "")
  }
}

// MARK: The catalogue entries of both kinds

extension ValueType {
  static let pattern = ValueType.text(bytes: 0...1_024)
}

extension ParameterForm where Parameters: PatternParameters {
  static var pattern: ParameterForm {
    .required("pattern", \.text, .pattern, example: "(ab|c)*d", "the words to accept, as a regular expression")
  }
}

extension EventForm<WordEvent> {
  static let ofWords: [EventForm] = [
    .event(WordEvent.text, .text("word", bytes: 0...65_536, suchAs: ["abd", "ab", "x"]), about: "appends characters"),
    .event(
      WordEvent.char, .character("c", suchAs: [Character("c"), Character("d"), Character("x")]),
      about: "appends one character"),
    .event(.end, "the word ends"),
    .event(.reset, "discards the word, and starts again"),
  ]
}
