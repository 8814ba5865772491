import MachineForms
public import StateMachines

/// A finite automaton given by its five parts. It judges one word and then stops.
///
/// | state | text, char | end | reset |
/// | --- | --- | --- | --- |
/// | reading, accepting | reading, accepting or rejecting | → rejected, accepted | → as when made |
/// | rejecting | stayed | → rejected | → as when made |
/// | accepted, rejected | refused | refused | → as when made |
///
/// The parts are parameters: the states S, of which the first is the start s₀, the symbols Σ, the transitions δ and the
/// accepting states F. δ may be partial: a word without a transition is rejected, whatever follows. The reading `at` is
/// the automaton's state. A step that keeps the machine's state is stayed.
///
/// ``WordAcceptor`` is given by an expression instead; `haltOnFinal` works as there. Both count in Unicode scalars, and
/// keep the word's length but not the word.
public struct Automaton: Machine {
  public enum State: StateWithData {
    /// The word so far leads to a state that does not accept, or to one that does.
    case reading(String, length: Int), accepting(String, length: Int)
    /// No word that begins like this is accepted.
    case rejecting(length: Int)
    case accepted(length: Int), rejected(length: Int)

    public enum Name: NamedCases { case reading, accepting, rejecting, accepted, rejected }
  }

  public typealias Event = WordEvent
  public typealias Output = WordJudgement

  public struct Parameters: ParameterSet {
    var states = "even,odd" { didSet { build() } }
    var alphabet = "01" { didSet { build() } }
    var transitions = "even:0:even,even:1:odd,odd:0:odd,odd:1:even" { didSet { build() } }
    var accepting = "even" { didSet { build() } }
    var haltOnFinal = false
    private var built = Derived(Result<Acceptor<String, Unicode.Scalar>, ParameterConflict>.failure(incomplete))
    /// For dry runs.
    private(set) var samples = Derived(EventSamples<WordEvent>())

    private static let incomplete = ParameterConflict("states", allowed: "the states of the automaton")

    public init() { build() }

    private mutating func build() {
      built = Derived(Result { () throws(ParameterConflict) in try acceptor() })
      guard case .success(let automaton) = built.value else { return }
      samples = Derived(Self.samples(of: automaton))
    }

    /// Words and letters: those of the alphabet, and one that is not in it.
    private static func samples(of automaton: Acceptor<String, Unicode.Scalar>) -> EventSamples<WordEvent> {
      var letters = Array(automaton.alphabet.sorted().prefix(WordLimits.letters))
      let areAll = letters.count == automaton.alphabet.count && letters.allSatisfy(\.isASCII)
      if let other = "xyz?".unicodeScalars.first(where: { !automaton.alphabet.contains($0) }) { letters.append(other) }
      let starts = [
        automaton.start, automaton.states.subtracting(automaton.finals).min(), automaton.finals.min(),
      ].compactMap { $0 }
      return WordSamples(of: automaton, from: starts, letters: letters, areLettersAll: areAll, word: "").all
    }

    private func acceptor() throws(ParameterConflict) -> Acceptor<String, Unicode.Scalar> {
      let names = Self.words(states)
      let symbols = Set(alphabet.unicodeScalars)
      guard let start = names.first, !names.contains(""), Set(names).count == names.count else {
        throw ParameterConflict("states", allowed: "different names with commas between, the start first")
      }
      var table: [String: [Unicode.Scalar: String]] = [:]
      for word in Self.words(transitions) {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, names.contains(parts[0]), names.contains(parts[2]), parts[1].unicodeScalars.count == 1,
          let symbol = parts[1].unicodeScalars.first, symbols.contains(symbol)
        else {
          throw ParameterConflict(
            "transitions", allowed: "state:symbol:state with commas between, of states and alphabet; '\(word)' is not")
        }
        guard table[parts[0]]?[symbol] == nil else {
          throw ParameterConflict("transitions", allowed: "one from a state by a symbol; '\(word)' is another one")
        }
        table[parts[0], default: [:]][symbol] = parts[2]
      }
      let finals = Self.words(accepting)
      if let stranger = finals.first(where: { !names.contains($0) }) {
        throw ParameterConflict("accepting", allowed: "of the states, with commas between; '\(stranger)' is none")
      }
      return Acceptor(start: start, finals: Set(finals), transitions: table)
    }

