import TestSupport
import Glibc
import StateMachines
import Testing
import UnixHost

/// `kill -9` at random moments under load, a hundred times with `FSMD_THOROUGH=10`: what was acknowledged is there, once,
/// and nothing else.
@Suite("Killed daemons")
struct KillTests {
  /// How daemons are started, and what their stores do meanwhile.
  enum Setup: UInt64, CaseIterable {
    case plain, checkpoints, retention, full, postgres

    /// Those for which this machine has what they need.
    static let here = allCases.filter { $0 != .postgres || PostgresServer.isInstalled }

    var arguments: [String] {
      switch self {
      case .plain, .postgres: []
      case .checkpoints: ["--limit", "checkpointInputs=150", "--limit", "journal=400"]
      case .retention:
        ["--limit", "checkpointInputs=100", "--limit", "storeBytes=20000", "--limit", "journal=300"]
      case .full: ["--durability", "full", "--limit", "checkpointInputs=300", "--on-restart", "deadline"]
      }
    }
  }

  @Test("all that was acknowledged is there after each start, none twice, without a hole", arguments: Setup.here)
  func kills(setup: Setup) throws {
    var story = try KillStory(setup)
    for life in 0..<Thorough.rounds(25) { try story.live(life) }
    try story.end()
  }

  @Test("a durable fork is there with its past after a kill, as soon as its making was acknowledged")
  func fork() throws {
    let daemon = try DaemonProcess()
    let client = try daemon.connect()
    try client.send("new power p\nsend p buttonClick\nworld fork trial durable=yes\nuse trial\nsend p buttonClick\n")
    for _ in 0..<5 { try expect(client.final(), hasPrefix: "+ ") }
    daemon.signal(SIGKILL)
    try expectEqual(daemon.run.ending(), .killed(signal: SIGKILL))
    let again = try DaemonProcess(in: daemon.folder)
    let other = try again.connect()
    try expect(other.ask("expect p on"), hasPrefix: "+")
    try expect(other.ask("use trial"), hasPrefix: "+ world=trial ")
    try expect(other.ask("expect p off"), hasPrefix: "+")
    try expect(other.ask("undo 2"), hasPrefix: "+ ")
    try expect(other.ask("expect p off"), hasPrefix: "+")
    try expectEqual(other.ask("journal"), "+ 4")
  }
}

/// Daemons one after the other on one store, each killed while clients send to two durable worlds: `main`, whose time
/// runs, and `lesson`, whose time clients move on and back.
private struct KillStory {
  private let setup: KillTests.Setup
  private let arguments: [String]
  /// What `verify` is given.
  private let place: [String]
  private var dice: Dice
  private var daemon: DaemonProcess
  /// What was ever asked, by what it is about; of a composed machine each member.
  private var asked: [String: String] = [:]
  private var worlds = [Kept(name: "main"), Kept(name: "lesson")]

  /// A durable world, and how much of its journal was looked at.
  private struct Kept {
    let name: String
    var seen: UInt64 = 0
    /// Where everything is kept, all its inputs.
    var inputs: [FoundInput] = []
  }

  init(_ setup: KillTests.Setup) throws {
    self.setup = setup
    dice = Dice(seed: setup.rawValue)
    let address = setup == .postgres ? try PostgresServer.shared.get().makeDatabase() : nil
    arguments = setup.arguments + (address.map { ["--store", $0] } ?? [])
    place = address.map { ["--state", $0] } ?? []
    daemon = try DaemonProcess(with: arguments)
    try expectEqual(daemon.connect().ask("world new lesson durable=yes"), "+ created lesson")
  }

  // MARK: Lives

  /// What moves the time of a world on and back.
  private static let steps = ["advance 10ms", "advance 400ms", "advance 1s", "advance 1s", "step", "undo", "undo 2"]

