internal import Scripts
import Glibc
internal import LineProtocol
internal import UnixHost

/// `fsmrepl run`: plays scripts, each in a world of its own.
final class RunProgram {
  private let options: RunOptions
  private let showsWire: Bool
  private let style: Style
  private let client: Client
  private let link: Dialogue
  private let files: FileRun
  private var worlds = RunWorlds()

  init(
    options: RunOptions, keepsGoing: Bool, showsWire: Bool, style: Style, client: Client, connection: Connection,
    signals: SignalQueue
  ) {
    self.options = options
    self.showsWire = showsWire
    self.style = style
    self.client = client
    link = Dialogue(connection: connection, signals: signals)
    files = FileRun(
      subject: .scripts, isTAP: options.isTAP, junit: options.junit, keepsGoing: keepsGoing || options.onlyChecks,
      style: style, client: client)
  }

  /// Looks at all scripts, then plays them, or stops at the first failure.
  func run(_ scripts: [Script]) -> ExitCode {
    let pictures = options.wavePaths(of: scripts.map(\.name))
    return files.run(
      scripts.map(\.name), examine: { place throws(Dialogue.Stop) in try examine(scripts[place]) },
      play: { place, look throws(Dialogue.Stop) in
        if options.onlyChecks, let look { return look }
        let script = scripts[place]
        let player = RunPlayer(link: link, script: script, speed: options.speed, onlooker: onlooker(of: script))
        try inNewWorld(player) { () throws(Dialogue.Stop) in
          try player.play()
          if !pictures.isEmpty { try draw(player, into: pictures[place]) }
        }
        return player.result
      })
  }

  /// Uses a new world for a player, and drops it afterwards, whatever the result.
  private func inNewWorld(_ player: RunPlayer, _ body: () throws(Dialogue.Stop) -> Void) throws(Dialogue.Stop) {
    do throws(Dialogue.Stop) {
      let seed = options.seed ?? player.script.seed ?? 0
      let world: String
      switch try worlds.enter(with: player, seed: seed) {
      case .failure(let refusal):
        player.result.ending = .failed(refusal.failure(of: player.result.name))
        return
      case .success(let name): world = name
      }
      try body()
      _ = try player.ask("world drop \(world)")
      player.result.rename("world \(world)", "this world")
    } catch {
      if case .signal = error, let world = worlds.last, client.endpoint.own == nil {
        player.leave(world, complain: files.complain)
      }
      throw error
    }
  }

  // MARK: Before playing

  /// Looks at what could be read of some files, of which nothing is played.
  ///
  /// - Returns: A result for each file: all its mistakes, or that it was not run.
  func examine(_ readings: [RunFiles.Reading<Script>]) throws(Dialogue.Stop) -> [RunResult] {
    var results: [RunResult] = []
    for reading in readings {
      var result = reading.result
      if let script = reading.item ?? reading.rest {
        let look = try examine(script)
        if reading.mistakes.isEmpty {
          if look.hasFailed { result = look }
        } else {
          result.ending = .unreadable(script.inOrder(reading.mistakes + look.mistakes))
        }
      }
      results.append(result)
    }
    return results
  }

  /// - Returns: What came of a dry run of a script; a failure has all mistakes.
  private func examine(_ script: Script) throws(Dialogue.Stop) -> RunResult {
    let player = RunPlayer(link: link, script: script, speed: nil, onlooker: .init())
    try inNewWorld(player) { () throws(Dialogue.Stop) in
      var run = DryRun(script, isInSession: false, link)
      try run.play()
      player.result = run.result
    }
    return player.result
  }

  /// Draws what happened in the script's world, with what was expected in vain marked in it.
  private func draw(_ player: RunPlayer, into path: String) throws(Dialogue.Stop) {
    var request = "wave from=0 format=svg"
    if let failure = player.result.failure {
      let text = "\(failure.place): expected \(failure.expected), got \(failure.got)"
      // Requests after the failed one were sent already; what they brought is not drawn.
      request += " to=\(player.worldTime) mark=\(Word.quoted(VisibleText.escaped(text)))"
    }
    let answer = try player.ask(request)
    guard answer.last.lineClass == .success else {
      files.complain("no picture for \(player.script.name): \(answer.raw)")
      return
    }
    let picture = answer.rows.map { $0.dropFirst(2) + "\n" }.joined()
    if files.write(picture, into: path) { player.result.picture = path }
  }

  private func onlooker(of script: Script) -> RunPlayer.Onlooker {
    var onlooker = RunPlayer.Onlooker()
    onlooker.progress = { [files] time, next in files.progress?.show(script, worldTime: time(), next: next) }
    guard options.speed != nil else { return onlooker }
    let mark = options.isTAP ? "# " : ""
    onlooker.line = { [self] line in files.write("\(mark)\(style(.quiet, "> \(line)"))\n") }
    let wording = files.isTerminal && !showsWire ? Wording(style: style) : nil
    onlooker.notice = { [self] raw in
      let event = wording.flatMap { wording in ServerLine(raw).flatMap { wording.event($0, showsSequence: false) } }
      files.write("\(mark)\(event ?? (files.isTerminal ? ScreenText(raw) : ScreenText(unescaped: raw.utf8)))\n")
    }
    return onlooker
  }
}
