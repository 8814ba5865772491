import StateMachines
import TestSupport
import Testing

struct KindTests {
  private let kind = Turnstile.kind

  @Test("an event's name is that of its case, its arguments are in order")
  func events() {
    expectEqual(kind.events.map(\.name), ["push", "coin", "fail", "write", "lights"])
    expectEqual(kind.events[2].arguments.map(\.name), ["fault", "code"])
    expectEqual(kind.events[2].arguments.map(\.type), [.choice(["jammed", "noPower"]), .optional(.integer(0...9))])
    expectEqual(kind.events[3].arguments.map(\.type), [.character, .optional(.text(bytes: 1...1024))])
    expectEqual(kind.events.indices.map(kind.isPlain), [true, false, false, false, false])
  }

  @Test("the entry says what was written beside the rule")
  func entry() {
    expectEqual(kind.name, "turnstile")
    expectEqual(kind.version, 3)
    expect(kind.carriesData)
    expectEqual(kind.states.map(\.word), ["locked", "unlocked", "broken"])
    expectEqual(kind.states[1].about, "somebody has paid")
    expectEqual(kind.timers.map(\.name), ["patience", "blink"])
    expectEqual(kind.timers.map(\.parameter), ["patience", nil])
    expectEqual(kind.outputs.map(\.name), ["passed", "change"])
    expectEqual(kind.outputs[1].data.map(\.name), ["amount", "person"])
    expectEqual(kind.readings.map(\.name), ["passes", "price", "clock"])
  }

  @Test("a parameter's default is that of the Swift property")
  func parameters() {
    expectEqual(kind.parameters.map(\.name), ["patience", "price", "limit", "name", "fault"])
    expectEqual(
      kind.parameters.map(\.standard),
      [
        .interval(.seconds(10)), .integer(2), .integer(5), Value.none, .text("jammed"),
      ])
  }

  @Test("states stand in their order; a machine starts in any of them unless the kind says otherwise")
  func states() {
    expectEqual(kind.states.map(\.word), ["locked", "unlocked", "broken"])
    expectEqual(kind.initialStates, ["locked", "unlocked", "broken"])
    expectEqual(kind.initialState(named: "broken"[...]), 2)
    expectNil(kind.initialState(named: ""))
  }

  @Test("a kind may have its own words to start with")
  func initialStates() {
    let kind = Kind(
      Turnstile.self, "gate", "a turnstile with other words", initialStates: [("shut", .locked), ("out", .broken)],
      events: [])
    expectEqual(kind.initialStates, ["shut", "out"])
    expectEqual(kind.initialState(named: "out"), 2)
    expectNil(kind.initialState(named: "broken"))
    expectEqual(kind.version, 1)
  }

  @Test("an event that can neither be sent nor is brought by a timer is found out")
  func forgotten() {
    expect(kind.listsAllEvents)
    let events: [EventForm<Turnstile.Event>] = [
      .event(.push, ""), .event(Turnstile.Event.coin, .integer("amount", 1...100), about: ""),
    ]
    expect(!Kind(Turnstile.self, "turnstile", "", events: events).listsAllEvents)
    let lamp = Kind(Lamp.self, "lamp", "", events: [.event(.pressed, "")])
    expect(!lamp.listsAllEvents)
    expect(Lamp.kind.listsAllEvents)
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
    expectEqual(catalogue.entries.map(\.name), ["turnstile", "pair"])
    expectEqual(catalogue.entries.map(\.about), ["lets those pass who pay", "two"])
    expectEqual(catalogue["pair"]?.name, "pair")
    expectNil(catalogue["trio"])
  }

  @Test("wires are places of members, outputs and events")
  func wires() {
    let pair = Composition(
      "pair", "two", members: ["left": Turnstile.kind, "right": Turnstile.kind],
      wires: ["left.passed": "right.push", "right.change": "left.coin"])
    expectEqual(pair.wires.map { [$0.from, $0.output, $0.to, $0.event] }, [[0, 0, 1, 0], [1, 1, 0, 1]])
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
