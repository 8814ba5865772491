import Scripts
internal import LineProtocol
internal import UnixHost

/// `fsmrepl check`: repeats transcripts, each on its own connection and in its own world.
final class CheckProgram {
  private let options: CheckOptions
  private let client: Client
  /// The connection that makes and drops worlds.
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

  /// Checks all transcripts, or stops at the first difference.
  func run(_ transcripts: [Transcript]) -> ExitCode {
    files.run(transcripts.map(\.name)) { place, _ throws(RunLink.Stop) in try check(transcripts[place]) }
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
    var made: Set<String> = []
    do throws(RunLink.Stop) {
      let result = try check(transcript, on: link, &made)
      try drop(made)
      return result
    } catch {
      if client.endpoint.own == nil, case .signal = error { try drop(made) }
      throw error
    }
  }

  /// - Parameter made: Collects the worlds that this check has made.
  private func check(
    _ transcript: Transcript, on link: RunLink, _ made: inout Set<String>
  ) throws(RunLink.Stop) -> RunResult {
    func refused(_ refusal: RunWorlds.Refusal) -> RunResult {
      var result = RunResult(name: transcript.name)
      result.ending = .failed(refusal.failure(of: transcript.name))
      return result
    }
    defer { if let world = worlds.last { made.insert(world) } }
    // The seed of a daemon's first world is 0; for another world the transcript gives it when it makes the world.
    let world: String
    switch try worlds.make(ask: { request throws(RunLink.Stop) in try control.ask(request) }) {
    case .failure(let refusal): return refused(refusal)
    case .success(let name): world = name
    }
    _ = try link.last()  // The greeting.
    let used = try link.ask("use \(world)")
    guard used.lineClass == .success else { return refused(RunWorlds.Refusal(line: used)) }
    let player = CheckPlayer(link: link, transcript: transcript, world: world)
    defer { made.formUnion(player.worlds) }
    try player.play(isUpdate: options.updates)
    return updated(transcript, player)
  }

  /// Drops the worlds that a transcript has left.
  private func drop(_ made: Set<String>) throws(RunLink.Stop) {
    for name in made.sorted() { _ = try control.ask("world drop \(name)") }
  }

  /// Rewrites the file if updates were requested and there is a difference.
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
  /// Sends a request when no other is pending.
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
