internal import LineProtocol
internal import Scripts
internal import UnixHost

/// A line that waits for its turn.
struct TypedLine: Equatable {
  let text: String
  /// Where it is from, as `FILE:LINE`; empty for one that a person typed.
  var origin = ""

  var isTyped: Bool { origin.isEmpty }
}

/// What the prompt does with the answer to a request, besides showing it.
struct Job {
  enum Purpose {
    /// Nothing; but a failure ends the file that the line is from.
    case show
    /// Lets time pass for the rest of a line, which follows.
    case time(then: String)
    case check(ScriptOutcome)
    /// What it lists goes elsewhere.
    case send(to: PromptLine.Destination)
    /// The first hour of an `await` that may take more; it ends at a time, in nanoseconds.
    case firstHour(of: String, until: Int64)
    /// Whether `begin` can be strict.
    case strictness
    /// The journal behind an input at a time, to tell what else that has caused.
    case caused(at: String)
    /// The first part of a long `advance`, to tell how much all of it will do.
    case sample(LongAdvance)
    /// The limits of the daemon, to tell whether all of an `advance` could be undone; with the answer to its first part.
    case limits(LongAdvance, Conversation.Received, raw: RawLine)
    /// The rest of an `advance`, of which the first part has fired so many timers.
    case rest(fired: Int)

    /// Whether lines that are typed later wait for its answer.
    var blocks: Bool {
      switch self {
      case .show, .time, .check, .send, .firstHour, .strictness, .sample, .limits, .rest: true
      case .caused: false
      }
    }
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

/// An `advance` that is sent in two parts. Nothing in a world depends on how an `advance` is cut.
struct LongAdvance: Equatable {
  /// All of it, in nanoseconds.
  let span: Int64

  /// How many times as long as its first part it is.
  private static let parts: Int64 = 64
  /// A shorter one is not cut, in nanoseconds: one hour.
  private static let shortest: Int64 = 3_600_000_000_000

  /// - Returns: `nil` for any other request, and for a short one.
  init?(_ request: RequestText, in place: Place) {
    guard request.tag == nil, place.clock == "virtual" || place.isPaused, request.verb == Verb.advance.name else {
      return nil
    }
    switch (request.words.count, request.words.first) {
    case (1, let duration?): span = TimeText.duration(duration) ?? 0
    case (2, "until"): span = (TimeText.time(request.words[1]) ?? 0) - (TimeText.time(place.time) ?? 0)
    case _: return nil
    }
    guard span >= Self.shortest else { return nil }
  }

  var first: String { "advance \(span / Self.parts)ns" }
  var rest: String { "advance \(span - span / Self.parts)ns" }

  /// How many timers all of it will fire, if it goes on like its first part.
  func forecast(_ fired: Int) -> Int {
    let (product, isTooMuch) = fired.multipliedReportingOverflow(by: Int(Self.parts))
    return isTooMuch ? .max : product
  }
}

/// A question to the person at the prompt.
struct Question {
  /// Called once, with whether the answer was yes.
  let answer: (Bool) -> Void
}

/// An answer that may be too long for the screen.
struct Page {
  enum State {
    /// It may still fit, and is not shown yet.
    case held(ScreenText, rows: Int)
    /// A pager shows it.
    case paged(ForegroundProgram)
    /// The rest goes to the screen as usual.
    case shown
    /// The pager has ended before the answer, so nobody wants the rest.
    case dropped
  }

  let tag: String
  var state: State
}