  mutating func live(_ life: Int) throws {
    let clients = try (0..<4).map { number in
      try LoadClient("c\(number)l\(life)", path: daemon.socket, world: number < 2 ? "main" : "lesson")
    }
    // Answers are counted first, so that slow disks do as much; then the end comes at any moment of what goes on.
    let (heard, answers) = (clients[dice.number(below: clients.count)], dice.number(below: 80))
    let latest = Patience.deadline()
    while heard.answers.count < answers, HostClock.now() < latest { load(clients) }
    let end = HostClock.now() + UInt64(dice.number(below: 8_000)) * 1_000
    while HostClock.now() < end { load(clients) }
    daemon.signal(SIGKILL)
    try expectEqual(daemon.run.ending(), .killed(signal: SIGKILL))
    for client in clients { try client.drain() }
    // Now and then one is killed while it starts.
    if dice.number(below: 4) == 0 { try startAndKill() }
    daemon = try DaemonProcess(with: arguments, in: daemon.folder)
    try look(at: clients, life)
  }

  private mutating func load(_ clients: [LoadClient]) {
    for (number, client) in clients.enumerated() {
      if client.pending < 300 { for _ in 0..<dice.number(below: 60) { ask(client, number) } }
      client.pump()
    }
  }

  private mutating func startAndKill() throws {
    let run = try ProgramRun("fsmd", ["--socket", daemon.socket] + arguments, in: daemon.folder)
    Patience.pass(milliseconds: UInt64(dice.number(below: 60)))
    run.child.signal(SIGKILL)
    _ = try run.ending()
  }

  /// The next request of a client: about a machine of its own, with an event that this machine gets but once.
  private mutating func ask(_ client: LoadClient, _ number: Int) {
    let count = client.asked.count
    let machine = "\(client.name)-\(count / 8)"
    switch (number, count % 8) {
    case (2, let step) where count / 8 % 2 == 1: askAboutDocument(client, "\(machine).k", step)
    case (3, 1...): ask(client, dice.one(of: KillStory.steps), nil)
    case (3, _):
      ask(client, "new phoneCall \(machine)", "\(machine).phone created")
      asked["\(machine).tracker created"] = client.asked.last
    case (_, 0): ask(client, "new stepper \(machine)", "\(machine) created")
    case (_, 1): ask(client, "send \(machine) increment", "\(machine) increment")
    case (_, 2): ask(client, "new shiftKey \(machine).k", "\(machine).k created")
    case (_, 3): ask(client, "wire \(machine) down \(machine).k tap", "\(machine) wired down \(machine).k tap")
    case (_, 4): ask(client, "send \(machine) decrement", "\(machine) decrement")
    case (_, 5): ask(client, "send \(machine).k character x", "\(machine).k character")
    case (_, 6): ask(client, "drop \(machine)", "\(machine) dropped")
    case (_, _): ask(client, "send \(machine).k nosuch", nil)
    }
  }

  /// The same machine in each notation.
  private static let documents = [
    (
      format: "scxml",
      text: """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
        <state id="off"><transition event="press" target="on"/></state>
        <state id="on"><transition event="press" target="off"/></state>
      </scxml>
      """
    ),
    (format: "mermaid", text: "stateDiagram-v2\n[*] --> off\noff --> on : press\non --> off : press\n"),
    (format: "plantuml", text: "@startuml\n[*] --> off\noff --> on : press\non --> off : press\n@enduml\n"),
    (
      format: "xstate",
      text: #"{"id":"k","initial":"off","states":{"off":{"on":{"press":"on"}},"on":{"on":{"press":"off"}}}}"#
    ),
  ]

