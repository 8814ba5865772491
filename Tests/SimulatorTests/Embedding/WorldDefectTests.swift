import Simulations
import Simulator
import StateMachines
import TestSupport
import Testing

/// Calls that could be mistaken for others: handles of other worlds, kinds of other machines, told outputs.
struct WorldDefectTests {
  private typealias Lamp = WorldTests.Lamp
  private typealias Parrot = WorldTests.Parrot

  /// Says what it does, and tells how.
  struct Clerk: Machine {
    enum State: MachineState { case awake }
    enum Event: MachineEvent { case work, rest }
    enum Output: OutputWithData, Equatable {
      case done, thought(String)
      enum Name: NamedCases { case done, thought }
    }
    var state = State.awake

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .work: step.emit(.thought("how?"), .done)
      case .rest: step.emit(.thought("why?"))
      }
      return .stay
    }

    static let kind = Kind(
      Clerk.self, "clerk", "", events: [.event(.work, ""), .event(.rest, "")],
      outputs: {
        switch $0 {
        case .done: "it is done"
        case .thought: .told(("text", .text(bytes: 1...8)), about: "it thinks")
        }
      })
  }

  @Test("A handle of another world is no machine here, even if number, name and type are the same")
  func twins() throws {
    let (one, other) = (World(), World())
    let hall = try one.make(Lamp.self, named: "hall")
    let twin = try other.make(Lamp.self, named: "hall")
    expect(!one.contains(twin) && !other.contains(hall) && hall != twin)
    let failure = #expect(throws: World.Failure.gone("hall", machines: ["hall"])) { try one.send(.pressed, to: twin) }
    expect(failure.map { "\($0)" }, hasPrefix: "hall is another machine in this world: the handle is of ")
    expect(one.journal(of: twin).isEmpty && one[hall].state == .dark)
  }

  @Test("What a fork makes is no machine of the world that it left, nor of another fork")
  func forks() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall")
    let (left, right) = (world.fork(), world.fork())
    let (there, here) = try (left.make(Lamp.self, named: "a"), right.make(Lamp.self, named: "a"))
    expect(left.contains(hall) && right.contains(hall) && left.contains(there) && right.contains(here))
    expect(!left.contains(here) && !right.contains(there) && !world.contains(here))
    expectEqual(right.machine(named: "a", as: Lamp.self), here)
  }

  @Test("A machine whose making was undone is not the one that is made then")
  func undone() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall")
    try world.undo()
    let again = try world.make(Lamp.self, named: "hall")
    expect(!world.contains(hall) && world.contains(again))
    let fork = world.fork()
    try world.undo()
    _ = try world.make(Lamp.self, named: "hall")
    expect(!world.contains(again) && fork.contains(again))
  }

  @Test("Undoing no call, and advancing by less than nothing, are defects that say so", arguments: [0, -1, Int.min])
  func backwards(count: Int) async {
    let undo = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [count] in
      try World().undo(count)
    }
    expect(text(undo), contains: "undo takes at least 1 call, not \(count)")
    let advance = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      World().advance(by: .nanoseconds(-1))
    }
    expect(text(advance), contains: "time does not go back")
  }

  private func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test("A cursor is of its world and of the forks that have the inputs before it, and of no other")
  func cursors() throws {
    let (world, other) = (World(), World())
    let before = world.cursor
    let hall = try world.make(Lamp.self, named: "hall")
    let fork = world.fork()
    let (after, ofFork) = (world.cursor, fork.cursor)
    try expect(fork.changes(since: before).count == 1 && fork.changes(since: after).isEmpty)
    try world.send(.pressed, to: hall)
    let later = world.cursor
    try fork.send(.pressed, to: hall)
    try expect(world.changes(since: after).count == 1 && fork.changes(since: ofFork).count == 1)
    #expect(throws: World.Failure.ofOtherWorld(later)) { try fork.changes(since: later) }
    #expect(throws: World.Failure.ofOtherWorld(ofFork)) { try world.changes(since: ofFork) }
    let failure = #expect(throws: World.Failure.ofOtherWorld(before)) { try other.changes(since: before) }
    expectEqual(failure.map { "\($0)" }, "the cursor before #1 is of another world")
    try expectEqual(fork.fork().changes(since: before).count, 2)
    try world.undo(2)
    try expectEqual(world.changes(since: later).map(\.cause), ["undone 2"])
  }

  /// Says numbers, and hears texts.
  struct Meter: Machine {
    enum State: MachineState { case still }
    enum Event: MachineEvent { case read(Int), note(String), level(Int), ring, perhaps(Int?) }
    enum Output: OutputWithData {
      case measured(Int), rang
      enum Name: NamedCases { case measured, rang }
    }
    var state = State.still

    func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> { .every(.seconds(1), .ring) }

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .read(let number): step.emit(.measured(number), then: .stay)
      case .note: step.refuse("no notes are taken")
      case .level, .perhaps: .stay
      case .ring: step.emit(.rang, then: .stay)
      }
    }

    static let kind = Kind(
      Meter.self, "meter", "",
      events: [
        .event(Event.read, .integer("number", 1...9), about: ""),
        .event(Event.note, .text("text", bytes: 1...8), about: ""),
        .event(Event.level, .integer("level", 3...99), about: ""),
        .event(Event.perhaps, .optional(.integer("level", 1...2)), about: ""),
      ],
      timers: [.timer(.ring, named: "bell", "")],
      outputs: {
        switch $0 {
        case .measured: .output(("number", .integer(1...9)), about: "")
        case .rang: ""
        }
      })
  }

  @Test("A wire whose types cannot fit is not made; a value out of range is refused, with a reason in the journal")
  func unfitting() throws {
    let world = World()
    let (a, b) = try (world.make(Meter.self, named: "a"), world.make(Meter.self, named: "b"))
    let failure = #expect(throws: World.Failure.self) { try world.wire(.measured, of: a, to: Meter.Event.note, of: b) }
    expectEqual(
      failure.map { "\($0)" },
      "the output measured of a has number (1 to 9), and the event note of b takes text (text of 1 to 8 bytes)")
    let none = #expect(throws: World.Failure.self) { try world.wire(.rang, of: a, to: Meter.Event.level, of: b) }
    expectEqual(
      none.map { "\($0)" }, "the output rang of a has no data, and the event level of b takes level (3 to 99)")
    try world.wire(.rang, of: a, to: Meter.Event.perhaps, of: b)
    try world.wire(.measured, of: a, to: Meter.Event.level, of: b)
    try world.send(.read(2), to: a)
    try world.send(.note("x"), to: b)
    let reasons = ["the output's data do not fit the event's arguments", "no notes are taken"]
    expectEqual(world.journal(of: b).suffix(2).map(\.reason), reasons)
    expectEqual(
      world.journal(of: b).last.map { "\($0)" }, "#7 at 0.0 seconds: note(\"x\"): refused in still: no notes are taken")
    try world.send(.read(3), to: a)
    expect(world.journal(of: b).last?.reason == nil && world.journal(of: b).last?.verdict == .stayed)
    // The repeated inputs are refused for the same reasons.
    try world.undo()
    let fork = world.fork()
    try fork.undo()
    expectEqual(world.journal(of: b).suffix(2).map(\.reason), reasons)
    expectEqual(fork.journal(of: b).last?.reason, reasons[0])
  }

  @Test("An event that only a timer brings is told apart from one that the kind does not list")
  func timersEvents() throws {
    let world = World()
    let meter = try world.make(Meter.self, named: "a")
    let failure = World.Failure.ofTimer("ring", timer: "bell", kind: "meter")
    #expect(throws: failure) { try world.send(.ring, to: meter) }
    #expect(throws: failure) { try world.wire(.rang, of: meter, to: .ring, of: meter) }
    expectEqual("\(failure)", "only the timer bell of the kind meter brings the event ring; fire lets the timer expire")
  }

  @Test("A kind of another machine is a defect that says so")
  func otherKind() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try World().make(WorldTests.Lamp.self, named: "hall", kind: WorldTests.Parrot.kind)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expect(text, contains: "parrot is a kind of Parrot, not of Lamp")
  }

  @Test("A number that no key can have is an error, and fires nothing")
  func keys() throws {
    let world = World()
    let post = try world.make(Background.self, named: "post")
    for key in [-1, Int(UInt32.max) + 1, .max, .min] {
      #expect(
        throws: World.Failure.notAdmitted(
          "the key of background.fetchSucceeded", found: "\(key)", allowed: "0 to \(UInt32.max)")
      ) { try world.fire("fetchSucceeded", key: key, of: post) }
    }
    try expectEqual(world.fire("fetchSucceeded", key: Int(UInt32.max), of: post).verdict, .refused)
  }

  @Test("What is told is apart from the outputs, in outcomes, records and changes")
  func told() throws {
    let world = World()
    let clerk = try world.make(Clerk.self, named: "clerk")
    let cursor = world.cursor
    let work = try world.send(.work, to: clerk)
    expect(work.outputs == [.done] && work.told == [.thought("how?")])
    expect("\(work)", hasPrefix: "stayed in awake, said done, told thought(")
    let rest = try world.send(.rest, to: clerk)
    expect(rest.outputs == [] && rest.told == [.thought("why?")])
    let records = world.journal(of: clerk, since: cursor)
    expect(records.map(\.outputs) == [[.done], []] && records.map(\.told) == [[.thought], [.thought]])
    expectEqual(records.map(\.outputData), [[[]], []])
    expectEqual(records.map(\.toldData), [[[.text("how?")]], [[.text("why?")]]])
    expectEqual("\(records[0])", "#2 at 0.0 seconds: work: stayed in awake, said done, told thought")
    let changes = try world.changes(since: cursor)
    expect(changes.map(\.outputs) == [["done"], []] && changes.map(\.told) == [["thought"], ["thought"]])
    expectEqual("\(changes[1])", "#3 at 0.0 seconds: clerk rest: stayed awake → awake, told thought")
  }

  @Test("A told output cannot be wired")
  func wireOfTold() async throws {
    let world = World()
    let clerk = try world.make(Clerk.self, named: "clerk")
    let polly = try world.make(Parrot.self, named: "polly")
    let failure = World.Failure.notListed("thought, for a wire", kind: "clerk", listed: ["done"])
    #expect(throws: failure) { try world.wire(.thought, of: clerk, to: .wake, of: polly) }
    #expect(throws: failure) { try world.unwire(.thought, of: clerk, to: .wake, of: polly) }
    guard Thorough.isFull else { return }
    await #expect(processExitsWith: .failure) {
      _ = Composition("pair", "", members: ["a": Clerk.kind], wires: ["a.thought": "a.work"])
    }
  }

  @Test("A composition is made with its wires in one call, which undo takes back")
  func composition() throws {
    let world = World()
    try world.make(.phoneCall, named: "p", parameters: ["phone.ring": Duration.seconds(2)])
    expectEqual(world.machines, ["p.phone", "p.tracker"])
    let tracker = try #require(world.machine(named: "p.tracker", as: CallTracker.self))
    let phone = try #require(world.machine(named: "p.phone", as: Phone.self))
    expectNil(world.machine(named: "p.phone", as: CallTracker.self))
    let cursor = world.cursor
    try world.send(.phoneTapped("112"), to: tracker)
    expectEqual(world.journal(of: phone, since: cursor).map(\.cause), [.wire("openTel", from: "p.tracker")])
    let fork = world.fork()
    try world.undo(2)
    expect(world.machines.isEmpty && !world.contains(phone) && fork.contains(phone))
    #expect(throws: World.Failure.nameTaken("p")) { try fork.make(.phoneCall, named: "p") }
    #expect(throws: World.Failure.badName("9")) { try fork.make(.phoneCall, named: "9") }
    let longest = String(repeating: "x", count: 64)
    #expect(throws: World.Failure.badName("\(longest).tracker")) { try fork.make(.phoneCall, named: longest) }
    let unknown = #expect(throws: World.Failure.self) { try fork.make(.phoneCall, named: "q", parameters: ["a.b": 1]) }
    expect(unknown.map { "\($0)" }, hasPrefix: "a.b is not in the kind phoneCall")
    let odd = #expect(throws: World.Failure.self) {
      try fork.make(.phoneCall, named: "q", parameters: ["phone.ring": 1])
    }
    expect(odd.map { "\($0)" }, hasPrefix: "phoneCall.phone.ring cannot be 1: allowed is ")
    expectEqual(fork.machines, ["p.phone", "p.tracker"])
  }

  @Test("A composed kind's required parameters must be given")
  func required() throws {
    let kind = Kind(
      Timed.self, "timed", "", events: [.event(.go, "")],
      parameters: [.required("count", \.count, .integer(1...9), example: 2, "")])
    let pair = Composition("pair", "", members: ["a": kind, "b": kind], presets: ["b.count": 3], wires: [:])
    let world = World()
    let failure = #expect(throws: World.Failure.self) { try world.make(pair, named: "p") }
    expectEqual(failure.map { "\($0)" }, "pair.a.count cannot be omitted: allowed is 1 to 9")
    #expect(throws: World.Failure.self) { try world.make(pair, named: "p", parameters: ["a.count": 1, "b.count": 1]) }
    try world.make(pair, named: "p", parameters: ["a.count": 5])
    let counts = try ["p.a", "p.b"].map { name in
      let handle = try #require(world.machine(named: name, as: Timed.self))
      return try world.send(.go, to: handle).outputs.map(\.count)
    }
    expectEqual(counts, [[5], [3]])
  }

  struct Timed: Machine {
    enum State: MachineState { case still }
    enum Event: MachineEvent { case go }
    enum Output: OutputWithData {
      case counted(Int)
      enum Name: NamedCases { case counted }
      var count: Int {
        switch self {
        case .counted(let count): count
        }
      }
    }
    struct Parameters: ParameterSet { var count = 1 }
    var state = State.still
    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      step.emit(.counted(step.parameters.count), then: .stay)
    }
  }

  @Test("A kind without an entry has the timers of states with data")
  func derivedTimers() throws {
    let world = World()
    let client = try world.make(Client.self, named: "client")
    try world.send(.fail(times: 3), to: client)
    expectEqual(world.agenda.map { "\($0)" }, ["client.retried at 1.0 seconds"])
    world.advance(by: .seconds(1))
    expectEqual(world[client].last, 3)
  }

  struct Client: Machine {
    enum State: StateWithData {
      case idle, waiting(attempt: Int)
      enum Name: NamedCases { case idle, waiting }
      static var samples: [State] { [.waiting(attempt: 1)] }
    }
    enum Event: MachineEvent { case fail(times: Int), retried(attempt: Int) }
    var state = State.idle
    var last = 0

    func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> {
      switch state {
      case .idle: .none
      case .waiting(let attempt): .after(.seconds(1), .retried(attempt: attempt))
      }
    }

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .fail(let times): return .move(to: .waiting(attempt: times))
      case .retried(let attempt):
        last = attempt
        return .move(to: .idle)
      }
    }
  }

  @Test("Everything that an expectation prints is in words")
  func descriptions() throws {
    let world = World()
    let hall = try world.make(Lamp.self, named: "hall")
    try world.send(.pressed, to: hall)
    expectEqual("\(world.cursor)", "before #3")
    expectEqual(world.agenda.map { "\($0)" }, ["hall.burnedOut at 60.0 seconds"])
    expectEqual(world.journal(of: hall).map { "\($0.cause)" }, ["created", "pressed"])
    expectEqual("\(World.Failure.full)", "the world has the maximal number of machines or wires")
  }
}
