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
    expect(run.requests > numbers.count * DocumentRequests.verbs.count)
  }
}

/// A run with one daemon after the other on one store.
private struct DocumentFuzz {
  /// The documents: `FSMD_FUZZ=FIRST-LAST`. Each has draws of its own, so that one that fails can be tried alone.
  static let numbers: ClosedRange<Int> = {
    guard let text = getenv("FSMD_FUZZ").map({ String(cString: $0) }) else {
      return 1...Thorough.rounds(320, atLeast: 16)
    }
    let ends = text.split(separator: "-").compactMap { Int($0) }
    guard ends.count == 2, ends[0] <= ends[1] else {
      preconditionFailure("FSMD_FUZZ is '\(text)'; it takes FIRST-LAST")
    }
    return ends[0]...ends[1]
  }()
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
  /// Those that were loaded, each once.
  private var documents: Set<String> = []
  private var peakKiB = 0
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
      try ask([random.emptyWorld()])
      var hasBegun = false
      for _ in 0..<1_000 where !hasBegun {
        let definition = random.definition()
        guard try ask([definition]).hasPrefix("+") else { continue }
        documents.insert(definition.text)
        // Of the charts that take too much when they begin a few are enough.
        hasBegun = try !ask([random.new("m0")]).hasPrefix("- @z LIMIT") || random.number(below: 20) == 0
      }
      try ask((1..<3).map { random.new("m\($0)") })
      try ask(random.turn())
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
    peakKiB = max(peakKiB, daemon.facts.peakResidentKiB)
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

  /// Sends requests together, waits for their answers and notes how long each took.
  ///
  /// - Returns: The last answer.
  @discardableResult
  private mutating func ask(_ asked: [DocumentRequests.Request]) throws -> String {
    last += asked.map(\.text)
    var (begun, used, received) = (HostClock.now(), daemon.facts.processorTime, client.bytesReceived)
    try client.send(asked.map(\.text).joined(separator: "\n") + "\n")
    var final = ""
    for request in asked {
      requests += request.count
      if request.verb == .quit {
        _ = try client.readToEnd()
        client = try daemon.connect()
        try client.send("@z use w\n")
        received = 0
      }
      final = try answer(to: request.verb)
      var known = longest[request.verb] ?? (0, 0, 0, "")
      known.count += 1
      // What takes long is written before what follows is begun; so an answer that comes together with others has only
      // taken what the first of them did not.
      if client.bytesReceived != received {
        let (now, usedNow) = (HostClock.now(), daemon.facts.processorTime)
        if usedNow - used > known.processor {
          (known.processor, known.text) = (usedNow - used, "\(number): \(request.text.prefix(60))")
        }
        known.wall = max(known.wall, now - begun)
        (begun, used, received) = (now, usedNow, client.bytesReceived)
      }
      longest[request.verb] = known
    }
    return final
  }

  /// The final line with the tag. What takes longer than a second is cancelled, and what waits for a real clock.
  private func answer(to verb: Verb) throws -> String {
    var patience: UInt64 = verb == .await ? 2 : 1_000
    for _ in 0..<60 {
      let deadline = Patience.deadline(milliseconds: patience)
      if let line = try client.line(beginningWith: ("+ @z", "- @z"), by: deadline) { return line }
      try client.send("@c cancel\n")
      patience = 1_000
    }
    throw HarnessFailure(what: "a \(verb.name) does not end, and cannot be cancelled")
  }

  /// The longest request of each verb: its time, and what the daemon has computed meanwhile.
  var table: String {
    let rows = longest.sorted { $0.value.processor > $1.value.processor }.map { verb, found in
      "| \(verb.name) | \(found.count) | \(found.processor / 1_000) | \(found.wall / 1_000) | \(found.text.replacing("\n", with: "⏎")) |"
    }
    return """
      \(requests) requests about \(documents.count) different documents; \(max(peakKiB, daemon.facts.peakResidentKiB)) KiB at most
      | verb | requests | longest, µs of processor | longest, µs | the document and request that took most of the processor |
      | --- | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))
      """
  }
}
