internal import Scripts
import LineProtocol
internal import UnixHost

/// Plays one script in a world of its own.
///
/// Requests go out many at a time; the answers come in their order, so each is held against the line that is the oldest
/// without one. At the first failure nothing more is sent. What was sent already still runs, in a world that is dropped.
final class RunPlayer {
  typealias Stop = RunLink.Stop

  /// What is seen of a script while it plays.
  struct Onlooker {
    /// A line is sent; only told at real pace.
    var line: (String) -> Void = { _ in }
    /// A notice came; only told at real pace.
    var notice: (String) -> Void = { _ in }
    /// Time has gone on. The step is what comes next.
    var progress: (_ worldTime: () -> String, _ next: Script.Step?) -> Void = { _, _ in }
  }

  /// How an answer is used.
  enum Role: UInt8 {
    case request
    /// The rows of `show` are held against a check.
    case show
    /// `watch` for a `never`; it only must not fail.
    case watch
    /// `expect` for a `never`: whether it is so already, or never can be.
    case probe
    /// No answer comes: looked at when all before it have come.
    case output
    /// One of ours that somebody waits for.
    case control
  }

  /// How many answers may be outstanding.
  private static let window = 8_192
  /// The same where notices come, so that they never are too many.
  private static let windowWithNotices = 256
  /// How many bytes may wait to be sent.
  private static let mostUnsent = 256 << 10
  /// How often the progress is looked at while nothing happens, in nanoseconds.
  private static let betweenLooks: UInt64 = 100_000_000

  let link: RunLink
  let script: Script
  let speed: Double?
  let onlooker: Onlooker
  var result: RunResult

  /// The next step, and what remains of the repeats around it.
  var next = 0
  private var loops: [Int32] = []
  var pending = RunQueue()
  /// Whether nothing is sent until all is answered.
  private var isHeld = false
  /// The `undo` or `goto` that was sent last, until all before and behind it has been looked at.
  private var wayBack: Int?
  /// Whether a batch was begun and not ended yet.
  private var isCollecting = false
  var reply = ScriptReply()
  /// Rows of the answer that is coming, where somebody wants them.
  var rows: [String] = []
  /// The last line of an answer of ours.
  private var answer: String?
  var outputs = RunOutputs()
  var nevers: [(step: Script.Step, machine: String, state: StateText)] = []
  /// The present moment, as the last answer printed it.
  var now = ByteBuffer(capacity: 64)
  /// The number of the last input that an answer spoke of.
  var sequence: UInt64 = 0
  var failure: RunFailure?
  /// Whether more inputs than answers spoke of may belong to the failure.
  var isSequenceOpen = false
  private var isCancelling = false
  /// When waiting for answers ends, as a time of the host; `nil` waits for ever.
  var patience: UInt64?
  /// Where pace is counted from: a time of the host and one of the world.
  var anchor: (host: UInt64, world: Int64)?

  init(link: RunLink, script: Script, speed: Double?, onlooker: Onlooker) {
    self.link = link
    self.script = script
    self.speed = speed
    self.onlooker = onlooker
    result = RunResult(name: script.name)
    now.append(literal: "0.000")
  }

  /// The present moment of the world.
  var worldTime: String { String(decoding: now.bytes, as: UTF8.self) }
  var worldNanoseconds: Int64 { TimeText.time(worldTime) ?? 0 }

  /// Plays to the end, or to the first failure.
  ///
  /// - Parameter world: The name of a world that is in use, and nobody else's.
  func play() throws(Stop) {
    try watchWhatIsNeeded()
    anchor = (HostClock.now(), 0)
    while failure == nil {
      send()
      if failure != nil { break }
      if pending.isEmpty {
        isHeld = false
        if let place = wayBack.take() {
          try lookAgain(behind: script.steps[place])
          continue
        }
        guard next < script.steps.count else { break }
        if try playAlone(script.steps[next]) { next += 1 }
      } else {
        onlooker.progress({ self.worldTime }, next < script.steps.count ? script.steps[next] : nil)
        try receive()
      }
    }
    if failure == nil { result.worldTime = worldTime }
    if failure != nil { try drain() }
    if var failure {
      failure.journal = try journal()
      result.ending = .failed(failure)
    } else {
      result.ending = .passed
    }
  }

