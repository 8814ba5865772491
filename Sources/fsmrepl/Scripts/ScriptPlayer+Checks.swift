internal import Scripts
import LineProtocol

/// Checks of answers and notices against the script.
extension ScriptPlayer {
  func check(_ step: Script.Step, _ role: Role) {
    switch (step.action, role) {
    case (.request(let verb, let outcome), _):
      result.steps += 1
      if outcome >= 0 || verb == .expect { result.expectations += 1 }
      checkRequest(step)
    case (.check(let place), .show):
      result.steps += 1
      result.expectations += 1
      checkShown(step, script.check(place, turn: turnChecked))
    case (.check(let place), .probe):
      result.steps += 1
      result.expectations += 1
      if case .never(let machine, let state) = script.check(place, turn: turnChecked) { begin(step, machine, state) }
    case (.check, _), (.repeats, _), (.again, _):
      if reply.lineClass == .failure {
        fail(step, word: 1, expected: "ok", got: ScriptOutcome.found(reply), .failed, hasHints: true)
      }
    }
  }

  private func checkRequest(_ step: Script.Step) {
    let isSuccess = reply.lineClass == .success
    guard let outcome = script.outcome(of: step, turn: turnChecked) else {
      if isSuccess { return }
      let status = ExitCode.of(failure: reply.code)
      isSequenceOpen = didTimeStopEarly
      let word = script.word(of: step, turn: turnChecked, wrongFor: reply)
      if status == .expectation {
        fail(
          step, word: word, expected: reply["expected"] ?? "?", got: reply["got"] ?? "?", status,
          hasHints: true)
      } else {
        fail(step, word: word, expected: "ok", got: ScriptOutcome.found(reply), status, hasHints: true)
      }
      return
    }
    guard !outcome.matches(reply) else { return }
    let isTimeOut = reply.lineClass == .failure && reply.code == FailureCode.timeout.word
    isSequenceOpen = didTimeStopEarly
    let request = script.word(of: step, turn: turnChecked, wrongFor: reply)
    // Of a failure that was expected only what stands after it can be wrong.
    let isExpected = if case .refused(let code?) = outcome.result { code.word == reply.code } else { false }
    let isOfRequest =
      reply.lineClass == .failure && request > 0 && reply.code != FailureCode.refused.word && !isTimeOut && !isExpected
    let wordAfterArrow = isOfRequest ? nil : outcome.wrongWord(reply)
    fail(
      step, word: wordAfterArrow.map { script.arrow(of: step) + 1 + $0 } ?? request, expected: outcome.text,
      got: outcome.found(reply), isTimeOut ? .timeOut : .expectation, hasHints: true)
  }

  /// Whether time has advanced although the answer does not say how many inputs that took.
  private var didTimeStopEarly: Bool {
    reply.lineClass == .failure
      && (reply.code == FailureCode.timeout.word || reply.code == FailureCode.limit.word
        || reply.code == FailureCode.cancelled.word)
  }

  private func checkShown(_ step: Script.Step, _ check: Script.Check) {
    guard reply.lineClass == .success else {
      return fail(step, word: 1, expected: "a machine", got: ScriptOutcome.found(reply), .failed, hasHints: true)
    }
    guard let miss = check.miss(in: rows.compactMap { ServerLine($0) }) else { return }
    fail(
      step, word: miss.word, expected: miss.expected, got: miss.got, miss.isOfNothing ? .failed : .expectation)
  }

  /// Checks the outputs at the head of the queue: they need no answer of their own, only all earlier ones.
  func settle() {
    while let (place, turn, role) = pending.first, role == .output {
      let step = script.steps[place]
      if failure == nil, case .check(let check) = step.action,
        case .output(let machine, let output, _) = script.check(check, turn: turn)
      {
        result.steps += 1
        result.expectations += 1
        turnChecked = turn
        if !outputs.has(output, of: machine, at: worldTime) {
          fail(
            step, word: 3, expected: "output \(output) of \(machine) at \(worldTime)",
            got: outputs.text(of: machine, at: worldTime))
        }
        stage.answer?(step, [], nil, failure == nil)
      }
      pending.removeFirst()
    }
  }

  // MARK: Notices

  func takeNotice(_ line: String) {
    if speed != nil || stage.answer != nil { stage.notice(line) }
    guard failure == nil, outputs.isWatching, let notice = ServerLine(line), notice.words.count > 3 else { return }
    let words = notice.words
    if words[3] == "output", words.count > 4 {
      outputs.take(words[4], of: words[2], at: words[1], by: UInt64(words[0]) ?? 0)
    }
    if words[3] == "undone", let first = notice["from"].flatMap({ UInt64($0) }) { outputs.forget(from: first) }
    guard let state = ShownMachine.state(in: words) else { return }
    for (place, never) in nevers.enumerated() where never.machine == words[2] && never.state.matches(state) {
      sequence = UInt64(words[0]) ?? sequence
      let step = pending.first.map { script.steps[$0.step] }
      turnChecked = pending.first?.turn ?? turn
      worldTime = words[1]
      failNever(place, state: state, at: step ?? script.steps[min(next, script.steps.count - 1)])
      return
    }
  }

  /// Begins a `never`, unless it is already broken or the daemon does not know the state.
  private func begin(_ step: Script.Step, _ machine: String, _ state: StateText) {
    guard reply.lineClass == .failure, reply.code != FailureCode.expected.word else {
      guard neversKnown.insert("\(machine) \(state.word)").inserted else { return }
      nevers.append((step, machine, state))
      if reply.lineClass == .success { failNever(nevers.count - 1, state: reply.words.first ?? "?", at: step) }
      return
    }
    fail(
      step, word: reply.code == FailureCode.unknownMachine.word ? 1 : 2, expected: "a machine and a state of its kind",
      got: ScriptOutcome.found(reply), .failed, hasHints: true)
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
  /// - Parameter step: The `undo`, `redo` or `goto`. It and all before it are answered; nothing after it was sent.
  func checkNeversAgain(after step: Script.Step) throws(Stop) {
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
    guard failure == nil, let flow = ServerLine(line), let oldest = pending.first else { return }
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

  /// - Parameter word: The index of the word that is wrong, in what the step does.
  func fail(
    _ step: Script.Step, word: Int = 0, expected: String, got: String, _ status: ExitCode = .expectation,
    hasHints: Bool = false
  ) {
    guard failure == nil else { return }
    let found = RunFailure(
      script, step, turn: turnChecked, word: word, status: status, expected: expected, got: got,
      hasHints && reply.lineClass == .failure ? reply : nil)
    guard !step.isSoft else {
      if softFailures.count < ScriptLimits.mistakes {
        softFailures.append((found, sequence))
      } else {
        moreSoftFailures += 1
      }
      return
    }
    failure = found
    result.worldTime = worldTime
    if isSequenceOpen { sequence = .max }
  }
}
