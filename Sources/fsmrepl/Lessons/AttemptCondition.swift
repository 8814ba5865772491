internal import LineProtocol
internal import Scripts

/// The condition of free play: what to ask the daemon, and what the answers mean.
struct AttemptCondition {
  private let script: Script
  private let steps: Range<Int>
  private let wording: Wording

  init(_ attempt: Script.Attempt, of script: Script, style: Style) {
    self.script = script
    wording = Wording(style: style)
    steps = attempt.checks
  }

  /// The requests whose answers say whether it holds.
  var questions: [String] { script.steps[steps].map { script.request(of: $0) } }

  /// - Parameter answers: The answers to ``questions``.
  /// - Returns: Whether it holds, and a remark on how near it is, if a number says that.
  func check(_ answers: [Inquiry.Answer]) -> (holds: Bool, remark: String?) {
    var remark: String?
    for (step, answer) in zip(script.steps[steps], answers) {
      guard answer.failure == nil else { return (false, nil) }
      guard case .check(let index) = step.action else { continue }
      let check = script.checks[Int(index)]
      let miss = check.miss(in: answer.rows)
      switch check {
      case .reading(_, let name, _) where miss != nil:
        let now = ShownMachine(answer.rows).reading(name).map { wording.withTime($0).dropFirst().map(Word.written) }
        return (false, now.map { "Now: `\($0.joined(separator: " "))`." } ?? "`\(name)` has no value now.")
      case .coverage:
        if let miss, miss.isOfNothing { return (false, "Coverage: \(miss.got).") }
        let coverage = TransitionCoverage(answer.rows)
        remark = "Coverage: \(coverage.text)."
        guard miss != nil, let next = coverage.missing.first else { break }
        remark?.append(" Not yet: \(next.from) → \(next.to) by \(next.trigger).")
      case .timers, .reading, .noErrors, .output, .never: break
      }
      if miss != nil { return (false, remark) }
    }
    return (true, remark)
  }
}
