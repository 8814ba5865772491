import LiveMachines
import Simulations
import StateMachines
import TestSupport
import Testing

/// One machine on a clock that the test moves; nothing here waits for time.
@Suite(.timeLimit(.minutes(5)))
struct LiveMachineTests {
  struct Lamp: Machine {
    enum State: MachineState { case dark, lit }
    enum Event: MachineEvent { case pressed, burnedOut }
    enum Output: MachineOutput { case wentDark }
    struct Parameters: ParameterSet { var burn = Duration.seconds(60) }
    var state = State.dark

    func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
      switch state {
      case .dark: .none
      case .lit: .after(parameters.burn, .burnedOut)
      }
    }

    mutating func entered(_ state: State, _ step: Step<Self>) {
      if state == .dark { step.emit(.wentDark) }
    }

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
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

  @Test("An event that only a timer brings can be sent: a live machine has no journal to store it in")
  func timersEvent() {
    let lamp = LiveMachine(Lamp(), clock: ManualClock())
    lamp.send(.pressed)
    expect(lamp.send(.burnedOut).verdict == .moved && lamp.state == .dark && lamp.timers.isEmpty)
  }

  /// Counts by a timer that runs again and again, and says each count with a value of its own.
  struct Ticker: Machine {
    struct State: StateWithData {
      enum Name: NamedCases { case ticking }
      var count = 0
      var name: Name { .ticking }
    }
    enum Event: MachineEvent { case tick }
    enum Output: OutputWithData, Equatable {
      case counted(Int)
      enum Name: NamedCases { case counted }
    }
    struct Parameters: ParameterSet { var pace = Duration.seconds(1) }
    var state = State()

    mutating func start(in name: State.Name, _ step: Step<Self>) -> State { state }

    func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> { .every(parameters.pace, .tick) }

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .tick:
        step.emit(.counted(state.count + 1))
        return .stayAs(State(count: state.count + 1))
      }
    }
  }

  /// Says what it does, and tells how.
  struct Clerk: Machine {
    enum State: MachineState { case awake }
    enum Event: MachineEvent { case work }
    enum Output: MachineOutput { case done, thought }
    var state = State.awake

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      step.emit(.thought, .done)
      return .stay
    }

    static let kind = Kind(
      Clerk.self, "clerk", "", events: [.event(.work, "")],
      outputs: { $0 == .thought ? .told(about: "it thinks") : "it is done" })
  }

  @Test("What is told is apart from the outputs")
  func told() {
    let change = LiveMachine(Clerk(), clock: ManualClock()).send(.work)
    expect(change.outputs == [.done] && change.told == [.thought])
    expectEqual("\(change)", "#1 at 0.0 seconds: work: stayed in awake, said done, told thought")
  }

  @Test("A kind of another machine is a defect that says so")
  func otherKind() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = LiveMachine(LiveMachineTests.Lamp(), kind: LiveMachineTests.Clerk.kind, clock: ManualClock())
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expect(text, contains: "clerk is a kind of Clerk, not of Lamp")
  }

  @Test("A timer expires when the clock has come to its time, not before")
  func timer() {
    let clock = ManualClock()
    let lamp = LiveMachine(Lamp(), clock: clock) { $0.burn = .seconds(10) }
    let pressed = lamp.send(.pressed)
    expect(pressed.verdict == .moved && pressed.from == .dark && pressed.to == .lit)
    expectEqual(lamp.timers, ["burnedOut": .seconds(10)])
    clock.advance(by: .nanoseconds(9_999_999_999))
    expectEqual(lamp.state, .lit)
    clock.advance(by: .nanoseconds(1))
    expectEqual(lamp.state, .dark)
    expect(lamp.timers.isEmpty)
  }

  @Test("Whoever reads the changes gets the timer's by itself, without anybody asking for the state")
  func changes() async {
    let clock = ManualClock()
    let lamp = LiveMachine(Lamp(), clock: clock)
    var changes = lamp.changes.makeAsyncIterator()
    lamp.send(.pressed)
    let pressed = await changes.next()
    expect(pressed?.cause == .event(.pressed) && pressed?.to == .lit)
    clock.advance(by: .seconds(61))
    let burnedOut = await changes.next()
    expectEqual(burnedOut?.cause, .timer("burnedOut"))
    expectEqual(burnedOut?.moment, .seconds(60), "its own due time, though the clock was late")
    expectEqual(burnedOut?.outputs, [.wentDark])
    expectEqual(burnedOut.map { "\($0)" }, "#2 at 60.0 seconds: timer burnedOut: moved lit → dark, said wentDark")
  }

  @Test("A late clock fires each timer at its own time; outputs keep their types")
  func late() async {
    let clock = ManualClock()
    let ticker = LiveMachine(Ticker(state: .init(count: 5)), clock: clock)
    var changes = ticker.changes.makeAsyncIterator()
    clock.advance(by: .milliseconds(3_500))
    expectEqual(ticker.state.count, 8, "it began as its value was")
    for count in 6...8 {
      let change = await changes.next()
      expect(change?.moment == .seconds(count - 5) && change?.outputs == [.counted(count)])
    }
    expectEqual(ticker.timers, ["tick": .milliseconds(500)])
  }

  @Test("A timer without delay, again and again, keeps no caller for ever")
  func livelock() {
    let clock = ManualClock()
    let ticker = LiveMachine(Ticker(), clock: clock) { $0.pace = .zero }
    let first = ticker.state.count
    expect(first >= 1_000)
    expect(ticker.state.count > first)
  }

  @Test("The sequence of changes ends with the machine, and one that is not read takes nothing away from others")
  func endOfChanges() async throws {
    let clock = ManualClock()
    var lamp: LiveMachine<Lamp>? = LiveMachine(Lamp(), clock: clock)
    let changes = try #require(lamp?.changes)
    _ = lamp?.changes
    lamp?.send(.pressed)
    lamp = nil
    var told = 0
    for await _ in changes { told += 1 }
    expectEqual(told, 1)
  }

  @Test("From several tasks at once every event is taken once")
  func tasks() async {
    let lamp = LiveMachine(Lamp(), clock: ManualClock())
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<100 { lamp.send(.pressed) } }
      }
    }
    expectEqual(lamp.state, .dark)
    expectEqual(lamp.send(.pressed).number, 801)
  }

  @Test("A machine of the catalogue with keyed timers runs as it does in a world", arguments: [1, 2])
  func keyed(_ requests: Int) {
    let clock = ManualClock()
    let shift = LiveMachine(ShiftKey(), clock: clock)
    for _ in 0..<requests { shift.send(.tap) }
    expectEqual(shift.state.name, (requests == 1 ? .on : .capsLock))
  }

  @Test("An alarm that comes too early sets the next one")
  func alarms() async {
    let clock = ManualClock()
    let lamp = LiveMachine(Lamp(), clock: clock)
    var changes = lamp.changes.makeAsyncIterator()
    for _ in 0..<100 { lamp.send(.pressed) }
    for _ in 0..<100 { _ = await changes.next() }
    clock.advance(by: .seconds(30))
    lamp.send(.pressed)
    _ = await changes.next()
    clock.advance(by: .seconds(59))
    expectEqual(lamp.state, .lit, "the timers of before are gone")
    clock.advance(by: .seconds(1))
    let burnedOut = await changes.next()
    expect(burnedOut?.cause == .timer("burnedOut") && burnedOut?.moment == .seconds(90))
  }
}