  /// A kind from a document, which other clients' undos take away and bring back.
  private mutating func askAboutDocument(_ client: LoadClient, _ name: String, _ step: Int) {
    let document = KillStory.documents[client.asked.count / 16 % KillStory.documents.count]
    switch step {
    case 0, 5:
      ask(
        client, "define \(name)\(step) format=\(document.format) bytes=\(document.text.utf8.count)\n\(document.text)",
        "defined \(name)\(step)")
    case 1: ask(client, "new \(name)0 \(name)", "\(name) created")
    case 2: ask(client, "send \(name) press", "\(name) press")
    case 3 where dice.number(below: 3) > 0: ask(client, "drop \(name)", "\(name) dropped")
    case 4: ask(client, "undefine \(name)0", "undefined \(name)0")
    case 6: ask(client, "undefine \(name)5", "undefined \(name)5")
    case _: ask(client, "send \(name) nosuch", nil)
    }
  }

  private mutating func ask(_ client: LoadClient, _ request: String, _ subject: String?) {
    client.ask(request)
    if let subject { asked[subject] = request }
  }

  // MARK: Looking

  /// Looks at what has come to the journals in a life.
  private mutating func look(at clients: [LoadClient], _ life: Int) throws {
    let reader = try daemon.connect()
    for place in worlds.indices {
      let name = worlds[place].name
      let (inputs, from) = try read(reader, worlds[place])
      worlds[place].seen = inputs.last?.sequence ?? worlds[place].seen
      if setup != .retention { worlds[place].inputs += inputs }
      var bySubject: [String: FoundInput] = [:]
      for input in inputs {
        guard let subject = input.subject else { continue }
        if bySubject.updateValue(input, forKey: subject) != nil { Issue.record("\(subject) is in \(name) twice") }
        if asked[subject] == nil, !isWithinComposed(input) { Issue.record("\(name) has \(subject), which nobody sent") }
      }
      for (number, client) in clients.enumerated() where (number < 2) == (name == "main") {
        let problem = problem(of: client, bySubject, from)
        if let problem { Issue.record("\(setup), life \(life), \(client.name): \(problem)") }
      }
    }
  }

  /// The inputs behind those that were looked at before, which must begin right there or, where older ones are
  /// forgotten, at the first that is kept.
  private func read(_ reader: TestClient, _ world: Kept) throws -> (inputs: [FoundInput], from: UInt64) {
    try reader.ask("use \(world.name)")
    var since = world.seen + 1
    var reply = try reader.askAll("journal since=\(since) limit=1000000")
    // More is forgotten while it is asked for.
    while setup == .retention, let from = reply.last?.split(separator: " ").first(where: { $0.hasPrefix("from=") }) {
      since = UInt64(from.dropFirst(5)) ?? 0
      reply = try reader.askAll("journal since=\(since) limit=1000000")
    }
    let inputs = FoundInput.all(in: reply)
    expectEqual(
      inputs.map(\.sequence), (0..<UInt64(inputs.count)).map { since + $0 }, "\(world.name): \(reply.last ?? "")")
    return (inputs, since)
  }

  private func isWithinComposed(_ input: FoundInput) -> Bool {
    input.what == "wired" && asked["\(input.machine) created"]?.hasPrefix("new phoneCall ") == true
  }

  /// What a client was told and is not so.
  private func problem(
    of client: LoadClient, _ found: [String: FoundInput], _ from: UInt64
  ) -> String? {
    var last: UInt64 = 0
    for (number, request) in client.asked.enumerated() {
      guard let subject = subjects(request).first else { continue }
      guard let input = found[subject] else {
        let answer = client.answers[number]
        let isGone = setup == .retention && sequence(answer) ?? 0 < from
        if let answer, isInput(answer), !isGone { return "\(request) is not there, though it was answered \(answer)" }
        continue
      }
      if input.sequence < last { return "\(request) is there before what was asked earlier" }
      last = input.sequence
      guard let answer = client.answers[number], !request.hasPrefix("new phoneCall") else { continue }
      if !isInput(answer) { return "\(request) is there, though it was answered \(answer)" }
      let words = answer.split(separator: " ")
      let time = words.first { $0.hasPrefix("t=") }?.dropFirst(2)
      if sequence(answer) != input.sequence || time != input.time {
        return "\(request) is input \(input.sequence) at \(input.time), and was answered \(answer)"
      }
      if ["moved", "stayed", "ignored"].contains(input.what),
        Array(words[2...].prefix(1 + input.rest.count)) != [input.what] + input.rest
      {
        return "\(request) came out as \(input.what) \(input.rest), and was answered \(answer)"
      }
    }
    return nil
  }

