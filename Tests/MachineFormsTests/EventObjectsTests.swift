import MachineForms
import StateMachines
import TestSupport
import Testing

/// What firing does, in which order, and when it does not.
struct EventObjectsTests {
  typealias Objects = Mail.Objects

  @Test("the example of the documentation")
  func example() throws {
    let (state, log) = try readMessage()
    expectEqual(state, "read")
    expectEqual(log, ["read by ada"])
  }

  @Test("an event runs its blocks in their order, and all of them see who fired it")
  func order() throws {
    var message = Objects.Machine(try Mail.definition())
    var log: [String] = []
    try message.activate(on: &log)
    expectEqual(log, ["willEnter unread in none by nobody", "didEnter unread in unread by nobody"])
    log = []
    try message.fire("view", userInfo: "ada", on: &log)
    expectEqual(
      log,
      [
        "willFire view in unread by ada", "willExit unread in unread by ada", "willEnter read in unread by ada",
        "didChange unread read in read by ada", "didExit unread in read by ada", "didEnter read in read by ada",
        "didFire view in read by ada",
      ])
  }

  @Test("view, delete, markUnread, and what is refused then")
  func trace() throws {
    var message = Objects.Machine(try Mail.definition())
    var log: [String] = []
    for (event, state) in [("view", "read"), ("delete", "deleted"), ("markUnread", "unread")] {
      try message.fire(event, on: &log)
      expectEqual(message.current?.name, state)
    }
    try expectEqual(message.canFire("markUnread"), false)
    log = []
    do {
      try message.fire("markUnread", userInfo: "ada", on: &log)
      Issue.record("markUnread fired in unread")
    } catch {
      guard case .invalidTransition(let refusal) = error else { throw error }
      expectEqual(error.code, 1000)
      expect((refusal.event, refusal.state) == ("markUnread", "unread"))
      expectEqual(refusal.permittedSources, ["read", "deleted"])
      expectEqual(
        error.reason, "error 1000: markUnread cannot be fired from the current state unread, only from read, deleted")
    }
    expectEqual(message.current?.name, "unread")
    expectEqual(log, [])
  }

  @Test("all pairs of states and events, by vocabulary")
  func pairs() throws {
    let definition = try Mail.definition()
    expect(definition.matches(states: Mail.State.self, events: Mail.Event.self))
    expect(!definition.matches(states: Mail.Event.self, events: Mail.State.self))
    let expected: [Mail.State: [Mail.State?]] = [
      .unread: [.read, .deleted, nil], .read: [nil, .deleted, .unread], .deleted: [nil, nil, .unread],
    ]
    for state in Mail.State.allCases {
      for event in Mail.Event.allCases {
        var message = Objects.Machine(definition, in: state)
        var log: [String] = []
        let next = expected[state]?[event.index]
        expectEqual(message.canFire(event), (next != nil))
        expect((try? message.fire(event, userInfo: nil, on: &log)) == nil ? next == nil : next != nil)
        expectEqual(message.current(as: Mail.State.self), next ?? state, "\(event) in \(state)")
      }
    }
  }

  @Test("shouldFire declines without a trace, is not asked by canFire, nor where the sources say no")
  func declined() throws {
    final class Count: @unchecked Sendable { var asked = 0 }  // Used by this test alone, on one thread.
    let count = Count()
    let definition = try Objects.Definition(
      states: [Mail.state("unread"), Mail.state("deleted")],
      events: [
        .init(
          "delete", from: ["unread"], to: "deleted",
          shouldFire: { log, transition in
            count.asked += 1
            return transition.userInfo == "owner" && transition.source.name == "unread"
              && transition.destination.name == "deleted" && transition.event.name == "delete"
          })
      ])
    var message = Objects.Machine(definition)
    var log: [String] = []
    try message.activate(on: &log)
    log = []
    try expect(message.canFire("delete"))
    expectEqual(count.asked, 0)
    do {
      try message.fire("delete", userInfo: "guest", on: &log)
      Issue.record("a guest deleted it")
    } catch {
      guard case .declined(let refusal) = error else { throw error }
      expectEqual(error.code, 1001)
      expectEqual(refusal.reason, "error 1001: delete declined to fire in the current state unread")
      expectEqual(refusal.permittedSources, ["unread"])
    }
    expectEqual(count.asked, 1)
    expectEqual(log, [])
    try message.fire("delete", userInfo: "owner", on: &log)
    expectEqual(message.current?.name, "deleted")
    #expect(throws: FireFailure.self) { try message.fire("delete", userInfo: "owner", on: &log) }
    expectEqual(count.asked, 2)
  }

