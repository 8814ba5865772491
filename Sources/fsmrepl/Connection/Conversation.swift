internal import LineProtocol

/// What has been asked on a connection, what has not been answered yet, and what the answers say about where we are.
///
/// Every request that goes out bears a tag of ours unless it has its own, so that an answer finds its request even
/// when others stay silent (`quiet on`) or wait for the end of a batch. It decides; it sends and shows nothing.
struct Conversation {
  /// Who wants to know.
  enum Asker: Equatable {
    /// A person or a script; the answer is shown.
    case user
    /// The program itself: to learn where it is, or to know that all before has been answered.
    case program
    /// The program, to restore what a lost connection had.
    case restoring
    /// The recorder, to know at what time the request behind it is made.
    case recorder
  }

  /// A request on its way.
  struct Asked: Equatable {
    let tag: String?
    /// Whether the tag was put there by us and is nothing that the user wants to see.
    let isOurTag: Bool
    /// As the user wrote it.
    let text: String
    /// `nil` for a word that this version does not know.
    let verb: Verb?
    let words: [String]
    let asker: Asker
    /// Where a script has it, for messages.
    let origin: String
  }

  /// A line with the request it belongs to.
  struct Received {
    let line: ServerLine
    /// `nil` for notices, flow lines, and answers to nothing that was asked here.
    let asked: Asked?
  }

  private(set) var place = Place()
  /// The world that the user wants to be in: also while a new connection is on its way there.
  private var home = "main"
  /// Whether lines are kept by the daemon until `end`.
  private(set) var isCollecting = false
  private(set) var isQuiet = false
  private var pending: ArraySlice<Asked> = []
  private var lastTag = 0
  /// The watches of this connection by world and pattern, as they were asked for.
  private var watches: [String: [String: String]] = [:]

  /// The longest request line in bytes, without its end; a tag of ours must not be what makes one too long.
  private static let longestLine = 65_536

  var isWaiting: Bool { !pending.isEmpty }
  /// The watches in the present world, in an order of their own.
  var watchesHere: [String] { (watches[place.world] ?? [:]).sorted { $0.key < $1.key }.map(\.value) }
  /// How many requests wait for their answer.
  var waitingCount: Int { pending.count }

  /// Whether the user waits for an answer, which `cancel` may bring about. Lines of a batch are kept, not waited for.
  var isInterruptible: Bool {
    !isCollecting && pending.contains { $0.asker == .user }
  }

  /// Whether the daemon's word is out on whether it keeps lines: until then none may follow `begin`.
  var isBeginning: Bool { pending.contains { $0.verb == .begin } }

  /// Whether a `sync` of ours is on its way.
  var isAwaitingSign: Bool { pending.contains { $0.verb == .sync && $0.asker == .program } }

  /// Whether a `cancel` of ours is on its way.
  var isCancelling: Bool { pending.contains { $0.verb == .cancel } }

  /// Notes a request and gives the line to send.
  ///
  /// - Returns: The line without its LF; `nil` for a blank line or a comment, which nobody answers.
  mutating func ask(_ text: String, by asker: Asker = .user, origin: String = "") -> String? {
    let parts = RequestText(text)
    guard !parts.isBlank else { return nil }
    let verb = parts.verb.flatMap(Verb.named)
    var tag = parts.tag
    var line = text
    if parts.tag == nil {
      let ours = ".\(lastTag + 1)"
      let tagged = "@\(ours) \(text)"
      if tagged.utf8.count <= Self.longestLine {
        lastTag += 1
        tag = ours
        line = tagged
      }
    }
    let asked = Asked(
      tag: tag, isOurTag: tag != parts.tag, text: text, verb: verb, words: parts.words, asker: asker,
      origin: origin)
    pending.append(asked)
    switch verb {
    case .begin: isCollecting = true
    case .end: isCollecting = false
    default: break
    }
    return line
  }

  /// Whether the last request may succeed without a word, so that only a `sync` tells when it is done.
  var mayStaySilent: Bool {
    isQuiet && !isCollecting && pending.last?.verb?.entry.isQuietable == true
  }

