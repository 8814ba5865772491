/// The result for one file: a script that was run, or a transcript that was checked.
struct RunResult: Equatable {
  enum Ending: Equatable {
    case passed
    /// The file was rewritten; this many of its answers changed.
    case updated(answers: Int)
    case failed(RunFailure)
    /// It cannot be read; the lines say why, each with its place.
    case unreadable([String])
    /// Not run, because an earlier file failed, or another one cannot be read.
    case skipped
  }

  let name: String
  var ending = Ending.skipped
  /// Steps played, including those that let time pass, and checks made; for a transcript, requests and lines.
  var steps = 0
  var expectations = 0
  /// What the daemon says of documents: mistakes and warnings with their places.
  var findings: [String] = []
  /// Path of the picture of what happened; `nil` if none was drawn.
  var picture: String?
  /// World time at the end, as replies print it.
  var worldTime = "0.000"
  /// Host time taken, in nanoseconds.
  var duration: UInt64 = 0

  var hasFailed: Bool {
    switch ending {
    case .failed, .unreadable: true
    case .passed, .updated, .skipped: false
    }
  }

  var failure: RunFailure? {
    if case .failed(let failure) = ending { failure } else { nil }
  }

  /// Replaces words in the received text: the name of a run's world differs each time.
  mutating func rename(_ words: String, _ others: String) {
    guard case .failed(var failure) = ending else { return }
    failure.got = failure.got.replacing(words, with: others)
    ending = .failed(failure)
  }
}

/// The line at which a file failed, and why.
struct RunFailure: Equatable {
  let status: ExitCode
  /// `FILE:LINE:COLUMN` of a script, `FILE:LINE` of a transcript.
  let place: String
  /// The line as written in the file.
  let line: String
  /// The line as it was played, if that depends on how often it has been.
  var played: String?
  let expected: String
  var got: String
  /// What the prompt says below such a failure.
  var hints: [String] = []
  /// The last lines of the journal up to the failure.
  var journal: [String] = []
  /// The difference between the file and the received answers, with some lines of context.
  var difference: [DifferenceRow] = []
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
}
