import JournalStore
import TestSupport
import Testing

@testable import SimulationDaemon

/// One disk call fails, or all from one on, for each call, while a daemon starts, serves, writes checkpoints, makes and
/// drops worlds, ends and starts again: what was acknowledged is there, in order, nothing twice.
@Suite("Faults of the store")
struct StorageFaultTests {
  /// Each call fails in one of three ways; the store's own tests cover all ways for each.
  @Test("the n-th call fails, for every n", arguments: 0..<3)
  func everyCall(offset: Int) throws {
    let timing = FaultPlan.Timing.allCases[offset]
    // SQLite's codes for a full disk and for an I/O error.
    let code: Int32 = timing == .fromThenOn ? 13 : 10
    // Every one with `FSMD_THOROUGH=10`, or one in so many, from any of the first on.
    let distance = 3 * Thorough.distance
    var dice = Dice(seed: offset)
    var call = offset + 1 + 3 * dice.number(below: Thorough.distance) - distance
    var isThrough = false
    while !isThrough {
      call += distance
      let faults = FaultPlan(call: call, timing, code: code)
      var scenario = FaultedScenario(faults)
      scenario.run()
      isThrough = !faults.hasStruck
      let problems = try scenario.problems()
      expect(problems.isEmpty, "call \(call) \(timing) \(code): \(problems.prefix(3))")
      if !problems.isEmpty { return }
      if isThrough { expectEqual(scenario.failures, 0) }
    }
    expect(call > 300, "\(call)")
  }
}

/// A fixed sequence of clients' requests to a daemon whose disk may fail, and the answers.
private struct FaultedScenario {
  private let faults: FaultPlan
  private let folder = TemporaryFolder.inMemory()
  private let wall = KeptDaemon.WallClock()
  private var daemon: KeptDaemon?
  private var ledgers: [Ledger] = []
  /// Requests answered with a failure of the store, and daemons that did not start.
  private(set) var failures = 0
  private var trouble: [String] = []

  init(_ faults: FaultPlan) {
    self.faults = faults
  }

  // MARK: The story

  mutating func run() {
    for life in 0..<2 {
      guard start() else { continue }
      serve(life)
      daemon?.service.release()
      daemon = nil
    }
  }

  private mutating func start() -> Bool {
    var setup = KeptDaemon.Setup("checkpointInputs=6", "storeBytes=4096", "journal=30")
    setup.faults = faults
    do {
      daemon = try KeptDaemon(setup, in: folder, wall: wall)
      return true
    } catch {
      failures += 1
      return false
    }
  }

  private mutating func serve(_ life: Int) {
    guard let daemon else { return }
    let host = daemon.host
    let guests = (0..<3).map { _ in daemon.connect() }
    let watcher = daemon.connect()
    let free = host.connect(toWorld: "brief")
    var books = (0..<3).map { Ledger("\(life)\($0)", guests[$0]) }
    var watched = Ledger("watch", watcher)
    watched.ask("watch * what=all")
    host.round { watcher.arrive(watched.text) }
    // One client uses another durable world, if that can be made.
    books[2].ask("world new kept\(life) durable=yes")
    books[2].ask("use kept\(life)")
    // One waits in the middle of a request.
    books[1].ask("new power waited\(life)")
    books[1].ask("await waited\(life) on within=1h")
    for round in 0..<4 where life == 0 || round < 2 {
      books[0].askForMachines(2, "\(life)a\(round)")
      if round == 1 { books[0].askForBatch("\(life)b") }
      if round == 2 { books[0].ask("undo") }
      if round == (life == 0 ? 2 : 1) { books[1].ask("cancel") }
      books[2].askForMachines(2, "\(life)c\(round)")
      if round == 3 {
        books[2].ask("use main")
        books[2].ask("world drop kept\(life)")
        books[2].askForMachines(2, "\(life)d")
      }
      let texts = (0..<3).map { books[$0].text }
      host.round { for (guest, text) in zip(guests, texts) { guest.arrive(text) } }
      host.settle()
      daemon.pass(1)
    }
    host.settle()
    for place in books.indices { books[place].read() }
    watched.read()
    // Trouble with the store must not affect an ephemeral world.
    if free.ask("new power p", "send p buttonClick")[1] != "+ moved off on t=0.000 seq=2" {
      trouble.append("an ephemeral world was disturbed")
    }
    ledgers += books + [watched]
  }

  // MARK: What came of it

