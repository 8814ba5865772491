internal import LineProtocol
internal import UnixHost

/// `fsmrepl check`: repeats transcripts, each on a connection and in a world of its own.
final class CheckProgram {
  private let options: CheckOptions
  private let client: Client
  /// Where worlds are made and dropped.
  private let control: RunLink
  private let signals: SignalQueue
  private let files: FileRun
  private var worlds = RunWorlds()

  init(
    options: CheckOptions, keepsGoing: Bool, style: Style, client: Client, connection: Connection, signals: SignalQueue
  ) {
    self.options = options
    self.client = client
    self.signals = signals
    control = RunLink(connection: connection, signals: signals)
    files = FileRun(
      subject: .transcripts, isTAP: options.isTAP, junit: options.junit, keepsGoing: keepsGoing, style: style,
      client: client)
  }

  /// Checks all, or up to the first that differs.
  func run(_ transcripts: [Transcript]) -> ExitCode {
    files.run(transcripts.map(\.name)) { place throws(RunLink.Stop) in try check(transcripts[place]) }
  }

  private func check(_ transcript: Transcript) throws(RunLink.Stop) -> RunResult {
    let link: RunLink
    do throws(Endpoint.Failure) {
      link = RunLink(connection: try client.endpoint.connectAgain(), signals: signals)
    } catch {
      files.complain("\(error)")
      throw .lost
    }
    defer { link.close() }
    _ = try link.last()  // The greeting.
    // The seed of a daemon's first world is 0; another world says its own where the transcript makes it.
    let made = try worlds.make { request throws(RunLink.Stop) in try link.ask(request) }
    guard case .success(let world) = made else {
      var result = RunResult(name: transcript.name)
      if case .failure(let refusal) = made { result.ending = .failed(refusal.failure(of: transcript.name)) }
      return result
    }
    let player = CheckPlayer(link: link, transcript: transcript, world: world)
    do throws(RunLink.Stop) {
      try player.play(isUpdate: options.updates)
    } catch {
      if client.endpoint.own == nil, case .signal = error { try drop(player, world) }
      throw error
    }
    try drop(player, world)
    return updated(transcript, player)
  }

  /// Drops what a transcript leaves behind.
  private func drop(_ player: CheckPlayer, _ world: String) throws(RunLink.Stop) {
    for name in player.worlds.sorted() + [world] { _ = try control.ask("world drop \(name)") }
  }

  /// Rewrites a file, where that is wanted and there is something to rewrite.
  private func updated(_ transcript: Transcript, _ player: CheckPlayer) -> RunResult {
    var result = player.result
    guard case .updated = result.ending else { return result }
    do throws(SystemError) {
      try RunFiles.replace(transcript.name, with: transcript.updated(with: player.answers))
    } catch {
      result.ending = .failed(
        RunFailure(
          status: .usage, place: transcript.name, line: "", expected: "a file that can be rewritten", got: "\(error)"))
    }
    return result
  }
}

extension RunLink {
  /// Sends a request when nothing else is under way.
  ///
  /// - Returns: The last line of the answer.
  fileprivate func ask(_ request: String) throws(Stop) -> ServerLine {
    send(request + "\n")
    return try last()
  }

  /// The next line that ends an answer.
  fileprivate func last() throws(Stop) -> ServerLine {
    while true {
      var last: ServerLine?
      try receive { bytes in
        guard let line = ServerLine(String(decoding: bytes, as: UTF8.self)) else { return }
        if line.lineClass == .success || line.lineClass == .failure { last = line }
      }
      if let last { return last }
    }
  }
}
