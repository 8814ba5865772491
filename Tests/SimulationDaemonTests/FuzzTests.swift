import Glibc
import TestSupport
import Testing

@testable import SimulationDaemon

/// Random requests, a hundred thousand in all with `FSMD_THOROUGH=10`: no client input may end the service, each request
/// gets one final line, and the worlds stay valid.
@Suite("Random requests")
struct FuzzTests {
  /// Limits that random requests reach.
  static let limits: Limits = {
    var limits = Limits()
    for limit in [
      "line=512", "replyQueue=65536", "noticeQueue=4096", "watches=6", "worlds=4", "machines=20", "batch=12",
      "batchBytes=400", "chain=60", "wireChain=20", "wireDeliveries=80", "wires=12", "journal=3000",
      "journalBytes=131072",
    ] {
      if let problem = limits.set(limit) { preconditionFailure(problem) }
    }
    return limits
  }()

  @Test("a grammar's requests", arguments: Thorough.rounds(0..<5 as Range<UInt64>))
  func requests(seed: UInt64) {
    var fuzzer = Fuzzer(seed: seed)
    let turns = Thorough.rounds(2_000, atLeast: 1_000)
    for turn in 0..<turns {
      fuzzer.takeTurn()
      if turn % 1_000 == 999 { fuzzer.inspect() }
      if !fuzzer.problems.isEmpty { break }
    }
    fuzzer.inspect()
    expect(fuzzer.problems.isEmpty, "seed \(seed): \(fuzzer.problems.prefix(3)) after \(fuzzer.last.suffix(40))")
    expect(fuzzer.requests > turns * 17 / 2, "seed \(seed)")
  }
}

/// Several clients of one service that send random requests, and one that watches everything in one world.
private struct Fuzzer {
  private var random: RandomRequests
  private let host = HostedService(limits: FuzzTests.limits)
  private var guests: [Guest] = []
  private let observer: Guest
  /// The last input reported to the observer.
  private var observed: UInt64 = 0
  private(set) var requests = 0
  private(set) var problems: [String] = []
  /// The lines of the last turns.
  private(set) var last: [String] = []

  init(seed: UInt64) {
    random = RandomRequests(seed: seed, HostedService.catalogue)
    observer = host.connect()
    _ = observer.say("clock virtual\nwatch * what=all")
    guests = (0..<3).map { _ in host.connect() }
  }

  /// One client sends some lines at once, and all results are checked.
  mutating func takeTurn() {
    let guest = guests[random.number(below: guests.count)]
    var lines: [String] = []
    var expected = 0
    var tags: [Int: String] = [:]
    func add(_ line: String) {
      if line.hasPrefix("@t"), let tag = line.split(separator: " ").first { tags[expected] = String(tag) }
      lines.append(line)
      expected += 1
    }
    if random.chance(12) {
      add("begin")
      var kept: [String] = []
      for _ in 0..<random.number(below: 15) { kept.append(random.tagged(requests + kept.count)) }
      kept.removeAll { $0.hasSuffix("end") || $0.contains("end ") || $0.hasSuffix("discard") }
      let isTooMuch = kept.count > 12 || kept.reduce(0) { $0 + $1.utf8.count } > 400
      if isTooMuch { lines += kept } else { for line in kept { add(line) } }
      add("@t0 end")
    } else {
      for number in 0..<(1 + random.number(below: 20)) {
        let (text, isBlank) = random.line(requests + number)
        if isBlank { lines.append(text) } else { add(text) }
      }
    }
    // A cancel is answered out of turn.
    if lines.contains(where: { $0.contains("cancel") }) { tags = [:] }
    requests += expected
    last = Array((last + lines).suffix(100))
    let text = lines.joined(separator: random.chance(10) ? "\r\n" : "\n") + "\n"
    host.round { guest.arrive(text) }
    finish(guest)
    check(guest, expected, tags)
    checkObserver()
    for other in guests where other !== guest { checkNoReply(other) }
  }

  /// Rounds until the guest has its replies; long requests are cancelled.
  private mutating func finish(_ guest: Guest) {
    for _ in 0..<400 {
      var rounds = 0
      while guest.isBusy, rounds < 2 || !guest.client.session.activity.traits.isCancellable {
        if guest.client.hosted.live.clock.isRunning { host.passTimeLate(UInt64(random.number(below: 2_000_000_000))) }
        host.round { host.service.passTime() }
        rounds += 1
      }
      guard guest.isBusy else { return }
      // `check` subtracts its `+` again.
      cancels += 1
      host.round { guest.arrive("@cancel cancel\n") }
    }
    problems.append("a request does not end")
  }
  private var cancels = 0

