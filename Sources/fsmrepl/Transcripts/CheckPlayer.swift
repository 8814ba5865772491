import Scripts
internal import LineProtocol
internal import UnixHost

/// Repeats one transcript in its own world, request by request, and finds the first answer that differs.
///
/// The answers of a request follow it. Notices of the time until the next request may stand before that request, as in a
/// recording. They may also follow it, which is natural where a request begins with its time.
final class CheckPlayer {
  private let link: Dialogue
  private let transcript: Transcript
  /// The world that stands for the daemon's first.
  private var world = ""
  /// Worlds that the transcript has made and not dropped.
  private(set) var worlds: Set<String> = []
  /// The received lines of each exchange so far.
  private(set) var answers: [[String]] = []
  var result: RunResult
  /// Whether the daemon collects lines until `end`.
  private var isCollecting = false
  /// Where that batch began.
  private var batch = 0
  private var hasLeft = false

  private static let firstWorld = "main"
  /// The tag of the question sent after each request, since not every request is answered (`quiet`).
  private static let endTag = ".end-of-answer"
  private static let question = "@\(endTag) sync\n"
  private static let timeTag = ".time"

  init(link: Dialogue, transcript: Transcript) {
    self.link = link
    self.transcript = transcript
    result = RunResult(name: transcript.name)
  }

  /// Plays to the end, or to the first difference.
  ///
  /// - Parameters:
  ///   - world: The world in use.
  ///   - isUpdate: Whether differences are accepted, so that only errors are failures.
  func play(in world: String, isUpdate: Bool) throws(Dialogue.Stop) {
    self.world = world
    for place in transcript.exchanges.indices {
      try play(place)
      // Notices of passing time may belong to the previous request, so compare it only after this one has begun.
      if place > 0, !isUpdate { compare(place - 1) }
      if result.failure != nil { break }
    }
    if result.failure == nil {
      try playLastNotices()
      if !isUpdate { compare(answers.count - 1) }
    }
    if result.failure == nil { result.ending = isUpdate ? updating() : .passed }
    if isUpdate { result.expectations = answers.reduce(0) { $0 + $1.count } }
    let times = answers.reversed().lazy.flatMap { $0.reversed() }.compactMap { ServerLine.of($0)?["t"] }
    result.worldTime = times.first ?? result.worldTime
  }

  /// How the end of the lines of a request is recognised.
  private enum End {
    /// The connection is closed.
    case closing
    /// By the line that ends an answer: `begin` is always answered, and no question may follow it.
    case answer
    /// By the answer to a question sent after it.
    case question
    /// The daemon collects the line and answers nothing.
    case none
  }

  private func end(of exchange: Transcript.Exchange) -> End {
    if exchange.verb == .end || exchange.verb == .discard { return .question }
    if isCollecting || exchange.request.isEmpty { return .none }
    switch exchange.verb {
    case .quit: return .closing
    case .begin: return .answer
    default: return .question
    }
  }

  private func play(_ place: Int) throws(Dialogue.Stop) {
    let exchange = transcript.exchanges[place]
    let end = end(of: exchange)
    answers.append([])
    // All in one write: if time cannot advance, the effects of the request do not matter.
    if let time = exchange.time { link.send("@\(Self.timeTag) \(Self.request(for: time))\n") }
    if !exchange.request.isEmpty {
      result.steps += 1
      if exchange.verb == .define {
        let request = DocumentSource.Request(line: exchange.request, bytes: transcript.document(of: exchange))
        request.sent.withUnsafeBytes { link.send($0) }
      } else {
        link.send(outgoing(exchange) + "\n")
      }
    }
    if end == .question { link.send(Self.question) }
    if exchange.time != nil, !(try takeTime(place)) { return }
    switch end {
    case .none: break
    case .closing:
      hasLeft = true
      answers[place] += try linesToEnd().map(incoming)
    case .answer:
      let came = try lines { $0.lineClass == .success || $0.lineClass == .failure }
      isCollecting = came.last.flatMap(ServerLine.of)?.lineClass == .success
      batch = place
      answers[place] += came.map(incoming)
    case .question:
      let came = try linesToQuestion()
      var rest = came.map(incoming)[...]
      // A strict batch answers mistakes at their lines: in order of arrival, to those that expect an answer.
      if isCollecting { for line in batch..<place { takeExpected(&rest, line) } }
      isCollecting = false
      answers[place] += rest
      try learn(exchange, came)
    }
  }

  // MARK: Time

  private static func request(for time: Transcript.Time) -> String {
    switch time {
    case .at(let moment): "advance until \(moment)ns"
    case .after(let duration): "advance \(duration)ns"
    }
  }

