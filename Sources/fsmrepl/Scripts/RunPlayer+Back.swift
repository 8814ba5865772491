internal import Scripts
import LineProtocol

/// Going back within a script.
extension RunPlayer {
  /// Looks at what no notice tells of when the world has gone back: a machine may be again in a state in which it is never
  /// to be.
  ///
  /// - Parameter step: The `undo` or `goto`, which is answered, as is all before it. Nothing behind it was sent.
  func lookAgain(behind step: Script.Step) throws(Stop) {
    // Pace is counted from where the world is now.
    anchor = nil
    for (place, never) in nevers.enumerated() {
      let found = try ask("expect \(never.machine) \(Word.written(never.state.word))").last
      guard found.lineClass == .failure else {
        return failNever(place, state: found.words.first ?? "?", at: step)
      }
    }
  }
}
