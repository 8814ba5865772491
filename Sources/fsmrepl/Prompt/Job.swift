internal import LineProtocol
internal import Scripts
internal import UnixHost

/// A line that waits for its turn, or whose answer does.
struct TypedLine {
  let text: String
  /// The step of a script that it is; `nil` for a line that a person typed.
  var step: PromptScript.Step?

  /// Where it is from, as `FILE:LINE`; empty for one that a person typed.
  var origin: String { step?.origin ?? "" }

  /// What an `expect` of timers, a reading or coverage expects.
  var expectation: String {
    RequestText.split(text).drop { $0 != Verb.expect.name[...] }.dropFirst(2).joined(separator: " ")
  }

  /// The index of the word that a failure is about.
  func word(wrongFor failure: ServerLine) -> Int {
    step.map { $0.play.script.word(of: $0.step, turn: $0.turn, wrongFor: failure) } ?? 0
  }
}

/// What the prompt does with the answer to a request, besides showing it.
struct Job {
  enum Purpose {
    /// Nothing; but a failure ends the script that the line is from.
    case show
    /// Lets time pass for the rest of a line, which follows.
    case time(then: String)
    case check(ScriptOutcome)
    /// Compares the data of the answer, which are not shown.
    case judge(Script.Check)
    /// What it lists goes elsewhere.
    case send(to: PromptLine.Destination)
  }

  let line: TypedLine
  let purpose: Purpose
  /// The lines of data so far, if they are needed.
  var rows: [ServerLine] = []
  /// The same as text, without class and tag.
  var texts: [String] = []
  /// Bytes of `texts`, with those that were too many to be kept.
  var size = 0
}

/// A batch that is being typed.
struct Batch {
  enum Kind {
    /// A mistake in it stops it when it runs.
    case lenient
    /// A mistake in it keeps it from running.
    case strict
    /// A strict one with a line that was refused here, so that the daemon does not know.
    case mistaken(String)
  }

  var kind: Kind
  /// The lines that were sent.
  var lines: [String] = []
}
