internal import LineProtocol
internal import Scripts

extension LessonProgram {
  func ask(_ question: Script.Question) throws(Ending) {
    let text = MarkdownText(["**?** \(question.text)"]).shown(width: textColumns, style: style)
    try turnPage(for: text, and: 1)
    write(text)
    try project("**?** \(question.text)", predicts: true)
    let trial = LessonTrial(player: player, script: script, world: world, style: style)
    func find(_ answer: String) throws(Ending) -> LessonTrial.Finding {
      try stoppable { () throws(Dialogue.Stop) in try trial.run(question, answer: answer) }
    }
    switch mode {
    case .room:
      write("\n")
      try key("Enter: the answer")
    case .automatic:
      let right = play.score.right
      var answer = ""
      if case .truth(let truth) = try find("") { answer = truth.answer(to: question) }
      write("\(Self.form(of: question))> \(answer)\n")
      write(judge(answer, question, try find(answer)).text)
      guard play.score.right > right else {
        let place = script.place(of: script.steps[question.steps.lowerBound])
        throw .failed(failure(at: place, question.text, expected: "a right answer", got: answer))
      }
    case .learner:
      if !hasExplainedRules { explainRules() }
      hasExplainedRules = true
      var wasEmpty = false
      while true {
        switch terminal.line("\(Self.form(of: question))> ") {
        case .leave: throw .leave
        case .signal(let number): throw .stopped(.signal(number))
        case .line(let line):
          shown = 0
          let answer = LessonTruth.answer(typed: line, to: question)
          // An Enter too many must not use up a question.
          let isFirstEmpty = answer.isEmpty && !wasEmpty
          wasEmpty = answer.isEmpty
          if isFirstEmpty {
            explainRules()
            continue
          }
          let (isOver, text) = judge(answer, question, try find(answer))
          // A state or an event may have the name of one of these.
          if !isOver, answer == "back", play.hasBack { throw .back }
          if !isOver, ["q", "quit", "exit"].contains(answer) { throw .leave }
          if !isOver, ["help", "?", "hint"].contains(answer) {
            explainRules()
            continue
          }
          write(text)
          guard isOver else { continue }
        }
        break
      }
    }
    try project("**?** \(question.text)")
    try play(question.steps)
  }

  private func explainRules() {
    let words: ScreenText =
      "Type your answer. Two empty lines show the right answer and count as wrong. 'back' goes back, 'q' leaves and saves your place."
    write("\(style(.quiet, words.wrapped(width: textColumns, indent: 0)))\n")
  }

  private static func form(of question: Script.Question) -> String {
    switch question.subject {
    case .state: "state"
    case .event: "event"
    case .time: "time"
    }
  }

  /// - Returns: Whether the question is over, and what is said.
  private func judge(
    _ answer: String, _ question: Script.Question, _ finding: LessonTrial.Finding
  ) -> (isOver: Bool, text: ScreenText) {
    guard case .truth(let truth) = finding else { return (true, explainOnce(finding)) }
    return switch play.judge(answer, to: question, truth) {
    case .right(let text):
      (true, said(style(.good, style.usesUnicode ? "✓ Right." : "Right."), text))
    case .wrong(let text): (true, said(style(.bad, answer.isEmpty ? "The answer:" : "No."), text))
    case .unclear(let text): (false, said("", text))
    }
  }

  /// Says why answers are not judged: the first time only, since the reason lasts.
  private func explainOnce(_ finding: LessonTrial.Finding) -> ScreenText {
    guard case .unknown(let reason) = finding, !hasExplainedReason else { return "" }
    hasExplainedReason = true
    return said(style(.attention, "Your answers cannot be judged:"), "the daemon makes no copy of the world: \(reason)")
  }
}
