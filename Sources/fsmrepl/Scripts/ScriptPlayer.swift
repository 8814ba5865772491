internal import Scripts
import LineProtocol
internal import UnixHost

/// Plays one script in a world of its own.
///
/// Requests are sent ahead of their answers. Answers arrive in order, so each is checked against the oldest unanswered
/// line. After the first failure nothing more is sent; requests already sent still run, in a world that is dropped.
final class ScriptPlayer {
  typealias Stop = Dialogue.Stop

  /// Where a script is played: at which pace, and who sees it.
  struct Stage {
    /// World seconds per host second; `nil` plays as fast as possible.
    var speed: Double?
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
  }

  /// How many answers may be outstanding.
  static let window = 8_192
  /// The same while notices are on, so that they do not pile up.
  static let windowWithNotices = 256
  /// How many bytes may wait to be sent.
  static let maxUnsent = 256 << 10
  /// Time between two progress updates while nothing happens, in nanoseconds.
  static let progressInterval: UInt64 = 100_000_000

  let link: Dialogue
  let script: Script
  let part: Script.Part
  let stage: Stage
  var speed: Double? { stage.speed }
  var result: RunResult

  /// The step at which playing stops for now.
  var end: Int
  var cursor = ScriptCursor()
  /// The index of the next step.
  var next: Int {
    get { cursor.next }
    set { cursor.next = newValue }
  }
  /// How often the lines around the next step have been played before.
  var turn: Int32 { cursor.turn }
  /// The turn of the step that is being checked.
  var turnChecked: Int32 = 0
  /// What is not answered yet, oldest first.
  var pending: ArraySlice<(step: Int, turn: Int32, role: Role)> = []
  /// Whether nothing is sent until all requests are answered.
  var isHeld = false
  /// The last `undo`, `redo` or `goto` sent, until everything up to it is checked.
  var wayBack: Int?
  /// Whether a batch has begun and not ended.
  var isCollecting = false
  /// The last line of the current answer, and its rows when they are needed.
  var reply = ServerLine(last: "")
  var rows: [String] = []
  var outputs: RunOutputs
  var nevers: [(step: Script.Step, machine: String, state: StateText)] = []
  /// The machines and states of `nevers`: another of the same adds nothing.
  var neversKnown: Set<String> = []
  /// The current world time, as the last answer printed it.
  var worldTime = "0.000"
  /// The highest sequence number that an answer named.
  var sequence: UInt64 = 0
  var failure: RunFailure?
  /// What failed while playing went on, with the sequence number at that time: that of each `expect?`.
  var softFailures: [(failure: RunFailure, sequence: UInt64)] = []
  var moreSoftFailures = 0
  /// Whether the failure may include inputs beyond those that answers named.
  var isSequenceOpen = false
  var isCancelling = false
  /// Where pace is counted from: a host time and the world time that corresponds to it.
  var anchor: (host: UInt64, world: Int64)?

  /// - Parameter part: What of the script is played; nil for all.
  init(link: Dialogue, script: Script, _ part: Script.Part? = nil, stage: Stage = Stage()) {
    let part = part ?? script.whole
    self.link = link
    self.script = script
    self.part = part
    self.stage = stage
    end = script.steps.count
    outputs = RunOutputs(keepsAll: script.goesBack)
    result = RunResult(name: script.name)
  }

  var worldNanoseconds: Int64 { TimeText.time(worldTime) ?? 0 }

