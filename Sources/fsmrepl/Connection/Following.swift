internal import LineProtocol

/// Decides which requests of a connection go on to another daemon, since that has their world by now.
///
/// A request that is answered with `MOVED` has not been run. It is sent again to the daemon that is named, after all that
/// were sent after it are answered, and their answers come in the order of the requests. Nothing is sent after a `use`
/// before its answer, which says in which world it would be run. A connection on which requests without tags may have
/// succeeded silently is not followed, since it is not known what was answered.
struct Following {
  private struct Request {
    let tag: String?
    let verb: Verb?
    let words: [String]
    /// With line feed, and the document after a `define`.
    let bytes: [UInt8]
    /// Whether it is a line of a batch, which is answered at the end of that.
    var isInBatch = false
    /// The lines of its answer, as far as they are held back.
    var lines: [RawLine] = []
    var isAnswered = false
    var moved: ServerLine?
  }

  /// Where a world is, as a daemon says.
  struct Target: Equatable {
    let world: String
    let host: String
  }

  let hosts: HostsFile
  private var requests: ArraySlice<Request> = []
  /// What is not sent yet.
  private var waiting: ArraySlice<Request> = []
  /// Whether lines are held back, so that all come in order.
  private var isHolding = false
  private var isInBatch = false
  private var isUncertain = false
  /// An incomplete line or document.
  private var partial: [UInt8] = []
  /// Settings that a new connection gets, by verb; watches by world and pattern.
  private var settings: [Verb: String] = [:]
  private var watches: [String: [String: String]] = [:]
  private var world = "main"
  /// A daemon has said where the world of this connection is, without being asked.
  private var announced: Target?

  init(_ hosts: HostsFile) { self.hosts = hosts }

  // MARK: Requests

  /// Takes bytes of requests; ``ready()`` returns what of them is sent.
  mutating func send(_ bytes: UnsafeRawBufferPointer) {
    partial += bytes
    var start = 0
    defer { partial.removeFirst(start) }
    while let end = partial[start...].firstIndex(of: 0x0A) {
      let text = RequestText(String(decoding: partial[start..<end], as: UTF8.self))
      let verb = text.verb.flatMap(Verb.named)
      var past = end + 1
      if verb == .define, let count = text.words.lazy.compactMap({ Self.count($0) }).first { past += count }
      guard partial.count >= past else { break }
      let all = Array(partial[start..<past])
      start = past
      if text.isBlank { continue }
      if verb == .end || verb == .discard { isInBatch = false }
      waiting.append(
        Request(tag: text.tag, verb: verb, words: text.words, bytes: all, isInBatch: isInBatch))
      if verb == .begin { isInBatch = true }
      if text.tag == nil, verb == .begin || verb == .quiet { isUncertain = true }
    }
  }

  /// The requests that are sent now.
  mutating func ready() -> [UInt8] {
    var sent: [UInt8] = []
    // A `use` that is not answered is the last one that was sent.
    while !isHolding, requests.last.map({ $0.verb != .use || $0.isAnswered }) ?? true, let next = waiting.popFirst() {
      sent += next.bytes
      if !next.isInBatch { requests.append(next) }
    }
    return sent
  }

  /// Whether a `cancel` was sent after requests that are to go on.
  var isCancelled: Bool { isHolding && waiting.contains { $0.verb == .cancel } }

  private static func count(_ word: String) -> Int? {
    word.hasPrefix("bytes=") ? Int(word.dropFirst("bytes=".count)) : nil
  }

  // MARK: Answers

  /// Takes a line.
  ///
  /// - Returns: The lines that are passed on now.
  mutating func take(_ raw: RawLine) -> [RawLine] {
    guard
      let line = raw.text.hasPrefix("{")
        ? ServerLine(json: raw.text) : ServerLine(raw.text) ?? ServerLine(whole: raw.text)
    else { return [raw] }
    switch line.lineClass {
    case .notice: return [raw]
    case .flow:
      if line.code == "world", let moved = line["moved"], let host = line["host"], moved == world,
        watches[moved]?.isEmpty == false
      {
        announced = Target(world: moved, host: host)
      }
      return [raw]
    case .data:
      guard isHolding, let place = index(of: line) else { return [raw] }
      requests[place].lines.append(raw)
      return []
    case .success, .failure:
      guard let place = index(of: line) else { return [raw] }
      let isMoved = line.lineClass == .failure && line.code == FailureCode.moved.word && !isUncertain
      if isMoved { isHolding = true }
      guard isHolding else {
        learn(from: line, requests[place])
        if requests[place].verb == .cancel { requests.remove(at: place) } else { requests = requests[(place + 1)...] }
        return [raw]
      }
      requests[place].lines.append(raw)
      requests[place].isAnswered = true
      requests[place].moved = isMoved ? line : nil
      if !isMoved { learn(from: line, requests[place]) }
      return release()
    }
  }

