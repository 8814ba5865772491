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
    subject: RunReport.Subject, isTAP: Bool, junit: String?, keepsGoing: Bool, style: Style,
    showsProgress: Bool = true, client: Client, output: Descriptor = .standardOutput
  ) {
    self.keepsGoing = keepsGoing
    self.junit = junit
    self.client = client
    self.output = output
    isTerminal = output.isTerminal
    report = RunReport(format: isTAP ? .tap : .people(style, showsDuration: isTerminal), subject: subject)
    progress = isTerminal && showsProgress && !isTAP ? RunProgress(output: output) : nil
    signal(SIGPIPE, SIG_IGN)
  }

  /// What came of a file.
  enum Outcome: Sendable {
    /// Its dry run found mistakes, so it was not played: a result for each of its tests with some.
    case mistaken([RunResult])
    /// A result for each of its tests.
    case played([RunResult])
    /// The results of its first tests, and why the next one was not played to its end.
    case stopped([RunResult], Dialogue.Stop)
  }

  /// Reports on files in their order, and ends after the first that failed; what is wrong with the later ones is
  /// reported all the same.
  ///
  /// - Parameters:
  ///   - tests: The tests of each file, as they are before they are played; those that cannot be are not played.
  ///   - play: Hands over what came of each file, in their order. The function that it calls returns whether files are
  ///     still played, not only tried.
  func run(
    _ tests: [[RunResult]],
    play: (_ take: (Int, Outcome) throws(Dialogue.Stop) -> Bool) throws(Dialogue.Stop) -> Void
  ) -> ExitCode {
    var results = tests
    var status = ExitCode.good
    var file = 0
    var number = 0
    write(report.beginning(tests.reduce(0) { $0 + $1.count }))
    do throws(Dialogue.Stop) {
      try play { index, outcome throws(Dialogue.Stop) in
        file = index + 1
        switch outcome {
        case .mistaken(let looks):
          // A mistake of no case stands at the first one.
          for var result in looks {
            let place = results[index].firstIndex { $0.title == result.title } ?? 0
            (result.title, result.seed) = (results[index][place].title, results[index][place].seed)
            results[index][place] = result
          }
        case .played(let played):
          if status == .good || keepsGoing { results[index] = played }
        case .stopped(let played, let reason):
          results[index].replaceSubrange(played.indices, with: played)
          results[index][played.count].ending = .interrupted(Self.text(reason))
        }
        for result in results[index] {
          number += 1
          if status == .good { status = result.status }
          for line in result.complaints {
            complain("\(line)")
            hasFailedToWrite = true
          }
          guard put(report.text(of: result, number: number)) else { throw .unwritable(.last) }
        }
        return status == .good || keepsGoing
      }
    } catch {
      return stop(error, in: file, results)
    }
    let all = results.flatMap(\.self)
    write(report.ending(all))
    return writeJUnit(all) && !hasFailedToWrite ? status : .usage
  }

  /// Writes, or ends the process. No other worker may be at work then: its daemon would not be ended.
  func write(_ text: ScreenText) {
    if !put(text) { client.endProcess(withoutOutput: .last) }
  }

  private func put(_ text: ScreenText) -> Bool {
    guard !text.isEmpty else { return true }
    progress?.clear()
    return output.write(text)
  }

  func complain(_ text: ScreenText) {
    progress?.clear()
    Descriptor.standardError.report("fsmrepl: \(text)")
  }

  private func stop(_ reason: Dialogue.Stop, in index: Int, _ tests: [[RunResult]]) -> ExitCode {
    let text = Self.text(reason)
    var results = tests.flatMap(\.self)
    let first = tests.prefix(index).reduce(0) { $0 + $1.count }
    if !results.contains(where: \.isInterrupted), results.indices.contains(first) {
      results[first].ending = .interrupted(text)
    }
    writeJUnit(results)
    write(report.ending(results))
    write(report.stopping(text))
    switch reason {
    case .lost:
      complain("\(text)")
      return .noConnection
    case .signal(let number):
      if number == SIGINT { return .interrupted }
      client.endProcess(by: number)
    case .unwritable(let error): client.endProcess(withoutOutput: error)
    }
  }

  private static func text(_ reason: Dialogue.Stop) -> String {
    switch reason {
    case .lost: "the connection to the daemon was lost"
    case .signal: "interrupted"
    case .unwritable: "the report cannot be written"
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

  /// Reports on a run that does not begin, because files cannot be read, and writes the reports that are wanted.
  ///
  /// - Parameter results: Of all files in their order: their mistakes, or that they were not run.
  static func reportUnread(
    _ results: [RunResult], subject: RunReport.Subject, isTAP: Bool, junit: String?
  ) -> ExitCode {
    for line in results.flatMap(\.mistakes) { Descriptor.standardError.report("\(line)") }
    let report = RunReport(format: .tap, subject: subject, skipReason: "not run, because another file cannot be read")
    if isTAP {
      var text = report.beginning(results.count)
      for (index, result) in results.enumerated() { text += report.text(of: result, number: index + 1) }
      if !Descriptor.standardOutput.write(text) { Program.complainOfOutput(.last) }
    }
    if let junit, let problem = write(report.junit(results), into: junit) { Program.complain("\(problem)") }
    return .usage
  }
}
