import TestSupport
import Testing

@testable import StateMachines

/// Timers whose events have data, and timers that a kind does not list.
struct ArmedDataTests {
  struct Retrier: Machine {
    enum State: StateWithData {
      case idle, waiting(attempt: Int)
      enum Name: NamedCases { case idle, waiting }
      static var samples: [State] { [.waiting(attempt: 1)] }
    }
    enum Event: MachineEvent { case fail(times: Int), arm(Int, isKeyed: Bool), look, retried(attempt: Int) }
    var state = State.idle
    var attempts: [Int] = []

    func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> {
      switch state {
      case .idle: .none
      case .waiting(let attempt): .after(.seconds(1), .retried(attempt: attempt))
      }
    }

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .fail(let times): return .move(to: .waiting(attempt: times))
      case .arm(let attempt, isKeyed: true): step.arm(.retried(attempt: attempt), key: 1, after: .seconds(2))
      case .arm(let attempt, isKeyed: false): step.arm(.retried(attempt: attempt), after: .seconds(2))
      case .look: attempts.append(step.isRunning(.retried(attempt: 99)) ? 1 : 0)
      case .retried(let attempt): attempts.append(attempt)
      }
      return .stay
    }
  }

  private static func runner() -> MachineRunner<Retrier> {
    MachineRunner(Retrier.self, timers: [.retried(attempt: 0)])
  }

  @Test("a timer that a state declares brings the state's data; which data matter to no one who looks")
  func declared() {
    let runner = Self.runner()
    runner.send(.fail(times: 7))
    runner.send(.look)
    runner.expire(.retried(attempt: 0))
    expectEqual(runner.value.attempts, [1, 7])
  }

  @Test("a timer is armed with the data of the kind's list, and brings them")
  func listed() {
    let runner = Self.runner()
    expectEqual(runner.send(.arm(0, isKeyed: false)), "stayed idle")
    runner.expire(.retried(attempt: 0))
    expectEqual(runner.value.attempts, [0])
    runner.send(.arm(0, isKeyed: true))
    expectEqual(runner.effects, ["arm retried 2000000000"])
  }

  @Test("arming with data that would be lost is a defect that says what to do")
  func lost() async {
    let plain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ArmedDataTests.runner().send(.arm(42, isKeyed: false))
    }
    expect(plain.errorText, contains: "arms a timer with retried(attempt: 42), but it would bring retried(attempt: 0)")
    expect(plain.errorText, contains: "declare the timer in timers(in:)")
    let keyed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ArmedDataTests.runner().send(.arm(42, isKeyed: true))
    }
    expect(keyed.errorText, contains: "arms a timer with retried(attempt: 42)")
  }

  @Test("a timer that the kind does not list is a defect that names those that it lists")
  func unlisted() async {
    let declared = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      MachineRunner(Retrier.self).send(.fail(times: 1))
    }
    expect(declared.errorText, contains: "no timer of Retrier brings retried(attempt: 1): its kind lists no timers")
    let looked = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      MachineRunner(Retrier.self, timers: [.look]).send(.look)
    }
    expect(
      looked.errorText, contains: "no timer of Retrier brings retried(attempt: 99): its kind lists timers for look")
  }

  @Test("a kind without an entry has the timers that states with data declare")
  func derived() {
    expectEqual(Retrier.kind.timers.map(\.name), ["look", "retried"])
  }

  @Test("two timers with one event are a defect of the kind")
  func twice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Kind(
        Retrier.self, "retrier", "", events: [], timers: [.timer(.look, named: "a", ""), .timer(.look, named: "b", "")])
    }
    expect(result.errorText, contains: "retrier has two timers with the same event")
  }
}

/// Types of a machine that are not nested in it.
enum GateState: MachineState { case shut, open }
enum GateEvent: MachineEvent { case pushed, closed }
enum GateOutput: MachineOutput { case creak }
struct GateSettings: ParameterSet { var closing = Duration.seconds(5) }

struct Gate: Machine {
  typealias Event = GateEvent
  typealias Output = GateOutput
  typealias Parameters = GateSettings
  var state = GateState.shut

  func timers(in state: GateState, _ parameters: GateSettings) -> StateTimers<Self> {
    switch state {
    case .shut: .none
    case .open: .after(parameters.closing, .closed)
    }
  }

  mutating func react(to event: GateEvent, _ step: Step<Self>) -> Reaction<GateState> {
    switch event {
    case .pushed: step.emit(.creak, then: .move(to: .open))
    case .closed: .move(to: .shut)
    }
  }
}

/// A machine whose events and states are parameters of its type.
struct Follower<State: MachineState, Event: MachineEvent>: Machine {
  var state = State(at: 0)
  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> { .move(to: State(at: 1)) }
}

struct OuterTypesTests {
  @Test("a machine's types may stand outside of it")
  func outside() {
    let runner = MachineRunner(Gate.self, timers: [.closed])
    expectEqual(runner.send(.pushed), "moved shut open > creak")
    expectEqual(runner.expire(.closed), "moved open shut")
    expectEqual(Gate.kind.events.map(\.name), ["pushed", "closed"])
    let follower = MachineRunner(Follower<GateState, GateEvent>.self)
    expectEqual(follower.send(.pushed), "moved shut open")
    expect(Follower<GateState, GateEvent>.kind.name == "follower")
  }
}
