import MachineForms
import StateMachines

/// The words of a kind that differ between releases, and the effects of its rule.
protocol LampRelease: Sendable {
  static var states: [String] { get }
  static var events: [String] { get }
  static var timers: [String] { get }
  static var outputs: [String] { get }
  static var parameters: [String] { get }
  static var version: Int { get }
  /// Whether a second press turns it off.
  static var goesOut: Bool { get }
  /// The type of the argument of `dim`.
  static var levels: ValueType { get }
  static var burn: Nanoseconds { get }
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
  static var burn: Nanoseconds { .seconds(60) }
}

/// A lamp in some release: a press lights it until it has burnt long enough or is pressed again; then it cools.
struct ReleasedLamp<Release: LampRelease>: Machine {
  struct State: MachineState, ReleasedWord {
    let word: String
    static var words: [String] { Release.states }
    var data: String? { nil }
  }

  struct Output: MachineOutput, ReleasedWord {
    let word: String
    static var words: [String] { Release.outputs }
  }

  enum Event: MachineEvent { case press, dim(Int), nudge, other, burnt, cooled, blinked }

  struct Parameters: ParameterSet {
    var burn = Release.burn
    var level = 3
    var colour = 1
  }

  var state = State(word: "dark")
  private var presses = 0

  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    state.word == "lit" ? .after(parameters.burn, .burnt) : .none
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .press:
      presses += 1
      if state.word == "dark" {
        emit("on", step)
        return .move(to: State(word: "lit"))
      }
      return Release.goesOut ? goOut(step) : .ignore
    case .burnt: return goOut(step)
    case .cooled, .blinked: return .stay
    case .dim(let level): return level > step.parameters.level ? step.refuse("it is too bright") : .stay
    case .nudge, .other: return .ignore
    }
  }

  private func goOut(_ step: Step<Self>) -> Reaction<State> {
    if Release.timers.contains("cool") { step.arm(.cooled, after: .seconds(5)) }
    emit("off", step)
    return .move(to: State(word: "dark"))
  }

  private func emit(_ output: String, _ step: Step<Self>) {
    if Release.outputs.contains(output) { step.emit(Output(word: output)) }
  }

  static var entry: CatalogueEntry {
    .machine(
      Kind(
        Self.self, "lamp", version: Release.version, "a lamp, for tests",
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
        timers: Release.timers.map { word in
          switch word {
          case "burn": .timer(.burnt, named: word, "for tests")
          case "cool": .timer(.cooled, named: word, "for tests")
          case _: .timer(.blinked, named: word, "for tests")
          }
        },
        outputs: { _ in .output(about: "for tests") },
        parameters: Release.parameters.map { word in
          switch word {
          case "burn": .parameter("burn", \.burn, .interval(.zero ... .longest), "how long it burns")
          case "level": .parameter("level", \.level, .integer(0...9), "the most that can be dimmed")
          case let other: .parameter(other, \.colour, .integer(0...9), "its colour")
          }
        }))
  }
}

/// A word of a release's list.
protocol ReleasedWord: NamedCases where AllCases == [Self] {
  init(word: String)
  var word: String { get }
}

extension ReleasedWord {
  static var allCases: [Self] { words.map(Self.init) }
  static var count: Int { words.count }
  var index: Int { Self.words.firstIndex(of: word) ?? 0 }
  init(at index: Int) { self.init(word: Self.words[index]) }
}