    private static func words(_ text: String) -> [String] {
      text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    public var conflict: ParameterConflict? {
      guard case .failure(let conflict) = built.value else { return nil }
      return conflict
    }

    /// A table entry takes about a hundred bytes.
    public var compiledBytes: Int { 100 * transitions.utf8.count { $0 == UInt8(ascii: ",") } + 400 }

    /// - Precondition: There is no ``conflict``.
    var automaton: Acceptor<String, Unicode.Scalar> {
      switch built.value {
      case .success(let automaton): automaton
      case .failure(let conflict): preconditionFailure("an automaton was made of parts that do not fit: \(conflict)")
      }
    }
  }

  public var state = State.rejected(length: 0)
  public init() {}

  public mutating func start(_ step: Step<Self>) -> State { tell(begin(step.parameters), step) }

  /// The state of this name before a word; the start as it really is, if the parts rule that state out: `reading` where
  /// all states accept, `accepting` and `accepted` where none does, `accepting` with `haltOnFinal`.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    let automaton = step.parameters.automaton
    switch name {
    case .reading:
      guard let place = automaton.states.subtracting(automaton.finals).min() else { break }
      return .reading(place, length: 0)
    case .accepting:
      guard !step.parameters.haltOnFinal, let place = automaton.finals.min() else { break }
      return .accepting(place, length: 0)
    case .rejecting: return .rejecting(length: 0)
    case .accepted:
      if automaton.finals.isEmpty { break }
      return .accepted(length: 0)
    case .rejected: return .rejected(length: 0)
    }
    return start(step)
  }

  public func isValid(for parameters: Parameters) -> Bool {
    switch state {
    case .reading(let place, _), .accepting(let place, _): parameters.automaton.states.contains(place)
    case .rejecting, .accepted, .rejected: true
    }
  }

  /// The automaton's state.
  public func place(for parameters: Parameters) -> String? {
    let states = parameters.automaton.states
    guard states.count <= WordLimits.places, states.allSatisfy({ !$0.contains(".") && !$0.contains("+") }) else {
      return nil
    }
    return state.at ?? ""
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .text(let word): read(word, step)
    case .char(let character): read(String(character), step)
    case .end:
      switch state {
      case .accepting(_, let length): .move(to: tell(.accepted(length: length), step))
      case .reading(_, let length), .rejecting(let length): .move(to: tell(.rejected(length: length), step))
      case .accepted, .rejected: refuse(step)
      }
    case .reset: going(to: tell(begin(step.parameters), step))
    }
  }

  private func read(_ text: String, _ step: Step<Self>) -> Reaction<State> {
    switch state {
    case .reading(let place, let length), .accepting(let place, let length):
      let parameters = step.parameters
      let run = parameters.automaton.run(text.unicodeScalars, from: place, haltOnFinal: parameters.haltOnFinal)
      let next: State =
        if let end = run.state {
          self.state(at: end, length: length + run.read, parameters)
        } else {
          .rejecting(length: length + text.unicodeScalars.count)
        }
      return going(to: tell(next, step))
    case .rejecting(let length): return .stayAs(.rejecting(length: length + text.unicodeScalars.count))
    case .accepted, .rejected: return refuse(step)
    }
  }

  private func begin(_ parameters: Parameters) -> State {
    state(at: parameters.automaton.start, length: 0, parameters)
  }

  private func state(at place: String, length: Int, _ parameters: Parameters) -> State {
    guard parameters.automaton.isFinal(place) else { return .reading(place, length: length) }
    return parameters.haltOnFinal ? .accepted(length: length) : .accepting(place, length: length)
  }

  private func refuse(_ step: Step<Self>) -> Reaction<State> {
    step.refuse("the word was \(state.name), and that was all; reset begins anew")
  }

  private func going(to next: State) -> Reaction<State> { next.name == state.name ? .stayAs(next) : .move(to: next) }

  /// Emits the judgement, if the next state is one.
  private func tell(_ next: State, _ step: Step<Self>) -> State {
    switch next {
    case .accepted(let length): step.emit(.accepted(length: length))
    case .rejected(let length): step.emit(.rejected(length: length))
    case .reading, .accepting, .rejecting: break
    }
    return next
  }
}

