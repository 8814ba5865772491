internal import LineProtocol
internal import Scripts

/// A script that is played in the present world, one step after the other.
final class PromptScript {
  let script: Script
  /// How many steps were tried before they are played.
  var tried: Int
  private var count = 0
  private var cursor = ScriptCursor()
  private var isInBatch = false

  /// What ends it before its last step.
  enum Ending {
    case interrupted
    /// A line outside a batch has failed.
    case failed
    /// A line of a batch has failed, whose others are played and answered all the same.
    case failedInBatch
  }
  var ending: Ending?

  /// A step to play.
  struct Step {
    let play: PromptScript
    /// Where it begins, and how many steps were played before.
    let cursor: ScriptCursor
    let number: Int
    /// Whether it stands between `begin` and `end`.
    let isInBatch: Bool

    var step: Script.Step { play.script.steps[cursor.next] }
    var turn: Int32 { cursor.turn }
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

  init(_ script: Script, tried: Int) {
    self.script = script
    self.tried = tried
  }

  /// Whether steps are left.
  var hasMore: Bool {
    var cursor = cursor
    return next(&cursor) != nil
  }

  /// - Returns: `nil` at the end.
  func take() -> Step? {
    guard ending == nil, let place = next(&cursor) else { return nil }
    if case .request(.end, _) = script.steps[place].action { isInBatch = false }
    let step = Step(play: self, cursor: cursor, number: count, isInBatch: isInBatch)
    count += 1
    if case .request(.begin, _) = script.steps[place].action { isInBatch = true }
    cursor.next += 1
    return step
  }

  /// Goes to the next step that does something.
  private func next(_ cursor: inout ScriptCursor) -> Int? {
    while script.steps.indices.contains(cursor.next) {
      switch script.steps[cursor.next].action {
      case .request, .check: return cursor.next
      case .repeats, .again: cursor.pass(script.steps[cursor.next].action)
      }
    }
    return nil
  }
}

extension Script {
  /// The first step that fails where time passes by itself, unless a step before it may have stopped the clock.
  var stepThatNeedsStillClock: Step? {
    for step in steps {
      guard case .request(let verb?, _) = step.action else { continue }
      switch verb {
      case .advance, .step: return step
      case .clock, .pause, .use: return nil
      case _: continue
      }
    }
    return nil
  }
}