  private mutating func check(_ guest: Guest, _ expected: Int, _ tags: [Int: String]) {
    let lines = finalLines(guest.bytes())
    let own = lines.filter { !$0.hasPrefix("+ @cancel") }
    if lines.count - own.count != cancels { problems.append("\(cancels) cancels, \(lines.count - own.count) answers") }
    cancels = 0
    guard own.count == expected else {
      problems.append("\(expected) requests, \(own.count) final lines")
      return
    }
    for (place, tag) in tags where !own[place].dropFirst(2).hasPrefix(tag) {
      problems.append("\(own[place]) answers \(tag)")
    }
  }

  private mutating func checkNoReply(_ guest: Guest) {
    let lines = finalLines(guest.bytes())
    if !lines.isEmpty { problems.append("an answer without a request: \(lines[0])") }
  }

  /// The lines that end a reply; a line that breaks the rules is a problem.
  private mutating func finalLines(_ bytes: [UInt8]) -> [String] {
    var found: [String] = []
    var problem: String?
    var isInReply = false
    FuzzTests.eachLine(bytes) { line in
      let first = line[0]
      let isFinal = first == UInt8(ascii: "+") || first == UInt8(ascii: "-")
      if isFinal { found.append(String(decoding: line.prefix(60), as: UTF8.self)) }
      if !isFinal, first != UInt8(ascii: "."), first != UInt8(ascii: "*"), first != UInt8(ascii: "!") {
        problem = "a line of no class"
      }
      if line.count > 1, line[1] != UInt8(ascii: " ") { problem = "no space behind the class" }
      if isInReply, first == UInt8(ascii: "*") || first == UInt8(ascii: "!") { problem = "a notice inside a reply" }
      isInReply = first == UInt8(ascii: ".")
    }
    if let problem { problems.append(problem) }
    return found
  }

  /// The observer is told of every input of its world, one after the other, or of a gap.
  private mutating func checkObserver() {
    FuzzTests.eachLine(observer.bytes()) { observe($0) }
  }

  private mutating func observe(_ line: UnsafeRawBufferPointer) {
    if line[0] == UInt8(ascii: "*") {
      let number = FuzzTests.number(in: line, from: 2)
      if number != observed, number != observed + 1 { problems.append("input \(number) after \(observed)") }
      observed = number
    } else if line.starts(with: "! gap from=".utf8) {
      let words = String(decoding: line, as: UTF8.self).split(whereSeparator: { $0 == "=" || $0 == " " })
      let (from, to) = (UInt64(words[3]) ?? 0, UInt64(words[5]) ?? 0)
      if from < observed { problems.append("a gap from \(from) after \(observed)") }
      observed = to
    }
  }

  /// Whether all worlds are valid, and their journals complete.
  mutating func inspect() {
    for guest in guests + [observer] {
      problems += guest.violations()
      var numbers: [UInt64] = []
      for line in guest.say("journal limit=1000000") {
        if line.hasPrefix(".") {
          let number = UInt64(line.split(separator: " ")[1]) ?? 0
          if numbers.last != number { numbers.append(number) }
        } else if guest === observer {
          // A real clock may fire timers while the reply is written.
          Array(line.utf8).withUnsafeBytes { observe($0) }
        }
      }
      if let first = numbers.first, numbers != Array(first...(first + UInt64(numbers.count) - 1)) {
        problems.append("a journal with holes")
      }
    }
    checkObserver()
    for guest in guests { _ = guest.bytes() }
  }
}

extension FuzzTests {
  /// Passes each line to `body`; uses `memchr` because a million replies are read here.
  static func eachLine(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { all in
      guard var start = all.baseAddress else { return }
      let end = start + all.count
      while start < end {
        guard let lineFeed = memchr(start, 10, end - start) else {
          body(UnsafeRawBufferPointer(start: start, count: end - start))
          return
        }
        body(UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(lineFeed) - start))
        start = UnsafeRawPointer(lineFeed) + 1
      }
    }
  }

  static func number(in line: UnsafeRawBufferPointer, from start: Int) -> UInt64 {
    var number: UInt64 = 0
    var place = start
    while place < line.count, line[place] >= 0x30, line[place] <= 0x39 {
      number = number * 10 + UInt64(line[place] - 0x30)
      place += 1
    }
    return number
  }
}
