internal import LineProtocol

/// Decides which requests of a connection go on to another daemon, since that has their world by now.
///
/// A request that is answered with `MOVED` has not been run. It is sent again to the daemon that is named, after all that
/// were sent after it are answered, and their answers come in the order of the requests. A batch is sent again as a whole.
/// Nothing is sent after a `use` before its answer, which says in which world it would be run. A request without a tag gets
/// one, so that its answer is known by it; after `quiet on` a `sync` shows that those before it have succeeded silently.
struct Following {
  private struct Request {
    /// Nil for a line that is too long with a tag.
    let tag: String?
    let verb: Verb?
    let words: [String]
    /// With line feed, and the document after a `define`.
    let bytes: [UInt8]
    /// Whether it is a line of a batch, which is answered at the end of that.
    var isInBatch = false
    /// Whether it is a `sync` of our own.
    var isSign = false
    /// The batch that it ends.
    var batch: Batch?
    /// The lines of its answer, as far as they are held back.
    var lines: [RawLine] = []
    var isAnswered = false
    var moved: ServerLine?

    /// Whether `quiet on` withholds its answer.
    var mayStaySilent: Bool { verb?.entry.isPlainInput == true && !isAnswered }
  }

  /// The lines of a batch so far, from its `begin` on.
  private struct Batch {
    let beginning: String?
    var tags: Set<String> = []
    var bytes: [UInt8]
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
  /// Whether the next line is one of a batch, and the batch as far as it is sent.
  private var isInBatch = false
  private var batch: Batch?
  /// Tags of our own requests whose answers nobody waits for.
  private var unheard: [String] = []
  private var lastTag: UInt64 = 0
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
      let ours = text.tag == nil && all.count <= Self.longestLine ? nextTag() : nil
      waiting.append(
        Request(
          tag: text.tag ?? ours, verb: verb, words: text.words, bytes: (ours.map { Array("@\($0) ".utf8) } ?? []) + all,
          isInBatch: isInBatch))
      if verb == .begin { isInBatch = true }
    }
  }

  /// A longer line gets no tag of ours, in bytes: the daemon takes lines of 65,536.
  private static let longestLine = 65_000
  /// What our tags begin with.
  private static let mark = ".follow"

  private mutating func nextTag() -> String {
    lastTag += 1
    return "\(Self.mark)\(lastTag)"
  }

  private static func isOwn(_ tag: String) -> Bool {
    tag.hasPrefix(mark) && tag.utf8.dropFirst(mark.utf8.count).allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The requests that are sent now.
  mutating func ready() -> [UInt8] {
    var sent: [UInt8] = []
    // A `use` that is not answered is the last one that was sent.
    while !isHolding, requests.last.map({ $0.verb != .use || $0.isAnswered }) ?? true, var next = waiting.popFirst() {
      sent += next.bytes
      if next.isInBatch {
        batch?.bytes += next.bytes
        if let tag = next.tag { batch?.tags.insert(tag) }
        continue
      }
      switch next.verb {
      case .begin: batch = Batch(beginning: next.tag, bytes: next.bytes)
      case .end: next.batch = batch.take()
      case .discard: batch = nil
      case _: break
      }
      requests.append(next)
    }
    if isHolding, isQuiet, requests.contains(where: \.mayStaySilent), !requests.contains(where: \.isSign) {
      let tag = nextTag()
      let sign = Request(tag: tag, verb: .sync, words: [], bytes: Array("@\(tag) sync\n".utf8), isSign: true)
      requests.append(sign)
      sent += sign.bytes
    }
    return sent
  }

  private var isQuiet: Bool { settings[.quiet]?.hasSuffix(" on") == true }

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
    let shown = line.tag.flatMap { Self.isOwn($0) ? raw.without(tag: $0) : nil } ?? raw
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
      guard let place = index(of: line), isHolding || requests[place].batch != nil else { return [shown] }
      requests[place].lines.append(shown)
      return []
    case .success, .failure:
      if let tag = line.tag, let place = unheard.firstIndex(of: tag) {
        unheard.remove(at: place)
        return []
      }
      guard let place = index(of: line) else { return [shown] }
      if line.tag != nil, line.tag != requests[place].tag {
        requests[place].lines.append(shown)
        return []
      }
      let isMoved = line.lineClass == .failure && line.code == FailureCode.moved.word && !requests[place].isSign
      if isMoved { isHolding = true }
      if !isMoved { learn(from: line, requests[place]) }
      guard isHolding else {
        defer {
          if requests[place].verb == .cancel { requests.remove(at: place) } else { requests = requests[(place + 1)...] }
        }
        return requests[place].isSign ? [] : requests[place].lines + [shown]
      }
      if requests[place].verb != .cancel {
        // Earlier ones without an answer have succeeded silently.
        for earlier in requests.indices.prefix(upTo: place) where requests[earlier].verb != .cancel {
          requests[earlier].isAnswered = true
        }
      }
      if !requests[place].isSign { requests[place].lines.append(shown) }
      requests[place].isAnswered = true
      requests[place].moved = isMoved ? Self.moved(line.tag, line.fields, line.note) : nil
      return release()
    }
  }

  /// The request of an answer, or the one that ends the batch of an answered line.
  private func index(of line: ServerLine) -> Int? {
    guard let tag = line.tag else {
      return requests.firstIndex { !$0.isAnswered && $0.tag == nil } ?? requests.firstIndex { !$0.isAnswered }
    }
    return requests.firstIndex { !$0.isAnswered && ($0.tag == tag || $0.batch?.tags.contains(tag) == true) }
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
    guard line.lineClass == .success, let verb = request.verb else {
      if request.verb == .begin { (batch, isInBatch) = (nil, false) }
      return
    }
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
    let fields = [ServerLine.Field(key: "world", value: target.world), .init(key: "host", value: target.host)]
    if requests.isEmpty { announced = target }
    for place in requests.indices {
      guard let moved = requests[place].moved else { continue }
      requests[place].moved = Self.moved(moved.tag, fields, nil)
    }
  }

  private static func moved(_ tag: String?, _ fields: [ServerLine.Field], _ note: String?) -> ServerLine {
    ServerLine(
      lineClass: .failure, tag: tag.flatMap { isOwn($0) ? nil : $0 }, words: [FailureCode.moved.word], fields: fields,
      note: note)
  }

  /// Where to go on, as soon as all requests are answered.
  var target: Target? {
    guard requests.allSatisfy(\.isAnswered) else { return nil }
    guard let moved = requests.first(where: { $0.moved != nil })?.moved, let world = moved["world"],
      let host = moved["host"]
    else { return requests.isEmpty ? announced : nil }
    return Target(world: world, host: host)
  }

  /// Lines that a new connection gets before the requests, each with a tag of ours.
  func introduction(to target: Target) -> [String] {
    let watches = (watches[target.world] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    let settings = [Verb.client, .quiet, .mode].compactMap { self.settings[$0] }
    return (["use \(target.world)"] + watches + settings).map { "@\(Self.mark) \($0)" }
  }

  /// The requests that are sent again.
  mutating func goOn(at target: Target) -> [UInt8] {
    (world, announced) = (target.world, nil)
    return resend()
  }

  /// The requests that are sent again on the connection that there is. They are no lines of a batch that is open on it.
  mutating func resendHere() -> [UInt8] {
    guard batch != nil else { return resend() }
    let tag = nextTag()
    unheard.append(tag)
    return Array("@\(tag) discard\n".utf8) + resend()
  }

  private mutating func resend() -> [UInt8] {
    requests.removeAll(where: \.isSign)
    for place in requests.indices where requests[place].moved != nil {
      (requests[place].lines, requests[place].isAnswered, requests[place].moved) = ([], false, nil)
    }
    isHolding = requests.contains(where: \.isAnswered)
    var sent: [UInt8] = []
    func send(_ batch: Batch?) {
      guard let batch else { return }
      sent += batch.bytes
      // It was answered before.
      if let tag = batch.beginning { unheard.append(tag) }
    }
    for request in requests where !request.isAnswered {
      send(request.batch)
      sent += request.bytes
    }
    send(batch)
    return sent
  }

  /// The answers that were held back, with the reason why they are not followed.
  mutating func giveUp(_ reason: String) -> [RawLine] {
    let lines = requests.flatMap { request in
      request.moved.map { [Self.line($0, reason, isObject: request.lines.last?.text.hasPrefix("{") == true)] }
        ?? request.lines
    }
    (requests, isHolding, announced, unheard) = ([], false, nil, [])
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