  /// Notices of all machines of which outputs are expected come from the beginning on.
  private func watchWhatIsNeeded() throws(Stop) {
    var machines: Set<String> = []
    for case .output(let machine, _, _) in script.checks where machines.insert(machine).inserted {
      _ = try ask("watch \(machine)**")
    }
    if speed != nil { _ = try ask("watch * what=moves") }
    outputs.isWatching = !machines.isEmpty
  }

  // MARK: Sending

  private var window: Int {
    if speed != nil { return 1 }
    return nevers.isEmpty && !outputs.isWatching ? Self.window : Self.windowWithNotices
  }

  /// Sends as many requests as may be on their way.
  private func send() {
    while failure == nil, !isHeld, next < script.steps.count {
      // The lines of a batch are answered behind its end only, so it goes as one.
      guard isCollecting || pending.count < window && link.backlog < Self.mostUnsent else { return }
      let step = script.steps[next]
      switch step.action {
      case .repeats(let count, let past):
        if count > 0 { loops.append(count) }
        next = count > 0 ? next + 1 : Int(past)
      case .again(let first):
        loops[loops.count - 1] -= 1
        if loops[loops.count - 1] > 0 {
          next = Int(first)
        } else {
          loops.removeLast()
          next += 1
        }
      case .request(let verb, _):
        if speed != nil, verb == .advance || verb == .await { return }
        if verb == .begin { isCollecting = true }
        if verb == .end {
          isCollecting = false
          if !step.isTagged(in: script) { link.send("@\(Self.endTag) ") }
        }
        sendRequest(of: step)
        pending.append(next, .request)
        if verb == .undo || verb == .goto {
          isHeld = true
          wayBack = next
        }
        next += 1
        // How far an await went is not in its answer, should it fail: what is behind it must not run then.
        if verb == .await { isHeld = true }
      case .check(let place):
        guard sendCheck(step, script.checks[Int(place)]) else { return }
        next += 1
      }
    }
  }

  /// - Returns: False for a check that plays alone.
  private func sendCheck(_ step: Script.Step, _ check: Script.Check) -> Bool {
    switch check {
    case .timers, .reading:
      sendRequest(of: step)
      pending.append(next, .show)
    case .never:
      sendRequest(of: step)
      pending.append(next, .watch)
      pending.append(next, .probe)
      // From here on notices come.
      outputs.isWatching = true
    case .output(_, _, nil):
      pending.append(next, .output)
      settle()
    case .output: return false
    }
    return true
  }

  private func sendRequest(of step: Script.Step) {
    if speed != nil {
      if case .check = step.action {
        onlooker.line(script.line(of: step))
      } else {
        onlooker.line(script.request(of: step))
      }
    }
    script.withRequest(of: step) { link.send($0) }
  }

  /// Plays a step that needs the answers to all before it.
  ///
  /// - Returns: False if it is none of that sort, or if it was sent like others.
  private func playAlone(_ step: Script.Step) throws(Stop) -> Bool {
    switch step.action {
    case .check(let place):
      guard case .output(let machine, let output, let within?) = script.checks[Int(place)] else { return false }
      if speed != nil { onlooker.line(script.line(of: step)) }
      result.steps += 1
      result.expectations += 1
      if let got = try hunt(for: output, of: machine, within: within) {
        fail(step, expected: "output \(output) of \(machine) within \(TimeText.written(within))", got: got)
      }
      return true
    case .request(.await, _):
      guard speed != nil else { return false }
      onlooker.line(script.request(of: step))
      take(try paceAwait(script.request(of: step)), answering: step)
      return true
    case .request(.advance, _):
      guard speed != nil else { return false }
      let request = script.request(of: step)
      onlooker.line(request)
      link.send(try pace(request) + "\n")
      pending.append(next, .request)
      return true
    case .request, .repeats, .again: return false
    }
  }

  // MARK: Receiving

  private func receive(until deadline: UInt64? = nil) throws(Stop) {
    if let patience, HostClock.now() >= patience { throw .lost }
    try link.receive(until: patience ?? deadline) { take($0) }
  }

  /// Waits for a moment of the host, taking in what comes meanwhile.
  func wait(until deadline: UInt64) throws(Stop) {
    while HostClock.now() < deadline {
      onlooker.progress({ self.pacedTime }, next < script.steps.count ? script.steps[next] : nil)
      try receive(until: min(deadline, HostClock.now() + Self.betweenLooks))
    }
  }

