internal import LineProtocol

/// Requests of a connection, which of them are unanswered, and what the answers say about the world in use.
///
/// Each request is sent with a tag of ours unless it has its own. So an answer finds its request even when other
/// requests are not answered (`quiet on`) or wait for the end of a batch. This type only decides; it sends and shows
/// nothing.
struct Conversation {
  /// Who sent a request.
  enum Asker: Equatable {
    /// A person or a script; the answer is shown.
    case user
    /// This program, to learn the current state or to know that all earlier requests are answered.
    case program
    /// This program, for an ``Inquiry`` of the user.
    case inquiry
    /// This program, to restore the state of a lost connection.
    case restoring
    /// The recorder, to learn the time of the request that follows.
    case recorder
  }

  /// A request that has been sent.
  struct Asked: Equatable {
    let tag: String?
    /// Whether we added the tag, so that the user does not see it.
    var isOurTag: Bool
    /// As the user wrote it.
    let text: String
    /// `nil` for a word that this version does not know.
    let verb: Verb?
    let words: [String]
    let asker: Asker
    /// Position in a script, for messages.
    let origin: String
    /// The file that its document is from, for messages.
    var file: String?
    /// What the prompt does with the answer, by its number there.
    var job: Int?
    /// Whether it was sent between `begin` and `end`, so that its answer may come before those of earlier lines.
    var isInBatch = false

    /// - Parameter ours: The tag that we add, if the text has none.
    init(_ text: String, tag ours: String? = nil, by asker: Asker = .user, origin: String = "") {
      let request = RequestText(text)
      tag = request.tag ?? ours
      isOurTag = request.tag == nil && ours != nil
      self.text = text
      verb = request.verb.flatMap(Verb.named)
      words = request.words
      self.asker = asker
      self.origin = origin
    }
  }

  /// A line with the request it belongs to.
  struct Received {
    let line: ServerLine
    /// `nil` for notices, flow lines and answers to unknown requests.
    let asked: Asked?
    /// The number of the last input that was reported before, in the same world; `nil` if it is not known.
    var sequence: UInt64?

    /// Whether it is a line of a batch that was not run, because another one has failed.
    var isPassedOver: Bool {
      asked?.isInBatch == true && line.lineClass == .failure && line.code == FailureCode.batch.word
    }
  }

  private(set) var place = PresentWorld()
  /// The world that the user wants to be in, even while a new connection is not there yet.
  private var home = "main"
  /// Whether the daemon collects lines until `end`.
  private(set) var isCollecting = false
  private(set) var isQuiet = false
  private var pending: ArraySlice<Asked> = []
  private var lastTag = 0
  /// The watches of this connection by world and pattern, as requested.
  private var watches: [String: [String: String]] = [:]

  /// The longest request line in bytes, without its end. A line that our tag would make too long is sent without it.
  private static let longestLine = 65_536

  var isWaiting: Bool { !pending.isEmpty }
  /// The watches in the world in use, sorted by pattern.
  var watchesHere: [String] { (watches[place.world] ?? [:]).sorted { $0.key < $1.key }.map(\.value) }
  /// Whether answers are to come besides those to the lines of an open batch, which come at its end.
  var owesAnswers: Bool { pending.contains { !isCollecting || !$0.isInBatch } }
  /// The verb of the last request, if that is unanswered.
  var lastVerb: Verb? { pending.last?.verb }
  /// The tags of the user's requests that are unanswered.
  var unansweredTags: Set<String> { Set(pending.filter { $0.asker == .user }.compactMap(\.tag)) }
  /// How many requests wait for their answers.
  var waitingCount: Int { pending.count }

  /// Whether the user waits for an answer that `cancel` may end. Lines of a batch are collected, not waited for.
  var isInterruptible: Bool {
    !isCollecting && pending.contains { $0.asker == .user || $0.asker == .inquiry }
  }

  /// Whether `begin` is unanswered: until the daemon accepts it, no line may follow.
  var isBeginning: Bool { pending.contains { $0.verb == .begin && !$0.isInBatch } }

  /// Whether a `sync` of ours is unanswered.
  var isAwaitingSign: Bool { pending.contains { $0.verb == .sync && $0.asker == .program } }

  /// Whether the request of this job is unanswered.
  func isPending(job: Int) -> Bool { pending.contains { $0.job == job } }

  /// Whether a `cancel` is unanswered.
  var isCancelling: Bool { pending.contains { $0.verb == .cancel } }

  /// Records a request and returns the line to send.
  ///
  /// - Returns: The line without its LF; `nil` for a blank line or a comment, which get no answer.
  mutating func ask(
    _ text: String, by asker: Asker = .user, origin: String = "", file: String? = nil, job: Int? = nil
  ) -> String? {
    if RequestText(text).isBlank { return nil }
    let ours = ".\(lastTag + 1)"
    let tagged = "@\(ours) \(text)"
    var asked = Asked(text, tag: tagged.utf8.count <= Self.longestLine ? ours : nil, by: asker, origin: origin)
    if asked.isOurTag { lastTag += 1 }
    (asked.file, asked.job) = (file, job)
    asked.isInBatch = isCollecting && asked.verb != .end && asked.verb != .discard
    pending.append(asked)
    switch asked.verb {
    case .begin: isCollecting = true
    case .end, .discard: isCollecting = false
    default: break
    }
    return asked.isOurTag ? tagged : text
  }

