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
    let numbers = FuzzReport.numbers
    // While one daemon computes, the requests of another lane are made.
    let lanes = FuzzReport.isAlone ? 2 * WorkerPool.processors : 1
    let report = Locked(FuzzReport())
    let pool = WorkerPool(places: lanes)
    let done = Semaphore()
    for lane in 0..<lanes {
      pool.submit {
        let result = Result { () throws -> FuzzReport in
          var run: DocumentFuzz?
          for number in numbers where number / DocumentFuzz.documentsOfOne % lanes == lane {
            guard report.withLock({ $0.failure == nil }) else { break }
            if run == nil { run = try DocumentFuzz(from: number) }
            try run?.take(number)
          }
          return try run?.finish() ?? FuzzReport()
        }
        report.withLock { $0.add(result) }
        done.signal()
      }
    }
    for _ in 0..<lanes { done.wait() }
    let found = report.withLock { $0 }
    if let failure = found.failure { throw failure }
    if FuzzReport.isAlone { print(found.table) }
    expect(found.requests > numbers.count * DocumentRequests.verbs.count)
    // Most requests of a single document can take long.
    expect(
      numbers.count < DocumentFuzz.documentsOfOne || found.cancelled * 4 < found.requests,
      "\(found.cancelled) of \(found.requests) requests were cancelled")
  }
}

/// What runs have found out.
private struct FuzzReport {
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
  /// Whether no other tests run beside it.
  static var isAlone: Bool { getenv("FSMD_FUZZ") != nil }

  struct Longest {
    var count = 0
    var wall: UInt64 = 0
    var processor: UInt64 = 0
    /// Processor time of all.
    var all: UInt64 = 0
    /// The request that took the most processor time.
    var text = ""
  }

  var requests = 0
  var cancelled = 0
  /// Hashes of the loaded documents.
  var documents: Set<Int> = []
  var peakKiB = 0
  var longest: [Verb: Longest] = [:]
  var failure: (any Error)?

  mutating func add(_ result: Result<FuzzReport, any Error>) {
    switch result {
    case .failure(let error): failure = failure ?? error
    case .success(let other):
      requests += other.requests
      cancelled += other.cancelled
      documents.formUnion(other.documents)
      peakKiB = max(peakKiB, other.peakKiB)
      longest.merge(other.longest) { one, two in
        var joined = one.processor < two.processor ? two : one
        joined.count = one.count + two.count
        joined.wall = max(one.wall, two.wall)
        joined.all = one.all + two.all
        return joined
      }
    }
  }

  /// The longest request of each verb: its time, and what the daemon has computed meanwhile.
  var table: String {
    let rows = longest.sorted { $0.value.processor > $1.value.processor }.map { verb, found in
      "| \(verb.name) | \(found.count) | \(found.processor / 1_000) | \(found.wall / 1_000) | \(found.all / 1_000_000) | \(found.text.replacing("\n", with: "⏎")) |"
    }
    return """
      \(requests) requests, \(cancelled) cancelled, about \(documents.count) different documents; \(peakKiB) KiB at most
      | verb | requests | longest, µs of processor | longest, µs | all, ms of processor | the document and request that took most of the processor |
      | --- | --- | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))
      """
  }
}

/// A run with one daemon after the other on one store.
private struct DocumentFuzz {
  private static let budget = 128 << 20
  /// A daemon is killed, or shut down, after so many documents, and after the last one.
  static let documentsOfOne = 16
  /// One of so many documents lets requests take a second.
  private static let documentsOfPatience = 16
  private static let arguments = [
    "--memory", "\(budget)", "--limit", "chain=1000", "--limit", "journal=20000", "--limit", "storeBytes=1000000",
    "--limit", "checkpointInputs=200",
  ]

  private var daemon: DaemonProcess
  private var client: TestClient
  private let emptyKiB: Int
  private var report = FuzzReport()
  /// The daemon's first document.
  private var first: Int
  /// The document that the requests are about.
  private var number: Int
  private var last: [String] = []

