@testable import MachineGraphs
import StateMachines
import TestSupport
import Testing

/// What an exploration finds of machines with data, keys, refusals and timers without delay.
struct GraphsExplorationTests {
  @Test("an event counts once per choice of its samples, and each different outcome is kept once")
  func classes() throws {
    let graph = try SharedGraphs.graph(of: Turnstile.kind)
    let coin = graph.inputs(ofEvent: 1)
    expectEqual(graph.inputs[coin], [.event(1, [.integer(1)]), .event(1, [.integer(100)])])
    expectEqual(graph.outcomes(in: 0, of: coin.lowerBound).map(\.reason), ["a pass costs 2"])
    let paid = graph.outcomes(in: 0, of: coin.lowerBound + 1)
    expectEqual(paid.map(\.to), [1])
    expectEqual(paid.map(\.dataAfter), ["50"])
    expectEqual(paid.map(\.outputs), [[1]])
    expectEqual(graph.totals.events, 5)
    expectEqual(graph.totals.classPairs, 3 * graph.inputs.dropLast(2).count)
  }

  @Test("data without an end are cut, and the graph says so")
  func cut() throws {
    let graph = try SharedGraphs.graph(of: Turnstile.kind)
    expect(!graph.isComplete)
    // A machine made in a state is searched from even if there are as many already.
    let found = graph.nodes.count { $0.state == 1 }
    expect((Exploration.machinesPerState...Exploration.machinesPerState + 1).contains(found))
  }

  @Test("a timer that never runs has no outcomes")
  func timers() throws {
    let graph = try SharedGraphs.graph(of: Turnstile.kind)
    expectEqual(graph.outcomes(in: 1, of: graph.input(ofTimer: 0)).map(\.to), [0])
    expect(graph.states.indices.allSatisfy { graph.outcomes(in: $0, of: graph.input(ofTimer: 1)).isEmpty })
    expectEqual(graph.timers.map(\.runs), [true, false])
    expectEqual(graph.timers.map(\.duration), [.seconds(10), nil])
  }

  @Test("parameters are heeded, and those that contradict each other are told")
  func parameters() throws {
    let graph = try StateGraph(of: Turnstile.kind, with: [(1, .integer(1)), (0, .interval(.seconds(3)))])
    expectEqual(graph.timers[0].duration, .seconds(3))
    expectEqual(graph.outcomes(in: 0, of: graph.inputs(ofEvent: 1).lowerBound).map(\.verdict), [.moved])
    #expect(throws: ParameterConflict("price", allowed: "at most 5")) {
      try StateGraph(of: Turnstile.kind, with: [(1, .integer(6))])
    }
  }

  @Test("values are copied and destroyed in equal number")
  func lifetimes() throws {
    weak var witness: Witness?
    do {
      let bench = RawMachine(Turnstile.kind)
      witness = bench.value.assumingMemoryBound(to: Turnstile.self).pointee.witness
      _ = bench.way(to: 0)
    }
    expectNil(witness)
  }

  @Test("the shortest way to a state in which an event is possible, events before timers")
  func way() throws {
    let machine = RawMachine(Turnstile.kind)
    let way = try #require(machine.way(to: 0))
    expectEqual(way.words(of: Turnstile.kind), ["coin"])
    expectEqual(way.steps, [.send(event: 1, [.integer(100)])])
    expectEqual(way.state, 1)
    expectEqual(way.data, "50")
    expectNil(machine.way(to: 1), "it is possible already")
  }

  @Test("from where nothing leads on there is no way")
  func noWay() throws {
    expectNil(RawMachine(Turnstile.kind, initial: 2).way(to: 0))
  }

  @Test("a timer without delay expires before anything else, and its expiry is no word of a way")
  func settling() throws {
    let graph = try SharedGraphs.graph(of: Relay.kind)
    expectEqual(graph.nodes.prefix(3).map { graph.states[$0.state].word }, ["idle", "passing", "done"])
    expectEqual(graph.nodes.prefix(3).map(\.isSettled), [true, false, true])
    // One that is made in its state runs no timer.
    expectEqual(graph.nodes.dropFirst(3).map(\.start), ["passing"])
    expectEqual(graph.nodes[2].way, [.send(event: 0, []), .fireDue(timer: 0, key: 7)])
    expectEqual(
      graph.outcomes(in: 1, of: 0).map(\.verdict), [.ignored], "it comes over a wire, or to one that was made there")
    expectEqual(graph.outcomes(in: 1, of: graph.input(ofTimer: 0)).map(\.step), [.fireDue(timer: 0, key: 7)])
    let way = try #require(RawMachine(Relay.kind).way(to: 1))
    expectEqual(way.words(of: Relay.kind), ["start"])
    expectEqual(way.state, 2)
  }
}

/// A machine that comes to rest by itself, through a keyed timer without delay.
private struct Relay: Machine {
  enum State: MachineState { case idle, passing, done }
  enum Event: MachineEvent { case start, stop, pass }
  var state = State.idle

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .start:
      switch state {
      case .idle:
        step.arm(.pass, key: 7, after: .zero)
        return .move(to: .passing)
      case .passing: return .ignore
      case .done: return step.refuse("finished")
      }
    case .stop:
      switch state {
      case .idle: return step.refuse("not yet")
      case .passing: return .ignore
      case .done: return .move(to: .idle)
      }
    case .pass: return .move(to: .done)
    }
  }

  static let kind = Kind(
    Relay.self, "relay", "comes to rest by itself",
    states: {
      switch $0 {
      case .idle: "nothing yet"
      case .passing: "on its way"
      case .done: "over"
      }
    },
    events: [.event(.start, "begins"), .event(.stop, "ends")],
    timers: [.timer(.pass, keyed: "pass", "at once")])
}

/// A machine in raw storage, as a world keeps it.
///
/// Safety: `value` holds a machine of `kind` from `init` to `deinit`.
private final class RawMachine {
  let kind: Kind
  let value: UnsafeMutableRawPointer
  private let pool: any ParameterPool

  init(_ kind: Kind, initial: Int? = nil) {
    self.kind = kind
    pool = kind.makeParameterPool()
    value = .allocate(byteCount: kind.layout.valueSize, alignment: kind.layout.valueAlignment)
    var record = StepRecord(generator: Generator(seed: 0))
    record.timers = kind.stepTimers(running: 0)
    _ = kind.machine.initialize(value, initial: initial, pool.base, &record)
  }

  deinit {
    kind.machine.destroy(value)
    value.deallocate()
  }

  func way(to event: Int) -> GraphPath? {
    PathFinder(kind).way(from: LivingMachine(value, pool.base, at: .beginning, timers: []), to: event)
  }
}
