import MachineForms
import StateMachines

/// The words of a kind that releases differ in, and what its rule does with them.
protocol LampRelease: Sendable {
  static var states: [String] { get }
  static var events: [String] { get }
  static var timers: [String] { get }
  static var outputs: [String] { get }
  static var parameters: [String] { get }
  static var version: Int { get }
  /// Whether a second press puts it out.
  static var goesOut: Bool { get }
  /// What `dim` takes.
  static var levels: ValueType { get }
  static var burn: Interval { get }
}

extension LampRelease {
  static var states: [String] { ["dark", "lit"] }
  static var events: [String] { ["press", "dim", "nudge", "spare"] }
  static var timers: [String] { ["burn", "cool"] }
  static var outputs: [String] { ["on", "off", "warm"] }
  static var parameters: [String] { ["burn", "level"] }
  static var version: Int { 1 }
  static var goesOut: Bool { true }
  static var levels: ValueType { .integer(0...9) }
  static var burn: Interval { .seconds(60) }
}

/// A lamp as some release has it: pressed it is lit until it has burnt long enough, or is pressed again, and then cools.
struct ReleasedLamp<Release: LampRelease>: LegacyMachine {
  struct State: MachineState {
    let word: String
    static var words: [String] { Release.states }
    var data: String? { nil }
  }

  struct TimerName: ReleasedWord {
    let word: String
    static var words: [String] { Release.timers }
  }

  struct Output: ReleasedWord, OutputWithData {
    let word: String
    static var words: [String] { Release.outputs }
  }

  enum Event: Sendable { case press, dim(Int), nudge, other }

  struct Parameters: ParameterSet {
    var burn = Release.burn
    var level = 3
    var colour = 1
  }

  var state: State
  private var presses = 0

  init(initial: State?, _ step: Step<Self>) {
    state = initial ?? State(word: "dark")
  }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(.press):
      presses += 1
      if state.word == "dark" {
        step.arm(TimerName(word: "burn"), after: step.parameters.burn)
        emit("on", step)
        return .move(to: State(word: "lit"))
      }
      guard Release.goesOut else { return .ignore }
      step.disarm(TimerName(word: "burn"))
      return goOut(step)
    case .expired(let timer) where timer.word == "burn": return goOut(step)
    case .expired: return .stay
    case .event(.dim(let level)): return level > step.parameters.level ? step.refuse("it is too bright") : .stay
    case .event(.nudge), .event(.other): return .ignore
    }
  }

  private func goOut(_ step: Step<Self>) -> Reaction<State> {
    if Release.timers.contains("cool") { step.arm(TimerName(word: "cool"), after: .seconds(5)) }
    emit("off", step)
    return .move(to: State(word: "dark"))
  }

  private func emit(_ output: String, _ step: Step<Self>) {
    if Release.outputs.contains(output) { step.emit(Output(word: output)) }
  }

  func asksFor(_ timer: TimerName) -> Bool { true }

  /// Pairs can be written down only, and the lists are short.
  private static func pairs<Key, Form>(_ keys: [Key], _ form: Form) -> KeyValuePairs<Key, Form> {
    switch keys.count {
    case 1: [keys[0]: form]
    case 2: [keys[0]: form, keys[1]: form]
    case 3: [keys[0]: form, keys[1]: form, keys[2]: form]
    case 4: [keys[0]: form, keys[1]: form, keys[2]: form, keys[3]: form]
    case _: preconditionFailure("a list has one to four words")
    }
  }

  static var entry: CatalogueEntry {
    .machine(
      Kind(
        Self.self, "lamp", version: Release.version, "a lamp, for tests",
        states: State.all.map { ($0, "") }, initialStates: State.all.map { ($0.word, $0) },
        events: Release.events.map { word in
          switch word {
          case "press": .event(.press, "lit or put out")
          case "dim":
            switch Release.levels {
            case .integer: .event(Event.dim, .integer("level", 0...9), about: "darker")
            case _: .event({ (text: String) in Event.dim(text.utf8.count) }, .text("level"), about: "darker")
            }
          case "nudge": .event(.nudge, "nothing comes of it")
          case let other: .event(Event.other, "nothing comes of it").named(other)
          }
        },
        timers: pairs(Release.timers.map(TimerName.init), TimerForm.computed("for tests")),
        outputs: pairs(Release.outputs.map(Output.init), OutputForm.output(about: "for tests")),
        parameters: Release.parameters.map { word in
          switch word {
          case "burn": .parameter("burn", \.burn, .interval(.zero ... .longest), "how long it burns")
          case "level": .parameter("level", \.level, .integer(0...9), "the most that can be dimmed")
          case let other: .parameter(other, \.colour, .integer(0...9), "its colour")
          }
        }))
  }
}

/// A word of a list that a release has.
protocol ReleasedWord: NamedCases {
  init(word: String)
  var word: String { get }
}

extension ReleasedWord {
  var index: Int { Self.words.firstIndex(of: word) ?? 0 }
  init(at index: Int) { self.init(word: Self.words[index]) }
}

extension ReleasedLamp.State: ReleasedWord {}
