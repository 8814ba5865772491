internal import LineProtocol
internal import Scripts

/// Writes the lines of a transcript from a recorded session.
///
/// A check repeats the session in worlds with virtual clocks and no other clients. So the writer follows each world
/// from its beginning, omits what a real clock adds or rewrites it for a virtual clock, and writes requests that a
/// check cannot repeat as comments.
struct TranscriptWriter {
  /// The result of one piece of the session.
  struct Output: Equatable {
    /// Lines for the transcript.
    var lines: [String] = []
    /// A message for the person who records.
    var note: String?
  }

  /// State of the recorded connection that a new one lacks.
  private let watches: [String]
  private let isQuiet: Bool
  /// The worlds that a check will have, in the state in which it will find them.
  private var worlds: [String: Recorder.WorldState] = [:]
  /// The world in use; `nil` if a check will not have it.
  private var current: String?
  /// How many requests have been written.
  private(set) var count = 0

  /// - Parameters:
  ///   - watches: The requests that watch the world in use.
  ///   - isQuiet: Whether successes are not answered.
  init(watches: [String], isQuiet: Bool) {
    self.watches = watches
    self.isQuiet = isQuiet
  }

  mutating func take(_ piece: Recorder.Piece) -> Output {
    switch piece {
    case .beginning(let world, let worldState, let seed, let isJSON): begin(world, worldState, seed, isJSON)
    case .between(let line): takeBetween(line)
    case .exchange(let exchange): take(exchange)
    }
  }

  // MARK: Worlds

  /// The world in which a check begins.
  private static let first = "main"

  private mutating func begin(_ world: String, _ worldState: Recorder.WorldState, _ seed: String, _ isJSON: Bool)
    -> Output
  {
    guard worldState.sequence == 0 else {
      let inputs = worldState.sequence == 1 ? "an input" : "\(worldState.sequence) inputs"
      return Output(note: Self.waiting("the world \(world) is not new: it has had \(inputs)"))
    }
    var lines: [String] = []
    if world != Self.first {
      lines += ["> world new \(world)" + (seed == "0" ? "" : " seed=\(seed)"), "+ created \(world)"]
      lines += ["> use \(world)", "+ world=\(world) clock=virtual t=0.000 seq=0"]
    }
    for (index, watch) in watches.enumerated() { lines += ["> \(watch)", "+ watching \(index + 1)"] }
    if isQuiet { lines += ["> quiet on", "+"] }
    if isJSON { lines += ["> mode json", JSONWriter.object(of: "+")] }
    current = world
    worlds[world] = Recorder.WorldState(time: 0, sequence: 0, isReal: worldState.isReal)
    return Output(lines: lines)
  }

  private static func waiting(_ why: String) -> String {
    "\(why), and a check could not repeat what follows; the recording continues in a new world ('world new W', "
      + "then 'use W')"
  }

  private mutating func lose(_ why: String) -> String {
    current = nil
    return Self.waiting(why)
  }

  // MARK: Lines

  private mutating func takeBetween(_ line: Recorder.Line) -> Output {
    guard let current, !line.isOfClock else { return Output() }
    var output = Output(lines: [line.isRepeatable ? line.raw : "# \(line.raw)"])
    if line.line.lineClass == .flow, line.line["dropped"] == current {
      worlds[current] = nil
      output.note = lose("the world \(current) was dropped")
    }
    return output
  }

  private mutating func take(_ asked: Recorder.Exchange) -> Output {
    guard current != nil || asked.isOfWorlds else { return Output() }
    var exchange = asked
    if let current, let worldState = exchange.worldState { worlds[current]?.isReal = worldState.isReal }
    let isReal = current.flatMap { worlds[$0]?.isReal } ?? false
    var output = Output()
    if isReal { output.lines = exchange.removeEarlier().filter { !$0.isOfClock }.map(\.raw) }
    if isRepeatable(exchange, isReal) {
      count += 1
      write(exchange, time: passTime(exchange), isReal, &output)
      learn(exchange, &output)
    } else {
      let time = Self.time(timeBefore(exchange))
      // Notices of this time occur in a check too.
      let asked = ["> \(time)\(exchange.text)"] + exchange.documentLines
      output.lines += (asked + exchange.lines.filter { !$0.isNotice }.map(\.raw)).map { "# \($0)" }
      output.lines += exchange.lines.filter { $0.isNotice && !$0.isOfClock }.map(\.raw)
      if exchange.verb == .use, exchange.isDone, let world = exchange.last?["world"] {
        output.note = lose("the world \(world) was there before")
      }
    }
    return output
  }

