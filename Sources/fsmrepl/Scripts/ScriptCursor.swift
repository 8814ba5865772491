internal import Scripts

/// Which step of a script is next, through all its repeats.
struct ScriptCursor {
  /// The index of the next step.
  var next = 0
  /// How often the lines around the next step have been played before, all repeats around it counted together.
  private(set) var turn: Int32 = 0
  /// What remains of the repeats around the next step, and the turn outside of each.
  private var loops: [(left: Int32, outer: Int32)] = []

  /// The next step of a part; nil at its end.
  mutating func place(in part: Script.Part) -> Int? {
    if next >= part.setUp.upperBound { next = max(next, part.body.lowerBound) }
    return next < part.body.upperBound ? next : nil
  }

  /// Goes on after a step that begins or ends a repeat; nothing else moves.
  mutating func pass(_ action: Script.Action) {
    switch action {
    case .request, .check: break
    case .repeats(let count, let past):
      guard count > 0 else {
        // A repeat without an end leads nowhere.
        next = max(next + 1, Int(past))
        return
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
}
