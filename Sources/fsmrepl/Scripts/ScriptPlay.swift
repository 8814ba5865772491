internal import Scripts

/// A script that is played in the present world, one step after the other.
final class ScriptPlay {
  let script: Script
  /// The index of the next step.
  private var next = 0
  /// How often the lines around the next step have been played before, all repeats around it counted together.
  private var turn: Int32 = 0
  /// What remains of the repeats around the next step, and the turn outside of each.
  private var loops: [(left: Int32, outer: Int32)] = []

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
    while script.steps.indices.contains(next) {
      switch script.steps[next].action {
      case .request, .check:
        next += 1
        return Step(play: self, place: next - 1, turn: turn)
      case .repeats(let count, let past):
        guard count > 0 else {
          next = Int(past)
          continue
        }
        loops.append((count, turn))
        turn *= count
        next += 1
      case .again(let first):
        loops[loops.count - 1].left -= 1
        if loops[loops.count - 1].left > 0 {
          turn += 1
          next = Int(first)
        } else {
          turn = loops.removeLast().outer
          next += 1
        }
      }
    }
    return nil
  }
}
