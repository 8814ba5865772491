internal import LineProtocol
internal import Scripts

/// The condition of free play: what to ask the daemon, and what the answers mean.
struct AttemptCondition {
  private let script: Script
  private let steps: Range<Int>

  init(_ attempt: Script.Attempt, of script: Script) {
    self.script = script
    steps = attempt.checks
  }

  /// The requests that tell whether it holds.
  var questions: [String] { script.steps[steps].map { script.request(of: $0) } }

  /// - Parameter answers: The answers to ``questions``.
  /// - Returns: Whether it holds, and how near it is where a number tells.
  func check(_ answers: [Errand.Answer]) -> (holds: Bool, remark: String?) {
    var remark: String?
    for (step, answer) in zip(script.steps[steps], answers) {
      guard answer.failure == nil else { return (false, nil) }
      guard case .check(let place) = step.action else { continue }
      switch script.checks[Int(place)] {
      case .timers(_, let names):
        guard names.sorted() == RunShown(lines: answer.rows).timers.sorted() else { return (false, nil) }
      case .reading(_, let name, let wanted):
        let shown = RunShown(lines: answer.rows)
        guard shown.difference(name, wanted) != nil else { continue }
        let value = shown.value(of: name).map { "Now: `\(name) \(Word.written($0))`." }
        return (false, value ?? "`\(name)` has no value now.")
      case .coverage(let pattern, let percent):
        let coverage = RunCoverage(lines: answer.rows)
        guard coverage.hasKinds else { return (false, "Coverage: \(RunCoverage.nothing(pattern)).") }
        remark = "Coverage: \(coverage.text)."
        guard coverage.reaches(percent) else {
          let missing = coverage.missing.first.map { " Not yet: \($0.from) → \($0.to) by \($0.trigger)." } ?? ""
          return (false, remark.map { $0 + missing })
        }
      case .output, .never: break
      }
    }
    return (true, remark)
  }
}
