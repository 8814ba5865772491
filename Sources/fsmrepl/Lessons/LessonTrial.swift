internal import LineProtocol
internal import Scripts

/// Tries the line of a question in a copy of the world, which is dropped afterwards.
struct LessonTrial {
  let player: ScriptPlayer
  let script: Script
  /// The world of the lesson, in use before and after.
  let world: String
  /// The style of the reasons.
  let style: Style

  private var copy: String { Self.copy(of: world) }

  /// The name of the copy of a world.
  static func copy(of world: String) -> String { "\(world)-trial" }

  enum Finding {
    case truth(LessonTruth)
    /// The daemon makes no copy, for this reason, so nobody knows what is right.
    case unknown(String)
  }

  /// Plays the line in the copy and checks the answer there. An answer that is an event is sent in place of the line's
  /// own.
  func run(_ question: Script.Question, answer: String) throws(Dialogue.Stop) -> Finding {
    var truth = LessonTruth(wording: Wording(style: style))
    let before = try player.ask("world").last
    truth.start = Self.time(before)
    for request in ["world fork \(copy)", "use \(copy)"] {
      let made = try player.ask(request).last
      guard made.lineClass == .success else { return .unknown(made.note ?? made.code) }
    }
    switch question.subject {
    case .state(let machine), .event(let machine): truth.machine = machine
    case .time: break
    }
    try play(question, answer: answer, &truth)
    try look(question, answer: answer, since: before["seq"].flatMap { UInt64($0) } ?? 0, &truth)
    _ = try player.ask("use \(world)")
    _ = try player.ask("world drop \(copy)")
    return .truth(truth)
  }

  private func play(
    _ question: Script.Question, answer: String, _ truth: inout LessonTruth
  ) throws(Dialogue.Stop) {
    let steps = script.steps[question.steps]
    guard let last = steps.last, case .request(let verb, let outcome) = last.action else { return }
    for step in steps.dropLast() { _ = try player.ask(script.request(of: step)) }
    truth.before = try state(of: truth.machine)
    var request = script.request(of: last)
    truth.event = RequestText(request).words.dropFirst().joined(separator: " ")
    if case .event = question.subject {
      request = "send \(truth.machine) \(answer)"
    } else {
      truth.condition = verb == .send ? try condition(of: RequestText(truth.event).verb ?? "", truth.machine) : nil
    }
    var (_, reply, raw) = try player.ask(request)
    let word = String(answer.prefix { $0 != " " })
    func isUnknown() -> Bool { reply.lineClass == .failure && reply.code == FailureCode.unknownEvent.word }
    if isUnknown(), let event = LessonAnswer.event(typed: answer, of: Self.allowed(reply)) {
      request = "send \(truth.machine) \(event)"
      (_, reply, raw) = try player.ask(request)
    }
    guard verb == .send || verb == .fire else { return }
    truth.reply = reply
    guard case .event = question.subject else { return }
    if script.outcomes[Int(outcome)].judge(raw).fits {
      truth.word = Self.isSameWithOtherData(request, script.request(of: last)) ? .isVague(Self.otherData) : .fits
    } else if reply.lineClass == .failure, reply.code != FailureCode.refused.word {
      truth.word = .isNone(truth.reason(reply, isUnknown() ? "event" : nil, word))
    }
  }

  private func look(
    _ question: Script.Question, answer: String, since sequence: UInt64, _ truth: inout LessonTruth
  ) throws(Dialogue.Stop) {
    truth.end = Self.time(try player.ask("world").last)
    let pattern = truth.machine.isEmpty ? "" : " \(truth.machine)"
    truth.journal = try player.ask("journal\(pattern) limit=\(Self.maxLines)").rows.compactMap { ServerLine($0) }
      .filter { ($0.words.first.flatMap { UInt64($0) } ?? 0) > sequence }
    guard !truth.machine.isEmpty else { return }
    truth.after = try state(of: truth.machine)
    truth.agenda = try player.ask("agenda \(truth.machine) limit=1").rows.compactMap { ServerLine($0) }
    guard case .state = question.subject else { return }
    truth.word = try word(answer, question, truth)
  }

  /// What a typed state is.
  ///
  /// - Parameter hasVerdict: Whether the sentence with it also says what becomes of the event.
  private func word(
    _ answer: String, _ question: Script.Question, _ truth: LessonTruth, hasVerdict: Bool = false
  ) throws(Dialogue.Stop) -> LessonTruth.Word {
    let wanted = wanted(question)
    let found = try player.ask("expect \(truth.machine) \(Word.written(answer))").last
    if found.lineClass == .success {
      if let doubt = truth.doubt(about: answer, wanted: wanted) { return .isVague(doubt) }
      let misses = !hasVerdict && truth.point(of: question) != nil
      return misses ? .isVague(LessonTruth.missingPoint(in: answer)) : .fits
    }
    if found.code == FailureCode.expected.word { return .differs }
    let states = Self.allowed(found)
    if let meant = LessonAnswer(answer, states: states, machine: truth.machine), meant.state != answer {
      let verdict = meant.verdict.map { truth.word(for: $0) } ?? .fits
      guard verdict == .fits, let state = meant.state else { return verdict }
      return try word(state, question, truth, hasVerdict: meant.verdict != nil)
    }
    // Data that stand after the state without parentheses.
    if wanted?.hasData == true, let name = LessonAnswer.state(meantBy: String(answer.prefix { $0 != " " }), of: states)
    {
      return .isVague(LessonTruth.missingData(of: name))
    }
    let noun = found["argument"] == "state" ? "state" : nil
    return .isNone(truth.reason(found, noun, answer, orElse: truth.reply == nil ? [] : LessonTruth.verdicts))
  }

  private static func allowed(_ reply: ServerLine) -> [String] {
    reply["allowed"]?.split(separator: ",").map(String.init) ?? []
  }

  private static let maxLines = 40

  private static let otherData = "The event is right, but its data differ from those in the question."

  /// Whether two requests send the same event with different arguments.
  private static func isSameWithOtherData(_ one: String, _ other: String) -> Bool {
    let (one, other) = (RequestText(one).words, RequestText(other).words)
    return one.prefix(2) == other.prefix(2) && one != other
  }

  /// The state that the question's own line states, if it does.
  private func wanted(_ question: Script.Question) -> StateText? {
    guard let last = script.steps[question.steps].last, case .request(let verb, let outcome) = last.action else {
      return nil
    }
    if verb == .send || verb == .fire { return outcome < 0 ? nil : script.outcomes[Int(outcome)].state }
    return RequestText(script.request(of: last)).words.dropFirst().first.flatMap { StateText($0) }
  }

  private func state(of machine: String) throws(Dialogue.Stop) -> String {
    machine.isEmpty ? "" : ShownMachine(try player.ask("show \(machine)").rows.compactMap { ServerLine($0) }).state
  }

  /// The condition under which an event would do what it does now, if the kind names one.
  private func condition(of event: String, _ machine: String) throws(Dialogue.Stop) -> String? {
    let states = GraphList(try player.ask("graph \(machine) format=stateDiagram").rows).states
    let label = states.flatMap(\.arrows).first { $0.isPossible && $0.label.hasPrefix("\(event) [") }?.label
    return label.map { String($0.prefix { $0 != "]" }.drop { $0 != "[" }.dropFirst()) }
  }

  private static func time(_ line: ServerLine) -> Int64 { line["t"].flatMap { TimeText.time($0) } ?? 0 }
}
