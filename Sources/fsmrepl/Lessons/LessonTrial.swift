internal import LineProtocol
internal import Scripts

/// Tries the line of a question in a copy of the world, which is dropped afterwards.
struct LessonTrial {
  let player: RunPlayer
  let script: Script
  /// The world of the lesson, in use before and after.
  let world: String

  private var copy: String { "\(world)-trial" }

  /// What comes of the line, and of the answer: a state, or an event in place of the line's own.
  func run(_ question: Script.Question, answer: String) throws(RunLink.Stop) -> LessonTruth {
    var truth = LessonTruth()
    let before = try player.ask("world").last
    truth.start = Self.time(before)
    guard try player.ask("world fork \(copy)").last.lineClass == .success else { return truth }
    _ = try player.ask("use \(copy)")
    switch question.subject {
    case .state(let machine), .event(let machine): truth.machine = machine
    case .time: break
    }
    try play(question, answer: answer, &truth)
    try look(question, answer: answer, since: before["seq"].flatMap { UInt64($0) } ?? 0, &truth)
    _ = try player.ask("use \(world)")
    _ = try player.ask("world drop \(copy)")
    return truth
  }

  private func play(
    _ question: Script.Question, answer: String, _ truth: inout LessonTruth
  ) throws(RunLink.Stop) {
    let steps = script.steps[question.steps]
    guard let last = steps.last, case .request(let verb, let outcome) = last.action else { return }
    for step in steps.dropLast() { _ = try player.ask(script.request(of: step)) }
    truth.before = try state(of: truth.machine)
    var request = script.request(of: last)
    truth.event = RequestText(request).words.dropFirst().joined(separator: " ")
    if case .event = question.subject {
      request = "send \(truth.machine) \(Self.event(answer, of: truth.machine))"
    } else {
      truth.condition = verb == .send ? try condition(of: RequestText(truth.event).verb ?? "", truth.machine) : nil
    }
    let (_, reply, raw) = try player.ask(request)
    guard verb == .send || verb == .fire else { return }
    truth.reply = reply
    guard case .event = question.subject else { return }
    if Self.matches(raw, script.outcomes[Int(outcome)]) {
      truth.word = .fits
    } else if reply.lineClass == .failure, reply.code != FailureCode.refused.word {
      truth.word = .isNone(Self.reason(reply))
    }
  }

  private func look(
    _ question: Script.Question, answer: String, since sequence: UInt64, _ truth: inout LessonTruth
  ) throws(RunLink.Stop) {
    truth.end = Self.time(try player.ask("world").last)
    let pattern = truth.machine.isEmpty ? "" : " \(truth.machine)"
    truth.journal = try player.ask("journal\(pattern) limit=\(Self.mostLines)").rows.compactMap { ServerLine($0) }
      .filter { ($0.words.first.flatMap { UInt64($0) } ?? 0) > sequence }
    guard !truth.machine.isEmpty else { return }
    truth.after = try state(of: truth.machine)
    truth.agenda = try player.ask("agenda \(truth.machine) limit=1").rows.compactMap { ServerLine($0) }
    guard case .state = question.subject else { return }
    let found = try player.ask("expect \(truth.machine) \(Word.written(answer))").last
    if found.lineClass == .success {
      truth.word = .fits
    } else if found.code != FailureCode.expected.word {
      truth.word = .isNone(Self.reason(found))
    }
  }

  private static let mostLines = 40

  private func state(of machine: String) throws(RunLink.Stop) -> String {
    machine.isEmpty ? "" : RunShown(try player.ask("show \(machine)").rows).state
  }

  /// The condition under which an event would do what it does now, if the kind names one.
  private func condition(of event: String, _ machine: String) throws(RunLink.Stop) -> String? {
    let rows = try player.ask("graph \(machine) format=stateDiagram").rows
    // `on --> off : tap [not window open]<br/>▶ character / text`
    for row in rows {
      guard let label = row.firstRange(of: " : ").map({ row[$0.upperBound...] }) else { continue }
      for part in label.split(separator: "<br/>") {
        let text = part.drop { $0 == " " }
        guard text.hasPrefix("▶ \(event) ["), let end = text.firstIndex(of: "]") else { continue }
        return GraphList.decoded(String(text[..<end].drop { $0 != "[" }.dropFirst()))
      }
    }
    return nil
  }

  /// What was typed as an event; somebody may type the whole request.
  private static func event(_ answer: String, of machine: String) -> String {
    let request = "send \(machine) "
    return answer.hasPrefix(request) ? String(answer.dropFirst(request.count)) : answer
  }

  private static func matches(_ raw: String, _ outcome: ScriptOutcome) -> Bool {
    var reply = ScriptReply()
    var bytes = Array(raw.utf8)
    return bytes.withUnsafeMutableBytes { reply.parse($0) && outcome.matches(reply) }
  }

  /// Why a word is no answer.
  private static func reason(_ reply: ServerLine) -> String {
    let meant = reply["did-you-mean"].map { " Did you mean \($0)?" } ?? ""
    let allowed = reply["allowed"].map { $0.split(separator: ",").joined(separator: ", ") } ?? ""
    let choices = meant.isEmpty && !allowed.isEmpty && allowed.count < 200 ? " There are: \(allowed)." : meant
    let note = reply.note ?? reply.code
    return note + "." + choices
  }

  private static func time(_ line: ServerLine) -> Int64 { line["t"].flatMap { TimeText.time($0) } ?? 0 }
}
