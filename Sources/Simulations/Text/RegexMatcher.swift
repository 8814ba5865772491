public import StateMachines

/// A regular expression to which one word after another is given.
///
/// | state | text, char | end | reset |
/// | --- | --- | --- | --- |
/// | reading, accepting | reading, accepting or rejecting | → rejected, accepted | → reading or accepting |
/// | rejecting | stayed | → rejected | → reading or accepting |
/// | accepted, rejected | the next word begins: reading, accepting or rejecting | → accepted or rejected, of the empty word | → reading or accepting |
///
/// A step to the same state is stayed, but an `end` always moves: it ends a word. The judgement is told by
/// `accepted(length)` or `rejected(length)`. A word must be accepted as a whole.
///
/// ``WordAcceptor`` is the same automaton as the formal thing: it judges one word and is done, and it can halt at the
/// first final state, which makes no sense for whole words.
public struct RegexMatcher: LegacyMachine {
  public typealias State = WordState
  public typealias Event = WordEvent
  public typealias Output = WordJudgement

  public struct Parameters: ParameterSet {
    var compiled = PatternParameter.example
    public init() {}

    var pattern: String {
      get { compiled.text }
      set { compiled = PatternParameter(newValue) }
    }

    public var conflict: ParameterConflict? { compiled.conflict }
    public var compiledBytes: Int { compiled.compiledBytes }
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    let pattern = step.parameters.compiled.pattern
    state = initial.map { .named($0, pattern) } ?? .start(pattern)
  }

  public func isAtHome(with parameters: Parameters) -> Bool { state.isAtHome(in: parameters.compiled.pattern) }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.reading, .event(.text(let word))), (.accepting, .event(.text(let word))),
      (.rejecting, .event(.text(let word))):
      return read(word, after: state, step)
    case (.accepted, .event(.text(let word))), (.rejected, .event(.text(let word))):
      return read(word, after: .start(step.parameters.compiled.pattern), step)
    case (.reading, .event(.char(let character))), (.accepting, .event(.char(let character))),
      (.rejecting, .event(.char(let character))):
      return read(String(character), after: state, step)
    case (.accepted, .event(.char(let character))), (.rejected, .event(.char(let character))):
      return read(String(character), after: .start(step.parameters.compiled.pattern), step)
    case (.reading, .event(.end)), (.accepting, .event(.end)), (.rejecting, .event(.end)):
      return end(state, step)
    case (.accepted, .event(.end)), (.rejected, .event(.end)):
      return end(.start(step.parameters.compiled.pattern), step)
    case (_, .event(.reset)):
      let start = State.start(step.parameters.compiled.pattern)
      return start.name == state.name ? .stayAs(start) : .move(to: start)
    }
  }

  private func read(_ text: String, after before: State, _ step: Step<Self>) -> Reaction<State> {
    let next = before.reading(text, step.parameters.compiled.pattern)
    return next.name == state.name ? .stayAs(next) : .move(to: next)
  }

  private func end(_ word: State, _ step: Step<Self>) -> Reaction<State> {
    let next = word.ended
    if case .accepted = next {
      step.emit(.accepted(length: next.length))
    } else {
      step.emit(.rejected(length: next.length))
    }
    return .move(to: next)
  }
}

extension RegexMatcher {
  public static let kind = Kind(
    RegexMatcher.self, "regex", version: 2, "a regular expression that judges one word after another",
    form: .acceptor,
    origin: """
      Thompson's construction with sets of its states as states; the notation is the common core of what tools have, \
      without anchors, counts and captures
      """,
    example: [
      "new regex r pattern=[a-z]+(-[0-9]+)?",
      "watch r",
      "send r text item-42",
      "send r end",
      "send r text item-",
      "send r end",
      "send r text 42",
      "show r",
    ],
    states: [
      .reading: "the word so far is not accepted; with more it may be",
      .accepting: "the word so far is accepted",
      .rejecting: "no word that begins like this is accepted",
      .accepted: "the last word was accepted, and the next has not begun",
      .rejected: "the last word was not accepted, and the next has not begun",
    ],
    events: EventForm.ofWords,
    outputs: [
      .accepted: .output(("length", .wordLength), about: "the word is accepted; how many characters it has"),
      .rejected: .output(("length", .wordLength), about: "the word is not accepted; how many characters it has"),
    ],
    readings: [
      .reading("length", .wordLength, "characters of the word so far") { machine, _, _ in machine.state.length },
      .reading("good", .wordLength, "characters before the one that cannot stand there") {
        machine, _, _ in machine.state.good
      },
    ],
    parameters: [
      .required("pattern", \.pattern, .pattern, example: "(ab|c)*d", "the words to accept, as a regular expression")
    ])
}
