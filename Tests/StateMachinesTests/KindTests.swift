import StateMachines
import TestSupport
import Testing

struct KindTests {
  private let kind = Turnstile.kind

  @Test("an event's name is that of its case, its arguments are in order")
  func events() {
    #expect(kind.events.map(\.name) == ["push", "coin", "fail", "write", "lights"])
    #expect(kind.events[2].arguments.map(\.name) == ["fault", "code"])
    #expect(kind.events[2].arguments.map(\.type) == [.choice(["jammed", "noPower"]), .optional(.integer(0...9))])
    #expect(kind.events[3].arguments.map(\.type) == [.character, .optional(.text(bytes: 1...1024))])
    #expect(kind.events.indices.map(kind.isPlain) == [true, false, false, false, false])
  }

  @Test("the entry says what was written beside the rule")
  func entry() {
    #expect(kind.name == "turnstile")
    #expect(kind.version == 3)
    #expect(kind.carriesData)
    #expect(kind.states.map(\.word) == ["locked", "unlocked", "broken"])
    #expect(kind.states[1].about == "somebody has paid")
    #expect(kind.timers.map(\.name) == ["patience", "blink"])
    #expect(kind.timers.map(\.parameter) == ["patience", nil])
    #expect(kind.outputs.map(\.name) == ["passed", "change"])
    #expect(kind.outputs[1].data.map(\.name) == ["amount", "person"])
    #expect(kind.readings.map(\.name) == ["passes", "price", "clock"])
  }

  @Test("a parameter's default is that of the Swift property")
  func parameters() {
    #expect(kind.parameters.map(\.name) == ["patience", "price", "limit", "name", "fault"])
    #expect(
      kind.parameters.map(\.standard) == [
        .interval(.seconds(10)), .integer(2), .integer(5), Value.none, .text("jammed"),
      ])
  }

  @Test("states stand in their order; a machine starts in any of them unless the kind says otherwise")
  func states() {
    #expect(kind.states.map(\.word) == ["locked", "unlocked", "broken"])
    #expect(kind.initialStates == ["locked", "unlocked", "broken"])
    #expect(kind.initialState(named: "broken"[...]) == 2)
    #expect(kind.initialState(named: "") == nil)
  }

  @Test("a kind may have its own words to start with")
  func initialStates() {
    let kind = Kind(
      Turnstile.self, "gate", "a turnstile with other words", initialStates: [("shut", .locked), ("out", .broken)],
      events: [])
    #expect(kind.initialStates == ["shut", "out"])
    #expect(kind.initialState(named: "out") == 2)
    #expect(kind.initialState(named: "broken") == nil)
    #expect(kind.version == 1)
  }

  @Test("an event that can neither be sent nor is brought by a timer is found out")
  func forgotten() {
    #expect(kind.listsAllEvents)
    let events: [EventForm<Turnstile.Event>] = [
      .event(.push, ""), .event(Turnstile.Event.coin, .integer("amount", 1...100), about: ""),
    ]
    #expect(!Kind(Turnstile.self, "turnstile", "", events: events).listsAllEvents)
    let lamp = Kind(Lamp.self, "lamp", "", events: [.event(.pressed, "")])
    #expect(!lamp.listsAllEvents)
    #expect(Lamp.kind.listsAllEvents)
  }

  @Test("a kind has at most 64 timers", .enabled(if: Thorough.isFull))
  func tooManyTimers() async {
    await #expect(processExitsWith: .failure) {
      _ = Kind(Lamp.self, "lamp", "", events: [], timers: (0..<65).map { .timer(.burnedOut, named: "t\($0)", "") })
    }
  }
}

struct CatalogueTests {
  @Test("kinds are found by name, and shown in the order in which they were added")
  func catalogue() throws {
    var catalogue = Catalogue([.machine(Turnstile.kind)])
    let pair = Composition("pair", "two", members: ["left": Turnstile.kind, "right": Turnstile.kind], wires: [:])
    catalogue.add(.composition(pair))
    #expect(catalogue.entries.map(\.name) == ["turnstile", "pair"])
    #expect(catalogue.entries.map(\.about) == ["lets those pass who pay", "two"])
    #expect(catalogue["pair"]?.name == "pair")
    #expect(catalogue["trio"] == nil)
  }

  @Test("wires are places of members, outputs and events")
  func wires() {
    let pair = Composition(
      "pair", "two", members: ["left": Turnstile.kind, "right": Turnstile.kind],
      wires: ["left.passed": "right.push", "right.change": "left.coin"])
    #expect(
      pair.wires.map { [$0.from, $0.output, $0.to, $0.event] } == [[0, 0, 1, 0], [1, 1, 0, 1]])
  }

  @Test("two kinds of one name, or a wire to nowhere, are defects", .enabled(if: Thorough.isFull))
  func defects() async {
    await #expect(processExitsWith: .failure) {
      _ = Catalogue([.machine(Turnstile.kind), .machine(Turnstile.kind)])
    }
    await #expect(processExitsWith: .failure) {
      _ = Composition("one", "", members: ["a": Turnstile.kind], wires: ["b.passed": "a.push"])
    }
    await #expect(processExitsWith: .failure) {
      _ = Composition("one", "", members: ["a": Turnstile.kind], wires: ["a.push": "a.push"])
    }
    await #expect(processExitsWith: .failure) {
      _ = Composition("one", "", members: ["a": Turnstile.kind], wires: ["a.passed": "a.passed"])
    }
  }
}
