internal import Scripts
import LineProtocol

/// Checks of answers and notices against the script.
extension RunPlayer {
  func check(_ step: Script.Step, _ role: Role) {
    switch (step.action, role) {
    case (.request(let verb, let outcome), _):
      result.steps += 1
      if outcome >= 0 || verb == .expect { result.expectations += 1 }
      checkRequest(step, verb, Int(outcome))
    case (.check(let place), .show):
      result.steps += 1
      result.expectations += 1
      checkShown(step, script.checks[Int(place)])
    case (.check(let place), .probe):
      result.steps += 1
      result.expectations += 1
      if case .never(let machine, let state) = script.checks[Int(place)] { begin(step, machine, state) }
    case (.check, _), (.repeats, _), (.again, _):
      if reply.lineClass == .failure { fail(step, expected: "ok", got: ScriptOutcome.found(reply), .failed) }
    }
  }

  private func checkRequest(_ step: Script.Step, _ verb: Verb?, _ place: Int) {
    let isSuccess = reply.lineClass == .success
    guard place >= 0 else {
      if isSuccess { return }
      let status = ExitCode.of(failure: reply.words.first ?? "")
      isSequenceOpen = didTimeStopEarly
      if status == .expectation {
        fail(step, expected: reply.text(of: "expected") ?? "?", got: reply.text(of: "got") ?? "?", status)
      } else {
        fail(step, expected: "ok", got: ScriptOutcome.found(reply), status)
      }
      return
    }
    let outcome = script.outcomes[place]
    guard !outcome.matches(reply) else { return }
    let isTimeOut = reply.lineClass == .failure && reply.isWord(0, "TIMEOUT")
    isSequenceOpen = didTimeStopEarly
    fail(step, expected: outcome.text, got: outcome.found(reply), isTimeOut ? .timeOut : .expectation)
  }

  /// Whether time has advanced although the answer does not say how many inputs that took.
  private var didTimeStopEarly: Bool {
    reply.lineClass == .failure
      && (reply.isWord(0, "TIMEOUT") || reply.isWord(0, "LIMIT") || reply.isWord(0, "CANCELLED"))
  }

  private func checkShown(_ step: Script.Step, _ check: Script.Check) {
    guard reply.lineClass == .success else {
      return fail(step, expected: "a machine", got: ScriptOutcome.found(reply), .failed)
    }
    let shown = RunShown(rows)
    switch check {
    case .timers(_, let names):
      guard names.sorted() != shown.timers.sorted() else { return }
      fail(
        step, expected: names.isEmpty ? "timers none" : "timers \(names.joined(separator: ","))",
        got: shown.timers.isEmpty ? "timers none" : "timers \(shown.timers.joined(separator: ","))")
    case .reading(_, let name, let wanted):
      guard let difference = shown.difference(name, wanted) else { return }
      fail(step, expected: difference.expected, got: difference.got)
    case .coverage(_, let percent):
      let coverage = RunCoverage(rows)
      guard !coverage.reaches(percent) else { return }
      fail(step, expected: "coverage \(percent)%", got: "coverage \(coverage.text)")
    case .never, .output: break
    }
  }

  /// Checks the outputs at the head of the queue: they need no answer of their own, only all earlier ones.
  func settle() {
    while let (place, role) = pending.first, role == .output {
      let step = script.steps[place]
      if failure == nil, case .check(let check) = step.action,
        case .output(let machine, let output, _) = script.checks[Int(check)]
      {
        result.steps += 1
        result.expectations += 1
        if !outputs.has(output, of: machine, at: worldTime) {
          fail(
            step, expected: "output \(output) of \(machine) at \(worldTime)",
            got: outputs.text(of: machine, at: worldTime))
        }
        onlooker.answer?(step, [], nil)
      }
      pending.removeFirst()
    }
  }

  // MARK: Notices

  func takeNotice(_ line: UnsafeMutableRawBufferPointer) {
    if speed != nil || onlooker.answer != nil { onlooker.notice(String(decoding: line, as: UTF8.self)) }
    guard failure == nil, outputs.isWatching, let notice = ServerLine(String(decoding: line, as: UTF8.self)),
      notice.words.count > 3
    else { return }
    let words = notice.words
    if words[3] == "output", words.count > 4 {
      outputs.take(words[4], of: words[2], at: words[1], by: UInt64(words[0]) ?? 0)
    }
    if words[3] == "undone", let first = notice["from"].flatMap({ UInt64($0) }) { outputs.forget(from: first) }
    guard let state = RunShown.state(in: words) else { return }
    for (place, never) in nevers.enumerated() where never.machine == words[2] && never.state.matches(state) {
      sequence = UInt64(words[0]) ?? sequence
      let step = pending.first.flatMap { $0.step >= 0 ? script.steps[$0.step] : nil }
      now.removeAll()
      now.append(text: words[1])
      failNever(place, state: state, at: step ?? script.steps[min(next, script.steps.count - 1)])
      return
    }
  }

  /// Begins a `never`, unless it is already broken or the daemon does not know the state.
  private func begin(_ step: Script.Step, _ machine: String, _ state: StateText) {
    guard reply.lineClass == .failure, !reply.isWord(0, "EXPECTED") else {
      nevers.append((step, machine, state))
      if reply.lineClass == .success { failNever(nevers.count - 1, state: reply.words.first ?? "?", at: step) }
      return
    }
    fail(step, expected: "a machine and a state of its kind", got: ScriptOutcome.found(reply), .failed)
  }

  func failNever(_ place: Int, state: String, at step: Script.Step) {
    let never = nevers[place]
    fail(
      step, expected: "never \(never.machine) \(never.state.word) (\(script.place(of: never.step)))",
      got: "\(never.machine) in \(state) at \(worldTime)")
  }

  /// Checks each `never` again after the world has gone back, since no notice says which states its machines are in
  /// now.
  ///
  /// - Parameter step: The `undo` or `goto`. It and all before it are answered; nothing after it was sent.
  func checkNeversAgain(behind step: Script.Step) throws(Stop) {
    // Pace is counted from the world's current time.
    anchor = nil
    for (place, never) in nevers.enumerated() {
      let found = try ask("expect \(never.machine) \(Word.written(never.state.word))").last
      guard found.lineClass == .failure else {
        return failNever(place, state: found.words.first ?? "?", at: step)
      }
    }
  }

  func takeFlow(_ line: String) {
    guard failure == nil, let flow = ServerLine(line), let oldest = pending.first, oldest.step >= 0 else { return }
    let step = script.steps[oldest.step]
    switch flow.code {
    case "gap" where outputs.isWatching:
      let range = "\(flow["from"] ?? "?") to \(flow["to"] ?? "?")"
      fail(step, expected: "all notices", got: "notices \(range) were lost", .failed)
    case "world":
      // The client that dropped the world has moved us to another one, whose journal is not the script's.
      fail(step, expected: "the world of this script", got: "it was dropped", .failed)
      sequence = 0
    default: break
    }
  }

  func fail(_ step: Script.Step, expected: String, got: String, _ status: ExitCode = .expectation) {
    guard failure == nil else { return }
    failure = RunFailure(
      status: status, place: script.place(of: step), line: script.line(of: step), expected: expected, got: got)
    result.worldTime = worldTime
    if isSequenceOpen { sequence = .max }
  }
}
