internal import Scripts
import LineProtocol
internal import UnixHost

/// Plays one script in a world of its own.
///
/// Requests are sent ahead of their answers. Answers arrive in order, so each is checked against the oldest unanswered
/// line. After the first failure nothing more is sent; requests already sent still run, in a world that is dropped.
final class RunPlayer {
  typealias Stop = RunLink.Stop

  /// Callbacks that show a script while it plays.
  struct Onlooker {
    /// A line is sent; called only at real pace.
    var line: (String) -> Void = { _ in }
    /// A notice arrived; called at real pace, and where ``answer`` is there.
    var notice: (String) -> Void = { _ in }
    /// A step is answered: the rows of the answer and its last line, or neither for a check without a request, and
    /// whether it is as expected.
    var answer: ((_ step: Script.Step, _ rows: [String], _ last: String?, _ isExpected: Bool) -> Void)?
    /// Time has advanced; `next` is the next step.
    var progress: (_ worldTime: () -> String, _ next: Script.Step?) -> Void = { _, _ in }
  }

  /// What an answer is used for.
  enum Role: UInt8 {
    case request
    /// The rows of `show` are compared with a check.
    case show
    /// `watch` for a `never`: it only has to succeed.
    case watch
    /// `expect` for a `never`: whether the state holds already, or is unknown to the kind.
    case probe
    /// No answer of its own: checked when all earlier answers have arrived.
    case output
    /// A request of the player itself, which waits for the answer.
    case control
  }

  /// How many answers may be outstanding.
  private static let window = 8_192
  /// The same while notices are on, so that they do not pile up.
  private static let windowWithNotices = 256
  /// How many bytes may wait to be sent.
  private static let mostUnsent = 256 << 10
  /// Time between two progress updates while nothing happens, in nanoseconds.
  private static let progressInterval: UInt64 = 100_000_000

  let link: RunLink
  let script: Script
  let speed: Double?
  let onlooker: Onlooker
  var result: RunResult

  /// The step at which playing stops for now.
  private var end: Int
  private var cursor = ScriptCursor()
  /// The index of the next step.
  var next: Int {
    get { cursor.next }
    set { cursor.next = newValue }
  }
  /// How often the lines around the next step have been played before.
  var turn: Int32 { cursor.turn }
  /// The turn of the step that is being checked.
  var turnChecked: Int32 = 0
  var pending = RunQueue()
  /// Whether nothing is sent until all requests are answered.
  private var isHeld = false
  /// The last `undo`, `redo` or `goto` sent, until everything up to it is checked.
  private var wayBack: Int?
  /// Whether a batch has begun and not ended.
  private var isCollecting = false
  var reply = ScriptReply()
  /// Rows of the current answer, when they are needed.
  var rows: [String] = []
  /// The last line of an answer to a `control` request.
  private var answer: String?
  var outputs: RunOutputs
  var nevers: [(step: Script.Step, machine: String, state: StateText)] = []
  /// The machines and states of `nevers`: another of the same adds nothing.
  var neversKnown: Set<String> = []
  /// The current world time, as the last answer printed it.
  var now = ByteBuffer(capacity: 64)
  /// The highest sequence number that an answer named.
  var sequence: UInt64 = 0
  var failure: RunFailure?
  /// Whether the failure may include inputs beyond those that answers named.
  var isSequenceOpen = false
  private var isCancelling = false
  /// The host time at which waiting for answers ends; `nil` waits without limit.
  var patience: UInt64?
  /// Where pace is counted from: a host time and the world time that corresponds to it.
  var anchor: (host: UInt64, world: Int64)?

  init(link: RunLink, script: Script, speed: Double?, onlooker: Onlooker) {
    self.link = link
    self.script = script
    self.speed = speed
    self.onlooker = onlooker
    end = script.steps.count
    outputs = RunOutputs(
      keepsAll: script.steps.contains { if case .request(let verb?, _) = $0.action { verb.goesBack } else { false } })
    result = RunResult(name: script.name)
    now.append(literal: "0.000")
  }

  /// The current world time, as text.
  var worldTime: String { String(decoding: now.bytes, as: UTF8.self) }
  var worldNanoseconds: Int64 { TimeText.time(worldTime) ?? 0 }

  /// Plays to the end, or to the first failure, in the world in use, which no other client may use.
  func play() throws(Stop) {
    try begin()
    try play(upTo: script.steps.count)
  }

