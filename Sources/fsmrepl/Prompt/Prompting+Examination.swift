internal import Glibc
internal import LineProtocol
internal import Scripts
internal import UnixHost

/// Mistakes that are found before anything is sent.
extension Prompting {
  /// What came of a look at a script.
  struct Look {
    /// The first mistake with the others in it; nil if there are none.
    let failure: RunFailure?
    /// A line for each mistake, and for what the daemon says of documents then.
    let mistakes: [String]
    /// The steps that were looked at.
    let steps: Range<Int>
  }

  /// How long a look may take, in nanoseconds.
  private static let patience: UInt64 = 5_000_000_000

  /// Looks at a script that is to be played in the present world. A second connection asks what there is.
  ///
  /// - Parameter only: The steps to look at; nil for all of which something is certain.
  /// - Returns: nil if the daemon does not tell.
  func examine(_ script: Script, only: Range<Int>? = nil) -> Look? {
    // Signals are those of the prompt, so this queue has none.
    guard isListened, let signals = try? SignalQueue([]), let connection = try? client.endpoint.connectAgain() else {
      return nil
    }
    let link = RunLink(connection: connection, signals: signals)
    defer { link.close() }
    let world = client.conversation.place.world
    var examination = Examination(script, in: world, only: only)
    let player = RunPlayer(link: link, script: script.definitions, speed: nil, onlooker: .init())
    player.patience = HostClock.now() + Self.patience
    do throws(RunLink.Stop) {
      // The greeting comes without a request.
      for request in ["", "use \(world)"] {
        guard try player.ask(request).last.lineClass == .success else { return nil }
      }
      try examination.learnMachines(player)
      try examination.learnKinds(player)
      if only == nil, examination.definesKinds { try define(&examination, player, in: world) }
    } catch {
      return nil
    }
    let failure = examination.failure()
    let findings = player.result.findings
    return Look(
      failure: failure, mistakes: failure.map { findings + $0.lines(besides: findings) } ?? [], steps: examination.steps
    )
  }

  /// Makes the kinds of a script in a fork of the present world.
  private func define(
    _ examination: inout Examination, _ player: RunPlayer, in world: String
  ) throws(RunLink.Stop) {
    let fork = "examination-\(getpid())"
    do throws(RunLink.Stop) {
      for request in ["world fork \(fork)", "use \(fork)"] {
        guard try player.ask(request).last.lineClass == .success else { return }
      }
      try examination.define(player)
      for request in ["use \(world)", "world drop \(fork)"] { _ = try player.ask(request) }
    } catch {
      player.leave(fork) { sayLine($0) }
      throw error
    }
  }

  /// Looks at a typed line that says what it expects, and tells a mistake.
  ///
  /// - Parameter consequence: What is said behind the mistake.
  /// - Returns: False for a line that is right, as far as is known.
  func isMistaken(_ text: String, _ line: TypedLine, _ consequence: String = "") -> Bool {
    // What a batch makes is not there yet.
    let before = client.conversation.isCollecting ? batch?.lines ?? [] : []
    let lines = (before + [text]).joined(separator: "\n")
    guard let script = RunFiles.script("", Array(lines.utf8), isInSession: true).item,
      let failure = examine(script)?.failure
    else { return false }
    refuse(failure.reason + consequence, line, hints: failure.hints)
    return true
  }

  /// The same of a step that nothing was known of when its script began.
  func isMistaken(_ step: ScriptPlay.Step) -> Bool {
    guard !step.play.examined.contains(step.place), !step.isInBatch else { return false }
    switch step.step.action {
    case .request(.define, _), .request(_, outcome: -1), .repeats, .again: return false
    case .request, .check: break
    }
    guard let failure = examine(step.play.script, only: step.place..<(step.place + 1))?.failure else { return false }
    step.play.ending = .failed
    for mistake in failure.lines() { sayLine(ScreenText(mistake)) }
    if step.play.hasMore { sayLine("\(style(.attention, "the lines after it were not run"))") }
    return true
  }
}
