internal import LineProtocol
internal import Scripts
internal import UnixHost

/// Tries and plays scripts over one connection, each test in a world of its own.
final class RunWorker {
  private let options: RunOptions
  private let link: Dialogue
  /// Whether the daemon goes on after this program, so that no world may be left.
  private let isShared: Bool
  /// The kinds that somebody has drawn, or draws.
  private let drawn: RunPictures?
  private var worlds: RunWorlds
  /// Its own way to the daemon, which may be a daemon of its own; closed with it.
  private let endpoint: Endpoint?
  /// Where a script is played.
  var stage: (Script) -> ScriptPlayer.Stage = { _ in ScriptPlayer.Stage() }
  var complain: (ScreenText) -> Void = Program.complain

  /// - Parameters:
  ///   - number: Which of several workers it is, from 0.
  ///   - endpoint: What the worker closes when it is done.
  init(
    _ options: RunOptions, link: Dialogue, isShared: Bool, drawn: RunPictures?, number: Int = 0,
    endpoint: Endpoint? = nil
  ) {
    self.endpoint = endpoint
    self.options = options
    self.link = link
    self.isShared = isShared
    self.drawn = drawn
    worlds = RunWorlds(worker: number)
  }

  /// Closes what is its own.
  func close() {
    guard let endpoint else { return }
    link.close()
    endpoint.close()
  }

  /// Tries a file, and plays it if it has no mistakes.
  ///
  /// - Parameter isPlayed: Whether it is still to be played.
  func run(_ file: RunFile, isPlayed: Bool) throws(Dialogue.Stop) -> FileRun.Outcome {
    guard let script = file.script else {
      var result = file.tests[0]
      if let rest = file.rest { result.ending = .unreadable(try mistakes(file.mistakes, in: rest)) }
      return .mistaken([result])
    }
    let look = try examine(script, file.parts)
    if look.hasFailed { return .mistaken(options.onlyChecks ? [look] : look.byCase) }
    if options.onlyChecks { return .played([look]) }
    guard isPlayed else { return .played(file.tests) }
    var results: [RunResult] = []
    for place in file.tests.indices {
      do throws(Dialogue.Stop) { results.append(try play(script, file, place)) } catch {
        return .stopped(results, error)
      }
    }
    return .played(results)
  }

  /// What came of the dry runs of some parts of a script; a failure has all mistakes.
  func examine(_ script: Script, _ parts: [Script.Part]) throws(Dialogue.Stop) -> RunResult {
    var runs: [DryRun] = []
    var tried: [String] = []
    let end = HostClock.now() + DryRun.maxDuration
    for part in parts {
      let player = ScriptPlayer(link: link, script: script, part)
      try inNewWorld(player, seed: options.seed ?? script.seed ?? 0) { () throws(Dialogue.Stop) in
        var run = DryRun(script, part, isInSession: false, isAlone: options.onlyChecks, link)
        try run.play()
        runs.append(run)
        if let world = worlds.last { tried.append(world) }
      }
      if player.result.hasFailed { return player.result }
      // All parts together have the time of one.
      if runs.last?.isCut == true || HostClock.now() > end { break }
    }
    var result = DryRun.result(of: script, runs)
    for world in tried { result.rename("world \(world)", "this world") }
    // Nobody has written the script that checks a document.
    if options.onlyChecks, DocumentSource.isDocumentOrPage(script.name) { result.leaveOutLoads() }
    return warned(result)
  }

  /// The mistakes of a script that cannot be read, with those of the lines that can.
  func mistakes(_ known: [String], in rest: Script) throws(Dialogue.Stop) -> [String] {
    rest.inOrder(known + (try examine(rest, rest.parts).mistakes))
  }

  private func play(_ script: Script, _ file: RunFile, _ place: Int) throws(Dialogue.Stop) -> RunResult {
    let began = HostClock.now()
    let test = file.tests[place]
    let player = ScriptPlayer(link: link, script: script, file.part(ofTest: place), stage: stage(script))
    player.result.title = test.title
    player.result.seed = test.seed
    try inNewWorld(player, seed: test.seed ?? options.seed ?? script.seed ?? 0) { () throws(Dialogue.Stop) in
      try player.play()
      if !file.pictures.isEmpty, file.drawsAll || player.result.hasFailed {
        try draw(player, into: file.pictures[place])
      }
      if options.wantsCoverage { try cover(player) }
    }
    player.result.duration = HostClock.now() - began
    return warned(player.result)
  }