  /// Whether the last request may succeed without an answer, so that only a `sync` tells when it is done.
  var mayStaySilent: Bool {
    isQuiet && !isCollecting && pending.last?.verb?.entry.isPlainInput == true
  }

  /// Processes a line from the daemon.
  mutating func receive(_ line: ServerLine) -> Received {
    switch line.lineClass {
    case .notice:
      place.update(from: line)
      return Received(line: line, asked: nil)
    case .flow:
      if line.code == "world", let gone = line["dropped"] {
        forget(world: gone)
        if gone == place.world { place = PresentWorld() }
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
      if asked.verb == .cancel || asked.isInBatch {
        pending.remove(at: index)  // Answered out of turn: earlier requests are still pending.
      } else {
        // Earlier requests without an answer have succeeded silently.
        pending = pending[(index + 1)...]
      }
      let (world, sequence) = (place.world, place.sequence)
      place.update(from: line, answering: asked.verb)
      learn(from: line, answering: asked)
      return Received(line: line, asked: asked, sequence: world == place.world ? sequence : nil)
    }
  }

  /// Forgets the connection, but not the world in use and the watches.
  ///
  /// - Returns: The user's requests that will not be answered.
  mutating func disconnect() -> [Asked] {
    defer {
      pending = []
      isCollecting = false
      isQuiet = false
    }
    return pending.filter { $0.asker == .user }
  }

  /// The steps that bring a new connection, which starts in `current`, to the world and watches of this one.
  func restoration(from current: String) -> Restoration {
    let others = watches.keys.filter { $0 != home && watches[$0]?.isEmpty == false }.sorted()
    return Restoration(
      from: current,
      through: (others + [home]).map { world in
        Restoration.Stop(world: world, watches: (watches[world] ?? [:]).sorted { $0.key < $1.key }.map(\.value))
      })
  }

  /// Takes note of an input in the world in use.
  mutating func note(sequence: UInt64) { place.note(sequence: sequence) }

  /// Sets the place from the greeting of a new connection.
  mutating func begin(with greeting: ServerLine) {
    place = PresentWorld()
    place.update(from: greeting, answering: nil)
  }

  /// Drops a world that no longer exists, with its watches.
  mutating func forget(world: String) {
    watches[world] = nil
    if home == world { home = "main" }
  }

  /// An answer without a tag belongs to the oldest request: the daemon could not read its tag, and answers keep order.
  private func index(answeredBy line: ServerLine) -> Int? {
    guard let tag = line.tag else { return pending.indices.first }
    return pending.firstIndex { $0.tag == tag }
  }

  private mutating func learn(from line: ServerLine, answering asked: Asked) {
    guard line.lineClass == .success else {
      // Within a batch it is a mistake, which does not end the batch.
      if asked.verb == .begin, !asked.isInBatch { isCollecting = false }
      return
    }
    switch asked.verb {
    case .quiet: isQuiet = asked.words.first == "on"
    case .watch:
      guard asked.asker == .user, let pattern = asked.words.first else { break }
      // The journal reports what was missed meanwhile, so a watch is restored without its `since`.
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

/// The words of a request line as typed, including quotes.
struct RequestText {
  let tag: String?
  let verb: String?
  /// The words after the verb.
  let words: [String]

  /// Whether the line is blank or a comment, which get no answer.
  var isBlank: Bool { tag == nil && verb == nil }

  /// As typed.
  let text: String

  init(_ text: String) {
    self.text = text
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

  /// The words after the verb without their quotes; `nil` if one is `key=value`, or breaks the rules of quotes.
  var plainWords: [String]? { Self.plain(words) }

  static func plain(_ words: some Sequence<some StringProtocol>) -> [String]? {
    let text = ". " + words.map { String($0) }.joined(separator: " ")
    guard let line = ServerLine(text), line.fields.isEmpty, line.tag == nil, line.note == nil else { return nil }
    return line.words
  }

  /// Splits at blanks outside quotes.
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

  /// The request; if it asks for a table or the text of a waveform without a width, with that of the terminal, and in
  /// characters that the terminal has.
  func fitting(_ columns: Int?, _ style: Style) -> String {
    let usual = verb == Verb.wave.name ? "format=text" : "format=table"
    // A page of the manual is indented, and a line that fills the terminal is wrapped.
    let margin: Int? =
      switch verb {
      case Verb.wave.name: 0
      case Verb.graph.name: words.isEmpty ? nil : 0
      case Verb.describe.name: words.isEmpty ? nil : Presenter.pageMargin + 1
      case _: nil
      }
    guard let margin, let columns,
      !words.contains(where: { $0.hasPrefix("width=") || $0.hasPrefix("format=") && $0 != usual })
    else { return text }
    let isInWords = verb == Verb.wave.name && !style.usesUnicode && !words.contains(usual)
    return "\(text) width=\(min(max(columns - margin, 40), 1_000))\(isInWords ? " format=ascii" : "")"
  }
}

extension Verb {
  /// The verb with this name.
  static func named(_ word: String) -> Verb? {
    var word = word
    // Safety: the bytes are used within the call only.
    return word.withUTF8 { Verb(UnsafeRawBufferPointer($0)) }
  }
}
