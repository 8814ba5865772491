public import StateMachines

/// A formal automaton that judges one word by a pattern, and then stops.
///
/// | state | text, char | end | reset |
/// | --- | --- | --- | --- |
/// | reading, accepting | reading, accepting or rejecting | → rejected, accepted | → as when made |
/// | rejecting | stayed | → rejected | → as when made |
/// | accepted, rejected | refused | refused | → as when made |
///
/// A step to the same state is stayed. In `rejecting` the automaton has no transition, so nothing that follows can
/// help. The judgement is emitted as `accepted(length)` or `rejected(length)`.
///
/// With `haltOnFinal` the automaton moves to `accepted` at the first final state, and the rest of the text is not read.
/// If the empty word is accepted, that happens at the start.
///
/// ``RegexMatcher`` is the same automaton used as a tool: it judges one word after another.
///
/// Only the length of a word is kept, so a word may have any length.
public struct WordAcceptor: Machine {
  public typealias State = WordState
  public typealias Event = WordEvent
  public typealias Output = WordJudgement

  public struct Parameters: PatternParameters {
    var compiled = CompiledPattern.example
    var haltOnFinal = false
    public init() {}
  }

  public var state = State.rejected(length: 0)
  public init() {}

  public mutating func start(_ step: Step<Self>) -> State { tell(.start(step.parameters), step) }

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State { .named(name, step.parameters) }

  public func isValid(for parameters: Parameters) -> Bool { state.isValid(for: parameters) }

  public func place(for parameters: Parameters) -> String? { state.place(parameters) }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .text(let word): read(word, step)
    case .char(let character): read(String(character), step)
    case .end:
      switch state {
      case .reading, .accepting, .rejecting: .move(to: tell(state.ended, step))
      case .accepted, .rejected: refuse(step)
      }
    case .reset: state.going(to: tell(.start(step.parameters), step))
    }
  }

  private func read(_ text: String, _ step: Step<Self>) -> Reaction<State> {
    switch state {
    case .reading, .accepting, .rejecting: state.going(to: tell(state.reading(text, step.parameters), step))
    case .accepted, .rejected: refuse(step)
    }
  }

  private func refuse(_ step: Step<Self>) -> Reaction<State> {
    step.refuse("the word was \(state.name); send reset to start again")
  }

  /// Emits the judgement, if the next state is one.
  private func tell(_ next: State, _ step: Step<Self>) -> State {
    if let judgement = next.judgement { step.emit(judgement) }
    return next
  }

  public static let kind = Kind(
    WordAcceptor.self, "acceptor", version: 2, "a formal automaton that judges one word by a pattern",
    form: .acceptor,
    origin: "the automaton of the textbooks; its behaviour after the judgement is designed here",
    source: "talk",
    example: [
      "new acceptor a pattern=(ab|c)*d", "watch *", "send a text ca", "send a char b", "send a char d", "send a end",
      "can a", "new acceptor finder pattern=.*spam haltOnFinal=on", "send finder text \"no spam here\"",
    ],
    states: {
      switch $0 {
      case .reading: "the word so far is not accepted"
      case .accepting: "the word so far is accepted"
      case .rejecting: "there was no transition: no word with this beginning is accepted"
      case .accepted: "the word was accepted"
      case .rejected: "the word was not accepted"
      }
    },
    events: EventForm.ofWords,
    outputs: \.form,
    readings: [
      .reading("length", .count, \.state.length, "the number of characters so far"),
      .reading("good", .count, \.state.good, "the number of characters before the one without a transition"),
    ],
    parameters: [
      .pattern,
      .parameter("haltOnFinal", \.haltOnFinal, "on: the first final state ends the word"),
    ],
    samples: \.samples)
}