  private func isRepeatable(_ exchange: Recorder.Exchange, _ isReal: Bool) -> Bool {
    let words = exchange.words
    // Not a verb of the daemon but of the transcript.
    if ([exchange.text] + exchange.batch).contains(where: { ["at", "after"].contains(RequestText.split($0).first) }) {
      return false
    }
    switch exchange.code {
    case FailureCode.cancelled.word: return false
    case FailureCode.clock.word where isReal, FailureCode.timeout.word where isReal: return false
    default: break
    }
    switch exchange.verb {
    case .cancel, .shutdown, .stats, .who, .worlds: return false
    case .clock:
      // For a world that was real before, the answer contains the speed.
      let last = exchange.last
      return !isReal && words.first != "real" && last?["speed"] ?? "1" == "1" && last?["paused"] != "yes"
    case .speed, .pause, .resume: return !isReal
    // A failure to go back names the kind of clock.
    case .undo, .redo, .goto: return !isReal || exchange.isDone
    case .diff: return !exchange.isDone || words.prefix(2).allSatisfy { worlds[$0]?.isReal == false }
    case .use: return !exchange.isDone || worlds[exchange.last?["world"] ?? ""] != nil
    case .world where words.first == "fork": return current != nil
    case .world where words.first == "drop" && exchange.isDone: return words.count > 1 && worlds[words[1]] != nil
    default: return true
    }
  }

  /// The time prefix of a request: in seconds, with the digits that answers have.
  private static func time(_ time: Int64?) -> String { time.map { "at \(TimeText.seconds($0))s " } ?? "" }

  /// The time of a request, if time has passed since the preceding line of the transcript.
  private func timeBefore(_ exchange: Recorder.Exchange) -> Int64? {
    guard let time = exchange.worldState?.time, let known = current.flatMap({ worlds[$0]?.time }), time > known else {
      return nil
    }
    return time
  }

  private mutating func passTime(_ exchange: Recorder.Exchange) -> Int64? {
    let time = timeBefore(exchange)
    if let current, let worldState = exchange.worldState { worlds[current] = worldState }
    return time
  }

  private func write(_ exchange: Recorder.Exchange, time: Int64?, _ isReal: Bool, _ output: inout Output) {
    let text = exchange.verb == .world ? exchange.text.replaced("clock=real", by: "clock=virtual") : exchange.text
    let request = "> \(Self.time(time))\(text)"
    let lines = (isReal ? exchange.linesInOrder : exchange.lines).filter { !$0.isOfClock }.map {
      $0.isRepeatable || exchange.verb == .world ? rewritten($0, exchange).raw : "# \($0.raw)"
    }
    guard exchange.verb == .begin else {
      output.lines += [request] + exchange.documentLines + lines
      return
    }
    // Notices that arrived while the batch was typed belong to the time that passes before it.
    let early = exchange.early.filter { !$0.isOfClock }
    let before = early.filter { exchange.isBefore($0) }
    output.lines += before.map(\.raw) + [request] + lines.prefix(1) + exchange.batch.map { "> \($0)" }
    output.lines += early.filter { !exchange.isBefore($0) }.map(\.raw) + lines.dropFirst()
  }

  /// A line as a virtual clock prints it.
  private func rewritten(_ line: Recorder.Line, _ exchange: Recorder.Exchange) -> Recorder.Line {
    guard line.line.lineClass == .success else { return line }
    switch exchange.verb {
    case .undo, .redo, .goto: return line.without("paused", "yes")
    case .world: return line.with("clock", "virtual").without("durable", "no")
    case .use:
      guard let world = line.line["world"], let worldState = worlds[world] else { return line }
      if world == current { return line.with("clock", "virtual") }
      // A real clock has advanced meanwhile. In a check it advances only when the world is in use.
      return line.with("clock", "virtual").with("t", TimeText.seconds(worldState.time)).with(
        "seq", "\(worldState.sequence)")
    default: return line
    }
  }

  /// Records the state of the worlds after a request.
  private mutating func learn(_ exchange: Recorder.Exchange, _ output: inout Output) {
    let words = exchange.words
    if exchange.verb == .use, exchange.isDone {
      current = exchange.last?["world"]
      return
    }
    if let current {
      for line in exchange.lines {
        guard let time = line.time else { continue }
        worlds[current]?.time = time
        if let sequence = line.line["seq"].flatMap({ UInt64($0) }) { worlds[current]?.sequence = sequence }
      }
    }
    guard exchange.verb == .world, exchange.isDone, words.count > 1 else { return }
    switch words[0] {
    case "new": worlds[words[1]] = Recorder.WorldState(time: 0, sequence: 0, isReal: words.contains("clock=real"))
    case "fork": worlds[words[1]] = current.flatMap { worlds[$0] }
    default:
      worlds[words[1]] = nil
      guard current == words[1] else { return }
      current = worlds[Self.first] == nil ? nil : Self.first
      if current == nil { output.note = lose("the world \(Self.first) was there before") }
    }
  }
}

