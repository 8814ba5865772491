internal import Scripts

/// A script that is played in the present world, one step after the other.
final class ScriptPlay {
  let script: Script
  private var cursor = ScriptCursor()
  /// Whether a failure has ended it, which is told once.
  var hasFailed = false

  /// A step to play.
  struct Step {
    let play: ScriptPlay
    /// Its index in the script.
    let place: Int
    let turn: Int32

    var step: Script.Step { play.script.steps[place] }
    /// A request as it is sent, a check as it is written.
    var text: String {
      if case .check = step.action { return play.script.played(step, turn: turn) ?? play.script.line(of: step) }
      return play.script.request(of: step, turn: turn)
    }
    var outcome: ScriptOutcome? { play.script.outcome(of: step, turn: turn) }
    /// `FILE:LINE`.
    var origin: String { play.script.place(of: step) }

    /// `FILE:LINE:COLUMN`.
    ///
    /// - Parameter word: The index of the word that is wrong, in what the step does.
    func place(ofWord word: Int) -> String { "\(origin):\(play.script.column(of: step, word: word))" }
  }

  init(_ script: Script) {
    self.script = script
  }

  /// - Returns: `nil` at the end.
  func take() -> Step? {
    while script.steps.indices.contains(cursor.next) {
      switch script.steps[cursor.next].action {
      case .request, .check:
        cursor.next += 1
        return Step(play: self, place: cursor.next - 1, turn: cursor.turn)
      case .repeats, .again: cursor.pass(script.steps[cursor.next].action)
      }
    }
    return nil
  }
}
