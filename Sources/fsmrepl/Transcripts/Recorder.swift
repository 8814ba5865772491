internal import LineProtocol

/// Sorts what goes over a connection into requests with what belongs to each, for a transcript.
///
/// Before each request the daemon is asked where the world is, in one write with the request, so that both share one
/// moment. Of a batch it is asked behind the `end`, since that is when it runs. It decides; it asks and writes nothing.
struct Recorder {
  /// A line from the daemon, as it came but for a tag of ours, and taken apart.
  struct Line: Equatable {
    let raw: String
    let line: ServerLine
  }

  /// Where a world is.
  struct Stand: Equatable {
    /// In nanoseconds.
    var time: Int64
    var sequence: UInt64
    var isReal: Bool
  }

  /// A request, complete with all that it brought.
  struct Exchange: Equatable {
    let text: String
    let verb: Verb?
    /// Of `begin`: the lines up to `end`.
    var batch: [String] = []
    /// The world when it was made; unknown for what is read out of turn.
    var stand: Stand?
    /// Of `begin`: the world's last input then, and what came before the first answer from the batch.
    var begun: UInt64 = 0
    var early: [Line] = []
    var lines: [Line] = []
  }

  /// What the transcript is to have next.
  enum Piece: Equatable {
    /// What is recorded begins in this world.
    case beginning(world: String, Stand, seed: String, isJSON: Bool)
    case exchange(Exchange)
    /// A notice or flow line that no request is to blame for.
    case between(Line)
  }

  /// What is asked before each request.
  static let question = "world"
  /// What is asked first, behind each other.
  static let questions = [question, "stats"]

  /// Requests that were sent, the oldest first, but for the one whose lines are coming.
  private var sent: ArraySlice<Exchange> = []
  private var current: Exchange?
  /// The first answer, until the seed is known too.
  private var beginning: (world: String, stand: Stand, isJSON: Bool)?
  private var hasBegun = false

  /// Notes a request that is sent.
  ///
  /// - Parameter isKept: Whether the daemon keeps it for a batch.
  /// - Returns: Whether ``question`` is to be asked, and where.
  mutating func note(_ text: String, _ verb: Verb?, isKept: Bool) -> (before: Bool, behind: Bool) {
    if isKept {
      if sent.isEmpty { current?.batch.append(text) } else { sent[sent.endIndex - 1].batch.append(text) }
      return (false, verb == .end)
    }
    // What is read out of turn finds its place when it is answered.
    guard verb != .cancel else { return (false, false) }
    sent.append(Exchange(text: text, verb: verb))
    return (true, false)
  }

  /// Takes in a line; they must be told in the order in which they come.
  mutating func take(_ line: Line, answering asked: Conversation.Asked?) -> [Piece] {
    switch asked?.asker {
    case .recorder: hasBegun ? takeStand(line) : takeBeginning(line)
    case .user: takeAnswer(line, asked)
    case .program, .restoring:
      // Behind a `sync` of ours, whatever was asked before was answered by silence.
      asked?.verb == .sync && line.line.lineClass != .data ? finish() : []
    case nil: takeUnasked(line)
    }
  }

  /// What remains when nothing more is recorded. A batch that was not ended has done nothing.
  mutating func end() -> [Piece] { current?.verb == .begin ? [] : finish() }

  private mutating func takeBeginning(_ line: Line) -> [Piece] {
    if let (world, stand) = Self.stand(line.line) {
      beginning = (world, stand, line.raw.hasPrefix("{"))
    } else if let beginning, line.line.words.first == "seed", line.line.words.count > 1 {
      hasBegun = true
      return [
        .beginning(world: beginning.world, beginning.stand, seed: line.line.words[1], isJSON: beginning.isJSON)
      ]
    }
    return []
  }

  private mutating func takeStand(_ line: Line) -> [Piece] {
    guard let (_, stand) = Self.stand(line.line) else { return [] }
    if current?.verb == .begin {
      // Of a batch that has ended; nothing is asked within.
      current?.stand = stand
      return finish()
    }
    let done = finish()
    current = sent.popFirst()
    current?.stand = stand
    current?.begun = stand.sequence
    return done
  }

  private mutating func takeAnswer(_ line: Line, _ asked: Conversation.Asked?) -> [Piece] {
    // Read out of turn: what is still open was answered by silence.
    if asked?.verb == .cancel, current?.verb != .begin {
      return finish() + [.exchange(Exchange(text: asked?.text ?? "", verb: .cancel, lines: [line]))]
    }
    if current == nil, let asked { current = Exchange(text: asked.text, verb: asked.verb) }
    current?.lines.append(line)
    let isBatch = current?.verb == .begin && (asked?.verb != .begin || line.line.lineClass == .success)
    // Where a batch was run is still to come.
    return line.line.lineClass == .data || isBatch ? [] : finish()
  }

  private mutating func takeUnasked(_ line: Line) -> [Piece] {
    guard hasBegun else { return [] }
    guard current != nil else { return [.between(line)] }
    if current?.verb == .begin, current?.lines.count ?? 0 <= 1 {
      current?.early.append(line)
    } else {
      current?.lines.append(line)
    }
    return []
  }

  private mutating func finish() -> [Piece] {
    guard let done = current else { return [] }
    current = nil
    return [.exchange(done)]
  }

  /// Where a world is, from an answer to ``question``.
  private static func stand(_ line: ServerLine) -> (world: String, Stand)? {
    guard line.lineClass == .success, let world = line["world"], let time = line["t"].flatMap({ TimeText.time($0) })
    else { return nil }
    let sequence = line["seq"].flatMap { UInt64($0) } ?? 0
    return (world, Stand(time: time, sequence: sequence, isReal: line["clock"] == "real"))
  }
}
