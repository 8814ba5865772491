import Simulations
import Simulator
import StateMachines
import TestSupport
import Testing

/// The world as a program of one's own sees it: with nothing but what is public.
struct WorldTests {
  /// A lamp without a kind of its own.
  struct Lamp: Machine {
    enum State: MachineState { case dark, lit }
    enum Event: MachineEvent { case pressed, burnedOut, dimmed(to: Int) }
    enum Output: MachineOutput { case wentDark }
    struct Parameters: ParameterSet {
      var burn = Duration.seconds(60)
      var conflict: ParameterConflict? { burn == .zero ? ParameterConflict("burn", allowed: "1ns and more") : nil }
    }
    var state = State.dark
    var level = 100

    func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
      switch state {
      case .dark: .none
      case .lit: .after(parameters.burn, .burnedOut)
      }
    }

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .pressed:
        switch state {
        case .dark: return .move(to: .lit)
        case .lit: return dark(step)
        }
      case .burnedOut: return dark(step)
      case .dimmed(to: let level):
        switch state {
        case .dark: return step.refuse("it is dark")
        case .lit:
          self.level = level
          return .stay
        }
      }
    }

    private func dark(_ step: Step<Self>) -> Reaction<State> {
      step.emit(.wentDark)
      return .move(to: .dark)
    }
  }

  /// Says what it hears, and hears what it says if it is wired to itself.
  struct Parrot: Machine {
    enum State: MachineState { case awake }
    enum Event: MachineEvent { case hear(String, times: Int), wake }
    enum Output: OutputWithData, Equatable {
      case said(String, Int), woke
      enum Name: NamedCases { case said, woke }
    }
    var state = State.awake
    var heard: [String] = []

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .hear(let text, let times):
        heard.append(text)
        step.emit(.said(text, times + step.draw(in: 1...6)))
      case .wake: step.emit(.woke)
      }
      return .stay
    }

    static let kind = Kind(
      Parrot.self, "parrot", "a parrot",
      events: [
        .event(Event.hear, .text("text", bytes: 1...8), .integer("times", 0...1_000), about: "it hears something"),
        .event(.wake, "it is woken"),
      ],
      outputs: {
        switch $0 {
        case .said: .output(("text", .text(bytes: 1...8)), ("times", .integer(0...2_000)), about: "what it says")
        case .woke: .output(about: "it is awake")
        }
      })
  }

  @Test("A lamp is made, pressed, and burns out when its time has come")
  func lamp() throws {
    let world = World(seed: 7)
    let hall = try world.make(Lamp.self, named: "hall")
    let answer = try world.send(.pressed, to: hall)
    expect(answer.verdict == .moved && answer.from == .dark && answer.to == .lit)
    expectEqual(answer.timers, [.armed("burnedOut", for: .seconds(60))])
    expect(answer.outputs.isEmpty)
    expectEqual(world.agenda.map { "\($0)" }, ["hall.burnedOut at 60.0 seconds"])
    world.advance(by: .seconds(60))
    expectEqual(world.now, .seconds(60))
    expectEqual(world[hall].state, .dark)
    let journal = world.journal(of: hall)
    expectEqual(journal.map(\.cause), [.created, .event(.pressed), .timer("burnedOut")])
    expectEqual(journal.map(\.outputs), [[], [], [.wentDark]])
    expect(world.agenda.isEmpty)
  }

  @Test("What is printed when an expectation fails are names, not bytes")
  func descriptions() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall")
    expectEqual(String(describingForTest: hall), "hall")
    expect(String(describingForTest: world[hall].state), hasSuffix: "dark")
    let answer = try world.send(.pressed, to: hall)
    expectEqual(String(describingForTest: answer), "moved dark → lit, burnedOut armed for 60.0 seconds")
    let refused = try world.make(Lamp.self, named: "cellar")
    try expectEqual("\(world.send(.dimmed(to: 3), to: refused))", "refused in dark: it is dark")
    world.advance(by: .seconds(61))
    expectEqual(
      world.journal(of: hall).map { "\($0)" },
      [
        "#1 at 0.0 seconds: created: moved dark → dark",
        "#2 at 0.0 seconds: pressed: moved dark → lit, burnedOut armed for 60.0 seconds",
        "#5 at 60.0 seconds: timer burnedOut: moved lit → dark, said wentDark",
      ])
  }

  @Test("Parameters and first states are typed; a parameter's own rules are kept")
  func making() throws {
    let world = World()
    let quick = try world.make(Lamp.self, named: "quick", in: .lit) { $0.burn = .seconds(1) }
    expectEqual(world[quick].state, .lit)
    expectEqual(world.agenda.map(\.due), [.seconds(1)])
    #expect(throws: World.Failure.nameTaken("quick")) { try world.make(Lamp.self, named: "quick") }
    #expect(throws: World.Failure.badName("no good")) { try world.make(Lamp.self, named: "no good") }
    #expect(throws: World.Failure.badName("")) { try world.make(Lamp.self, named: "") }
    #expect(throws: World.Failure.conflict(parameter: "burn", allowed: "1ns and more")) {
      try world.make(Lamp.self, named: "never") { $0.burn = .zero }
    }
    expectEqual(world.machines, ["quick"])
    expectEqual(world.machine(named: "quick", as: Lamp.self), quick)
    expectNil(world.machine(named: "quick", as: Parrot.self))
    let longest = String(repeating: "x", count: 64)
    _ = try world.make(Lamp.self, named: longest)
    #expect(throws: World.Failure.badName(longest + "x")) { try world.make(Lamp.self, named: longest + "x") }
  }

  @Test("A kind of the catalogue is made with its own limits")
  func kinds() throws {
    let world = World()
    let key = try world.make(ShiftKey.self, named: "key")
    let tap = try world.send(.tap, to: key)
    expect(tap.from == .off && tap.to == .on)
    expectEqual(tap.timers, [.armed("doubleTap", for: .milliseconds(350))])
    let window = try world.fire("doubleTap", of: key)
    expect(window.verdict != .refused)
    expectEqual(world.journal(of: key).last?.cause, .fired("doubleTap"))
    try expectEqual(world.fire("doubleTap", of: key).reason, "this timer is not running")
    let failure = #expect(throws: World.Failure.self) { try world.fire("egg", of: key) }
    expect(failure.map { "\($0)" }, hasPrefix: "the timer egg is not in the kind shiftKey, which lists doubleTap")
  }

  @Test("Events with data are sent as they are, whether or not a kind describes them")
  func data() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall", in: .lit)
    try expectEqual(world.send(.dimmed(to: 40), to: hall).verdict, .stayed)
    expectEqual(world[hall].level, 40)
    expectEqual(world.journal(of: hall).last?.cause, .event(.dimmed(to: 40)))

    let polly = try world.make(Parrot.self, named: "polly")
    let answer = try world.send(.hear("hello", times: 2), to: polly)
    guard case .said("hello", let times) = try #require(answer.outputs.first) else { return }
    expect((3...8).contains(times))
    expectEqual(world.journal(of: polly).last?.outputData, [[.text("hello"), .integer(times)]])
    let failure = #expect(throws: World.Failure.self) { try world.send(.hear("much too long", times: 2), to: polly) }
    expectEqual(failure.map { "\($0)" }, "parrot.hear cannot be \"much too long\": allowed is text of 1 to 8 bytes")
  }

  @Test("An event that only a timer brings cannot be sent")
  func timerEvents() throws {
    let world = World()
    let key = try world.make(ShiftKey.self, named: "key")
    let failure = #expect(throws: World.Failure.self) { try world.send(.windowClosed, to: key) }
    expectEqual(failure, .ofTimer("windowClosed", timer: "doubleTap", kind: "shiftKey"))
  }

  @Test("A wire makes an output of one machine an event of another, with its data")
  func wires() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall")
    let cellar = try world.make(Lamp.self, named: "cellar")
    try world.wire(.wentDark, of: hall, to: .pressed, of: cellar)
    #expect(throws: World.Failure.wireExists) { try world.wire(.wentDark, of: hall, to: .pressed, of: cellar) }
    try world.send(.pressed, to: hall)
    try world.send(.pressed, to: hall)
    expectEqual(world[cellar].state, .lit)
    expectEqual(world.journal(of: cellar).last?.cause, .wire("pressed", from: "hall"))
    try world.unwire(.wentDark, of: hall, to: .pressed, of: cellar)
    #expect(throws: World.Failure.wireMissing) { try world.unwire(.wentDark, of: hall, to: .pressed, of: cellar) }

    let polly = try world.make(Parrot.self, named: "polly")
    let jack = try world.make(Parrot.self, named: "jack")
    try world.wire(.said, of: polly, to: Parrot.Event.hear, of: jack)
    try world.send(.hear("ahoy", times: 1), to: polly)
    expectEqual(world[jack].heard, ["ahoy"])
    #expect(throws: World.Failure.self) { try world.wire(.woke, of: polly, to: Parrot.Event.hear, of: jack) }
    #expect(throws: World.Failure.self) { try world.wire(.said, of: polly, to: .wake, of: jack) }
    try world.wire(.woke, of: polly, to: .wake, of: jack)
  }

  @Test("A chain without an end is reported, and the world goes on")
  func livelock() throws {
    let world = World()
    let polly = try world.make(Parrot.self, named: "polly")
    try world.wire(.woke, of: polly, to: .wake, of: polly)
    try world.send(.wake, to: polly)
    let found = try #require(world.livelock)
    expectEqual(
      found.description, "woke of polly was not delivered: stopped after 1000 deliveries that followed from one another"
    )
    try world.unwire(.woke, of: polly, to: .wake, of: polly)
    expectNil(world.livelock)

    let lamp = try world.make(Blinker.self, named: "blinker")
    expectEqual(world.livelock?.machine, "blinker")
    expectEqual(world.advance(by: .seconds(1))?.machine, "blinker")
    expectEqual(world.now, .zero)
    try world.drop(lamp)
    expectNil(world.advance(by: .seconds(1)))
    expectEqual(world.now, .seconds(1))
  }

  /// Blinks without any time between.
  struct Blinker: Machine {
    enum State: MachineState { case blinking }
    enum Event: MachineEvent { case blink }
    var state = State.blinking
    func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> { .every(Duration.zero, .blink) }
    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .blink: .stay
      }
    }
  }

  @Test("A fork goes its own way; undo takes back call by call, with the time")
  func otherPasts() throws {
    let world = World(seed: 7)
    let hall = try world.make(Lamp.self, named: "hall") { $0.burn = .seconds(10) }
    try world.send(.pressed, to: hall)
    let whatIf = world.fork()
    world.advance(by: .seconds(10))
    expect(world[hall].state == .dark && whatIf[hall].state == .lit && whatIf.now == .zero)
    try whatIf.send(.dimmed(to: 5), to: hall)
    expect(whatIf[hall].level == 5 && world[hall].level == 100)

    try whatIf.undo()
    expectEqual(whatIf[hall].level, 100)
    try world.undo()
    expect(world[hall].state == .dark && world.now == .zero && world.agenda.isEmpty)
    expectEqual(world.journal(of: hall).map(\.cause), [.created])
    try world.undo()
    expect(!world.contains(hall))
    #expect(throws: World.Failure.gone("hall", machines: [])) { try world.send(.pressed, to: hall) }
    #expect(throws: World.Failure.onlySoMany(0)) { try world.undo() }
    let again = try world.make(Lamp.self, named: "hall")
    expect(again != hall && !world.contains(hall) && world.contains(again))
  }

  @Test("A machine that was dropped is there again after an undo, under its handle")
  func dropped() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall", in: .lit)
    let cellar = try world.make(Lamp.self, named: "cellar")
    try world.drop(hall)
    expect(world.agenda.isEmpty && world.journal(of: hall).last?.cause == .dropped)
    let failure = #expect(throws: World.Failure.gone("hall", machines: ["cellar"])) { try world.drop(hall) }
    expectEqual(failure.map { "\($0)" }, "hall is not in this world, which has cellar")
    try world.undo()
    expect(world[hall].state == .lit && world.agenda.count == 1 && world.contains(cellar))
  }

  @Test("A handle of another world is not taken for a machine of this one, whatever its type")
  func otherWorlds() throws {
    let (one, other) = (World(), World())
    _ = try one.make(Lamp.self, named: "hall")
    let polly = try other.make(Parrot.self, named: "polly")
    expect(!one.contains(polly))
    #expect(throws: World.Failure.gone("polly", machines: ["hall"])) { try one.send(.wake, to: polly) }
    expect(one.journal(of: polly).isEmpty)
  }

  @Test("Changes since a cursor are all that happened in the world, undoing included")
  func changes() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall")
    let cursor = world.cursor
    try world.send(.pressed, to: hall)
    _ = try world.make(Parrot.self, named: "polly")
    world.advance(by: .seconds(90))
    try world.undo(2)
    let changes = try world.changes(since: cursor)
    expectEqual(changes.map(\.cause), ["pressed", "created", "timer burnedOut", "undone 3"])
    expectEqual(changes.map(\.machine), ["hall", "polly", "hall", nil])
    expect(changes[2].outputs == ["wentDark"] && changes[2].moment == .seconds(60))
    expectEqual("\(changes[0])", "#2 at 0.0 seconds: hall pressed: moved dark → lit")
    try expect(world.changes(since: world.cursor).isEmpty)
    expect(world.journal(of: hall, since: cursor).isEmpty)
  }

  @Test("The same calls with the same seed have the same outcome, with another seed another one")
  func seeds() throws {
    func draws(_ seed: UInt64) throws -> [Parrot.Output] {
      let world = World(seed: seed)
      let polly = try world.make(Parrot.self, named: "polly")
      return try (0..<20).flatMap { _ in try world.send(.hear("a", times: 0), to: polly).outputs }
    }
    try expectEqual(draws(1), draws(1))
    try expect(draws(1) != draws(2))
  }

  @Test("A machine that is not a function of its inputs is found out by undo")
  func diverged() throws {
    let world = World()
    let moody = try world.make(Moody.self, named: "moody")
    for _ in 0..<64 { try world.send(.poked, to: moody) }
    #expect(throws: World.Failure.diverged("moody")) { try world.undo() }
    expectEqual(world.journal(of: moody).count, 65)
  }

  /// Does what a generator of its own says, which a machine must not.
  struct Moody: Machine {
    enum State: MachineState { case glad, angry }
    enum Event: MachineEvent { case poked }
    var state = State.glad
    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .poked: .move(to: Bool.random() ? .glad : .angry)
      }
    }
  }

  @Test("Readings follow from state and time")
  func readings() throws {
    let world = World()
    let fridge = try world.make(Fridge.self, named: "kitchen")
    let before = try world.readings(of: fridge)["temperature"]
    world.advance(by: .seconds(300))
    expect(before != nil)
    try expect(world.readings(of: fridge)["temperature"] != before)
  }

  @Test("Time ends where world time ends, and not with a trap")
  func endOfTime() {
    let world = World()
    expectNil(world.advance(by: .seconds(86_400 * 200_000)))
    expectEqual(world.now, .seconds(86_400 * 100_000))
  }
}
