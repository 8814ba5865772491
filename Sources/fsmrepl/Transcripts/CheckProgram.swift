import Scripts
internal import LineProtocol
internal import UnixHost

/// `fsmrepl check`: repeats transcripts, each on its own connection and in its own world.
final class CheckProgram {
  private let options: CheckOptions
  private let client: Client
  /// The connection that drops worlds.
  private let control: Dialogue
  private let signals: SignalQueue
  private let files: FileRun
  private var worlds = RunWorlds()

  init(
    options: CheckOptions, keepsGoing: Bool, style: Style, client: Client, connection: Connection, signals: SignalQueue
  ) {
    self.options = options
    self.client = client
    self.signals = signals
    control = Dialogue(connection: connection, signals: signals)
    files = FileRun(
      subject: .transcripts, isTAP: options.isTAP, junit: options.junit, keepsGoing: keepsGoing, style: style,
      client: client)
  }

  /// Checks all transcripts, or stops at the first difference.
  func run(_ transcripts: [Transcript]) -> ExitCode {
    files.run(transcripts.map { [RunResult(name: $0.name)] }) { take throws(Dialogue.Stop) in
      for (place, transcript) in transcripts.enumerated() {
        files.progress?.begin()
        let began = HostClock.now()
        var result = try check(transcript)
        result.duration = HostClock.now() - began
        guard try take(place, .played([result])) else { return }
      }
    }
  }

  private func check(_ transcript: Transcript) throws(Dialogue.Stop) -> RunResult {
    let link: Dialogue
    do throws(Endpoint.Failure) {
      link = Dialogue(connection: try client.endpoint.connectAgain(), signals: signals)
    } catch {
      files.complain("\(error)")
      throw .lost
    }
    defer { link.close() }
    let player = CheckPlayer(link: link, transcript: transcript)
    do throws(Dialogue.Stop) {
      _ = try link.answer()  // The greeting.
      // The seed of a daemon's first world is 0; for another world the transcript gives it when it makes the world.
      switch try worlds.enter(on: link, seed: 0) {
      case .failure(let refusal): player.result.ending = .failed(refusal.failure(of: transcript.name))
      case .success(let world): try player.play(in: world, isUpdate: options.updates)
      }
      let result = updated(transcript, player)
      try drop(player.worlds)
      return result
    } catch {
      if client.endpoint.own == nil, case .signal = error { try drop(player.worlds) }
      throw error
    }
  }

  /// Drops the worlds that a transcript has left, and the one that stood for its first.
  private func drop(_ left: Set<String>) throws(Dialogue.Stop) {
    for name in left.union([worlds.last].compactMap(\.self)).sorted() {
      _ = try control.answer(to: "world drop \(name)")
    }
  }

  /// Rewrites the file if updates were requested and there is a difference.
  private func updated(_ transcript: Transcript, _ player: CheckPlayer) -> RunResult {
    var result = player.result
    guard case .updated = result.ending else { return result }
    do throws(SystemError) {
      try RegularFile.replace(transcript.name, with: transcript.updated(with: player.answers))
    } catch {
      result.ending = .failed(
        RunFailure(
          status: .usage, place: transcript.name, line: "", expected: "a file that can be rewritten", got: "\(error)"))
    }
    return result
  }
}
