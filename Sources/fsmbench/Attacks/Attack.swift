internal import StateMachines

/// Requests of one or many clients that keep a world busy. ``AttackBenchmark`` measures the effect on other clients.
struct Attack: Sendable {
  /// The name of the attack in the table.
  let what: String
  /// Makes the attacked worlds and their machines.
  let prepare: @Sendable (Arena) throws -> Void
  /// What each attacking connection sends in one piece, including its `use` of a world.
  let volleys: @Sendable (Effort) -> [String]
  /// Whether the attackers disconnect as soon as they have sent everything, without reading a reply.
  var isAbandoned = false
}

/// The attacked worlds of one daemon.
struct Arena {
  let conversation: Conversation
  let isDurable: Bool
  let effort: Effort

  static let world = "arena"

  /// Makes a world with a virtual clock and switches the conversation to it.
  func make(_ world: String = Arena.world) throws {
    try conversation.ask("world new \(world) clock=virtual\(isDurable ? " durable=yes" : "")")
    try conversation.ask("use \(world)")
  }

  /// Makes a world with machines of one kind, named by ``Workload``.
  func make(_ count: Int, _ kind: String) throws {
    try make()
    try Fleet.make(kind: kind, 0..<count, on: conversation)
  }

  /// Sends requests that all must succeed, and waits until they are done.
  func carryOut(_ requests: some Sequence<String>) throws {
    try conversation.ask("quiet on")
    try conversation.send(requests.flatMap { Array("\($0)\n".utf8) })
    try conversation.ask("quiet off")
  }
}

extension Attack {
  static let all: [Attack] =
    [hub, regex, awaiting, advancing, batch, deadClients]
    + [
      onMany("cast") { _ in repeated(5, "cast * buttonClick") },
      onMany("count") { _ in repeated(200, "count") },
      onMany("list") { _ in repeated(5, "list") },
      onMany("agenda", of: "fridge") { _ in repeated(5, "agenda") },
      onMany("fork") { _ in repeated(10, "world fork copy", "world drop copy") },
      onMany("diff", isForked: true) { _ in repeated(5, "diff \(Arena.world) copy") },
      onMany("coverage") { _ in repeated(5, "coverage") },
      onMany("watch") { _ in repeated(50, "watch *", "unwatch *") },
      onMany("journal") { effort in repeated(5, "journal limit=\(effort.million)") },
      onMany("undo") { _ in repeated(10, "undo") },
    ]

  private static let hub = Attack(
    what: "sends to a hub of 50,000 wires",
    prepare: { arena in
      try arena.make(wires, "shiftKey")
      try arena.conversation.ask("new shiftKey hub")
      try arena.carryOut((0..<wires).lazy.map { "wire hub text \(Workload.name($0)) character" })
    },
    volleys: { _ in [inArena(repeated(1_000, "send hub character a"))] })

  private static let wires = 50_000

  private static let regex = Attack(
    what: "cast of 64 KiB to 20 regex machines",
    prepare: { arena in
      try arena.make()
      // Each character doubles the work of a naive matcher; ours keeps a set of a thousand positions.
      let pattern = "(.|b)*a" + String(repeating: ".", count: 200)
      try arena.carryOut((0..<20).lazy.map { "new regex r\($0) pattern=\(pattern)" })
    },
    volleys: { _ in
      var dice = Dice(seed: 9)
      let text = String((0..<65_000).map { _ in dice.next().isMultiple(of: 2) ? Character("a") : "b" })
      return [inArena(repeated(20, "cast * text \(text)"))]
    })

  private static let awaiting = Attack(
    what: "100 awaits on fast games",
    prepare: { arena in
      try arena.make()
      try arena.carryOut((0..<100).lazy.flatMap { ["new game g\($0) frameRate=1000", "send g\($0) start"] })
    },
    volleys: { _ in (0..<100).map { inArena("await g\($0) over within=36500d\n") } })

  private static let advancing = Attack(
    what: "40 worlds that advance 36500d",
    prepare: { arena in
      for world in 0..<40 {
        try arena.make("arena\(world)")
        try arena.carryOut((0..<100).lazy.map { "new fridge f\($0)" })
      }
    },
    volleys: { _ in (0..<40).map { "use arena\($0)\nadvance 36500d\n" } })

  private static let batch = Attack(
    what: "batch of 200 casts over 100,000 machines",
    prepare: { try $0.make($0.effort.million / 10, "power") },
    volleys: { _ in [inArena("begin\n" + repeated(200, "cast * buttonClick") + "end\n")] })

  private static let deadClients = Attack(
    what: "2,000 lists of 100,000 machines, then close",
    prepare: { try $0.make($0.effort.million / 10, "power") },
    volleys: { _ in [inArena(repeated(2_000, "list"))] },
    isAbandoned: true)

  private static func onMany(
    _ verb: String, of kind: String = "power", isForked: Bool = false,
    _ requests: @escaping @Sendable (Effort) -> String
  ) -> Attack {
    Attack(
      what: "\(verb) on a million",
      prepare: { arena in
        try arena.make(arena.effort.million, kind)
        if isForked { try arena.conversation.ask("world fork copy") }
      },
      volleys: { [inArena(requests($0))] })
  }

  private static func inArena(_ requests: String) -> String { "use \(Arena.world)\n\(requests)" }

  private static func repeated(_ count: Int, _ requests: String...) -> String {
    String(repeating: requests.map { "\($0)\n" }.joined(), count: count)
  }
}
