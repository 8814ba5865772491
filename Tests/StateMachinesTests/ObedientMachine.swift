import StateMachines

/// A machine that does as it is told: its states declare the timers that they are made with, and its rule answers what
/// the event says, or what it was prepared for if a timer expires.
struct Obedient: Machine {
  struct State: StateWithData {
    enum Name: NamedCases, Codable { case calm, busy }
    var name = Name.calm
    var timers: [Declared] = []

    static func calm(_ timers: Declared...) -> State { State(name: .calm, timers: timers) }
    static func busy(_ timers: Declared...) -> State { State(name: .busy, timers: timers) }
  }

  enum Timer: Hashable, Codable, CaseIterable { case bell, chime, gong, parcel }

  /// A timer as a state declares it.
  struct Declared: Hashable, Codable {
    enum Form: Hashable, Codable { case after, at, every }
    var timer: Timer
    var form = Form.after
    var seconds: Int64 = 10
    var isContinuing = false
    /// What a parcel brings.
    var contents = 0
  }

  enum Action: Hashable, Codable { case say, arm(Timer, seconds: Int64), disarm(Timer), look(Timer) }
  enum Answer: Hashable, Codable { case move(State), stay, stayAs(State), ignore, refuse }

  enum Event: MachineEvent {
    case tell([Action], Answer)
    /// What to do when a timer expires.
    case prepare([Action], Answer)
    case bell, chime, gong
    case parcel(Int)
  }

  enum Output: OutputWithData {
    case said, entered
    case brought(Int), runs(Bool)

    enum Name: NamedCases { case said, entered, brought, runs }
    var data: [Value] {
      switch self {
      case .said, .entered: []
      case .brought(let number): [.text("\(number)")]
      case .runs(let runs): [.text("\(runs)")]
      }
    }
  }

  struct Parameters: ParameterSet { var first: [Declared] = [Declared(timer: .bell)] }

  var state = State()
  private var actions: [Action] = []
  private var answer = Answer.stay

  static let timers: [Event] = [.bell, .chime, .gong, .parcel(0)]

  mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    State(name: name, timers: step.parameters.first)
  }

  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    StateTimers(
      state.timers.map { declared in
        let event = declared.timer.event(declared.contents)
        let timer: StateTimer<Self> =
          switch declared.form {
          case .after: .after(.seconds(declared.seconds), event)
          case .at: .at(.beginning + .seconds(declared.seconds), event)
          case .every: .every(.seconds(declared.seconds), event)
          }
        return declared.isContinuing ? timer.continuing : timer
      })
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .tell(let actions, let answer): return carryOut(actions, answer, step)
    case .prepare(let actions, let answer):
      (self.actions, self.answer) = (actions, answer)
      return .stay
    case .bell, .chime, .gong: return carryOut(actions, answer, step)
    case .parcel(let contents):
      if answer != .ignore { step.emit(.brought(contents)) }
      return carryOut(actions, answer, step)
    }
  }

  private func carryOut(_ actions: [Action], _ answer: Answer, _ step: Step<Self>) -> Reaction<State> {
    for action in actions {
      switch action {
      case .say: step.emit(.said)
      case .arm(let timer, let seconds): step.arm(timer.event(0), after: .seconds(seconds))
      case .disarm(let timer): step.disarm(timer.event(0))
      case .look(let timer): step.emit(.runs(step.isRunning(timer.event(0))))
      }
    }
    return switch answer {
    case .move(let next): .move(to: next)
    case .stay: .stay
    case .stayAs(let next): .stayAs(next)
    case .ignore: .ignore
    case .refuse: step.refuse("told to")
    }
  }

  mutating func entered(_ state: State, _ step: Step<Self>) { step.emit(.entered) }
}

extension Obedient.Timer {
  func event(_ contents: Int) -> Obedient.Event {
    switch self {
    case .bell: .bell
    case .chime: .chime
    case .gong: .gong
    case .parcel: .parcel(contents)
    }
  }
}

extension Obedient.Declared {
  static func after(_ seconds: Int64, _ timer: Obedient.Timer) -> Self { Self(timer: timer, seconds: seconds) }
  static func every(_ seconds: Int64, _ timer: Obedient.Timer) -> Self {
    Self(timer: timer, form: .every, seconds: seconds)
  }
  static func at(_ seconds: Int64, _ timer: Obedient.Timer) -> Self { Self(timer: timer, form: .at, seconds: seconds) }

  var continuing: Self {
    var declared = self
    declared.isContinuing = true
    return declared
  }
}