extension Recorder.Exchange {
  fileprivate var words: [String] { RequestText(text).words }

  /// Its document, as a transcript holds it.
  fileprivate var documentLines: [String] { document.map { $0.isEmpty ? "> |" : "> | \($0)" } }

  /// The line that ends the answer; `nil` if the answer was withheld.
  fileprivate var last: ServerLine? {
    lines.last { $0.line.lineClass == .success || $0.line.lineClass == .failure }?.line
  }

  fileprivate var isDone: Bool { last?.lineClass != .failure }

  /// The code of the failure; empty on success.
  fileprivate var code: String { last.map { $0.lineClass == .failure ? $0.code : "" } ?? "" }

  /// Whether a notice reports something that happened between `begin` and `end`, not an effect of the batch or an older
  /// notice that the batch requested.
  fileprivate func isBefore(_ notice: Recorder.Line) -> Bool {
    guard let noticed = notice.noticed, let worldState else { return false }
    return noticed.sequence > begun && noticed.time != worldState.time
  }

  /// Removes the notices of what happened between our question and the request, and takes over the time of the request.
  ///
  /// Both are sent together, but a daemon that has much to do may answer them apart, and a real clock goes on meanwhile.
  /// The answer has the time of the request. If the answer has no time, the last of these notices gives it, since such a
  /// request causes no notices.
  fileprivate mutating func removeEarlier() -> [Recorder.Line] {
    guard let known = worldState, last != nil, !hasOtherTime else { return [] }
    let notices = lines.prefix { $0.isNotice }
    let answered = lines.lazy.compactMap(\.time).first
    guard let time = answered ?? notices.last?.noticed?.time, time > known.time else { return [] }
    func isEarlier(_ notice: Recorder.Line) -> Bool {
      guard let noticed = notice.noticed else { return false }
      return noticed.sequence > known.sequence && (answered == nil || noticed.time < time)
    }
    worldState?.time = time
    lines = notices.filter { !isEarlier($0) } + lines.dropFirst(notices.count)
    return notices.filter(isEarlier)
  }

  /// Whether it is answered with another time than that at which it was asked, or stands for a batch.
  private var hasOtherTime: Bool {
    switch verb {
    case .await?, .advance?, .step?, .use?, .world?, .clock?, .begin?: true
    case _: verb?.goesBack ?? false
    }
  }

  /// Whether the request is about worlds, whichever world is in use.
  fileprivate var isOfWorlds: Bool { verb == .use || verb == .world && !words.isEmpty }

  /// The lines in the order of a virtual clock: an `await` ends with the input that it waited for, where a real clock
  /// may have gone further.
  fileprivate var linesInOrder: [Recorder.Line] {
    guard verb == .await, let end = last?["seq"].flatMap({ UInt64($0) }) else { return lines }
    let later = lines.filter { ($0.noticed?.sequence ?? 0) > end }
    return lines.filter { !later.contains($0) } + later
  }
}

extension Recorder.Line {
  fileprivate var isNotice: Bool { line.lineClass == .notice }

  /// Whether it reports a change to a clock.
  fileprivate var isOfClock: Bool { isNotice && line.words.count > 3 && line.words[3] == "clock" }

  /// Whether a check would receive it again; most flow lines about the connection itself do not recur.
  fileprivate var isRepeatable: Bool {
    line.lineClass != .flow || line.code == "livelock" || line.code == "limit" || line["reason"] == "quit"
  }

  /// The line with another value for a key, in either form.
  fileprivate func with(_ key: String, _ value: String) -> Self {
    guard let old = line[key] else { return self }
    let isNumber = raw.includes("\"\(key)\":\(old)")
    let pairs =
      isNumber
      ? ("\"\(key)\":\(old)", "\"\(key)\":\(value)")
      : raw.hasPrefix("{")
        ? ("\"\(key)\":\"\(old)\"", "\"\(key)\":\"\(value)\"") : (" \(key)=\(old)", " \(key)=\(value)")
    return Self(raw: raw.cut(at: pairs.0).map { "\($0)\(pairs.1)\($1)" } ?? raw, line: line)
  }

  fileprivate func without(_ key: String, _ value: String) -> Self {
    Self(raw: raw.replaced(" \(key)=\(value)", by: "").replaced(",\"\(key)\":\"\(value)\"", by: ""), line: line)
  }
}
