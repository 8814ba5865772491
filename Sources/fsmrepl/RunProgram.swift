internal import Glibc
internal import LineProtocol
internal import UnixHost

/// `fsmrepl run`: plays scripts one after the other, each in a world of its own, and reports.
final class RunProgram {
  private let options: RunOptions
  private let keepsGoing: Bool
  private let showsWire: Bool
  private let style: Style
  private let link: RunLink
  private let output: Descriptor
  private let report: RunReport
  private let progress: RunProgress?
  private var worlds = 0

  /// How many names are tried for a world before giving up.
  private static let mostTries = 100
  /// How long answers are waited for once Ctrl-C has been pressed, in nanoseconds.
  private static let parting: UInt64 = 2_000_000_000

  init(
    options: RunOptions, keepsGoing: Bool, showsWire: Bool, style: Style, client: Client, signals: SignalQueue,
    output: Descriptor = .standardOutput
  ) {
    self.options = options
    self.keepsGoing = keepsGoing
    self.showsWire = showsWire
    self.style = style
    self.output = output
    link = RunLink(client: client, signals: signals)
    let isTerminal = output.isTerminal
    report = RunReport(form: options.isTAP ? .tap : .people(style, showsDuration: isTerminal))
    progress = isTerminal && !options.isTAP ? RunProgress(output: output) : nil
    signal(SIGPIPE, SIG_IGN)
  }

  /// Plays all, or up to the first that fails.
  func run(_ scripts: [Script]) -> ExitCode {
    var results = scripts.map { RunResult(name: $0.name) }
    var status = ExitCode.good
    write(report.beginning(scripts.count))
    for (place, script) in scripts.enumerated() {
      if status == .good || keepsGoing {
        do throws(RunPlayer.Stop) {
          results[place] = try play(script)
        } catch {
          writeJUnit(results)
          return stop(error)
        }
        if status == .good, let failure = results[place].failure { status = failure.status }
      }
      write(report.text(of: results[place], number: place + 1))
    }
    write(report.ending(results))
    return writeJUnit(results) ? status : .usage
  }

  /// Plays a script in a world that is made for it and dropped behind it, whatever comes of it.
  private func play(_ script: Script) throws(RunPlayer.Stop) -> RunResult {
    progress?.begin()
    let began = HostClock.now()
    let player = RunPlayer(link: link, script: script, speed: options.speed, onlooker: onlooker(of: script))
    guard let world = try makeWorld(player, seed: options.seed ?? script.seed ?? 0) else { return player.result }
    do throws(RunPlayer.Stop) {
      try player.play()
      _ = try player.ask("world drop \(world)")
    } catch {
      if case .signal = error { leave(world, player) }
      throw error
    }
    player.result.duration = HostClock.now() - began
    player.result.rename("world \(world)", "this world")
    return player.result
  }

  /// Makes a world with a name that nobody else has, and goes there.
  ///
  /// - Returns: Its name; `nil` if there is none to be had, which the result says.
  private func makeWorld(_ player: RunPlayer, seed: UInt64) throws(RunPlayer.Stop) -> String? {
    var refusal: ServerLine?
    for _ in 0..<Self.mostTries {
      worlds += 1
      let name = "run-\(getpid())-\(worlds)"
      let made = try player.ask("world new \(name) clock=virtual seed=\(seed)").last
      if made.lineClass == .success {
        // Only when it is known that we are there may anything of the script be sent.
        let used = try player.ask("use \(name)").last
        if used.lineClass == .success { return name }
      }
      refusal = made
      if made.code != FailureCode.nameTaken.word { break }
    }
    let why = refusal.map { "\($0.code) : \($0.note ?? "")" } ?? "nothing"
    player.result.ending = .failed(
      RunFailure(status: .failed, place: player.script.name, line: "", expected: "a world", got: why))
    return nil
  }

  /// After Ctrl-C: ends what is under way and drops the world, but does not wait for ever.
  private func leave(_ world: String, _ player: RunPlayer) {
    guard link.client.endpoint.own == nil else { return }
    player.patience = HostClock.now() + Self.parting
    do throws(RunPlayer.Stop) {
      try player.drain()
      _ = try player.ask("world drop \(world)")
    } catch {
      complain("the world \(world) may be left behind")
    }
  }

  private func onlooker(of script: Script) -> RunPlayer.Onlooker {
    var onlooker = RunPlayer.Onlooker()
    onlooker.progress = { [progress] time, next in progress?.show(script, worldTime: time(), next: next) }
    guard options.speed != nil else { return onlooker }
    let mark = options.isTAP ? "# " : ""
    onlooker.line = { [self] line in write("\(mark)\(style(.quiet, "> \(line)"))\n") }
    let wording = output.isTerminal && !showsWire ? Wording(style: style, showsMilliseconds: true) : nil
    onlooker.notice = { [self] raw in
      let event = wording.flatMap { wording in ServerLine(raw).flatMap { wording.event($0, showsSequence: false) } }
      write("\(mark)\(event ?? raw)\n")
    }
    return onlooker
  }

  private func stop(_ reason: RunPlayer.Stop) -> ExitCode {
    switch reason {
    case .lost:
      write(report.stopping("the connection to the daemon was lost"))
      complain("the connection to the daemon was lost")
      return .noConnection
    case .signal(let number):
      write(report.stopping("interrupted"))
      if number == SIGINT { return .interrupted }
      _ = link.client.close()
      link.client.endpoint.close()
      SignalQueue.endProcess(by: number)
    }
  }

  /// - Returns: False if the report cannot be written.
  @discardableResult
  private func writeJUnit(_ results: [RunResult]) -> Bool {
    guard let path = options.junit else { return true }
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      complain("cannot write \(path): \(SystemError.last)")
      return false
    }
    let descriptor = Descriptor(rawValue: file)
    defer { descriptor.close() }
    guard descriptor.writeAll(RunReport.junit(results)) else {
      complain("cannot write \(path): \(SystemError.last)")
      return false
    }
    return true
  }

  private func write(_ text: String) {
    guard !text.isEmpty else { return }
    progress?.clear()
    guard !output.writeAll(text) else { return }
    // Whoever read our output has gone; end as other programs in a pipe do, but clean up first.
    _ = link.client.close()
    link.client.endpoint.close()
    SignalQueue.endProcess(by: SIGPIPE)
  }

  private func complain(_ text: String) {
    progress?.clear()
    Descriptor.standardError.writeAll("fsmrepl: \(text)\n")
  }
}
