import MachineForms
import StateMachines
import TestSupport
import Testing

/// How states and events are put together, and what becomes of a machine of them.
struct EventObjectsLifeTests {
  typealias Objects = Mail.Objects

  private func failure(_ states: [String], _ events: [Objects.Event] = [], initial: String? = nil) -> DefinitionFailure?
  {
    do {
      _ = try Objects.Definition(states: states.map { .init($0) }, events: events, initial: initial)
      return nil
    } catch {
      return error
    }
  }

  @Test("what makes no machine")
  func failures() {
    expectNil(failure(["a"]))
    expectEqual(failure([]), .noStates)
    expectEqual(failure(["a", ""]), .stateWithoutName)
    expectEqual(failure(["a", "b", "a"]), .duplicateState("a"))
    expectEqual(failure(["a"], [.init("", to: "a")]), .eventWithoutName)
    expectEqual(failure(["a"], [.init("e", to: "a"), .init("e", to: "a")]), .duplicateEvent("e"))
    expectEqual(failure(["a"], [.init("e", from: [], to: "a")]), .eventWithoutSources("e"))
    expectEqual(failure(["a"], [.init("e", from: ["a", "b"], to: "a")]), .unregisteredState("b", event: "e"))
    expectEqual(failure(["a"], [.init("e", to: "b")]), .unregisteredState("b", event: "e"))
    expectEqual(failure(["a"], initial: "b"), .unregisteredState("b", event: nil))
    expectNil(failure(["e"], [.init("e", to: "e")]))  // States and events have names of their own.
  }

  @Test("the first state is the initial one unless another is chosen")
  func initial() throws {
    try expectEqual(Objects.Definition(states: [.init("a"), .init("b")]).initial.name, "a")
    let definition = try Objects.Definition(states: [.init("a"), .init("b")], initial: "b")
    expectEqual(definition.initial.name, "b")
    var machine = Objects.Machine(definition)
    try machine.setInitial("a")
    var log: [String] = []
    try machine.activate(on: &log)
    expectEqual(machine.current?.name, "a")
  }

  @Test("a machine is activated once, and then its states and events stand")
  func activation() throws {
    var machine = Objects.Machine(try Mail.definition())
    var log: [String] = []
    expect(machine.current == nil && !machine.isActive)
    try expectEqual(machine.isIn("unread"), false)
    expectNil(machine.current(as: Mail.State.self))
    try machine.activate(on: &log)
    try expect(machine.isIn("unread"))
    log = []
    #expect(throws: AlreadyActive.self) { try machine.activate(on: &log) }
    #expect(throws: DefinitionFailure.immutable) { try machine.add(Objects.State("spam")) }
    #expect(throws: DefinitionFailure.immutable) { try machine.add(Objects.Event("e", to: "read")) }
    #expect(throws: DefinitionFailure.immutable) { try machine.setInitial("read") }
    expectEqual(log, [])
  }

  @Test("an event that the initial state fires while it is entered is undone by the entry")
  func firedWhileActivating() throws {
    let definition = try Objects.Definition(
      states: [
        .init(
          "a",
          willEnter: { machine, log, _ in
            log.append(machine.current?.name ?? "none")
            do { try machine.fire("go", on: &log) } catch { log.append("\(error)") }
          }), .init("b", didEnter: { machine, log, _ in log.append(machine.current?.name ?? "none") }),
      ], events: [.init("go", to: "b")])
    var machine = Objects.Machine(definition)
    var log: [String] = []
    try machine.activate(on: &log)
    expectEqual(log, ["none", "b"])
    expectEqual(machine.current?.name, "a")
  }

  @Test("before activation a machine takes more; those that share its definition do not see it")
  func additions() throws {
    let shared = try Mail.definition()
    var machine = Objects.Machine(shared)
    try machine.add(Objects.State("spam"))
    try machine.add(Objects.Event("report", to: "spam"))
    #expect(throws: DefinitionFailure.duplicateState("read")) { try machine.add(Objects.State("read")) }
    #expect(throws: DefinitionFailure.unregisteredState("x", event: "e")) {
      try machine.add(Objects.Event("e", to: "x"))
    }
    expectEqual(machine.definition.states.map(\.name), ["unread", "read", "deleted", "spam"])
    expect(shared.states.count == 3 && shared.event(named: "report") == nil)
    expectEqual(machine.definition.state(named: "spam")?.name, "spam")
    var log: [String] = []
    try machine.fire("report", userInfo: "ada", on: &log)
    expectEqual(machine.current?.name, "spam")
    expect(log, contains: "didChange unread spam in spam by ada")  // Taken over into the new definition.
  }

  @Test("names that nobody knows are errors")
  func unknown() throws {
    let machine = Objects.Machine(try Mail.definition())
    #expect(throws: UnknownName.state("spam")) { try machine.isIn("spam") }
    #expect(throws: UnknownName.event("report")) { try machine.canFire("report") }
    try expect(machine.canFire("view"))
  }

  @Test("a value that is copied goes its own way")
  func value() throws {
    var machine = Objects.Machine(try Mail.definition(), in: Mail.State.unread)
    let other = machine
    var log: [String] = []
    try machine.fire("view", on: &log)
    expect(machine.current?.name == "read" && other.current?.name == "unread")
  }

  @Test("an event that fires in any state has an edge from each")
  func edges() throws {
    let definition = try Objects.Definition(
      states: [.init("a"), .init("b")], events: [.init("back", to: "a"), .init("go", from: ["a"], to: "b")])
    let edges = definition.edges.map { "\($0.source) \($0.event) \($0.destination)" }
    expectEqual(edges, ["a back a", "b back a", "a go b"])
  }
}
