import MachineForms
import StateMachines

// One lamp in every form. `Docs/Forms.md` shows the pieces as they stand here.

enum Light: MachineState, StatechartLeaf { case dark, lit }
enum LampEvent: MachineEvent, NamedCases { case pressed, burnedOut }

/// What all lamps have in common: while it is lit, a timer brings `burnedOut` after a minute.
protocol StaircaseLamp: Machine where State == Light, Event == LampEvent {}

extension StaircaseLamp {
  func timers(in state: Light, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .dark: .none
    case .lit: .after(.seconds(60), .burnedOut)
    }
  }
}

// MARK: enum and switch

struct SwitchedLamp: StaircaseLamp {
  var state = Light.dark

  mutating func react(to event: LampEvent, _ step: Step<Self>) -> Reaction<Light> {
    switch event {
    case .pressed:
      switch state {
      case .dark: .move(to: .lit)
      case .lit: .move(to: .dark)
      }
    case .burnedOut: .move(to: .dark)
    }
  }
}

// MARK: reducer

struct LightReducer: Reducer {
  func reduce(_ light: Light, _ press: LampEvent) -> Light {
    switch press {
    case .pressed: light == .dark ? .lit : .dark
    case .burnedOut: .dark
    }
  }
}

struct ReducedLamp: StaircaseLamp {
  var state = Light.dark

  mutating func react(to event: LampEvent, _ step: Step<Self>) -> Reaction<Light> {
    .move(to: LightReducer().reduce(state, event))
  }
}

// MARK: MVI feature

struct LightFeature: Feature {
  enum Effect: Sendable { case wentOn, wentOut }
  enum News { case hello, goodNight }

  func actor(_ light: Light, _ wish: LampEvent, _ effects: inout Effects<Effect>) {
    switch wish {
    case .pressed: effects.emit(light == .dark ? .wentOn : .wentOut)
    case .burnedOut: effects.emit(.wentOut)
    }
  }
  func reducer(_ light: Light, _ effect: Effect) -> Light { effect == .wentOn ? .lit : .dark }
  func newsPublisher(_ wish: LampEvent, _ effect: Effect, _ light: Light) -> News? {
    effect == .wentOn ? .hello : .goodNight
  }
}

struct FeatureLamp: StaircaseLamp {
  var state = Light.dark

  mutating func react(to event: LampEvent, _ step: Step<Self>) -> Reaction<Light> {
    var store = FeatureStore(state, of: LightFeature())
    return store.accept(event, by: LightFeature()) ? .move(to: store.state) : .refuse
  }
}

// MARK: State pattern

struct PatternLamp: StaircaseLamp, StatePatternMachine {
  var state = Light.dark

  var current: any HandlingState<Self> {
    switch state {
    case .dark: DarkLamp()
    case .lit: LitLamp()
    }
  }
}

struct DarkLamp: HandlingState {
  func handle(_ event: LampEvent, _ step: Step<PatternLamp>) -> Reaction<Light> {
    switch event {
    case .pressed: .move(to: .lit)
    case .burnedOut: .ignore
    }
  }
}

struct LitLamp: HandlingState {
  func handle(_ event: LampEvent, _ step: Step<PatternLamp>) -> Reaction<Light> {
    switch event {
    case .pressed, .burnedOut: .move(to: .dark)
    }
  }
}

// MARK: state objects

struct Stairs: StateSubject {}

final class DarkStairs: StateObject {
  func isValidNextState(_ next: StateType<Stairs>, in machine: StateObjectMachine<Stairs>) -> Bool {
    next == LitStairs.self
  }
}

final class LitStairs: StateObject {
  func isValidNextState(_ next: StateType<Stairs>, in machine: StateObjectMachine<Stairs>) -> Bool {
    next == DarkStairs.self
  }
}

struct ObjectLamp: StaircaseLamp {
  static let objects = StateObjects<Stairs>(DarkStairs(), LitStairs())
  var state = Light.dark

  mutating func react(to event: LampEvent, _ step: Step<Self>) -> Reaction<Light> {
    var machine = StateObjectMachine(Self.objects, at: state.index, subject: Stairs())
    switch event {
    case .pressed: machine.enter(machine.canEnterState(LitStairs.self) ? LitStairs.self : DarkStairs.self)
    case .burnedOut: machine.enter(DarkStairs.self)
    }
    return .move(to: Light(at: machine.place ?? state.index))
  }
}

// MARK: event objects

typealias LampObjects = EventObjects<[String], Void>

func lampObjects() throws -> LampObjects.Definition {
  try LampObjects.Definition(
    states: [
      .init("dark"),
      .init("lit", didEnter: { _, log, _ in log.append("hello") }),
    ],
    events: [
      .init("pressOn", from: ["dark"], to: "lit"),
      .init("pressOff", from: ["lit"], to: "dark"),
      .init("burnedOut", from: ["lit"], to: "dark", didFire: { _, log, _ in log.append("good night") }),
    ])
}

// MARK: states on any object

final class FreeLamp: NamedStateObject {
  var namedStates = NamedStates()
  var log: [String] = []

  init() {
    on("lit") { [unowned self] in log.append("hello") }
    when("lit", transitionsTo: "dark") { [unowned self] in log.append("good night") }
    shiftState = "dark"
  }
}

// MARK: schema

let lightSchema = Schema<Light, LampEvent, Void>(initial: .dark) { light, press in
  switch press {
  case .pressed:
    switch light {
    case .dark: .to(.lit)
    case .lit: .to(.dark)
    }
  case .burnedOut: .to(.dark)
  }
}

struct SchemaLamp: StaircaseLamp {
  var state = lightSchema.initial

