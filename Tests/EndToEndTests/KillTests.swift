import Glibc
import StateMachines
import Testing
import UnixHost

@Suite("Daemons that are killed at any moment")
struct KillTests {
  /// A client that makes machines one after the other and presses each once, many requests under way at a time.
  private final class Author {
    let name: String
    let world: String
    private var client: TestClient?
    /// Requests that were sent and that were acknowledged, in all lives of the daemon. Two make and press a machine.
    private(set) var sent = 0
    private(set) var acknowledged = 0

    init(_ name: String, in world: String) {
      self.name = name
      self.world = world
    }

    func connect(to daemon: DaemonProcess) throws {
      let client = try daemon.connect()
      if world != "main" { try client.ask("use \(world)") }
      self.client = client
    }

    /// Sends the next requests.
    func send(_ count: Int) throws {
      let requests = (sent..<(sent + count)).map { number in
        let machine = "\(name)_\(number / 2)"
        return number % 2 == 0 ? "@\(number) new power \(machine)\n" : "@\(number) send \(machine) buttonClick\n"
      }
      sent += count
      try client?.send(requests.joined())
    }

    /// Takes the next reply; false at the end of the connection.
    func take() throws -> Bool {
      guard let line = try? client?.lineOrEnd() else { return false }
      let outcome = acknowledged % 2 == 0 ? "created" : "moved"
      guard line.hasPrefix("+ @\(acknowledged) \(outcome) ") else {
        throw HarnessFailure(what: "to request \(acknowledged) of \(name) came: \(line)")
      }
      acknowledged += 1
      return true
    }

    /// Takes what was still on its way when the daemon was killed.
    func takeTheRest() throws {
      while acknowledged < sent, try take() {}
      client = nil
    }

    /// Compares what there is with what was acknowledged, and goes on from there.
    func compare(with states: [String: String]) {
      let mine = states.filter { $0.key.hasPrefix("\(name)_") }
      for number in 0..<mine.count {
        let state = mine["\(name)_\(number)"]
        let isLast = number == mine.count - 1
        #expect(state == "on" || (isLast && state == "off"), "\(name)_\(number) is \(state ?? "missing")")
      }
      let done = mine.values.reduce(0) { $0 + ($1 == "on" ? 2 : 1) }
      #expect(acknowledged <= done && done <= sent, "\(name): \(done) of \(sent), \(acknowledged) acknowledged")
      (sent, acknowledged) = (done, done)
    }
  }

  /// What a world has, by a client of its own; its journal has no hole, and each line of it once.
  private func states(of world: String, in daemon: DaemonProcess) throws -> [String: String] {
    let client = try daemon.connect()
    if world != "main" { try client.ask("use \(world)") }
    let numbers = try client.askAll("journal since=1 limit=1000000").dropLast().map { line in
      Int(line.split(separator: " ")[1]) ?? 0
    }
    // A line each: creations, moves, and at last the outcome of what else was done.
    #expect(Set(numbers).count == numbers.last ?? 0 && numbers == numbers.sorted(), "\(world) has a hole")
    var states: [String: String] = [:]
    for line in try client.askAll("list").dropLast() {
      let words = line.split(separator: " ").map(String.init)
      #expect(states.updateValue(words[3], forKey: words[1]) == nil)
    }
    return states
  }

  @Test("what was acknowledged is there, once; a hundred times under load", arguments: 0..<4)
  func underLoad(seed: Int) throws {
    var dice = Dice(seed: UInt64(seed))
    let folder = try TemporaryFolder()
    let options = seed % 2 == 0 ? [] : ["--limit", "checkpointInputs=50", "--limit", "journal=100"]
    let authors = (0..<6).map { Author("c\($0)", in: $0 % 2 == 0 ? "main" : "w") }
    for life in 0..<25 {
      let daemon = try DaemonProcess(with: options, in: folder, socket: "s\(life)")
      if life == 0 { try daemon.connect().ask("world new w durable=yes") }
      for world in ["main", "w"] {
        let found = try states(of: world, in: daemon)
        for author in authors where author.world == world { author.compare(with: found) }
      }
      for author in authors {
        try author.connect(to: daemon)
        try author.send(60)
      }
      // So many replies, and the end comes in the middle of what is under way.
      for _ in 0..<dice.below(200) {
        let author = dice.one(of: authors)
        if author.acknowledged < author.sent { _ = try author.take() }
        if dice.below(10) == 0 { try author.send(20) }
      }
      daemon.signal(SIGKILL)
      for author in authors { try author.takeTheRest() }
      _ = try daemon.run.ending()
    }
    let verified = try ProgramRun("fsmd", ["verify"], in: folder)
    #expect(try verified.ending() == .exited(0), "\(verified.log)")
  }
}