  @Test("an event that leads back to its state runs all four blocks of it")
  func selfTransition() throws {
    let definition = try Objects.Definition(
      states: [Mail.state("read")], events: [Mail.event("view", from: ["read"], to: "read")])
    var message = Objects.Machine(definition)
    var log: [String] = []
    try message.activate(on: &log)
    log = []
    try message.fire("view", on: &log)
    expectEqual(
      log.map { String($0.prefix { $0 != " " }) },
      [
        "willFire", "willExit", "willEnter", "didExit", "didEnter", "didFire",
      ])
  }

  @Test("an event without sources fires in any state, its own destination included")
  func anySource() throws {
    let definition = try Objects.Definition(
      states: Mail.State.words.map { .init($0) }, events: [.init("delete", to: "deleted")])
    for state in Mail.State.allCases {
      var message = Objects.Machine(definition, in: state)
      var log: [String] = []
      try message.fire("delete", on: &log)
      expectEqual(message.current?.name, "deleted")
    }
  }

  @Test("a block that fires is served at once; what it fires before the change is undone, behind it it holds")
  func nested() throws {
    func machine(_ block: WritableKeyPath<Objects.State, Objects.StateBlock?>, of state: String) throws
      -> Objects.Machine
    {
      var states = ["a", "b", "c"].map { Mail.state($0) }
      let place = try #require(states.firstIndex { $0.name == state })
      states[place][keyPath: block] = { machine, log, transition in
        log.append("nested")
        do {
          try machine.fire("toC", userInfo: "block", on: &log)
        } catch {
          log.append("\(error)")
        }
      }
      return Objects.Machine(
        try Objects.Definition(
          states: states,
          events: [Mail.event("toB", from: ["a"], to: "b"), Mail.event("toC", from: nil, to: "c")]))
    }

    var early = try machine(\.willEnter, of: "b")
    var log: [String] = []
    try early.fire("toB", userInfo: "me", on: &log)
    expectEqual(early.current?.name, "b")
    let first = try #require(log.firstIndex(of: "nested"))
    expectEqual(log[first + 1], "willFire toC in a by block")

    var late = try machine(\.didExit, of: "a")
    log = []
    try late.fire("toB", userInfo: "me", on: &log)
    expectEqual(late.current?.name, "c")
    expectEqual(
      log.drop { $0 != "nested" },
      [
        "nested", "willFire toC in b by block", "willExit b in b by block", "willEnter c in b by block",
        "didExit b in c by block", "didEnter c in c by block", "didFire toC in c by block",
        "didEnter b in c by me", "didFire toB in c by me",
      ])
  }

  @Test("firing an inactive machine activates it first; an unknown event does not even that")
  func activatesFirst() throws {
    var message = Objects.Machine(try Mail.definition())
    var log: [String] = []
    #expect(throws: FireFailure.unknownEvent("archive")) { try message.fire("archive", on: &log) }
    expect(!message.isActive && log == [])
    expectNil(FireFailure.unknownEvent("archive").code)
    #expect(throws: FireFailure.self) { try message.fire("markUnread", on: &log) }
    expect(message.isActive && message.current?.name == "unread")
    expectEqual(log.count, 2)
  }
}
