public import StateMachines

/// A filter that looks for stop-words in messages as they come in, in pieces of any length.
///
/// | state | text, char | end | reset |
/// | --- | --- | --- | --- |
/// | clean | stayed; with a stop-word → dirty, match | stayed, message | stayed |
/// | dirty(matches) | stayed, match for each further one | → clean, message or dropped | → clean |
///
/// What was found is told by `match(word,start,end)`, in order of ends, of two with one end the longer first. Matches
/// may overlap. Places count characters of the message from 0, `end` is the one behind the last; a character is a
/// Unicode scalar, so that where a text is cut changes nothing. The word is spelled as in `words`.
///
/// At `end` the policy decides what becomes of a dirty message: `mask` writes `*` for every character of every match,
/// `drop` shows nothing at all, `flag` leaves it as it is, and the matches told say which it was. A clean message
/// passes in any case. Then the next message begins.
///
/// With `wholeWord` a stop-word counts only where no letter, digit, accent or low line touches it, so it is told when
/// the character after it is known, which may be at `end`. Case is folded character by character (`ß` is not `ss`).
/// Stop-words are taken as they are written between the commas, spaces included.
///
/// A message is kept until it ends, up to ``longestMessage``; a piece that would make it longer, or that has more than
/// ``mostMatchesAtOnce`` or ``mostMatchedBytesAtOnce``, is refused as a whole, and the message is as it was before it. A message that will be dropped
/// is not kept.
public struct SpamFilter: LegacyMachine {
  /// Bytes of UTF-8 of one message.
  public static let longestMessage = 65_536
  /// Matches that one piece may have.
  public static let mostMatchesAtOnce = 10_000
  /// Bytes that the words of all matches of one piece may have together.
  public static let mostMatchedBytesAtOnce = 262_144
  /// Bytes that are searched before the matches are counted.
  private static let stretch = 4_096

  public enum State: StateWithData {
    /// No stop-word so far.
    case clean(Message)
    /// This many were found.
    case dirty(Message, matches: Int)

    public enum Name: NamedCases { case clean, dirty }

    public var name: Name {
      switch self {
      case .clean: .clean
      case .dirty: .dirty
      }
    }

    public var data: String? {
      switch self {
      case .clean: nil
      case .dirty(_, let matches): "\(matches)"
      }
    }

    public static var carriesData: Bool { true }

    var message: Message {
      switch self {
      case .clean(let message), .dirty(let message, _): message
      }
    }
  }

  /// A message as far as it has come.
  public struct Message: Hashable, Sendable, Codable {
    var position: WordMatcher.Position
    /// What will be shown at its end, matches masked already where they are to be; empty where nothing will be.
    var shown: [UInt8] = []
  }

  public enum Event: Sendable {
    case text(String)
    case char(Character)
    case end, reset
  }

  public enum Output: OutputWithData {
    case match(word: String, start: Int, end: Int)
    case message(String)
    case dropped

    public enum Name: NamedCases { case match, message, dropped }

    public var name: Name {
      switch self {
      case .match: .match
      case .message: .message
      case .dropped: .dropped
      }
    }

    public var data: [Value] {
      switch self {
      case .match(let word, let start, let end): [.text(word), .integer(start), .integer(end)]
      case .message(let text): [.text(text)]
      case .dropped: []
      }
    }
  }

  public enum Policy: String, Choice { case mask, drop, flag }

  public struct Parameters: ParameterSet {
    var words = "spam,ham" { didSet { compile() } }
    var policy = Policy.mask
    var caseFold = true { didSet { compile() } }
    var wholeWord = false { didSet { compile() } }
    /// Made of the words when they are set, so that a step finds it made.
    private var compiled = Self.standard

    private static let standard = compiled("spam,ham", caseFold: true, wholeWord: false)

    public init() {}

    private static func compiled(
      _ words: String, caseFold: Bool, wholeWord: Bool
    ) -> Result<WordMatcher, WordMatcher.Failure> {
      let list = words.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Result { () throws(WordMatcher.Failure) in
        try WordMatcher(words: list, caseFold: caseFold, wholeWord: wholeWord)
      }
    }

    private mutating func compile() {
      compiled = Self.compiled(words, caseFold: caseFold, wholeWord: wholeWord)
    }

    public var conflict: ParameterConflict? {
      switch compiled {
      case .success: nil
      case .failure(.noWords): ParameterConflict("words", allowed: "at least one word")
      case .failure(.emptyWord(let place)):
        ParameterConflict("words", allowed: "words with a comma between, none of them empty (number \(place + 1) is)")
      case .failure(.tooLarge(let entries)):
        ParameterConflict(
          "words", allowed: "fewer or shorter: their table has \(entries) entries, not \(WordMatcher.mostEntries)")
      }
    }

    public var compiledBytes: Int {
      guard case .success(let matcher) = compiled else { return 0 }
      return matcher.bytes
    }

    /// - Precondition: There is no ``conflict``.
    var matcher: WordMatcher {
      switch compiled {
      case .success(let matcher): matcher
      case .failure(let failure): preconditionFailure("a machine was made of words that are none: \(failure)")
      }
    }