  /// The errors that a daemon with an intact disk finds.
  func problems() throws -> [String] {
    var problems = trouble + ledgers.flatMap(\.problems)
    let sound = try KeptDaemon(KeptDaemon.Setup(), in: folder.asAfterKill(), wall: wall)
    var journals: [String: FoundJournal] = [:]
    for world in ["main", "kept0", "kept1"] {
      let guest = sound.connect()
      guard guest.ask("use \(world)")[0].hasPrefix("+") else { continue }
      let journal = FoundJournal(guest.journal())
      journals[world] = journal
      if journal.numbers != Array(1..<guest.client.hosted.head + 1) {
        problems.append("the journal of \(world) has a hole, or ends early")
      }
      problems += guest.violations()
    }
    for ledger in ledgers { problems += ledger.problems(in: journals) }
    return problems
  }
}

/// A journal with indices for quick lookup.
private struct FoundJournal {
  private(set) var numbers: [UInt64] = []
  /// Lines without their mark of being undone.
  private(set) var lines: Set<Substring> = []
  /// The inputs that made or moved a machine, by its name.
  private(set) var made: [Substring: [Substring]] = [:]
  private(set) var moved: [Substring: [Substring]] = [:]

  init(_ journal: [String]) {
    for line in journal {
      let words = line.split(separator: " ")
      let isMarked = words.last?.hasPrefix("undone=") == true
      lines.insert(isMarked ? line.dropLast((words.last?.count ?? 0) + 1) : line[...])
      if let number = UInt64(words[0]), number != numbers.last { numbers.append(number) }
      switch words[3] {
      case "created": made[words[2], default: []].append(words[0])
      case "moved": moved[words[2], default: []].append(words[0])
      default: break
      }
    }
  }
}

/// The requests and answers of one client.
private struct Ledger {
  private let name: String
  private let guest: Guest
  private var asked: [(tag: String, request: String)] = []
  private var unsent = ""
  private var lines: [String] = []
  private(set) var problems: [String] = []

  init(_ name: String, _ guest: Guest) {
    self.name = name
    self.guest = guest
  }

  /// The requests since the last call, as they are sent.
  var text: String {
    mutating get {
      defer { unsent = "" }
      return unsent
    }
  }

  mutating func ask(_ request: String) {
    let tag = "@\(name).\(asked.count)"
    asked.append((tag, request))
    unsent += "\(tag) \(request)\n"
  }

  /// New machines with unique names, and one event to each.
  mutating func askForMachines(_ count: Int, _ name: String) {
    for number in 0..<count {
      ask("new power m\(name).\(number)")
      ask("send m\(name).\(number) buttonClick")
    }
  }

  mutating func askForBatch(_ name: String) {
    ask("begin")
    ask("new power m\(name).0")
    ask("send m\(name).0 buttonClick")
    ask("end")
  }

  /// Reads the answers, and checks that each request has exactly one, in order.
  mutating func read() {
    lines = guest.lines()
    let tags = lines.filter { $0.hasPrefix("+ ") || $0.hasPrefix("- ") }.map { String($0.split(separator: " ")[1]) }
    let isCancelled = asked.contains { $0.request == "cancel" }
    // A cancel is answered out of turn.
    let wanted = asked.map(\.tag)
    if isCancelled ? Set(tags) != Set(wanted) || tags.count != wanted.count : tags != wanted {
      problems.append("\(name) was answered with \(tags.count) lines for \(wanted.count) requests")
    }
  }

  /// Answers and notices that are not true.
  func problems(in journals: [String: FoundJournal]) -> [String] {
    var problems: [String] = []
    // Time is not an input, so it is not in the journal.
    for line in lines where line.hasPrefix("* ") && !line.contains(" - clock ") {
      if journals["main"]?.lines.contains(line.dropFirst(2)) != true { problems.append("\(name) was told \(line)") }
    }
    var answers: [Substring: [Substring]] = [:]
    for line in lines where line.hasPrefix("+ @") {
      let words = line.split(separator: " ")
      answers[words[1]] = words
    }
    for (tag, request) in asked {
      let words = request.split(separator: " ")
      let found: [Substring]
      let machine: Substring
      switch words[0] {
      case "new":
        machine = words[2]
        found = journals.values.flatMap { $0.made[machine] ?? [] }
      case "send":
        machine = words[1]
        found = journals.values.flatMap { $0.moved[machine] ?? [] }
      default: continue
      }
      if found.count > 1 { problems.append("\(request) is there \(found.count) times") }
      guard let answer = answers[tag[...]], !isInDroppedWorld(machine, journals) else { continue }
      if answer.last != found.first.map({ "seq=\($0)" }) ?? "" { problems.append("\(request) was answered \(answer)") }
    }
    return problems
  }

  /// Whether a machine was made in a world that was dropped later.
  private func isInDroppedWorld(_ machine: Substring, _ journals: [String: FoundJournal]) -> Bool {
    guard machine.dropFirst(2).first == "c" else { return false }
    return journals["kept\(machine.dropFirst().first ?? " ")"] == nil
  }
}
