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
    var reply = try player.ask(request).last
    let word = String(answer.prefix { $0 != " " })
    func isUnknown() -> Bool { reply.lineClass == .failure && reply.code == FailureCode.unknownEvent.word }
    if isUnknown(), let event = LessonAnswer.event(typed: answer, of: Self.allowed(reply)) {
      request = "send \(truth.machine) \(event)"
      reply = try player.ask(request).last
    }
    guard verb == .send || verb == .fire else { return }
    truth.reply = reply
    guard case .event = question.subject else { return }
    if script.outcomes[Int(outcome)].matches(reply) {
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
    truth.journal = try player.ask("journal\(pattern) limit=\(Self.maxLines)").lines
      .filter { ($0.words.first.flatMap { UInt64($0) } ?? 0) > sequence }
    guard !truth.machine.isEmpty else { return }
    truth.after = try state(of: truth.machine)
    truth.agenda = try player.ask("agenda \(truth.machine) limit=1").lines
    guard case .state = question.subject else { return }
    truth.word = try word(answer, question, truth)
  }

  /// What a typed state is.
  private func word(
    _ answer: String, _ question: Script.Question, _ truth: LessonTruth
  ) throws(Dialogue.Stop) -> LessonTruth.Word {
    var (state, found) = (answer, ServerLine(last: ""))
    let word = try truth.word(naming: answer, to: question.text, wanted: wanted(question)) {
      asked throws(Dialogue.Stop) -> (isIn: Bool?, states: [String]) in
      state = asked
      found = try player.ask("expect \(truth.machine) \(Word.written(asked))").last
      if found.lineClass == .success { return (true, []) }
      return (found.code == FailureCode.expected.word ? false : nil, Self.allowed(found))
    }
    if let word { return word }
    let noun = found["argument"] == "state" ? "state" : nil
    return .isNone(truth.reason(found, noun, state, orElse: truth.reply == nil ? [] : LessonTruth.verdicts))
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
    machine.isEmpty ? "" : ShownMachine(try player.ask("show \(machine)").lines).state
  }

  /// The condition under which an event would do what it does now, if the kind names one.
  private func condition(of event: String, _ machine: String) throws(Dialogue.Stop) -> String? {
    let states = GraphList(try player.ask("graph \(machine) format=stateDiagram").rows).states
    let label = states.flatMap(\.arrows).first { $0.isPossible && $0.label.hasPrefix("\(event) [") }?.label
    return label.map { String($0.prefix { $0 != "]" }.drop { $0 != "[" }.dropFirst()) }
  }

  private static func time(_ line: ServerLine) -> Int64 { line["t"].flatMap { TimeText.time($0) } ?? 0 }
}