  private func index(of line: ServerLine) -> Int? {
    guard let tag = line.tag else { return requests.firstIndex { !$0.isAnswered } }
    return requests.firstIndex { $0.tag == tag && !$0.isAnswered }
  }

  /// Passes on what is answered, up to the first request that is not.
  private mutating func release() -> [RawLine] {
    var lines: [RawLine] = []
    while let first = requests.first, first.isAnswered, first.moved == nil {
      lines += first.lines
      requests.removeFirst()
    }
    if !requests.contains(where: \.isAnswered) { isHolding = false }
    return lines
  }

  private mutating func learn(from line: ServerLine, _ request: Request) {
    guard line.lineClass == .success, let verb = request.verb else { return }
    let text = String(decoding: request.bytes.dropLast(), as: UTF8.self)
    switch verb {
    case .use: world = line["world"] ?? world
    case .client, .quiet, .mode: settings[verb] = RequestText(text).requestText
    case .watch:
      if let pattern = request.words.first {
        watches[world, default: [:]][pattern] =
          "watch \(request.words.filter { !$0.hasPrefix("since=") }.joined(separator: " "))"
      }
    case .unwatch: if let pattern = request.words.first { watches[world]?[pattern] = nil }
    case _: break
    }
  }

  // MARK: Going on

  /// Takes note that the world is with yet another daemon.
  mutating func redirect(to target: Target) {
    let line = ServerLine(
      lineClass: .failure, tag: nil, words: [FailureCode.moved.word],
      fields: [.init(key: "world", value: target.world), .init(key: "host", value: target.host)], note: nil)
    if requests.isEmpty { announced = target }
    for place in requests.indices where requests[place].moved != nil {
      requests[place].moved = ServerLine(
        lineClass: line.lineClass, tag: requests[place].tag, words: line.words, fields: line.fields, note: nil)
    }
  }

  /// Where to go on, as soon as all requests are answered.
  var target: Target? {
    guard requests.allSatisfy(\.isAnswered) else { return nil }
    guard let moved = requests.first(where: { $0.moved != nil })?.moved, let world = moved["world"],
      let host = moved["host"]
    else { return requests.isEmpty ? announced : nil }
    return Target(world: world, host: host)
  }

  /// Lines that a new connection gets before the requests, each with the tag of ``isOwn(_:)``.
  func introduction(to target: Target) -> [String] {
    let watches = (watches[target.world] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    let settings = [Verb.client, .quiet, .mode].compactMap { self.settings[$0] }
    return (["use \(target.world)"] + watches + settings).map { "@\(Self.tag) \($0)" }
  }

  private static let tag = ".follow"

  /// The requests that are sent again.
  mutating func goOn(at target: Target) -> [UInt8] {
    (world, announced) = (target.world, nil)
    return resend()
  }

  /// Sends the requests again.
  mutating func resend() -> [UInt8] {
    for place in requests.indices where requests[place].moved != nil {
      (requests[place].lines, requests[place].isAnswered, requests[place].moved) = ([], false, nil)
    }
    isHolding = requests.contains(where: \.isAnswered)
    return requests.filter { !$0.isAnswered }.flatMap(\.bytes)
  }

  /// The answers that were held back, with the reason why they are not followed.
  mutating func giveUp(_ reason: String) -> [RawLine] {
    let lines = requests.flatMap { request in
      request.moved.map { [Self.line($0, reason, isObject: request.lines.last?.text.hasPrefix("{") == true)] }
        ?? request.lines
    }
    (requests, isHolding, announced) = ([], false, nil)
    return lines
  }

  private static func line(_ moved: ServerLine, _ reason: String, isObject: Bool) -> RawLine {
    let tag = moved.tag.map { "@\($0) " } ?? ""
    let keys = moved.fields.map { " \($0.key)=\($0.value)" }.joined()
    let text = "- \(tag)\(moved.code)\(keys) : \(moved.note.map { "\($0); " } ?? "")\(reason)"
    return RawLine(isObject ? JSONWriter.object(of: text) : text)
  }
}

extension RequestText {
  /// The request without its tag.
  fileprivate var requestText: String { ([verb ?? ""] + words).joined(separator: " ") }
}
