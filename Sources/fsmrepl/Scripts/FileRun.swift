internal import Glibc
internal import LineProtocol
internal import UnixHost

/// Plays files one after the other and reports on them.
final class FileRun {
  /// The progress line at the foot of a terminal; `nil` without a terminal.
  let progress: RunProgress?
  let isTerminal: Bool
  private let keepsGoing: Bool
  private let junit: String?
  /// Whether a file that was wanted could not be written.
  private var hasFailedToWrite = false
  private let report: RunReport
  private let client: Client
  private let output: Descriptor

  init(
    subject: RunReport.Subject, isTAP: Bool, junit: String?, keepsGoing: Bool, style: Style, client: Client,
    output: Descriptor = .standardOutput
  ) {
    self.keepsGoing = keepsGoing
    self.junit = junit
    self.client = client
    self.output = output
    isTerminal = output.isTerminal
    report = RunReport(format: isTAP ? .tap : .people(style, showsDuration: isTerminal), subject: subject)
    progress = isTerminal && !isTAP ? RunProgress(output: output) : nil
    signal(SIGPIPE, SIG_IGN)
  }

  /// Plays all files, or stops at the first failure; what is wrong with the later ones is reported all the same.
  ///
  /// - Parameters:
  ///   - examine: Tries the file with this index in `names` before any is played. A file that fails is not played.
  ///   - play: Plays a file after its dry run.
  func run(
    _ names: [String], examine: (Int) throws(Dialogue.Stop) -> RunResult? = { _ in nil },
    play: (Int, RunResult?) throws(Dialogue.Stop) -> RunResult
  ) -> ExitCode {
    var results = names.map { RunResult(name: $0) }
    var status = ExitCode.good
    var place = 0
    write(report.beginning(names.count))
    do throws(Dialogue.Stop) {
      var looks: [RunResult?] = []
      for place in names.indices { looks.append(try examine(place)) }
      while place < names.count {
        if let look = looks[place], look.hasFailed {
          results[place] = look
        } else if status == .good || keepsGoing {
          progress?.begin()
          let began = HostClock.now()
          results[place] = try play(place, looks[place])
          results[place].duration = HostClock.now() - began
        }
        if status == .good, let failure = results[place].failure { status = failure.status }
        write(report.text(of: results[place], number: place + 1))
        place += 1
      }
    } catch {
      return stop(error, in: place, &results)
    }
    write(report.ending(results))
    return writeJUnit(results) && !hasFailedToWrite ? status : .usage
  }

  func write(_ text: ScreenText) {
    guard !text.isEmpty else { return }
    progress?.clear()
    guard !output.write(text) else { return }
    client.endProcess(withoutOutput: .last)
  }

  func complain(_ text: ScreenText) {
    progress?.clear()
    Descriptor.standardError.tell("fsmrepl: \(text)")
  }

  private func stop(_ reason: Dialogue.Stop, in place: Int, _ results: inout [RunResult]) -> ExitCode {
    let text = reason == .lost ? "the connection to the daemon was lost" : "interrupted"
    results[place].ending = .interrupted(text)
    writeJUnit(results)
    write(report.stopping(text))
    switch reason {
    case .lost:
      complain("\(text)")
      return .noConnection
    case .signal(let number):
      if number == SIGINT { return .interrupted }
      client.endProcess(by: number)
    }
  }

  /// - Returns: False if the report cannot be written.
  @discardableResult
  private func writeJUnit(_ results: [RunResult]) -> Bool {
    junit.map { write(report.junit(results), into: $0) } ?? true
  }

  /// Writes a file, or says why it cannot.
  func write(_ text: String, into path: String) -> Bool {
    guard let problem = Self.write(text, into: path) else { return true }
    complain("\(problem)")
    hasFailedToWrite = true
    return false
  }

  /// - Returns: Why the file cannot be written.
  static func write(_ text: String, into path: String) -> String? {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { return "cannot write \(path): \(SystemError.last)" }
    let descriptor = Descriptor(rawValue: file)
    defer { descriptor.close() }
    return descriptor.writeAll(text) ? nil : "cannot write \(path): \(SystemError.last)"
  }
}

/// The reports of a run that does not begin, because files cannot be read.
struct UnreadFiles {
  let subject: RunReport.Subject
  let isTAP: Bool
  let junit: String?
  /// Of all files in their order: their mistakes, or that they were not run.
  let results: [RunResult]

  /// Tells the mistakes, and writes the reports that are wanted.
  func write() -> ExitCode {
    for result in results {
      for line in result.mistakes { Descriptor.standardError.tell("\(line)") }
    }
    let report = RunReport(format: .tap, subject: subject, skipReason: "not run, because another file cannot be read")
    if isTAP {
      var text = report.beginning(results.count)
      for (place, result) in results.enumerated() { text += report.text(of: result, number: place + 1) }
      if !Descriptor.standardOutput.write(text) { Program.complainOfOutput(.last) }
    }
    if let junit, let problem = FileRun.write(report.junit(results), into: junit) {
      Descriptor.standardError.tell("fsmrepl: \(problem)")
    }
    return .usage
  }
}
