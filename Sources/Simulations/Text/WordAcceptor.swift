public import StateMachines

/// A formal automaton that judges one word by a pattern, and then has done its work.
///
/// | state | text, char | end | reset |
/// | --- | --- | --- | --- |
/// | reading, accepting | reading, accepting or rejecting | → rejected, accepted | → as when made |
/// | rejecting | stayed | → rejected | → as when made |
/// | accepted, rejected | refused | refused | → as when made |
///
/// A step to the same state is stayed. `rejecting` is what the automaton has no transition to: nothing that may follow
/// helps. The judgement is told by `accepted(length)` or `rejected(length)`.
///
/// With `haltOnFinal` the first final state ends the work: the automaton goes to `accepted` at once, and what is behind
/// that in the same text is not read. Where the empty word is accepted, that is when it is made.
///
/// ``RegexMatcher`` is the same automaton used as a tool: it judges one word after another.
///
/// The rest of a word is forgotten, only its length is kept; so a word may be of any length.
public struct WordAcceptor: LegacyMachine {
  public typealias State = WordState
  public typealias Event = WordEvent
  public typealias Output = WordJudgement

  public struct Parameters: ParameterSet {
    var compiled = PatternParameter.example
    var haltOnFinal = false
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
    let haltOnFinal = step.parameters.haltOnFinal
    state =
      initial.map { .named($0, pattern, haltOnFinal: haltOnFinal) } ?? .start(pattern, haltOnFinal: haltOnFinal)
    if initial == nil { Self.judge(state, step) }
  }

  public func isAtHome(with parameters: Parameters) -> Bool { state.isAtHome(in: parameters.compiled.pattern) }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.reading, .event(.text(let word))), (.accepting, .event(.text(let word))),
      (.rejecting, .event(.text(let word))):
      return read(word, step)
    case (.reading, .event(.char(let character))), (.accepting, .event(.char(let character))),
      (.rejecting, .event(.char(let character))):
      return read(String(character), step)
    case (.reading, .event(.end)), (.accepting, .event(.end)), (.rejecting, .event(.end)):
      Self.judge(state.ended, step)
      return .move(to: state.ended)
    case (.accepted, .event(.text)), (.accepted, .event(.char)), (.accepted, .event(.end)):
      return step.refuse("the word was accepted, and that was all; reset begins anew")
    case (.rejected, .event(.text)), (.rejected, .event(.char)), (.rejected, .event(.end)):
      return step.refuse("the word was rejected, and that was all; reset begins anew")
    case (_, .event(.reset)):
      let start = State.start(step.parameters.compiled.pattern, haltOnFinal: step.parameters.haltOnFinal)
      Self.judge(start, step)
      return start.name == state.name ? .stayAs(start) : .move(to: start)
    }
  }

  private func read(_ text: String, _ step: Step<Self>) -> Reaction<State> {
    let next = state.reading(text, step.parameters.compiled.pattern, haltOnFinal: step.parameters.haltOnFinal)
    Self.judge(next, step)
    return next.name == state.name ? .stayAs(next) : .move(to: next)
  }

  /// Tells a judgement, where a state is one.
  private static func judge(_ state: State, _ step: Step<Self>) {
    switch state {
    case .reading, .accepting, .rejecting: break
    case .accepted(let length): step.emit(.accepted(length: length))
    case .rejected(let length): step.emit(.rejected(length: length))
    }
  }
}

extension WordAcceptor {
  public static let kind = Kind(
    WordAcceptor.self, "acceptor", version: 2, "a formal automaton that judges one word by a pattern",
    form: .acceptor,
    origin: """
      the automaton of the textbooks: states, symbols, transitions, a start, final states; what it does after the \
      judgement is ours
      """,
    example: [
      "new acceptor a pattern=(ab|c)*d",
      "watch *",
      "send a text ca",
      "send a char b",
      "send a char d",
      "send a end",
      "can a",
      "new acceptor finder pattern=.*spam haltOnFinal=on",
      "send finder text \"no spam here\"",
    ],
    states: [
      .reading: "the word so far is not accepted; with more it may be",
      .accepting: "the word so far is accepted: the automaton is in a final state",
      .rejecting: "there was no transition: no word that begins like this is accepted",
      .accepted: "the work is done: the word is accepted",
      .rejected: "the work is done: the word is not accepted",
    ],
    events: EventForm.ofWords,
    outputs: [
      .accepted: .output(("length", .wordLength), about: "the word is accepted; how many characters were read"),
      .rejected: .output(("length", .wordLength), about: "the word is not accepted; how many characters it has"),
    ],
    readings: [
      .reading("length", .wordLength, "characters of the word so far") { machine, _, _ in machine.state.length },
      .reading("good", .wordLength, "characters before the one without a transition") {
        machine, _, _ in machine.state.good
      },
    ],
    parameters: [
      .required("pattern", \.pattern, .pattern, example: "(ab|c)*d", "the words to accept, as a regular expression"),
      .parameter("haltOnFinal", \.haltOnFinal, .flag, "on: the first final state ends the work"),
    ])
}