  mutating func react(to event: LampEvent, _ step: Step<Self>) -> Reaction<Light> {
    lightSchema.reaction(in: state, to: event, ())
  }
}

// MARK: acceptor

/// Accepts the stories of presses and burnings out that leave the stairs dark.
let endsInTheDark = Acceptor<Light, LampEvent>(
  start: .dark, finals: [.dark],
  transitions: [
    .dark: [.pressed: .lit],
    .lit: [.pressed: .dark, .burnedOut: .dark],
  ])

// MARK: hierarchical

struct ChartLamp: HierarchicalMachine {
  typealias Host = ChartLamp
  enum State: StatechartLeaf, MachineState {
    case dark, lit, dimmed
    var parent: Burning? { self == .dark ? nil : .on }
  }
  enum Burning: StatechartComposite {
    case on
    var parent: Burning? { nil }
  }
  enum Event: MachineEvent { case pressed, dims, burnedOut }
  var state = State.dark

  func reaction(in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
    switch event {
    case .pressed: leaf == .dark ? .go(into: .on) : .inherit
    case .dims: leaf == .lit ? .go(to: .dimmed) : .inherit
    case .burnedOut: .inherit
    }
  }
  func reaction(of composite: Burning, in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
    switch event {
    case .pressed, .burnedOut: .go(to: .dark)  // Said once, for a light that is lit and for one that is dimmed.
    case .dims: .ignore
    }
  }
  func initial(of composite: Burning, _ step: Step<Self>) -> Node { .leaf(.lit) }
  func timers(of node: Node, _ parameters: NoParameters) -> StateTimers<Self> {
    switch node {
    case .composite(.on): .after(.seconds(60), .burnedOut)
    case .leaf(.lit): .after(.seconds(50), .dims)
    case .leaf(.dark), .leaf(.dimmed): .none
    }
  }
}

// MARK: orthogonal

struct Stairwell: OrthogonalMachine {
  struct Regions: StateWithData {
    var upstairs = Light.dark
    var downstairs = Light.dark
    var name: Beside<Light, Light> { Beside(upstairs, downstairs) }
  }
  enum Event: MachineEvent { case pressedUpstairs, pressedDownstairs, burnedOut }
  var state = Regions()

  mutating func start(in name: Regions.Name, _ step: Step<Self>) -> Regions {
    Regions(upstairs: name.first, downstairs: name.second)
  }
  func timers(in lights: Regions, _ parameters: NoParameters) -> StateTimers<Self> {
    lights == Regions() ? .none : .after(.seconds(60), .burnedOut).continuing
  }
  func reaction(to event: Event, _ step: Step<Self>) -> Reaction<Regions> { .ignore }
  func visit(_ lights: inout Regions, _ pass: inout RegionPass<Self>, _ step: Step<Self>) {
    pass.visit(Storey(button: .pressedUpstairs), &lights.upstairs, step)
    pass.visit(Storey(button: .pressedDownstairs), &lights.downstairs, step)
  }
}

struct Storey: Region {
  typealias Host = Stairwell
  typealias State = Light
  let button: Stairwell.Event

  func reaction(in light: Light, to event: Stairwell.Event, _ step: Step<Stairwell>) -> Answer {
    switch event {
    case button: .go(to: light == .dark ? .lit : .dark)
    case .burnedOut: .go(to: .dark)
    case .pressedUpstairs, .pressedDownstairs: .inherit
    }
  }
}

// MARK: one screen three times

/// Without MVI: the screen asks the service, keeps flags, and opens the login itself.
final class PlainHeart {
  var isLiked = false
  var isSending = false
  var openLogin: () -> Void = {}

  /// - Parameter service: Whether it is liked now; `nil` if nobody is logged in.
  func tapped(_ service: (Bool, @escaping (Bool?) -> Void) -> Void) {
    if isSending { return }
    isSending = true
    service(!isLiked) { answer in
      self.isSending = false
      if let answer { self.isLiked = answer } else { self.openLogin() }
    }
  }
}

/// With MVI: what happens is a list of effects. That the login is needed has to be a part of the state.
struct HeartFeature: Feature {
  struct State: Hashable { var isLiked = false, isSending = false, needsLogin = false }
  enum Wish { case tap }
  enum Effect { case sent, answered(isLiked: Bool), notLoggedIn }

  func actor(_ heart: State, _ wish: Wish, _ effects: inout Effects<Effect>) {
    if heart.isSending { return }
    effects.emit(.sent)
    effects.later()
  }
  func reducer(_ heart: State, _ effect: Effect) -> State {
    switch effect {
    case .sent: State(isLiked: heart.isLiked, isSending: true)
    case .answered(let isLiked): State(isLiked: isLiked)
    case .notLoggedIn: State(isLiked: heart.isLiked, needsLogin: true)
    }
  }
}

/// With news: the state is only what is drawn, and the login is told once.
struct TellingHeartFeature: Feature {
  struct State: Hashable { var isLiked = false, isSending = false }
  enum News { case openLogin }
  typealias Wish = HeartFeature.Wish
  typealias Effect = HeartFeature.Effect

  func actor(_ heart: State, _ wish: Wish, _ effects: inout Effects<Effect>) {
    if heart.isSending { return }
    effects.emit(.sent)
    effects.later()
  }
  func reducer(_ heart: State, _ effect: Effect) -> State {
    switch effect {
    case .sent: State(isLiked: heart.isLiked, isSending: true)
    case .answered(let isLiked): State(isLiked: isLiked)
    case .notLoggedIn: State(isLiked: heart.isLiked)
    }
  }
  func newsPublisher(_ wish: Wish, _ effect: Effect, _ heart: State) -> News? {
    if case .notLoggedIn = effect { .openLogin } else { nil }
  }
}
