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
  private let link: RunLink
  private let files: FileRun
  private var worlds = RunWorlds()

  /// How long to wait for answers after Ctrl-C, in nanoseconds.
  private static let parting: UInt64 = 2_000_000_000

  init(
    options: RunOptions, keepsGoing: Bool, showsWire: Bool, style: Style, client: Client, connection: Connection,
    signals: SignalQueue
  ) {
    self.options = options
    self.showsWire = showsWire
    self.style = style
    self.client = client
    link = RunLink(connection: connection, signals: signals)
    files = FileRun(
      subject: .scripts, isTAP: options.isTAP, junit: options.junit, keepsGoing: keepsGoing, style: style,
      client: client)
  }

  /// Plays all scripts, or stops at the first failure.
  func run(_ scripts: [Script]) -> ExitCode {
    let pictures = options.wavePaths(of: scripts.map(\.name))
    return files.run(scripts.map(\.name)) { place throws(RunLink.Stop) in
      try play(scripts[place], picture: pictures.isEmpty ? nil : pictures[place])
    }
  }

  /// Plays a script in a new world and drops the world afterwards, whatever the result.
  private func play(_ script: Script, picture: String?) throws(RunLink.Stop) -> RunResult {
    let script = options.onlyChecks ? script.definitions : script
    let player = RunPlayer(link: link, script: script, speed: options.speed, onlooker: onlooker(of: script))
    do throws(RunLink.Stop) {
      try play(player, picture: picture)
    } catch {
      if case .signal = error, let world = worlds.last { leave(world, player) }
      throw error
    }
    return player.result
  }

  private func play(_ player: RunPlayer, picture: String?) throws(RunLink.Stop) {
    let world: String
    let seed = options.seed ?? player.script.seed ?? 0
    switch try worlds.make(seed: seed, ask: { request throws(RunLink.Stop) in try player.ask(request).last }) {
    case .failure(let refusal):
      player.result.ending = .failed(refusal.failure(of: player.result.name))
      return
    case .success(let name): world = name
    }
    // Nothing of the script may be sent before the daemon confirms that we are in this world.
    let used = try player.ask("use \(world)").last
    guard used.lineClass == .success else {
      player.result.ending = .failed(RunWorlds.Refusal(line: used).failure(of: player.result.name))
      return
    }
    try player.play()
    if let picture { try draw(player, into: picture) }
    _ = try player.ask("world drop \(world)")
    player.result.rename("world \(world)", "this world")
  }

  /// Draws what happened in the script's world, with what was expected in vain marked in it.
  private func draw(_ player: RunPlayer, into path: String) throws(RunLink.Stop) {
    var request = "wave from=0 format=svg"
    if let failure = player.result.failure {
      let text = "\(failure.place): expected \(failure.expected), got \(failure.got)"
      // Requests behind the failed one were sent already; what they brought is not drawn.
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

  /// After Ctrl-C: cancels the current request and drops the world, with a time limit.
  private func leave(_ world: String, _ player: RunPlayer) {
    guard client.endpoint.own == nil else { return }
    player.patience = HostClock.now() + Self.parting
    do throws(RunLink.Stop) {
      try player.drain()
      _ = try player.ask("world drop \(world)")
    } catch {
      files.complain("the world \(world) may be left behind")
    }
  }

  private func onlooker(of script: Script) -> RunPlayer.Onlooker {
    var onlooker = RunPlayer.Onlooker()
    onlooker.progress = { [files] time, next in files.progress?.show(script, worldTime: time(), next: next) }
    guard options.speed != nil else { return onlooker }
    let mark = options.isTAP ? "# " : ""
    onlooker.line = { [self] line in files.write("\(mark)\(style(.quiet, "> \(line)"))\n") }
    let wording = files.isTerminal && !showsWire ? Wording(style: style, showsMilliseconds: true) : nil
    onlooker.notice = { [self] raw in
      let event = wording.flatMap { wording in ServerLine(raw).flatMap { wording.event($0, showsSequence: false) } }
      files.write("\(mark)\(event ?? (files.isTerminal ? ScreenText(raw) : ScreenText(unescaped: raw.utf8)))\n")
    }
    return onlooker
  }
}