  /// Asks something when all else is answered, and waits.
  ///
  /// - Returns: The rows of the answer, and its last line, also as it came.
  func ask(_ request: String) throws(Stop) -> (rows: [String], last: ServerLine, raw: String) {
    link.send(request + "\n")
    pending.append(-1, .control)
    rows = []
    answer = nil
    while true {
      if let answer, let last = ServerLine(answer) { return (rows, last, answer) }
      try receive()
    }
  }

  private func take(_ line: UnsafeMutableRawBufferPointer) {
    guard let first = line.first, let lineClass = LineClass(rawValue: first) else { return }
    switch lineClass {
    case .data:
      let role = pending.first?.role
      if role == .show || role == .control { rows.append(String(decoding: line, as: UTF8.self)) }
    case .notice: takeNotice(line)
    case .flow: takeFlow(String(decoding: line, as: UTF8.self))
    case .success, .failure: takeEnd(of: line)
    }
  }

  /// Takes the line that ends an answer.
  private func takeEnd(of line: UnsafeMutableRawBufferPointer) {
    let text = isCancelling || pending.first?.role == .control ? String(decoding: line, as: UTF8.self) : ""
    let isReadable = reply.parse(line)
    if isCancelling, reply.hasTag(Self.cancelTag) {
      isCancelling = false
      return
    }
    // A batch over the limit is answered at its end alone.
    if reply.hasTag(Self.endTag) {
      while let first = pending.first, !script.ends(first.step) { pending.removeFirst() }
    }
    guard let (step, role) = pending.first else { return }
    if role == .control {
      answer = text
      return pending.removeFirst()
    }
    guard isReadable else {
      fail(script.steps[step], expected: "an answer", got: String(decoding: line, as: UTF8.self), .failed)
      return pending.removeFirst()
    }
    if failure == nil {
      note()
      check(script.steps[step], role)
    } else if isSequenceOpen, let found = reply.sequence {
      // The first input behind the failure.
      sequence = min(sequence, max(found, 1) - 1)
      isSequenceOpen = false
    }
    rows.removeAll()
    pending.removeFirst()
    settle()
  }

  /// Holds the last line of an answer of ours against a step.
  private func take(_ line: String, answering step: Script.Step) {
    var bytes = Array(line.utf8)
    bytes.withUnsafeMutableBytes { bytes in
      // A notice may have ended it already.
      guard failure == nil, reply.parse(bytes) else { return }
      note()
      check(step, .request)
    }
  }

  /// Keeps what an answer says of where the world is.
  private func note() {
    if let time = reply.value("t") {
      now.removeAll()
      now.append(time)
    }
    if let found = reply.sequence { sequence = max(sequence, found) }
  }

  func note(_ line: ServerLine) {
    if let time = line["t"] {
      now.removeAll()
      now.append(text: time)
    }
    if let found = line["seq"].flatMap({ UInt64($0) }) { sequence = max(sequence, found) }
  }

  // MARK: Behind the end

  private static let cancelTag: StaticString = ".cancel"
  /// Of the `end` of a batch.
  private static let endTag: StaticString = ".end"

  /// Waits for the answers to all that was sent, which no longer matter.
  func drain() throws(Stop) {
    if !pending.isEmpty, !isCancelling {
      // Should a long advance be under way.
      link.send("@\(Self.cancelTag) cancel\n")
      isCancelling = true
    }
    while !pending.isEmpty || isCancelling { try receive() }
  }

  private static let journalLines = 10

  /// The last lines of the journal up to the failure.
  private func journal() throws(Stop) -> [String] {
    guard sequence > 0 else { return [] }
    let count = UInt64(Self.journalLines)
    let since = sequence == .max ? "" : " since=\(sequence > count ? sequence - count + 1 : 1)"
    let rows = try ask("journal\(since) limit=\(count)").rows.map { String($0.dropFirst(2)) }
    let upToFailure = rows.filter { row in (UInt64(row.prefix { $0 != " " }) ?? 0) <= sequence }
    return Array(upToFailure.suffix(Self.journalLines))
  }
}

extension Script {
  /// Whether a step is the end of a batch.
  fileprivate func ends(_ place: Int) -> Bool {
    guard steps.indices.contains(place), case .request(.end, _) = steps[place].action else { return false }
    return true
  }
}

extension Script.Step {
  fileprivate func isTagged(in script: Script) -> Bool {
    script.withRequest(of: self) { $0.first == UInt8(ascii: "@") }
  }
}