  /// - Parameter number: The first document.
  init(from number: Int) throws {
    (first, self.number) = (number, number)
    daemon = try DaemonProcess(with: Self.arguments)
    client = try daemon.connect()
    emptyKiB = daemon.facts.residentKiB
  }

  /// Defines a document, and asks for everything about machines of it.
  mutating func take(_ number: Int) throws {
    if number / Self.documentsOfOne != first / Self.documentsOfOne {
      try endDaemon()
      first = number
    }
    last = []
    self.number = number
    do {
      var random = DocumentRequests(seed: number)
      try ask([random.emptyWorld()])
      var hasBegun = false
      for _ in 0..<1_000 where !hasBegun {
        let definition = random.definition()
        guard try ask([definition]).hasPrefix("+") else { continue }
        report.documents.insert(definition.text.hashValue)
        // Of the charts that take too much when they begin a few are enough.
        let answer = try ask([random.new("m0")])
        let takesTooMuch = ["- @z LIMIT", "- @z CANCELLED"].contains { answer.hasPrefix($0) }
        hasBegun = !takesTooMuch || random.number(below: 20) == 0
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

  /// Ends the daemon in one way or the other, by the number of its documents, and starts the next one.
  private mutating func endDaemon() throws {
    do {
      try startAgain(isKilled: (first / Self.documentsOfOne).isMultiple(of: 2))
    } catch {
      throw HarnessFailure(what: "FSMD_FUZZ=\(first)-\(number): \(error); \(daemon.run.log.suffix(2_000))")
    }
  }

  private mutating func startAgain(isKilled: Bool) throws {
    report.peakKiB = max(report.peakKiB, daemon.facts.peakResidentKiB)
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
      report.requests += request.count
      if request.verb == .quit {
        _ = try client.readToEnd()
        client = try daemon.connect()
        try client.send("@z use w\n")
        received = 0
      }
      final = try answer(to: request.verb)
      var known = report.longest[request.verb] ?? FuzzReport.Longest()
      known.count += 1
      // What takes long is written before what follows is begun; so an answer that comes together with others has only
      // taken what the first of them did not.
      if client.bytesReceived != received {
        let (now, usedNow) = (HostClock.now(), daemon.facts.processorTime)
        // A daemon that has ended since then has no time.
        let spent = max(used, usedNow) - used
        known.all += spent
        if spent > known.processor {
          (known.processor, known.text) = (spent, "\(number): \(request.text.prefix(60))")
        }
        known.wall = max(known.wall, now - begun)
        (begun, used, received) = (now, usedNow, client.bytesReceived)
      }
      report.longest[request.verb] = known
    }
    return final
  }

  /// The final line with the tag.
  ///
  /// A request is cancelled after a second of the daemon's processor time. Most documents have less, since timers without
  /// end would take most of the time. An `await` takes none, so it is cancelled by the host's clock.
  private mutating func answer(to verb: Verb) throws -> String {
    let most: UInt64 = number % Self.documentsOfPatience == 0 ? 1_000_000_000 : 50_000_000
    var milliseconds: UInt64 = verb == .await ? 2 : 10_000
    var isCancelled = false
    let end = Patience.deadline()
    while HostClock.now() < end {
      let (deadline, limit) = (Patience.deadline(milliseconds: milliseconds), daemon.facts.processorTime + most)
      repeat {
        let nextLook = min(deadline, Patience.deadline(milliseconds: 10))
        if let line = try client.line(beginningWith: ("+ @z", "- @z"), by: nextLook) { return line }
      } while HostClock.now() < deadline && daemon.facts.processorTime < limit
      if !isCancelled { report.cancelled += 1 }
      isCancelled = true
      milliseconds = 1_000
      try client.send("@c cancel\n")
    }
    throw HarnessFailure(what: "a \(verb.name) does not end, and cannot be cancelled")
  }

  mutating func finish() throws -> FuzzReport {
    try endDaemon()
    return report
  }
}
