internal import LineProtocol

/// What an `undo` or a `goto` takes back, from the journal.
struct TakenBack: Equatable {
  /// The requests as somebody types them, oldest first, without data.
  private(set) var requests: [String] = []
  /// How many timers have expired.
  private(set) var timers = 0
  /// How many inputs wires have brought.
  private(set) var deliveries = 0
  /// Whether a machine goes that has had an input.
  private(set) var hasUsedMachine = false
  /// Whether they came at different times, so that `goto` could take back less.
  private(set) var spansTime = false
  /// How many inputs came after those that were read.
  private(set) var unread = 0

  /// More inputs are not read.
  private static let maxRead = 1_000
  /// More requests are counted.
  private static let maxShown = 3

  /// The inputs that a step has taken or brought back, from its own line of the journal; `nil` if it was only time.
  struct Range: Equatable {
    let first: Int
    let last: Int

    /// - Parameter rows: The answer to ``request(of:)``.
    init?(_ rows: [ServerLine]) {
      guard let line = rows.first, line.words.count > 3, ["undone", "redone"].contains(line.words[3]),
        let first = line["from"].flatMap({ Int($0) }), let last = line["to"].flatMap({ Int($0) }),
        0 < first, first <= last
      else { return nil }
      (self.first, self.last) = (first, last)
    }

    /// The request for the line of a step with this number.
    static func request(of sequence: String) -> String { "journal since=\(sequence) limit=1" }

    /// The request for the inputs.
    var request: String { "journal since=\(first) limit=\(min(last - first + 1, maxRead))" }
  }

  /// What one input was.
  private enum Input {
    case request(String)
    case timer, delivery
    /// It took back others, or brought them back.
    case undone(from: Int, to: Int)
    case redone
  }

  /// - Parameter rows: The answer to ``Range/request``.
  init(_ range: Range, _ rows: [ServerLine]) {
    var inputs: [(sequence: Int, machine: String, input: Input)] = []
    // What an `undo` within the range has taken back is not there any more, unless a `redo` follows.
    var removed: [[(sequence: Int, machine: String, input: Input)]] = []
    var last = range.first - 1
    for row in rows {
      guard row.words.count > 3, let sequence = Int(row.words[0]), sequence <= range.last else { continue }
      last = sequence
      guard inputs.last?.sequence != sequence, let input = Self.input(row) else { continue }
      switch input {
      case .undone(let from, let to):
        removed.append(inputs.filter { (from...max(from, to)).contains($0.sequence) })
        inputs.removeAll { (from...max(from, to)).contains($0.sequence) }
      case .redone: inputs += removed.popLast() ?? []
      case .request, .timer, .delivery: inputs.append((sequence, row.words[2], input))
      }
    }
    unread = max(0, range.last - last)
    let times = rows.filter { $0.words.count > 3 }.map { $0.words[1] }
    spansTime = times.contains { $0 != times.first }
    var made: Set<String> = []
    for (_, machine, input) in inputs {
      switch input {
      case .request(let text):
        if text.hasPrefix("\(Verb.new.name) ") {
          made.insert(machine)
        } else if made.contains(machine), !text.hasPrefix("\(Verb.wire.name) ") {
          hasUsedMachine = true
        }
        // The members of a composed machine are made by one request.
        let isSame = requests.last == text || Self.isWithin(text, requests.last)
        if !isSame { requests.append(text) }
        continue
      case .timer: timers += 1
      case .delivery: deliveries += 1
      case .undone, .redone: break
      }
      if made.contains(machine) { hasUsedMachine = true }
    }
  }

  private static func input(_ row: ServerLine) -> Input? {
    let (machine, words) = (row.words[2], row.words)
    let owner = String(machine.prefix { $0 != "." })
    if row["wire"] != nil { return .delivery }
    switch words[3] {
    case "created" where words.count > 4:
      return .request(owner == machine ? "new \(words[4]) \(machine)" : "new \(owner)")
    case "dropped": return .request("drop \(owner)")
    case "wired" where words.count > 6: return .request("wire \(machine) \(words[4]) \(words[5]) \(words[6])")
    case "unwired" where words.count > 6: return .request("unwire \(machine) \(words[4]) \(words[5]) \(words[6])")
    case "defined" where words.count > 4: return .request("define \(words[4])")
    case "undefined" where words.count > 4: return .request("undefine \(words[4])")
    // A timer that expires by itself does so when it is due.
    case "expired" where words.count > 4:
      return row["due"] == words[1] ? .timer : .request("fire \(machine) \(words[4])")
    case "moved", "stayed", "ignored", "refused":
      if row["timer"] != nil { return .timer }
      return row["event"].map { .request("send \(machine) \($0)") }
    case "undone": return .undone(from: row["from"].flatMap { Int($0) } ?? 0, to: row["to"].flatMap { Int($0) } ?? 0)
    case "redone": return .redone
    case _: return nil
    }
  }

