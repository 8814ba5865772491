internal import LineProtocol
import Scripts

/// The result for one file: a script that was run, or a transcript that was checked.
struct RunResult: Equatable {
  enum Ending: Equatable {
    case passed
    /// The file was rewritten; this many of its answers changed.
    case updated(answers: Int)
    case failed(RunFailure)
    /// It cannot be read; the lines say why, each with its place.
    case unreadable([String])
    /// It was running when the connection was lost or somebody ended the program; the text says which.
    case interrupted(String)
    /// Not run, because an earlier file failed, or another one cannot be read.
    case skipped
  }

  /// The path of its file.
  let name: String
  /// The title of the case; nil for a whole file.
  var title: String?
  /// The seed of its world, if it is one of several.
  var seed: UInt64?
  var ending = Ending.skipped
  /// Steps played, including those that let time pass, and checks made; for a transcript, requests and lines.
  var steps = 0
  var expectations = 0
  /// What the daemon says of documents: mistakes and warnings with their places.
  var findings: [String] = []
  /// Path of the picture of what happened; `nil` if none was drawn.
  var picture: String?
  /// Why something that was wanted of it, such as a picture, could not be made.
  var complaints: [String] = []
  /// What its machines have covered, if that is wanted.
  var coverage: RunCoverage?
  /// World time at the end, as replies print it.
  var worldTime = "0.000"
  /// Host time taken, in nanoseconds.
  var duration: UInt64 = 0

  /// `FILE`, or `FILE:TITLE`.
  var label: String { title.map { "\(name):\($0)" } ?? name }

  /// The label with the seed.
  var fullLabel: String { label + (seed.map { " seed=\($0)" } ?? "") }

  var hasFailed: Bool {
    switch ending {
    case .failed, .unreadable, .interrupted: true
    case .passed, .updated, .skipped: false
    }
  }

  var isInterrupted: Bool {
    if case .interrupted = ending { true } else { false }
  }

  /// The exit code that it asks for.
  var status: ExitCode {
    switch ending {
    case .passed, .updated, .skipped: .good
    case .failed(let failure): failure.status
    case .unreadable: .usage
    case .interrupted: .interrupted
    }
  }

  var failure: RunFailure? {
    if case .failed(let failure) = ending { failure } else { nil }
  }

  /// A line for each mistake that was found before anything was played, with what the daemon says of documents.
  var mistakes: [String] {
    switch ending {
    case .unreadable(let lines): lines
    case .failed(let failure): findings + failure.lines(besides: findings)
    case .passed, .updated, .interrupted, .skipped: []
    }
  }

  /// The mistakes of a dry run by the cases in which they are, a result for each.
  var byCase: [RunResult] {
    guard case .failed(let first) = ending else { return [self] }
    var cases: [[RunFailure]] = []
    for failure in [first] + first.others {
      if let last = cases.last?.last, last.title == failure.title {
        cases[cases.count - 1].append(failure)
      } else {
        cases.append([failure])
      }
    }
    return cases.indices.map { index in
      var result = index == 0 ? self : RunResult(name: name)
      var failure = cases[index][0]
      failure.others = Array(cases[index].dropFirst())
      failure.more = index == cases.count - 1 ? first.more : 0
      result.title = failure.title
      result.ending = .failed(failure)
      return result
    }
  }

  /// Replaces the requests that load documents by the names of these.
  mutating func leaveOutLoads() {
    guard case .failed(var failure) = ending else { return }
    func isAbout(_ failure: inout RunFailure) {
      guard let file = RequestText(failure.line).words.first else { return }
      (failure.place, failure.line, failure.expected) = (file, "", "no mistake")
    }
    isAbout(&failure)
    for place in failure.others.indices { isAbout(&failure.others[place]) }
    ending = .failed(failure)
  }

  /// Replaces words in the received text: the name of a run's world differs each time.
  mutating func rename(_ words: String, _ others: String) {
    guard case .failed(var failure) = ending else { return }
    failure.got = failure.got.replaced(words, by: others)
    for place in failure.others.indices {
      failure.others[place].got = failure.others[place].got.replaced(words, by: others)
    }
    ending = .failed(failure)
  }
}

/// The line at which a file failed, and why.
struct RunFailure: Equatable {
  let status: ExitCode
  /// The case in which the mistake is, for one that a dry run has found.
  var title: String?
  /// `FILE:LINE:COLUMN` of a script, `FILE:LINE` of a transcript.
  var place: String
  /// The line as written in the file.
  var line: String
  /// The line as it was played, if that depends on how often it has been.
  var played: String?
  var expected: String
  var got: String
  /// What the prompt says below such a failure.
  var hints: [String] = []
  /// Mistakes that were found with it, before the script was played.
  var others: [RunFailure] = []
  /// How many mistakes are not reported.
  var more = 0
  /// The last lines of the journal up to the failure.
  var journal: [String] = []
  /// The lines that include its file, the nearest first.
  var inclusions: [String] = []
  /// What is wrong with a line that was not played.
  var reason: String {
    got.hasPrefix("refused ") ? got.cut(at: " : ").map { String($0.after) } ?? got : got
  }
  /// What is wrong, and where, in a line.
  var summary: String { "\(place): expected \(expected), got \(got)" }
  /// The difference between the file and the received answers, with some lines of context.
  var difference: [DifferenceRow] = []
}

extension RunFailure {
  /// - Parameters:
  ///   - turn: How often the step has been played before.
  ///   - word: The index of the word that is wrong, in what the step does.
  ///   - answer: What the daemon says, of which the hints are.
  init(
    _ script: Script, _ step: Script.Step, turn: Int32, word: Int, status: ExitCode = .failed, expected: String,
    got: String, _ answer: ServerLine? = nil
  ) {
    self.init(
      status: status, place: "\(script.place(of: step)):\(script.column(of: step, word: word))",
      line: script.line(of: step), played: script.playedLine(of: step, turn: turn), expected: expected, got: got,
      hints: answer.map { Wording(style: .bare).hints($0).map(\.text) } ?? [], inclusions: script.inclusions(of: step))
  }

  /// A line for each mistake, as they are reported of a file that cannot be read.
  ///
  /// - Parameter findings: What the daemon says of documents; such a mistake is reported once.
  func lines(besides findings: [String] = []) -> [String] {
    // What the daemon says at last of a document only counts its mistakes.
    let hasErrors = findings.contains { $0.includes(": error: ") }
    let mistakes = ([self] + others).filter {
      !(hasErrors && $0.got.hasPrefix("refused \(FailureCode.badDefinition.word) "))
    }
    return mistakes.map {
      let included = $0.inclusions.map { "included by \($0)" }
      return "\($0.place): \(([$0.reason] + $0.hints + included).joined(separator: "; "))"
    }
      + (more > 0 ? ["\(more) more"] : [])
  }

  /// A line for each further mistake.
  var otherLines: [String] { others.map(\.summary) + (more > 0 ? ["\(more) more"] : []) }
}

/// A row of a difference as shown.
struct DifferenceRow: Equatable {
  enum Side: String {
    case both = " "
    case expected = "-"
    case got = "+"
  }

  let side: Side
  /// The line number in the file, from 1; `nil` for received lines.
  let number: Int?
  let text: String

  /// As reports for programs have it.
  var line: String { "\(side.rawValue) \(text)" }
}