  private func subjects(_ request: String) -> [String] {
    let words = request.split(separator: " ").map(String.init)
    switch words[0] {
    case "new":
      return words[1] == "phoneCall"
        ? ["\(words[2]).phone created", "\(words[2]).tracker created"] : ["\(words[2]) created"]
    case "send": return ["\(words[1]) \(words[2])"]
    case "wire": return ["\(words[1]) wired \(words[2...].joined(separator: " "))"]
    case "drop": return ["\(words[1]) dropped"]
    case "define", "undefine": return ["\(words[0])d \(words[1])"]
    default: return []
    }
  }

  /// Whether an answer says that something was done.
  private func isInput(_ answer: String) -> Bool { answer.hasPrefix("+") || answer.contains(" REFUSED ") }

  private func sequence(_ answer: String?) -> UInt64? {
    answer?.split(separator: " ").first { $0.hasPrefix("seq=") }.flatMap { UInt64($0.dropFirst(4)) }
  }

  // MARK: The end

  /// Looks at everything once more, and builds the worlds up again from what was asked.
  mutating func end() throws {
    let reader = try daemon.connect()
    for place in worlds.indices where setup != .retention {
      var fresh = worlds[place]
      fresh.seen = 0
      let inputs = try read(reader, fresh).inputs
      // Timers may have expired since.
      expect(inputs.map(\.sequence).starts(with: worlds[place].inputs.map(\.sequence)))
      worlds[place].inputs = inputs
    }
    expect(worlds.reduce(0) { $0 + $1.seen } > (Thorough.isFull ? 300 : 0), "\(worlds.map(\.seen))")
    if setup != .retention { try rebuild(worlds[1], reader) }
    try expectEqual(reader.ask("shutdown"), "+")
    try expectEqual(daemon.run.ending(), .exited(0))
    let verification = try ProgramRun("fsmd", ["verify"] + place, in: daemon.folder)
    try expectEqual(verification.ending(), .exited(0), "\(setup): \(verification.output)\(verification.log)")
  }

  /// Plays what has happened in a virtual world in another one, and compares the two.
  private func rebuild(_ world: Kept, _ reader: TestClient) throws {
    let moment =
      try reader.ask("use \(world.name)").split(separator: " ").first { $0.hasPrefix("t=") }?.dropFirst(2) ?? ""
    var requests = ["world new again", "use again", "quiet on"]
    var played: Set<String> = []
    var time: Substring = "0.000"
    for input in world.inputs where input.keys["undone"] == nil {
      guard let subject = input.subject, let request = asked[subject], played.insert(request).inserted else { continue }
      if input.time != time { requests.append("advance until \(input.time)") }
      time = input.time
      requests.append(request)
    }
    requests += ["advance until \(moment)", "quiet off"]
    try reader.send(requests.joined(separator: "\n") + "\n@end sync\n")
    let failed = try reader.lines { $0 == "+ @end" }.filter { $0.hasPrefix("-") && !$0.contains(" REFUSED ") }
    expect(failed.isEmpty, "\(failed.prefix(3))")
    // A kind from a document is another one in another world, also where its name is the same.
    let differences = try reader.askAll("diff \(world.name) again").dropLast().filter { line in
      let words = line.split(separator: " ")
      return !(words.count == 5 && words[1] == "kind" && words[3] == words[4])
    }
    expectEqual(differences, [])
    let lists = try [world.name, "again"].map { name in
      try reader.ask("use \(name)")
      return try reader.askAll("list")
    }
    expectEqual(lists[0], lists[1])
  }
}