  /// Takes in a line from the daemon.
  mutating func receive(_ line: ServerLine) -> Received {
    switch line.lineClass {
    case .notice:
      place.update(from: line)
      return Received(line: line, asked: nil)
    case .flow:
      if line.code == "world", let gone = line["dropped"] {
        forget(world: gone)
        if gone == place.world { place = Place() }
      }
      return Received(line: line, asked: nil)
    case .data:
      return Received(line: line, asked: index(answeredBy: line).map { pending[$0] })
    case .success, .failure:
      guard let index = index(answeredBy: line) else {
        place.update(from: line, answering: nil)
        return Received(line: line, asked: nil)
      }
      let asked = pending[index]
      if asked.verb == .cancel {
        pending.remove(at: index)  // Answered out of turn: what was asked before it still is to be.
      } else {
        // What was asked before it and has not been answered has succeeded silently.
        pending = pending[(index + 1)...]
      }
      place.update(from: line, answering: asked.verb)
      learn(from: line, answering: asked)
      return Received(line: line, asked: asked)
    }
  }

  /// Forgets the connection, but not where we were and what we watched.
  ///
  /// - Returns: What the user asked and will not be answered.
  mutating func disconnect() -> [Asked] {
    defer {
      pending = []
      isCollecting = false
      isQuiet = false
    }
    return pending.filter { $0.asker == .user }
  }

  /// The way for a new connection, which begins in `current`, to where this one was.
  func restoration(from current: String) -> Restoration {
    let others = watches.keys.filter { $0 != home && watches[$0]?.isEmpty == false }.sorted()
    return Restoration(
      from: current,
      through: (others + [home]).map { world in
        Restoration.Stop(world: world, watches: (watches[world] ?? [:]).sorted { $0.key < $1.key }.map(\.value))
      })
  }

  /// Where a new connection begins, from its greeting.
  mutating func begin(with greeting: ServerLine) {
    place = Place()
    place.update(from: greeting, answering: nil)
  }

  /// Drops a world that is no longer there, with its watches.
  mutating func forget(world: String) {
    watches[world] = nil
    if home == world { home = "main" }
  }

  /// An answer without a tag is to a line whose tag the daemon could not read: the oldest, as answers keep order.
  private func index(answeredBy line: ServerLine) -> Int? {
    guard let tag = line.tag else { return pending.indices.first }
    return pending.firstIndex { $0.tag == tag }
  }

  private mutating func learn(from line: ServerLine, answering asked: Asked) {
    guard line.lineClass == .success else {
      if asked.verb == .begin { isCollecting = false }
      return
    }
    switch asked.verb {
    case .quiet: isQuiet = asked.words.first == "on"
    case .watch:
      guard asked.asker == .user, let pattern = asked.words.first else { break }
      // What was missed meanwhile is the journal's to tell, so a watch is restored without its `since`.
      let kept = asked.words.filter { !$0.hasPrefix("since=") }
      watches[place.world, default: [:]][pattern] = "watch \(kept.joined(separator: " "))"
    case .unwatch:
      if let pattern = asked.words.first { watches[place.world]?[pattern] = nil }
    case .use where asked.asker == .user: home = place.world
    case .world where asked.words.first == "drop":
      if asked.words.count > 1 { forget(world: asked.words[1]) }
    default: break
    }
  }
}

/// The words of a request line as its writer typed them, quotes and all.
struct RequestText {
  let tag: String?
  let verb: String?
  /// What stands behind the verb.
  let words: [String]

  /// Whether it is nothing or a remark, which nobody answers.
  var isBlank: Bool { tag == nil && verb == nil }

  init(_ text: String) {
    var words = Self.split(text).map(String.init)
    if words.first?.hasPrefix("#") == true { words = [] }
    if let first = words.first, first.hasPrefix("@") {
      tag = String(first.dropFirst())
      words.removeFirst()
    } else {
      tag = nil
    }
    verb = words.first
    self.words = Array(words.dropFirst())
  }

  /// Cuts at blanks outside quotes.
  static func split(_ text: String) -> [Substring] {
    var isQuoted = false
    var isEscaped = false
    return text.split { character in
      if isEscaped {
        isEscaped = false
        return false
      }
      switch character {
      case "\\" where isQuoted: isEscaped = true
      case "\"": isQuoted.toggle()
      case " ", "\t": return !isQuoted
      default: break
      }
      return false
    }
  }
}

extension Verb {
  /// The verb of that name.
  static func named(_ word: String) -> Verb? {
    var word = word
    // Safety: the bytes are used within the call only.
    return word.withUTF8 { Verb(UnsafeRawBufferPointer($0)) }
  }
}
