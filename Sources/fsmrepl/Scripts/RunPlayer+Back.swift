internal import Scripts
import LineProtocol

/// Going back within a script.
extension RunPlayer {
  /// Checks each `never` again after the world has gone back, since no notice says which states its machines are in
  /// now.
  ///
  /// - Parameter step: The `undo` or `goto`. It and all before it are answered; nothing after it was sent.
  func lookAgain(behind step: Script.Step) throws(Stop) {
    // Pace is counted from the world's current time.
    anchor = nil
    for (place, never) in nevers.enumerated() {
      let found = try ask("expect \(never.machine) \(Word.written(never.state.word))").last
      guard found.lineClass == .failure else {
        return failNever(place, state: found.words.first ?? "?", at: step)
      }
    }
  }
}
