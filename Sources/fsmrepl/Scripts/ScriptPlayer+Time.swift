internal import LineProtocol
internal import UnixHost

/// Steps that advance world time timer by timer: waiting for an output, and playing at real pace.
extension ScriptPlayer {
  /// Advances time, timer by timer, until a machine emits an output.
  ///
  /// - Returns: `nil` if the output was emitted at the current world time; otherwise what happened instead.
  func advanceUntilOutput(for output: String, of machine: String, within: Int64) throws(Stop) -> String? {
    if outputs.has(output, of: machine, at: worldTime) { return nil }
    let deadline = worldNanoseconds + within
    var rows = try ask("agenda limit=1").rows
    while let due = Self.due(rows), due <= deadline {
      if speed != nil { try wait(until: hostTime(of: due)) }
      let emitted = outputs.last(output, of: machine)
      let stepped = try ask("step").last
      if stepped.lineClass == .failure { return "refused \(stepped.code)" + (stepped.note.map { " : \($0)" } ?? "") }
      // The agenda is read again only when all that is due at this time has fired.
      rows = try ask("agenda limit=1").rows
      note(stepped)
      if outputs.last(output, of: machine) > emitted { return nil }
    }
    return outputs.lastText(of: machine)
  }

  /// Waits until the host's clock reaches the target of an `advance`; timers on the way fire at their times.
  ///
  /// - Returns: The request that leads to the target from the current world time.
  func pace(_ request: String) throws(Stop) -> String {
    let words = RequestText(request).plainWords ?? []
    let isUntil = words.count > 1
    guard let written = words.last.flatMap({ isUntil ? TimeText.time($0) : TimeText.duration($0) }) else {
      return request
    }
    let target = isUntil ? written : worldNanoseconds + written
    while let due = Self.due(try ask("agenda limit=1").rows), due < target {
      try wait(until: hostTime(of: due))
      let advanced = try ask("advance until \(due)ns").last
      guard advanced.lineClass == .success else { break }
      note(advanced)
    }
    try wait(until: hostTime(of: target))
    return "advance until \(target)ns"
  }

  /// Awaits a state at real pace, firing each timer at its time.
  ///
  /// - Returns: The answer that counts.
  func paceAwait(_ request: String) throws(Stop) -> Dialogue.Answer {
    let words = RequestText(request).words
    let within = ServerLine(". \(words.joined(separator: " "))")?["within"].flatMap { TimeText.duration($0) }
    let deadline = worldNanoseconds + (within ?? Self.longestAwait)
    let wish = (["await"] + words.filter { !$0.hasPrefix("within=") }).joined(separator: " ")
    while let due = Self.due(try ask("agenda limit=1").rows), due <= deadline {
      try wait(until: hostTime(of: due))
      let answer = try ask("\(wish) within=\(max(0, due - worldNanoseconds))ns")
      guard answer.last.lineClass == .failure, answer.last.code == FailureCode.timeout.word, due < deadline else {
        return answer
      }
      note(answer.last)
    }
    return try ask("\(wish) within=\(max(0, deadline - worldNanoseconds))ns")
  }

  /// How long an `await` without `within` waits, as the protocol defines it.
  private static let longestAwait: Int64 = 86_400_000_000_000

  /// The host time that corresponds to a world time.
  private func hostTime(of moment: Int64) -> UInt64 {
    guard let speed else { return 0 }
    let now = HostClock.now()
    let start = anchor ?? (now, worldNanoseconds)
    func host(_ moment: Int64) -> UInt64 {
      start.host &+ UInt64(max(0, min(Double(moment - start.world) / speed, 1e18)))
    }
    // An `await` or `step` may have jumped ahead; pace is counted from there.
    guard anchor == nil || host(worldNanoseconds) > now else { return host(moment) }
    anchor = (now, worldNanoseconds)
    return now &+ UInt64(max(0, min(Double(moment - worldNanoseconds) / speed, 1e18)))
  }

  /// The current world time at real pace, to the millisecond.
  var pacedTime: String {
    guard let speed, let anchor else { return worldTime }
    let moment = anchor.world + Int64(Double(HostClock.now() &- anchor.host) * speed)
    return TimeText.seconds(max(worldNanoseconds, moment) / 1_000_000 * 1_000_000)
  }

  /// The due time of the first timer, from the rows of `agenda`.
  private static func due(_ rows: [String]) -> Int64? {
    rows.first.flatMap { ServerLine($0)?.words.first }.flatMap { TimeText.time($0) }
  }
}