  /// A failure instead of a success with a warning, if warnings fail.
  private func warned(_ result: RunResult) -> RunResult {
    guard options.failsOnWarnings, result.ending == .passed,
      let warning = result.findings.first(where: { $0.includes(": warning: ") || !$0.includes(": note: ") })
    else { return result }
    var result = result
    let parts = warning.split(separator: ":", maxSplits: 3).map(String.init)
    result.ending = .failed(
      RunFailure(
        status: .failed, place: parts.prefix(parts.count > 3 ? 3 : 1).joined(separator: ":"), line: "",
        expected: "no warning", got: String((parts.last ?? "").drop { $0 == " " })))
    return result
  }

  /// Uses a new world for a player, and drops it afterwards, whatever the result.
  private func inNewWorld(
    _ player: ScriptPlayer, seed: UInt64, _ body: () throws(Dialogue.Stop) -> Void
  ) throws(Dialogue.Stop) {
    do throws(Dialogue.Stop) {
      let world: String
      switch try worlds.enter(on: link, seed: seed) {
      case .failure(let refusal):
        player.result.ending = .failed(refusal.failure(of: player.result.name))
        return
      case .success(let name): world = name
      }
      try body()
      _ = try player.ask("world drop \(world)")
      player.result.rename("world \(world)", "this world")
    } catch {
      if case .signal = error, let world = worlds.last, isShared { player.leave(world, complain: complain) }
      throw error
    }
  }

  /// Draws what happened in the script's world, with what was expected in vain marked in it.
  private func draw(_ player: ScriptPlayer, into path: String) throws(Dialogue.Stop) {
    var request = "wave from=0 format=svg"
    if let failure = player.result.failure {
      let text = "\(failure.place): expected \(failure.expected), got \(failure.got)"
      // Requests after the failed one were sent already; what they brought is not drawn.
      request += " to=\(player.worldTime) mark=\(Word.quoted(VisibleText.escaped(text)))"
    }
    let answer = try player.ask(request)
    guard answer.last.lineClass == .success else {
      player.result.complaints.append("no picture for \(player.result.fullLabel): \(answer.raw)")
      return
    }
    let picture = answer.rows.map { $0.dropFirst(2) + "\n" }.joined()
    if let problem = FileRun.write(picture, into: path) {
      player.result.complaints.append(problem)
    } else {
      player.result.picture = path
    }
  }

  /// Notes what the machines of the world have covered, and draws their kinds.
  private func cover(_ player: ScriptPlayer) throws(Dialogue.Stop) {
    let answer = try player.ask("coverage list=all")
    guard answer.last.lineClass == .success else {
      player.result.complaints.append("no coverage of \(player.result.fullLabel): \(answer.raw)")
      return
    }
    let coverage = RunCoverage(answer.lines)
    player.result.coverage = coverage
    guard let drawn else { return }
    for kind in coverage.kinds where drawn.claim(kind.name) {
      let json = try player.ask("graph \(kind.name) format=json present=no")
      guard json.last.lineClass == .success else { continue }
      let svg = try picture(of: kind.name, player)
      guard svg.last.lineClass == .success else {
        drawn.note("no picture of \(kind.name): \(svg.last.note ?? svg.raw)")
        continue
      }
      drawn.add(
        kind.name, CoveragePage.Picture(svg: svg.rows.map { String($0.dropFirst(2)) }, json: json.rows))
    }
  }

  /// How long it waits for a place among those that draw, in nanoseconds, and between two tries.
  private static let patience: UInt64 = 60_000_000_000
  private static let pause: UInt64 = 20_000_000

  private func picture(of kind: String, _ player: ScriptPlayer) throws(Dialogue.Stop) -> Dialogue.Answer {
    let end = HostClock.now() + Self.patience
    while true {
      let answer = try player.ask("graph \(kind) format=svg present=no")
      // Another worker may be drawing.
      guard answer.last.code == FailureCode.limit.word, answer.last["name"] == "drawings", HostClock.now() < end else {
        return answer
      }
      try player.wait(until: HostClock.now() + Self.pause)
    }
  }
}

/// The diagrams of kinds that a run has come across, drawn once each.
final class RunPictures: Sendable {
  private struct State {
    var claimed: Set<String> = []
    var pictures: [String: CoveragePage.Picture] = [:]
    var notes: [String] = []
  }

  private let state = Locked(State())

  /// - Returns: False if another worker has drawn the kind, or does.
  func claim(_ kind: String) -> Bool { state.withLock { $0.claimed.insert(kind).inserted } }

  func add(_ kind: String, _ picture: CoveragePage.Picture) { state.withLock { $0.pictures[kind] = picture } }

  func note(_ text: String) { state.withLock { $0.notes.append(text) } }

  var pictures: [String: CoveragePage.Picture] { state.withLock { $0.pictures } }
  /// Why kinds have no picture.
  var notes: [String] { state.withLock { $0.notes } }
}