/// The length of a word decides nothing.
extension Automaton.State: PartlyIncidental {
  public enum Essence: Hashable, Codable, Sendable {
    case reading(String), accepting(String)
    case rejecting, accepted, rejected
  }

  public func essence(for parameters: any ParameterSet) -> Essence {
    switch self {
    case .reading(let place, _): .reading(place)
    case .accepting(let place, _): .accepting(place)
    case .rejecting: .rejecting
    case .accepted: .accepted
    case .rejected: .rejected
    }
  }
}

extension Automaton.State {
  fileprivate var at: String? {
    switch self {
    case .reading(let place, _), .accepting(let place, _): place
    case .rejecting, .accepted, .rejected: nil
    }
  }

  fileprivate var length: Int {
    switch self {
    case .reading(_, let length), .accepting(_, let length), .rejecting(let length), .accepted(let length),
      .rejected(let length):
      length
    }
  }
}

extension Automaton {
  public static let kind = Kind(
    Automaton.self, "automaton", "a finite automaton, defined by states, alphabet, transitions and accepting states",
    form: .acceptor,
    origin: "the automaton of the textbooks, written as its formal definition: M = (S, Σ, δ, s₀, F)",
    source: "talk",
    example: [
      "new automaton a states=even,odd alphabet=01 transitions=even:0:even,even:1:odd,odd:0:odd,odd:1:even accepting=even",
      "watch a", "send a text 1001", "show a", "send a char 1", "send a end", "send a reset", "send a text 2", "can a",
    ],
    states: {
      switch $0 {
      case .reading: "the automaton is in a state that does not accept"
      case .accepting: "the automaton is in a state that accepts"
      case .rejecting: "there was no transition: no word with this beginning is accepted"
      case .accepted: "the word was accepted"
      case .rejected: "the word was not accepted"
      }
    },
    events: [
      .event(WordEvent.text, .text("word", bytes: 0...65_536, suchAs: ["1", "11", "x"]), about: "appends characters"),
      .event(
        WordEvent.char, .character("c", suchAs: [Character("0"), Character("1"), Character("x")]),
        about: "appends one character"),
      .event(.end, "the word ends"),
      .event(.reset, "discards the word, and starts again"),
    ],
    outputs: \.form,
    readings: [
      .reading("at", .text(bytes: 1...1_024), \.state.at, "the present state; none after the end"),
      .reading("length", .count, \.state.length, "the number of characters so far"),
    ],
    parameters: [
      .required("states", \.states, .text(bytes: 1...1_024), example: "even,odd", "the states, the start first"),
      .required("alphabet", \.alphabet, .text(bytes: 1...1_024), example: "01", "the symbols, one character each"),
      .required(
        "transitions", \.transitions, .text(bytes: 0...4_096),
        example: "even:0:even,even:1:odd,odd:0:odd,odd:1:even", "state:symbol:state, separated by commas"),
      .required("accepting", \.accepting, .text(bytes: 0...1_024), example: "even", "the accepting states"),
      .parameter("haltOnFinal", \.haltOnFinal, "on: the first accepting state ends the word"),
    ],
    samples: \.samples.value)
}

extension WordJudgement.Name {
  /// The description shared by the kinds that judge words.
  var form: OutputForm {
    switch self {
    case .accepted: .output(("length", .count), about: "the word is accepted, with the number of characters read")
    case .rejected: .output(("length", .count), about: "the word is not accepted, with its number of characters")
    }
  }
}