  /// Plays to the end, or to the first failure, in the world in use, which no other client may use.
  func play() throws(Stop) {
    try begin()
    if !part.setUp.isEmpty { try play(upTo: part.setUp.upperBound) }
    guard failure == nil else { return }
    next = part.body.lowerBound
    try play(upTo: part.body.upperBound)
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
          try checkNeversAgain(after: script.steps[place])
          continue
        }
        guard next < end else { break }
        if try playAlone(script.steps[next]) { next += 1 }
      } else {
        stage.progress({ self.worldTime }, next < script.steps.count ? script.steps[next] : nil)
        try receive()
      }
    }
    if failure == nil { result.worldTime = worldTime }
    if failure != nil { try drain() }
    var all = softFailures + (failure.map { [(failure: $0, sequence: sequence)] } ?? [])
    // Each has the journal since the one before.
    for place in all.indices {
      all[place].failure.journal = try journal(
        after: place == 0 ? 0 : all[place - 1].sequence, upTo: all[place].sequence)
    }
    guard var first = all.first?.failure else {
      result.ending = .passed
      return
    }
    first.others = all.dropFirst().map(\.failure)
    first.more = moreSoftFailures
    result.ending = .failed(first)
  }

  /// Watches every machine with an expected output, from the start.
  func watchExpectedMachines() throws(Stop) {
    let patterns = script.namesWithOutputs(in: part)
    for pattern in patterns.sorted() { _ = try ask("watch \(pattern)") }
    if speed != nil { _ = try ask("watch * what=moves") }
    if stage.answer != nil { _ = try ask("watch ** what=all") }
    outputs.isWatching = !patterns.isEmpty
  }

  // MARK: Sending

  var window: Int {
    if speed != nil || stage.answer != nil { return 1 }
    return nevers.isEmpty && !outputs.isWatching ? Self.window : Self.windowWithNotices
  }

  /// Sends as many requests as the window allows.
  func send() {
    while failure == nil, !isHeld, next < end {
      // The lines of a batch are answered only after its end, so the batch is sent whole.
      guard isCollecting || pending.count < window && link.backlog < Self.maxUnsent else { return }
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
        pending.append((next, turn, .request))
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
  func sendCheck(_ step: Script.Step, _ place: Int32) -> Bool {
    switch script.checks[Int(place)] {
    case .timers, .reading, .noErrors, .coverage:
      sendRequest(of: step)
      pending.append((next, turn, .show))
    case .never:
      sendRequest(of: step)
      pending.append((next, turn, .watch))
      pending.append((next, turn, .probe))
      // Notices arrive from here on.
      outputs.isWatching = true
    case .output(_, _, nil):
      pending.append((next, turn, .output))
      settle()
    case .output: return false
    }
    return true
  }

  func sendRequest(of step: Script.Step) {
    if speed != nil {
      if case .check = step.action {
        stage.line(script.played(step, turn: turn) ?? script.line(of: step))
      } else {
        stage.line(script.request(of: step, turn: turn))
      }
    }
    script.withRequest(of: step, turn: turn) { link.send($0) }
  }

  /// Plays a step that needs the answers to all earlier ones.
  ///
  /// - Returns: False if the step does not have to be played alone, or was sent in the usual way.
  func playAlone(_ step: Script.Step) throws(Stop) -> Bool {
    switch step.action {
    case .check(let place):
      guard case .output(let machine, let output, let within?) = script.check(place, turn: turn) else { return false }
      turnChecked = turn
      if speed != nil { stage.line(script.played(step, turn: turn) ?? script.line(of: step)) }
      result.steps += 1
      result.expectations += 1
      if let got = try advanceUntilOutput(for: output, of: machine, within: within) {
        fail(step, word: 3, expected: "output \(output) of \(machine) within \(TimeText.written(within))", got: got)
      }
      stage.answer?(step, [], nil, failure == nil)
      return true
    case .request(let verb, _) where speed != nil && (verb == .await || verb == .advance):
      let request = script.request(of: step, turn: turn)
      stage.line(request)
      if verb == .await {
        take(try paceAwait(request), answering: step)
      } else {
        link.send(try pace(request) + "\n")
        pending.append((next, turn, .request))
      }
      return true
    case .request, .repeats, .again: return false
    }
  }
}

extension Script.Step {
  fileprivate func isTagged(in script: Script) -> Bool {
    script.withRequest(of: self) { $0.first == UInt8(ascii: "@") }
  }
}