    public static func == (left: Self, right: Self) -> Bool {
      left.words == right.words && left.policy == right.policy && left.caseFold == right.caseFold
        && left.wholeWord == right.wholeWord
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(words)
      hasher.combine(policy)
      hasher.combine(caseFold)
      hasher.combine(wholeWord)
    }
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    let message = Message(position: step.parameters.matcher.start)
    switch initial ?? .clean {
    case .clean: state = .clean(message)
    case .dirty: state = .dirty(message, matches: 1)
    }
  }

  public func isAtHome(with parameters: Parameters) -> Bool { parameters.matcher.has(state.message.position) }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (_, .event(.text(let chunk))):
      return read(chunk, step)
    case (_, .event(.char(let character))):
      return read(String(character), step)
    case (.clean, .event(.end)):
      return end(matches: 0, step)
    case (.dirty(_, let matches), .event(.end)):
      return end(matches: matches, step)
    case (.clean, .event(.reset)):
      return .stayAs(.clean(Message(position: step.parameters.matcher.start)))
    case (.dirty, .event(.reset)):
      return .move(to: .clean(Message(position: step.parameters.matcher.start)))
    }
  }

  private func read(_ chunk: String, _ step: Step<Self>) -> Reaction<State> {
    let matcher = step.parameters.matcher
    var message = state.message
    var found = MatchList(limit: Self.mostMatchesAtOnce)
    let bytes = chunk.utf8.span
    var searched = 0
    while searched < bytes.count, !found.isCut {
      let end = min(searched + Self.stretch, bytes.count)
      matcher.scan(bytes.extracting(searched..<end), from: &message.position) { found.append($0) }
      searched = end
    }
    guard !found.isCut else {
      return step.refuse("more than \(Self.mostMatchesAtOnce) stop-words in one piece; send it in smaller ones")
    }
    guard found.matches.reduce(0, { $0 + matcher.words[$1.word].utf8.count }) <= Self.mostMatchedBytesAtOnce else {
      return step.refuse(
        "stop-words of more than \(Self.mostMatchedBytesAtOnce) bytes in one piece; send it in smaller ones")
    }
    let before: Int
    switch state {
    case .clean: before = 0
    case .dirty(_, let matches): before = matches
    }
    let matches = before + found.matches.count
    if matches > 0, step.parameters.policy == .drop {
      message.shown = []
    } else {
      let length = message.shown.count + chunk.utf8.count
      guard length <= Self.longestMessage else {
        return step.refuse(
          "the message would have \(length) bytes, and at most \(Self.longestMessage) are kept; end or reset it")
      }
      message.shown += chunk.utf8
      if step.parameters.policy == .mask { message.mask(found.matches) }
    }
    found.matches.forEach { tell($0, of: matcher, step) }
    guard matches > 0 else { return .stayAs(.clean(message)) }
    let dirty = State.dirty(message, matches: matches)
    return before == 0 ? .move(to: dirty) : .stayAs(dirty)
  }

  private func end(matches before: Int, _ step: Step<Self>) -> Reaction<State> {
    let matcher = step.parameters.matcher
    var message = state.message
    var found = MatchList(limit: Self.mostMatchesAtOnce)
    matcher.finish(&message.position) { found.append($0) }
    found.matches.forEach { tell($0, of: matcher, step) }
    let isDirty = before + found.matches.count > 0
    switch step.parameters.policy {
    case .drop where isDirty: step.emit(.dropped)
    case .mask:
      message.mask(found.matches)
      step.emit(.message(message.text))
    case .drop, .flag: step.emit(.message(message.text))
    }
    let next = State.clean(Message(position: matcher.start))
    return isDirty ? .move(to: next) : .stayAs(next)
  }

  private func tell(_ match: WordMatcher.Match, of matcher: WordMatcher, _ step: Step<Self>) {
    step.emit(.match(word: matcher.words[match.word], start: match.start, end: match.end))
  }
}

/// Occurrences up to a limit.
private struct MatchList {
  let limit: Int
  private(set) var matches: [WordMatcher.Match] = []
  /// Whether there were more.
  private(set) var isCut = false

  init(limit: Int) { self.limit = limit }

  mutating func append(_ match: WordMatcher.Match) {
    if matches.count < limit { matches.append(match) } else { isCut = true }
  }
}

extension SpamFilter.Message {
  var text: String { String(decoding: shown, as: UTF8.self) }

  /// Writes `*` for each character of each match.
  ///
  /// - Complexity: O(characters from the first match on + matches).
  mutating func mask(_ matches: [WordMatcher.Match]) {
    guard let first = matches.map(\.start).min() else { return }
    var place = shown.count
    var left = position.offset - first
    while left > 0 {
      place -= 1
      if shown[place] & 0xC0 != 0x80 { left -= 1 }
    }
    // How many more matches begin than end at a character.
    var begun = [Int](repeating: 0, count: position.offset - first + 1)
    for match in matches {
      begun[match.start - first] += 1
      begun[match.end - first] -= 1
    }
    var open = 0
    var masked = String.UnicodeScalarView()
    for (index, scalar) in String(decoding: shown[place...], as: UTF8.self).unicodeScalars.enumerated() {
      open += begun[index]
      masked.append(open > 0 ? "*" : scalar)
    }
    shown.replaceSubrange(place..., with: String(masked).utf8)
  }
}
