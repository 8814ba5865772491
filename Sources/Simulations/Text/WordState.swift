import MachineForms
public import StateMachines

/// The state of a machine that judges words by a pattern.
public enum WordState: StateWithData {
  /// The word so far is not accepted; with more it may be.
  case reading(PatternPosition, length: Int)
  /// The word so far is accepted.
  case accepting(PatternPosition, length: Int)
  /// No word that begins like this is accepted; so many characters were all right.
  case rejecting(length: Int, good: Int)
  /// The word was accepted; so many characters.
  case accepted(length: Int)
  /// The word was not accepted.
  case rejected(length: Int)

  public enum Name: NamedCases { case reading, accepting, rejecting, accepted, rejected }

  /// Characters of the word so far.
  var length: Int {
    switch self {
    case .reading(_, let length), .accepting(_, let length), .rejecting(let length, _), .accepted(let length),
      .rejected(let length):
      length
    }
  }

  /// How many characters of the word were all right, if one was not.
  var good: Int? { if case .rejecting(_, let good) = self { good } else { nil } }

  /// Before a word.
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

  /// A state that was asked for by its name: the beginning of a word for `reading`, one to which nothing can be added
  /// for `accepting`.
  static func named(_ name: Name, _ parameters: some PatternParameters) -> WordState {
    let accept = parameters.pattern.program.accept
    var places = parameters.pattern.program.start
    switch name {
    case .reading:
      places.remove(accept)
      return .reading(PatternPosition(places: places), length: 0)
    case .accepting where parameters.haltOnFinal: return .accepted(length: 0)
    case .accepting:
      places = Array(repeating: 0, count: places.count)
      places.insert(accept)
      return .accepting(PatternPosition(places: places), length: 0)
    case .rejecting: return .rejecting(length: 0, good: 0)
    case .accepted: return .accepted(length: 0)
    case .rejected: return .rejected(length: 0)
    }
  }

  /// Whether the places that a state was written with are places of the pattern.
  func isValid(for parameters: some PatternParameters) -> Bool {
    switch self {
    case .reading(let position, _), .accepting(let position, _): parameters.pattern.has(position)
    case .rejecting, .accepted, .rejected: true
    }
  }

  /// The state after more of the word; the same once it is over.
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

  /// The state after the end of the word.
  var ended: WordState {
    switch self {
    case .accepting: .accepted(length: length)
    case .reading, .rejecting: .rejected(length: length)
    case .accepted, .rejected: self
    }
  }

  /// What is said of the word, where the state is a judgement.
  var judgement: WordJudgement? {
    switch self {
    case .reading, .accepting, .rejecting: nil
    case .accepted(let length): .accepted(length: length)
    case .rejected(let length): .rejected(length: length)
    }
  }

  /// A step to the same state stays in it.
  func going(to next: WordState) -> Reaction<WordState> { next.name == name ? .stayAs(next) : .move(to: next) }
}

/// What a machine that judges words gets.
public enum WordEvent: MachineEvent {
  case text(String)
  case char(Character)
  case end, reset
}

/// What it says: its judgement, and how many characters the word had.
public enum WordJudgement: OutputWithData {
  case accepted(length: Int)
  case rejected(length: Int)

  public enum Name: NamedCases { case accepted, rejected }
}

/// The parameters of a machine that judges words by a pattern.
protocol PatternParameters: ParameterSet {
  var compiled: CompiledPattern { get set }
  /// Whether the first final state ends the work.
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

  /// About how many bytes of memory the compiled pattern takes.
  public var compiledBytes: Int {
    guard case .success(let pattern) = compiled.result.value else { return 0 }
    return pattern.program.bytes
  }
}

/// A pattern as it is given, and compiled.
struct CompiledPattern: Hashable, Sendable {
  static let example = CompiledPattern("(ab|c)*d")

  let text: String
  let result: Derived<Result<Pattern, PatternFailure>>

  init(_ text: String) {
    self.text = text
    result = Derived(Result { () throws(PatternFailure) in try Pattern(text) })
  }
}

// MARK: What the catalogue says of both kinds alike

extension ValueType {
  static let pattern = ValueType.text(bytes: 0...1_024)
  static let wordLength = ValueType.integer(0...Int.max)
}

extension ParameterForm where Parameters: PatternParameters {
  static var pattern: ParameterForm {
    .required("pattern", \.text, .pattern, example: "(ab|c)*d", "the words to accept, as a regular expression")
  }
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