  /// Whether a wire is one of those that a composed machine is made with.
  private static func isWithin(_ text: String, _ last: String?) -> Bool {
    guard let last, last.hasPrefix("new "), last.split(separator: " ").count == 2 else { return false }
    return text.hasPrefix("wire \(last.dropFirst(4)).")
  }

  /// `new fridge f, and 77 timers since`; empty if it was only time.
  var text: String {
    var since: [String] = []
    if timers > 0 { since.append(timers == 1 ? "1 timer" : "\(timers) timers") }
    if deliveries > 0 { since.append(deliveries == 1 ? "1 input by a wire" : "\(deliveries) inputs by wires") }
    // Whether those that were not read are of timers, nobody knows.
    if unread > 0 { since = ["\(timers + deliveries + unread) inputs"] }
    // One more takes no more room than its count.
    let more = requests.count == Self.maxShown + 1 ? 0 : max(0, requests.count - Self.maxShown)
    let shown = requests.dropLast(more) + (more > 0 ? ["\(more) more requests"] : [])
    let counts = since.joined(separator: " and ")
    // A `goto` may keep all requests.
    let later = since.isEmpty ? [] : [requests.isEmpty ? counts : "and \(counts) since"]
    return (shown + later).joined(separator: ", ")
  }

  /// Whether it was more than a request.
  private var isMore: Bool { requests.count > 1 || timers + deliveries + unread > 0 }

  /// What is said after an `undo`, a `redo` or a `goto`; `nil` if there is nothing to say.
  func report(of verb: Verb) -> ScreenText? {
    guard !text.isEmpty else { return nil }
    if verb == .redo { return "brought back: \(text)" }
    let redo = isMore ? "; 'redo' brings it back" : ""
    let less = verb == .goto ? ", a later TIME goes less far" : ", 'goto TIME' goes less far"
    return "taken back: \(text)\(redo)\(isMore && spansTime ? less : "")"
  }
}

/// What an `undo` or a `goto` would take back, tried in a fork of its world.
struct RewindTrial: Equatable {
  /// Nil if it takes back only time.
  let taken: TakenBack?
  /// The time that it takes back, in nanoseconds.
  let time: Int64

  private static let hour: Int64 = 3_600_000_000_000

  /// What to ask before a step back is sent; `nil` if there is nothing to ask, or nobody knows.
  ///
  /// - Parameters:
  ///   - request: Without its tag.
  ///   - verb: That of the request.
  static func question(
    about request: String, _ verb: Verb, in world: String, of endpoint: Endpoint
  ) -> ScreenText? {
    run(request, in: world, of: endpoint)?.question(about: verb)
  }

  func question(about verb: Verb) -> ScreenText? {
    guard time >= Self.hour || taken?.hasUsedMachine ?? false else { return nil }
    let span = time > 0 ? TimeText.people(TimeText.seconds(time)) : nil
    let inputs = taken.flatMap { $0.text.isEmpty ? nil : $0.text }
    let what = [span.map { "\($0) of time" }, inputs].compactMap(\.self)
    // Who names a time knows that there are others.
    let less = time > 0 && verb != .goto ? "; 'goto TIME' goes less far" : ""
    return "this takes back \(what.joined(separator: ": "))\(less); go on?"
  }

  /// - Returns: `nil` if the daemon makes no fork, or takes too long.
  private static func run(_ request: String, in world: String, of endpoint: Endpoint) -> RewindTrial? {
    try? Trial.run(in: world, of: endpoint) { side -> RewindTrial? in
      guard let before = side.ask("world")?.last, let start = before["t"].flatMap({ TimeText.time($0) }),
        let answer = side.ask(request, within: TimeTrial.longest)?.last, answer.lineClass == .success,
        let end = answer["t"].flatMap({ TimeText.time($0) }), let sequence = side.ask("world")?.last?["seq"],
        sequence != before["seq"], let line = side.ask(TakenBack.Range.request(of: sequence))
      else { return nil }
      guard let range = TakenBack.Range(line) else { return RewindTrial(taken: nil, time: start - end) }
      guard let rows = side.ask(range.request) else { return nil }
      return RewindTrial(taken: TakenBack(range, rows.dropLast()), time: start - end)
    }
  }
}
