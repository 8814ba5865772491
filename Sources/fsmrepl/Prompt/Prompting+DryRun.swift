internal import LineProtocol
internal import Scripts

/// Mistakes that are found before anything is sent.
extension Prompting {
  /// How long a dry run may take with all that belongs to it, in nanoseconds.
  private static let patience: UInt64 = 5_000_000_000
  /// Up to how many lines a line of a batch may be tried before the batch is run.
  private static let maxLinesBefore = 100

  /// Tries a script in a fork of the present world.
  ///
  /// - Parameter cursor: Where it begins.
  /// - Returns: What came of it, and how many steps were tried; nil if the daemon makes no fork.
  func tryOut(_ script: Script, from cursor: ScriptCursor = ScriptCursor()) -> (result: RunResult, count: Int)? {
    guard isListened else { return nil }
    return try? Trial.run(in: client.conversation.place.world, of: client.endpoint, patience: Self.patience) { side in
      _ = side.ask("clock virtual")
      var run = DryRun(script, from: cursor, isInSession: true, side)
      guard (try? run.play()) != nil else { return nil }
      var result = run.result
      result.rename("world \(side.world)", "this world")
      return (result, run.count)
    }
  }

  /// Tries a typed line that says what it expects, and reports a mistake.
  ///
  /// - Parameter consequence: What is said after the mistake.
  /// - Returns: False for a line that is right, as far as is known.
  func isMistaken(_ text: String, _ line: TypedLine, _ consequence: String = "") -> Bool {
    // What a batch makes is not there yet.
    let before = client.conversation.isCollecting ? batch?.lines ?? [] : []
    // Each line is tried with those before it, and pasted batches can be long.
    guard before.count <= Self.maxLinesBefore else { return false }
    let lines = (before + [text]).joined(separator: "\n")
    guard line.step == nil, let script = RunFiles.script("", Array(lines.utf8), isInSession: true).item,
      let failure = tryOut(script)?.result.failure
    else { return false }
    refuse(failure.reason + consequence, line, hints: failure.hints)
    return true
  }

  /// Tries the steps of a script from this one on, where the script has left the world in which it was tried before.
  func isMistaken(_ step: PromptScript.Step) -> Bool {
    guard step.number >= step.play.tried else { return false }
    let tried = tryOut(step.play.script, from: step.cursor)
    step.play.tried = tried.map { step.number + max(1, $0.count) } ?? .max
    guard let mistakes = tried?.result.mistakes, !mistakes.isEmpty else { return false }
    step.play.ending = .failed
    for mistake in mistakes { screen.sayLine(ScreenText(mistake)) }
    if step.play.hasMore { screen.sayLine("\(style(.attention, "the lines after it were not run"))") }
    return true
  }
}
