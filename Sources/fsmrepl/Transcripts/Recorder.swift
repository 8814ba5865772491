internal import LineProtocol

/// Groups the lines of a connection into requests and their answers, for a transcript.
///
/// Before each request the daemon is asked for the state of the world, in the same write, so that both have the same
/// time. For a batch it is asked after `end`, since that is when the batch runs, or after `discard`. This type only decides; it sends and
/// writes nothing.
struct Recorder {
  /// A line from the daemon without our tag, raw and parsed.
  struct Line: Equatable {
    let raw: String
    let line: ServerLine

    /// The time of an answer, in nanoseconds, if it has one.
    var time: Int64? {
      guard line.lineClass == .success || line.lineClass == .failure else { return nil }
      return line["t"].flatMap { TimeText.time($0) }
    }

    /// The number and the time, in nanoseconds, of the input that a notice is about.
    var noticed: (sequence: UInt64, time: Int64)? {
      guard line.lineClass == .notice, line.words.count > 1, let sequence = UInt64(line.words[0]),
        let time = TimeText.time(line.words[1])
      else { return nil }
      return (sequence, time)
    }
  }

  /// The clock and the last input of a world.
  struct WorldState: Equatable {
    /// In nanoseconds.
    var time: Int64
    var sequence: UInt64
    var isReal: Bool
  }

  /// A request with all lines that it caused.
  struct Exchange: Equatable {
    let text: String
    let verb: Verb?
    /// For `define`: the lines of the document.
    var document: [String] = []
    /// For `begin`: the lines up to `end` or `discard`.
    var batch: [String] = []
    /// The state of the world at the request; `nil` for a request that was read out of turn.
    var worldState: WorldState?
    /// For `begin`: the world's last input at that time, and the lines before the first answer of the batch.
    var begun: UInt64 = 0
    var early: [Line] = []
    var lines: [Line] = []
  }

  /// A piece of the session, in the order of the transcript.
  enum Piece: Equatable {
    /// The recording begins in this world.
    case beginning(world: String, WorldState, seed: String, isJSON: Bool)
    case exchange(Exchange)
    /// A notice or flow line that no request caused.
    case between(Line)
  }

  /// The question sent before each request.
  static let question = "world"
  /// The questions sent when a recording begins.
  static let questions = [question, "stats"]

  /// Requests sent, oldest first, without the one that is being answered.
  private var sent: ArraySlice<Exchange> = []
  private var current: Exchange?
  /// The first answer, until the seed is known too.
  private var beginning: (world: String, worldState: WorldState, isJSON: Bool)?
  private var hasBegun = false

  /// Records a request that is sent.
  ///
  /// - Parameter isKept: Whether the daemon collects it for a batch.
  /// - Returns: Whether ``question`` has to be sent before or after it.
  mutating func note(
    _ text: String, _ verb: Verb?, document: [UInt8]? = nil, isKept: Bool
  ) -> (before: Bool, after: Bool) {
    if isKept {
      if sent.isEmpty { current?.batch.append(text) } else { sent[sent.endIndex - 1].batch.append(text) }
      return (false, verb == .end || verb == .discard)
    }
    // A request that is read out of turn is placed when it is answered.
    guard verb != .cancel else { return (false, false) }
    let lines = document?.split(separator: 0x0A, omittingEmptySubsequences: false) ?? []
    // The end of the last line begins no other.
    let rest = lines.last?.isEmpty == true ? lines.dropLast() : lines[...]
    sent.append(Exchange(text: text, verb: verb, document: rest.map { String(decoding: $0, as: UTF8.self) }))
    return (true, false)
  }

  /// Processes a line; lines must be passed in the order of arrival.
  mutating func take(_ line: Line, answering asked: Conversation.Asked?) -> [Piece] {
    switch asked?.asker {
    case .recorder: hasBegun ? takeWorldState(line) : takeBeginning(line)
    case .user: takeAnswer(line, asked)
    case .program, .inquiry, .restoring:
      // After the answer to our `sync`, all earlier requests have succeeded silently.
      asked?.verb == .sync && line.line.lineClass != .data ? finish() : []
    case nil: takeUnsolicited(line)
    }
  }

  /// The rest, when recording ends. A batch without its `end` has done nothing.
  mutating func end() -> [Piece] { current?.verb == .begin ? [] : finish() }

  private mutating func takeBeginning(_ line: Line) -> [Piece] {
    if let (world, worldState) = Self.worldState(line.line) {
      beginning = (world, worldState, line.raw.hasPrefix("{"))
    } else if let beginning, line.line.words.first == "seed", line.line.words.count > 1 {
      hasBegun = true
      return [
        .beginning(world: beginning.world, beginning.worldState, seed: line.line.words[1], isJSON: beginning.isJSON)
      ]
    }
    return []
  }

  private mutating func takeWorldState(_ line: Line) -> [Piece] {
    guard let (_, worldState) = Self.worldState(line.line) else { return [] }
    if current?.verb == .begin {
      // A batch has ended; no question is sent within it. A real clock may have gone on since it ran.
      var worldState = worldState
      if let batch = current {
        // A batch whose answers have no time ran before the notices that follow them.
        let latest = batch.lines.last?.noticed == nil ? nil : batch.early.last?.noticed?.time ?? batch.worldState?.time
        if let ran = batch.lines.lazy.compactMap({ $0.time }).first ?? latest {
          worldState.time = min(worldState.time, ran)
        }
      }
      current?.worldState = worldState
      return finish()
    }
    let done = finish()
    current = sent.popFirst()
    current?.worldState = worldState
    current?.begun = worldState.sequence
    return done
  }

  private mutating func takeAnswer(_ line: Line, _ asked: Conversation.Asked?) -> [Piece] {
    // Read out of turn: the open request was answered by silence.
    if asked?.verb == .cancel, current?.verb != .begin {
      return finish() + [.exchange(Exchange(text: asked?.text ?? "", verb: .cancel, lines: [line]))]
    }
    if current == nil, let asked { current = Exchange(text: asked.text, verb: asked.verb) }
    current?.lines.append(line)
    let isBatch = current?.verb == .begin && (asked?.verb != .begin || line.line.lineClass == .success)
    // The state at which the batch ran is not known yet.
    return line.line.lineClass == .data || isBatch ? [] : finish()
  }

  private mutating func takeUnsolicited(_ line: Line) -> [Piece] {
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

  /// The state of a world, from an answer to ``question``.
  private static func worldState(_ line: ServerLine) -> (world: String, WorldState)? {
    guard line.lineClass == .success, let world = line["world"], let time = line["t"].flatMap({ TimeText.time($0) })
    else { return nil }
    let sequence = line["seq"].flatMap { UInt64($0) } ?? 0
    return (world, WorldState(time: time, sequence: sequence, isReal: line["clock"] == "real"))
  }
}
