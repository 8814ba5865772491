internal import LineProtocol
import Scripts
internal import UnixHost

/// What becomes of answers.
extension ScriptPlayer {
  func receive(until deadline: UInt64? = nil) throws(Stop) { try link.receive(until: deadline) { take($0) } }

  /// Waits until a host time and takes what arrives meanwhile.
  func wait(until deadline: UInt64) throws(Stop) {
    while HostClock.now() < deadline {
      stage.progress({ self.pacedTime }, next < script.steps.count ? script.steps[next] : nil)
      try receive(until: min(deadline, HostClock.now() + Self.progressInterval))
    }
  }

  /// Sends a request and waits for its answer. All earlier requests must be answered.
  func ask(_ request: String) throws(Stop) -> Dialogue.Answer { try link.answer(to: request) { take($0) } }

  func take(_ line: String) {
    guard let lineClass = line.lineClass else { return }
    switch lineClass {
    case .data:
      if pending.first?.role == .show || stage.answer != nil || isOfDocument(pending.first) { rows.append(line) }
    case .notice: takeNotice(line)
    case .flow: takeFlow(line)
    case .success, .failure: takeEnd(line)
    }
  }

  /// Whether a request brings a document, whose mistakes are rows.
  func isOfDocument(_ entry: (step: Int, turn: Int32, role: Role)?) -> Bool {
    guard let entry, entry.role == .request, case .request(.define, _) = script.steps[entry.step].action else {
      return false
    }
    return true
  }

  /// Takes the line that ends an answer.
  func takeEnd(_ line: String) {
    let parsed = ServerLine(line)
    if isCancelling, parsed?.tag == Self.cancelTag {
      isCancelling = false
      return
    }
    // A batch over the limit gets a single answer, at its end.
    if parsed?.tag == Self.endTag {
      while let first = pending.first, !script.ends(first.step) { pending.removeFirst() }
    }
    guard let (step, turn, role) = pending.first else { return }
    turnChecked = turn
    guard let parsed else {
      pending.removeFirst()
      return fail(script.steps[step], expected: "an answer", got: line, .failed)
    }
    reply = parsed
    if failure == nil {
      note(reply)
      check(script.steps[step], role)
    } else if isSequenceOpen, let found = reply.sequence {
      // The first input after the failure.
      sequence = min(sequence, max(found, 1) - 1)
      isSequenceOpen = false
    }
    if role == .request || role == .show { stage.answer?(script.steps[step], rows, line, failure == nil) }
    // The mistakes of a document that is meant to have them are not worth a word.
    if !rows.isEmpty {
      if isOfDocument((step, turn, role)), failure != nil || reply.lineClass == .success {
        result.findings += rows.map { script.finding($0, atStep: step) }
      }
      rows.removeAll()
    }
    pending.removeFirst()
    settle()
  }

  /// Checks the last line of an answer to ``ask(_:)`` against a step.
  func take(_ answer: Dialogue.Answer, answering step: Script.Step) {
    // A notice may have failed the script already.
    guard failure == nil else { return }
    reply = answer.last
    note(reply)
    turnChecked = turn
    check(step, .request)
  }

  /// Records the world time and sequence number of an answer.
  func note(_ line: ServerLine) {
    worldTime = line["t"] ?? worldTime
    if let found = line.sequence { sequence = max(sequence, found) }
  }

  // MARK: After the end

  static let cancelTag = ".cancel"
  /// The tag of a batch's `end`.
  static let endTag = ".end"

  /// Waits for the answers to all requests sent; they no longer matter.
  func drain() throws(Stop) {
    if !pending.isEmpty, !isCancelling {
      // A long advance may be running.
      link.send("@\(Self.cancelTag) cancel\n")
      isCancelling = true
    }
    while !pending.isEmpty || isCancelling { try receive() }
  }

  static let journalLines = 10

  /// The last lines of the journal of the inputs after one, up to that of a failure.
  func journal(after before: UInt64, upTo last: UInt64) throws(Stop) -> [String] {
    guard last > before else { return [] }
    let count = UInt64(Self.journalLines)
    let since = last == .max ? "" : " since=\(max(before, last > count ? last - count : 0) + 1)"
    let rows = try ask("journal\(since) limit=\(count)").rows.map { String($0.dropFirst(2)) }
    let fitting = rows.filter { row in (before + 1...last).contains(UInt64(row.prefix { $0 != " " }) ?? 0) }
    return Array(fitting.suffix(Self.journalLines))
  }
}

extension Script {
  /// Whether the step at `place` ends a batch.
  fileprivate func ends(_ index: Int) -> Bool {
    guard steps.indices.contains(index), case .request(.end, _) = steps[index].action else { return false }
    return true
  }
}

extension ServerLine {
  /// The number of the input that the line names.
  fileprivate var sequence: UInt64? { self["seq"].flatMap { UInt64($0) } }
}
