internal import LineProtocol
import Scripts
internal import UnixHost

/// What becomes of answers.
extension ScriptPlayer {
  func receive(until deadline: UInt64? = nil) throws(Stop) {
    if let patience, HostClock.now() >= patience { throw .lost }
    try link.receive(until: patience ?? deadline) { take($0) }
  }

  /// Waits until a host time and takes what arrives meanwhile.
  func wait(until deadline: UInt64) throws(Stop) {
    while HostClock.now() < deadline {
      stage.progress({ self.pacedTime }, next < script.steps.count ? script.steps[next] : nil)
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
      if let answer {
        defer { rows = [] }
        return (rows, ServerLine(last: answer), answer)
      }
      try receive()
    }
  }

  func take(_ line: UnsafeMutableRawBufferPointer) {
    guard let first = line.first, let lineClass = LineClass(rawValue: first) else { return }
    switch lineClass {
    case .data:
      let role = pending.first?.role
      if role == .show || role == .control || stage.answer != nil || isOfDocument(pending.first) {
        rows.append(String(decoding: line, as: UTF8.self))
      }
    case .notice: takeNotice(line)
    case .flow: takeFlow(String(decoding: line, as: UTF8.self))
    case .success, .failure: takeEnd(of: line)
    }
  }

  /// Whether a request brings a document, whose mistakes are rows.
  func isOfDocument(_ entry: (step: Int, turn: Int32, role: Role)?) -> Bool {
    guard let entry, script.steps.indices.contains(entry.step), entry.role == .request,
      case .request(.define, _) = script.steps[entry.step].action
    else { return false }
    return true
  }

  /// Takes the line that ends an answer.
  func takeEnd(of line: UnsafeMutableRawBufferPointer) {
    let isKept = isCancelling || pending.first?.role == .control || stage.answer != nil
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
    if role == .request || role == .show { stage.answer?(script.steps[step], rows, text, failure == nil) }
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

  /// Checks the last line of an answer to a `control` request against a step.
  func take(_ line: String, answering step: Script.Step) {
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
  func note() {
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

  static let cancelTag: StaticString = ".cancel"
  /// The tag of a batch's `end`.
  static let endTag: StaticString = ".end"

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

  /// The last lines of the journal up to the failure.
  func journal() throws(Stop) -> [String] {
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
  fileprivate func ends(_ index: Int) -> Bool {
    guard steps.indices.contains(index), case .request(.end, _) = steps[index].action else { return false }
    return true
  }
}