  /// Processes the lines of the time that passes before a request.
  ///
  /// - Returns: False if time could not advance; the result then holds the failure.
  private func takeTime(_ place: Int) throws(Dialogue.Stop) -> Bool {
    var came = try lines { $0.tag == Self.timeTag }
    let last = came.popLast().flatMap(ServerLine.of)
    var rest = came.map(incoming)[...]
    // In order of arrival, as many lines as the previous request still expects belong to it.
    if place > 0 { takeExpected(&rest, place - 1) }
    answers[place] += rest
    guard let last, last.lineClass == .failure else { return true }
    let exchange = transcript.exchanges[place]
    result.ending = .failed(
      RunFailure(
        status: ExitCode.of(failure: last.code), place: transcript.place(of: exchange),
        line: transcript.line(exchange.place), expected: "time to pass", got: "\(last.code) : \(last.note ?? "")"))
    return false
  }

  /// Gives an earlier request as many lines as it still expects.
  private func takeExpected(_ lines: inout ArraySlice<String>, _ place: Int) {
    let room = max(0, transcript.exchanges[place].answers.count - answers[place].count)
    answers[place] += lines.prefix(room)
    lines = lines.dropFirst(room)
  }

  /// After the last request, advances to the time of the last notice that the transcript expects.
  private func playLastNotices() throws(Dialogue.Stop) {
    guard !hasLeft, let last = transcript.exchanges.last, let came = answers.last?.count else { return }
    let expected = transcript.answers(to: last).dropFirst(came)
    let times = expected.compactMap(ServerLine.of).filter { $0.lineClass == .notice && $0.words.count > 1 }
    guard let time = times.last.flatMap({ TimeText.time($0.words[1]) }) else { return }
    answers[answers.count - 1] += try ask("advance until \(time)ns").dropLast().map(incoming)
  }

  // MARK: Lines

  /// Sends a request and waits for all its lines.
  private func ask(_ request: String) throws(Dialogue.Stop) -> [String] {
    link.send("\(request)\n\(Self.question)")
    return try linesToQuestion()
  }

  private func linesToQuestion() throws(Dialogue.Stop) -> [String] {
    try lines { $0.tag == Self.endTag }.dropLast()
  }

  /// Reads lines up to and including the first that matches. The lines of a diagram are not protocol lines and end
  /// nothing.
  private func lines(until isLast: (ServerLine) -> Bool) throws(Dialogue.Stop) -> [String] {
    try link.lines { ServerLine.of($0).map(isLast) ?? false }
  }

  /// Reads all lines until the connection is closed.
  private func linesToEnd() throws(Dialogue.Stop) -> [String] {
    var lines: [String] = []
    do throws(Dialogue.Stop) {
      while true { try link.receive { lines.append($0) } }
    } catch .lost {
      return lines
    }
  }

  /// Records which worlds exist, and ensures that the daemon's first world is never used.
  private func learn(_ exchange: Transcript.Exchange, _ came: [String]) throws(Dialogue.Stop) {
    let lines = came.compactMap(ServerLine.of)
    let words = RequestText(exchange.request).words
    if exchange.verb == .world, words.count > 1, lines.last?.lineClass == .success {
      if words[0] == "drop" { worlds.remove(words[1]) } else { worlds.insert(words[1]) }
    }
    guard lines.contains(where: { $0.lineClass == .flow && $0.code == "world" }) else { return }
    _ = try ask("use \(world)")
  }

  /// The request with the name that the first world has here. A world that was durable is not in a check, where it
  /// answers alike: the check's own daemon stores nothing, and another one need not.
  private func outgoing(_ exchange: Transcript.Exchange) -> String {
    if exchange.verb == .world {
      let hasFailed = transcript.answers(to: exchange).contains { ServerLine.of($0)?.lineClass == .failure }
      return hasFailed ? exchange.request : exchange.request.replaced(" durable=yes", by: "")
    }
    guard exchange.verb == .use || exchange.verb == .diff else { return exchange.request }
    return RequestText.split(exchange.request).map { $0 == Self.firstWorld ? world : String($0) }.joined(separator: " ")
  }

  private func incoming(_ line: String) -> String {
    line.includes(world) ? line.replaced(world, by: Self.firstWorld) : line
  }

  // MARK: Differences

  private func compare(_ place: Int) {
    let exchange = transcript.exchanges[place]
    let expected = transcript.answers(to: exchange)
    let got = answers[place]
    result.expectations += expected.count
    // Otherwise a failure to advance time is reported instead.
    guard expected != got, result.failure == nil || place < answers.count - 1 else { return }
    let excerpt = CheckExcerpt(transcript, exchange, got: got)
    result.ending = .failed(
      RunFailure(
        status: .expectation, place: transcript.place(of: exchange), line: transcript.line(exchange.place),
        expected: excerpt.expected ?? "nothing", got: excerpt.got ?? "nothing", difference: excerpt.rows))
  }

  private func updating() -> RunResult.Ending {
    let changed = zip(transcript.exchanges, answers).count { transcript.answers(to: $0) != $1 }
    return changed == 0 ? .passed : .updated(answers: changed)
  }
}

extension ServerLine {
  /// A line of either form.
  fileprivate static func of(_ raw: String) -> ServerLine? {
    raw.hasPrefix("{") ? ServerLine(json: raw) : ServerLine(raw)
  }
}
