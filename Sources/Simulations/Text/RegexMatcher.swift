public import StateMachines

/// A regular expression that judges one word after another.
///
/// | state | text, char | end | reset |
/// | --- | --- | --- | --- |
/// | reading, accepting | reading, accepting or rejecting | → rejected, accepted | → reading or accepting |
/// | rejecting | stayed | → rejected | → reading or accepting |
/// | accepted, rejected | the next word begins: reading, accepting or rejecting | → accepted or rejected, of the empty word | → reading or accepting |
///
/// A step to the same state is stayed, but `end` always moves, because it ends a word. The judgement is emitted as
/// `accepted(length)` or `rejected(length)`. A word must be accepted as a whole.
///
/// ``WordAcceptor`` is the same automaton in its formal use: it judges one word and stops. It can halt at the first
/// final state, which has no use for whole words.
public struct RegexMatcher: Machine {
  public typealias State = WordState
  public typealias Event = WordEvent
  public typealias Output = WordJudgement

  public struct Parameters: PatternParameters {
    var compiled = CompiledPattern.example
    let haltOnFinal = false
    public init() {}
  }

  public var state = State.rejected(length: 0)
  public init() {}

  public mutating func start(_ step: Step<Self>) -> State { .start(step.parameters) }

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State { .named(name, step.parameters) }

  public func isValid(for parameters: Parameters) -> Bool { state.isValid(for: parameters) }

  public func place(for parameters: Parameters) -> String? { state.place(parameters) }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .text(let text): return state.going(to: word(step).reading(text, step.parameters))
    case .char(let character): return state.going(to: word(step).reading(String(character), step.parameters))
    case .end:
      let next = word(step).ended
      if let judgement = next.judgement { step.emit(judgement) }
      return .move(to: next)
    case .reset: return state.going(to: .start(step.parameters))
    }
  }

  /// The word that continues: a new one, if the last was judged.
  private func word(_ step: Step<Self>) -> State {
    switch state {
    case .reading, .accepting, .rejecting: state
    case .accepted, .rejected: .start(step.parameters)
    }
  }

  public static let kind = Kind(
    RegexMatcher.self, "regex", version: 2, "a regular expression that judges one word after another",
    form: .acceptor,
    origin: "Thompson's construction; the notation is common to most tools, without anchors, counts and captures",
    source: "talk",
    example: [
      "new regex r pattern=[a-z]+(-[0-9]+)?", "watch r", "send r text item-42", "send r end", "send r text item-",
      "send r end", "send r text 42", "show r",
    ],
    states: {
      switch $0 {
      case .reading: "the word so far is not accepted"
      case .accepting: "the word so far is accepted"
      case .rejecting: "no word with this beginning is accepted"
      case .accepted: "the last word was accepted, and the next has not begun"
      case .rejected: "the last word was not accepted, and the next has not begun"
      }
    },
    events: EventForm.ofWords,
    outputs: {
      switch $0 {
      case .accepted: .output(("length", .count), about: "the word is accepted, with its number of characters")
      case .rejected: .output(("length", .count), about: "the word is not accepted, with its number of characters")
      }
    },
    readings: [
      .reading("length", .count, \.state.length, "the number of characters so far"),
      .reading("good", .count, \.state.good, "the number of characters before the first that does not match"),
    ],
    parameters: [.pattern],
    samples: \.samples)
}
