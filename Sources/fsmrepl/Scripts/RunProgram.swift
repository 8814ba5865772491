internal import LineProtocol
internal import Scripts
internal import UnixHost

/// `fsmrepl run`: plays scripts, each test in a world of its own.
final class RunProgram {
  private let options: RunOptions
  private let invocation: Invocation
  private let style: Style
  private let client: Client
  private let signals: SignalQueue
  private let files: FileRun
  private let worker: RunWorker
  private let drawn: RunPictures?

  init(
    options: RunOptions, invocation: Invocation, style: Style, client: Client, connection: Connection,
    signals: SignalQueue
  ) {
    self.options = options
    self.invocation = invocation
    self.style = style
    self.client = client
    self.signals = signals
    files = FileRun(
      subject: .scripts, isTAP: options.isTAP, junit: options.junit,
      keepsGoing: invocation.keepsGoing || options.onlyChecks, style: style, showsProgress: options.jobs == 1,
      client: client, output: options.coverage == "-" ? .standardError : .standardOutput)
    drawn = options.coverageFolder == nil ? nil : RunPictures()
    worker = RunWorker(
      options, link: Dialogue(connection: connection, signals: signals), isShared: client.endpoint.own == nil,
      drawn: drawn)
    worker.complain = { [files] in files.complain($0) }
    worker.stage = { [unowned self] in stage(of: $0) }
  }

  /// Tries and plays the files, or stops after the first that fails.
  func run(_ scripts: [RunFile]) -> ExitCode {
    var scripts = scripts
    var pictures = options.wavePaths(of: scripts.flatMap(\.tests))[...]
    // One that is alone is drawn whatever comes of it.
    let drawsAll = options.drawsAll || pictures.count == 1
    for index in scripts.indices where !pictures.isEmpty {
      scripts[index].drawsAll = drawsAll
      scripts[index].pictures = Array(pictures.prefix(scripts[index].tests.count))
      pictures = pictures.dropFirst(scripts[index].tests.count)
    }
    var coverage = RunCoverage()
    let workers = min(options.jobs, scripts.count)
    let status = files.run(scripts.map(\.tests)) { take throws(Dialogue.Stop) in
      func note(_ index: Int, _ outcome: FileRun.Outcome) throws(Dialogue.Stop) -> Bool {
        if case .played(let results) = outcome {
          for found in results.compactMap(\.coverage) { coverage.add(found) }
        }
        return try take(index, outcome)
      }
      guard workers > 1 else {
        var isPlayed = true
        for (index, script) in scripts.enumerated() {
          files.progress?.begin()
          let outcome = try worker.run(script, isPlayed: isPlayed)
          isPlayed = try note(index, outcome)
          if case .stopped(_, let reason) = outcome { throw reason }
        }
        return
      }
      // The signals that the workers have passed on; one would end this program before it has cleaned up.
      defer { while signals.next() != nil {} }
      try RunCrew(scripts, workers: workers).run(workers: workers, make: maker(), take: note)
    }
    guard options.wantsCoverage, status != .noConnection, status != .interrupted else { return status }
    return report(coverage) ? judge(coverage, status) : status == .good ? .usage : status
  }

  /// Looks at what could be read of some files, of which nothing is played.
  ///
  /// - Returns: A result for each file, or for each case with mistakes: these, or that it was not run.
  func examine(_ readings: [RunFiles.Reading<Script>]) throws(Dialogue.Stop) -> [RunResult] {
    var results: [RunResult] = []
    for reading in readings {
      var result = reading.result
      if let script = reading.item {
        let look = try worker.examine(script, script.parts)
        guard !look.hasFailed else {
          results += look.byCase
          continue
        }
      } else if let rest = reading.rest {
        result.ending = .unreadable(try worker.mistakes(reading.mistakes, in: rest))
      }
      results.append(result)
    }
    return results
  }

  /// How each of several workers gets its connection: to the daemon that is shared, or to one of its own, as long as
  /// there are processors for them.
  private func maker() -> @Sendable (Int) -> RunWorker? {
    let (options, invocation, signals, drawn) = (options, invocation, signals, drawn)
    let path = client.endpoint.socketPath
    let isShared = client.endpoint.own == nil
    let processors = WorkerPool.processors
    return { number in
      let isOwn = !isShared && number > 0 && number < processors
      guard let socket = try? SocketPath.resolve(option: path) else { return nil }
      let endpoint = Endpoint(socket, isPrivate: isOwn, program: invocation.daemon, hosts: invocation.hosts)
      guard let link = Dialogue(to: endpoint, starting: isOwn, signals: signals) else {
        endpoint.close()
        return nil
      }
      return RunWorker(
        options, link: link, isShared: isShared, drawn: drawn, number: number, endpoint: endpoint)
    }
  }

  // MARK: Coverage

  /// - Returns: Whether the report that was wanted could be written.
  private func report(_ coverage: RunCoverage) -> Bool {
    guard let path = options.coverage else { return true }
    if path == "-" {
      if Descriptor.standardOutput.write(ScreenText(unescaped: coverage.json.utf8)) { return true }
      Program.complainOfOutput(.last)
      return false
    }
    guard let folder = options.coverageFolder else { return files.write(coverage.json, into: path) }
    if let problem = RunFiles.makeFolder(folder) {
      files.complain("\(problem)")
      return false
    }
    for note in drawn?.notes ?? [] { files.complain("\(note)") }
    let page = CoveragePage(coverage: coverage, pictures: drawn?.pictures ?? [:])
    return page.files.allSatisfy { files.write($0.text, into: folder + $0.name) }
  }

  private func judge(_ coverage: RunCoverage, _ status: ExitCode) -> ExitCode {
    guard let floor = options.floor else { return status }
    let misses = coverage.misses(of: floor)
    for miss in misses { files.complain("too little is covered: \(miss)") }
    return status == .good && !misses.isEmpty ? .expectation : status
  }

  // MARK: Showing

  private func stage(of script: Script) -> ScriptPlayer.Stage {
    var stage = ScriptPlayer.Stage(speed: options.speed)
    stage.progress = { [files] time, next in files.progress?.show(script, worldTime: time(), next: next) }
    guard options.speed != nil else { return stage }
    let mark = options.isTAP ? "# " : ""
    stage.line = { [self] line in files.write("\(mark)\(style(.quiet, "> \(line)"))\n") }
    let wording = files.isTerminal && !invocation.showsWire ? Wording(style: style) : nil
    stage.notice = { [self] raw in
      let event = wording.flatMap { wording in ServerLine(raw).flatMap { wording.event($0, showsSequence: false) } }
      files.write("\(mark)\(event ?? (files.isTerminal ? ScreenText(raw) : ScreenText(unescaped: raw.utf8)))\n")
    }
    return stage
  }
}
