import Glibc
import LineProtocol
import TestSupport
import Testing
import UnixHost

/// Documents made by chance, and requests of every verb to their machines: the daemon neither ends nor keeps memory, and
/// each request has its answer. HACKING.md says how to let this run for long.
@Suite("Documents and requests made by chance", .serialized)
struct DocumentFuzzTests {
  @Test("neither end the daemon nor take more than its memory, and each request is answered")
  func documents() throws {
    var run = try DocumentFuzz()
    let numbers = DocumentFuzz.numbers
    for number in numbers { try run.take(number) }
    if getenv("FSMD_FUZZ") != nil { print(run.table) }
    expect(run.requests > numbers.count * DocumentFuzz.requestsOfOne)
  }
}

/// A run with one daemon after the other on one store.
private struct DocumentFuzz {
  /// The documents: `FSMD_FUZZ=FIRST-LAST`. Each has draws of its own, so that one that fails can be tried alone.
  static let numbers: ClosedRange<Int> = {
    guard let text = getenv("FSMD_FUZZ").map({ String(cString: $0) }) else {
      return 1...Thorough.rounds(160, atLeast: 16)
    }
    let ends = text.split(separator: "-").compactMap { Int($0) }
    guard ends.count == 2, ends[0] <= ends[1] else {
      preconditionFailure("FSMD_FUZZ is '\(text)'; it takes FIRST-LAST")
    }
    return ends[0]...ends[1]
  }()
  static let requestsOfOne = 2 * DocumentRequests.verbs.count
  private static let budget = 128 << 20
  /// A daemon is killed, or shut down, after so many documents.
  private static let documentsOfOne = 40
  private static let arguments = [
    "--memory", "\(budget)", "--limit", "chain=1000", "--limit", "journal=20000", "--limit", "storeBytes=1000000",
    "--limit", "checkpointInputs=200",
  ]

  private var daemon: DaemonProcess
  private var client: TestClient
  private let emptyKiB: Int
  private(set) var requests = 0
  private var longest: [Verb: (count: Int, wall: UInt64, processor: UInt64, text: String)] = [:]
  /// The document that the requests are about.
  private var number = 0
  private var last: [String] = []

  init() throws {
    daemon = try DaemonProcess(with: Self.arguments)
    client = try daemon.connect()
    emptyKiB = daemon.facts.residentKiB
  }

  /// Defines a document, and asks for everything about machines of it.
  mutating func take(_ number: Int) throws {
    last = []
    self.number = number
    do {
      var random = DocumentRequests(seed: number)
      if number % Self.documentsOfOne == 0 { try startAgain(isKilled: random.number(below: 2) == 0) }
      try ask("use main")
      for world in ["w", "f0", "f1", "f2", "d0"] { try ask("world drop \(world)") }
      try ask(random.number(below: 3) == 0 ? "world new w durable=yes" : "world new w")
      try ask("use w")
      var hasBegun = false
      for _ in 0..<1_000 where !hasBegun {
        guard try ask(random.definition()).hasPrefix("+") else { continue }
        // Of the charts that take too much when they begin a few are enough.
        hasBegun = try !ask("new k m0").hasPrefix("- LIMIT") || random.number(below: 20) == 0
      }
      for machine in 1..<3 { try ask("new k m\(machine)") }
      for _ in 0..<Self.requestsOfOne { try ask(random.next()) }
      let resident = daemon.facts.residentKiB
      guard resident <= emptyKiB + Self.budget / 1_024 * 5 / 4 else {
        throw HarnessFailure(what: "\(resident) KiB are resident")
      }
    } catch {
      throw HarnessFailure(
        what:
          "FSMD_FUZZ=\(number)-\(number): \(error); \(daemon.run.log.suffix(2_000)) after\n\(last.joined(separator: "\n"))"
      )
    }
  }

  private mutating func startAgain(isKilled: Bool) throws {
    if isKilled {
      daemon.signal(SIGKILL)
    } else {
      try client.send("shutdown\n")
    }
    let ending = try daemon.run.ending()
    guard ending == (isKilled ? .killed(signal: SIGKILL) : .exited(0)) else {
      throw HarnessFailure(what: "the daemon ended with \(ending)")
    }
    daemon = try DaemonProcess(with: Self.arguments, in: daemon.folder)
    client = try daemon.connect()
    // All worlds are back.
    let worlds = try client.askAll("worlds").filter { $0.contains("out-of-service") && !$0.contains("brought back") }
    guard worlds.isEmpty else { throw HarnessFailure(what: "\(worlds)") }
  }

  @discardableResult
  private mutating func ask(_ text: String) throws -> String {
    try ask(DocumentRequests.Request(verb: .world, text: "@z \(text)"))
  }

  /// Sends a request, waits for its answers and notes how long they took.
  ///
  /// - Returns: The last answer.
  @discardableResult
  private mutating func ask(_ request: DocumentRequests.Request) throws -> String {
    last.append(request.text)
    requests += 1
    let (begun, used) = (HostClock.now(), daemon.facts.processorTime)
    try client.send(request.text + "\n")
    let final: String
    if request.verb == .quit {
      _ = try client.readToEnd()
      client = try daemon.connect()
      try client.send("@z use w\n")
      final = try answer(to: request.verb)
    } else {
      final = try answer(to: request.verb)
    }
    let (wall, processor) = (HostClock.now() - begun, daemon.facts.processorTime - used)
    let known = longest[request.verb]
    if processor >= known?.processor ?? 0 {
      longest[request.verb] = (0, 0, processor, "\(number): \(request.text.prefix(60))")
    }
    longest[request.verb]?.count = (known?.count ?? 0) + 1
    longest[request.verb]?.wall = max(known?.wall ?? 0, wall)
    return final
  }

  /// The final line with the tag, without it. What takes longer than a second is cancelled, and what waits for a real clock.
  private func answer(to verb: Verb) throws -> String {
    var patience = Patience.deadline(milliseconds: verb == .await ? 20 : 1_000)
    var cancels = 0
    var found: String?
    while found == nil || cancels > 0 {
      guard let line = try client.line(by: patience) else {
        guard cancels < 60 else { throw HarnessFailure(what: "a request does not end, and cannot be cancelled") }
        patience = Patience.deadline(milliseconds: 1_000)
        try client.send("@cancelled cancel\n")
        cancels += 1
        continue
      }
      if line == "+ @cancelled" { cancels -= 1 }
      for mark in ["+", "-"] where line == "\(mark) @z" || line.hasPrefix("\(mark) @z ") {
        found = mark + line.dropFirst(4)
      }
    }
    return found ?? ""
  }

  /// The longest request of each verb: its time, and what the daemon has computed meanwhile.
  var table: String {
    let rows = longest.sorted { $0.value.processor > $1.value.processor }.map { verb, found in
      "| \(verb.name) | \(found.count) | \(found.processor / 1_000) | \(found.wall / 1_000) | \(found.text.replacing("\n", with: "⏎")) |"
    }
    return """
      \(requests) requests about \(Self.numbers.count) documents; \(daemon.facts.peakResidentKiB) KiB at most
      | verb | requests | longest, µs of processor | longest, µs | the document and request that took most of the processor |
      | --- | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))
      """
  }
}