  /// Prepares for the first step.
  func begin() throws(Stop) {
    try watchExpectedMachines()
    anchor = (HostClock.now(), 0)
  }

  /// Plays up to a step, or to the first failure. A step within a block has to be played with all of the block.
  func play(upTo place: Int) throws(Stop) {
    end = place
    while failure == nil {
      send()
      if failure != nil { break }
      if pending.isEmpty {
        isHeld = false
        if let place = wayBack.take() {
          try checkNeversAgain(behind: script.steps[place])
          continue
        }
        guard next < end else { break }
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

  /// Watches every machine with an expected output, from the start.
  private func watchExpectedMachines() throws(Stop) {
    let patterns = script.namesWithOutputs
    for pattern in patterns.sorted() { _ = try ask("watch \(pattern)") }
    if speed != nil { _ = try ask("watch * what=moves") }
    if onlooker.answer != nil { _ = try ask("watch ** what=all") }
    outputs.isWatching = !patterns.isEmpty
  }

  // MARK: Sending

  private var window: Int {
    if speed != nil || onlooker.answer != nil { return 1 }
    return nevers.isEmpty && !outputs.isWatching ? Self.window : Self.windowWithNotices
  }

  /// Sends as many requests as the window allows.
  private func send() {
    while failure == nil, !isHeld, next < end {
      // The lines of a batch are answered only after its end, so the batch is sent whole.
      guard isCollecting || pending.count < window && link.backlog < Self.mostUnsent else { return }
      let step = script.steps[next]
      switch step.action {
      case .repeats, .again: cursor.pass(step.action)
      case .request(let verb, _):
        if speed != nil, verb == .advance || verb == .await { return }
        if verb == .begin { isCollecting = true }
        if verb == .end {
          isCollecting = false
          if !step.isTagged(in: script) { link.send("@\(Self.endTag) ") }
        }
        sendRequest(of: step)
        pending.append(next, turn: turn, .request)
        if verb?.goesBack == true {
          isHeld = true
          wayBack = next
        }
        next += 1
        // If an await fails, its answer does not say how far time went: nothing after it may run.
        if verb == .await { isHeld = true }
      case .check(let place):
        guard sendCheck(step, place) else { return }
        next += 1
      }
    }
  }

  /// - Returns: False for a check that has to be played alone.
  private func sendCheck(_ step: Script.Step, _ place: Int32) -> Bool {
    switch script.checks[Int(place)] {
    case .timers, .reading, .coverage:
      sendRequest(of: step)
      pending.append(next, turn: turn, .show)
    case .never:
      sendRequest(of: step)
      pending.append(next, turn: turn, .watch)
      pending.append(next, turn: turn, .probe)
      // Notices arrive from here on.
      outputs.isWatching = true
    case .output(_, _, nil):
      pending.append(next, turn: turn, .output)
      settle()
    case .output: return false
    }
    return true
  }

  private func sendRequest(of step: Script.Step) {
    if speed != nil {
      if case .check = step.action {
        onlooker.line(script.played(step, turn: turn) ?? script.line(of: step))
      } else {
        onlooker.line(script.request(of: step, turn: turn))
      }
    }
    script.withRequest(of: step, turn: turn) { link.send($0) }
  }

  /// Plays a step that needs the answers to all earlier ones.
  ///
  /// - Returns: False if the step does not have to be played alone, or was sent in the usual way.
  private func playAlone(_ step: Script.Step) throws(Stop) -> Bool {
    switch step.action {
    case .check(let place):
      guard case .output(let machine, let output, let within?) = script.check(place, turn: turn) else { return false }
      turnChecked = turn
      if speed != nil { onlooker.line(script.played(step, turn: turn) ?? script.line(of: step)) }
      result.steps += 1
      result.expectations += 1
      if let got = try advanceUntilOutput(for: output, of: machine, within: within) {
        fail(step, word: 3, expected: "output \(output) of \(machine) within \(TimeText.written(within))", got: got)
      }
      onlooker.answer?(step, [], nil, failure == nil)
      return true
    case .request(.await, _):
      guard speed != nil else { return false }
      let request = script.request(of: step, turn: turn)
      onlooker.line(request)
      take(try paceAwait(request), answering: step)
      return true
    case .request(.advance, _):
      guard speed != nil else { return false }
      let request = script.request(of: step, turn: turn)
      onlooker.line(request)
      link.send(try pace(request) + "\n")
      pending.append(next, turn: turn, .request)
      return true
    case .request, .repeats, .again: return false
    }
  }

  // MARK: Receiving

  /// Goes on behind a failure.
  func passOver() { failure = nil }

  private func receive(until deadline: UInt64? = nil) throws(Stop) {
    if let patience, HostClock.now() >= patience { throw .lost }
    try link.receive(until: patience ?? deadline) { take($0) }
  }

  /// Waits until a host time and takes what arrives meanwhile.
  func wait(until deadline: UInt64) throws(Stop) {
    while HostClock.now() < deadline {
      onlooker.progress({ self.pacedTime }, next < script.steps.count ? script.steps[next] : nil)
      try receive(until: min(deadline, HostClock.now() + Self.progressInterval))
    }
  }

  /// Sends a request and waits for its answer. All earlier requests must be answered.
  ///
  /// - Returns: The rows of the answer, and its last line, parsed and raw.
  func ask(_ request: String) throws(Stop) -> (rows: [String], last: ServerLine, raw: String) {
    link.send(request + "\n")
    pending.append(-1, .control)
    rows = []
    answer = nil
    while true {
      if let answer, let last = ServerLine(answer) {
        defer { rows = [] }
        return (rows, last, answer)
      }
      try receive()
    }
  }

  private func take(_ line: UnsafeMutableRawBufferPointer) {
    guard let first = line.first, let lineClass = LineClass(rawValue: first) else { return }
    switch lineClass {
    case .data:
      let role = pending.first?.role
      if role == .show || role == .control || onlooker.answer != nil || isOfDocument(pending.first) {
        rows.append(String(decoding: line, as: UTF8.self))
      }
    case .notice: takeNotice(line)
    case .flow: takeFlow(String(decoding: line, as: UTF8.self))
    case .success, .failure: takeEnd(of: line)
    }
  }

  /// Whether a request brings a document, whose mistakes are rows.
  private func isOfDocument(_ entry: (step: Int, turn: Int32, role: Role)?) -> Bool {
    guard let entry, script.steps.indices.contains(entry.step), entry.role == .request,
      case .request(.define, _) = script.steps[entry.step].action
    else { return false }
    return true
  }

  /// Takes the line that ends an answer.
  private func takeEnd(of line: UnsafeMutableRawBufferPointer) {
    let isKept = isCancelling || pending.first?.role == .control || onlooker.answer != nil
    let text = isKept ? String(decoding: line, as: UTF8.self) : ""
    let isReadable = reply.parse(line)
    if isCancelling, reply.hasTag(Self.cancelTag) {
      isCancelling = false
      return
    }
    // A batch over the limit gets a single answer, at its end.
    if reply.hasTag(Self.endTag) {
      while let first = pending.first, !script.ends(first.step) { pending.removeFirst() }
    }
    guard let (step, turn, role) = pending.first else { return }
    turnChecked = turn
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
      // The first input after the failure.
      sequence = min(sequence, max(found, 1) - 1)
      isSequenceOpen = false
    }
    if role == .request || role == .show { onlooker.answer?(script.steps[step], rows, text, failure == nil) }
    // The mistakes of a document that is meant to have them are not worth a word.
    if isOfDocument((step, turn, role)), failure != nil || reply.lineClass == .success {
      result.findings += rows.map { script.finding($0, atStep: step) }
    }
    rows.removeAll()
    pending.removeFirst()
    settle()
  }

  /// Checks the last line of an answer to a `control` request against a step.
  private func take(_ line: String, answering step: Script.Step) {
    var bytes = Array(line.utf8)
    bytes.withUnsafeMutableBytes { bytes in
      // A notice may have failed the script already.
      guard failure == nil, reply.parse(bytes) else { return }
      note()
      turnChecked = turn
      check(step, .request)
    }
  }

  /// Records the world time and sequence number of an answer.
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

  // MARK: After the end

  private static let cancelTag: StaticString = ".cancel"
  /// The tag of a batch's `end`.
  private static let endTag: StaticString = ".end"

  /// Waits for the answers to all requests sent; they no longer matter.
  func drain() throws(Stop) {
    if !pending.isEmpty, !isCancelling {
      // A long advance may be running.
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
  /// Whether the step at `place` ends a batch.
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
