/// What came of one file: a script that was run, or a transcript that was checked.
struct RunResult: Equatable {
  enum Ending: Equatable {
    case passed
    /// It has so many answers that are not those that stood there.
    case updated(answers: Int)
    case failed(RunFailure)
    /// An earlier file has failed.
    case skipped
  }

  let name: String
  var ending = Ending.skipped
  /// What was done, passing time included, and how much of that was looked at; of a transcript, requests and lines.
  var steps = 0
  var expectations = 0
  /// World time at the end, as replies print it.
  var worldTime = "0.000"
  /// Nanoseconds of the host that it took.
  var duration: UInt64 = 0

  var failure: RunFailure? {
    if case .failed(let failure) = ending { failure } else { nil }
  }

  /// Puts other words for some in what came: a world's name is another each time.
  mutating func rename(_ words: String, _ others: String) {
    guard case .failed(var failure) = ending else { return }
    failure.got = failure.got.replacing(words, with: others)
    ending = .failed(failure)
  }
}

/// The line at which a file failed, and why.
struct RunFailure: Equatable {
  let status: ExitCode
  /// `FILE:LINE`.
  let place: String
  /// The line as it stands there.
  let line: String
  let expected: String
  var got: String
  /// The last lines of the journal up to the failure.
  var journal: [String] = []
  /// How what came differs from what stands in the file, with some lines around it.
  var difference: [DifferenceRow] = []
}

/// A row of a difference, as it is shown.
struct DifferenceRow: Equatable {
  enum Side: String {
    case both = " "
    case expected = "-"
    case got = "+"
  }

  let side: Side
  /// In the file, from 1; what came has none.
  let number: Int?
  let text: String
}
