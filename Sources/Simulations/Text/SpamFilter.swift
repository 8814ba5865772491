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
/// ``mostMatchesAtOnce`` or ``mostMatchedBytesAtOnce``, is refused as a whole, and the message is as it was before it.
/// A message that will be dropped is not kept.
public struct SpamFilter: Machine {
  /// Bytes of UTF-8 of one message.
  public static let longestMessage = 65_536
  /// Matches that one piece may have.
  public static let mostMatchesAtOnce = 10_000
  /// Bytes that the words of all matches of one piece may have together.
  public static let mostMatchedBytesAtOnce = 262_144
  /// Bytes that are searched before the matches are counted.
  private static let stretch = 4_096

  /// A message as far as it has come.
  public struct State: StateWithData {
    var position = WordMatcher.Position()
    /// What will be shown at its end, matches masked already where they are to be; empty where nothing will be.
    var shown: [UInt8] = []
    /// How many stop-words were found.
    var matches = 0

    public enum Name: NamedCases { case clean, dirty }

    public var name: Name { matches == 0 ? .clean : .dirty }
    public var data: String? { matches == 0 ? nil : "\(matches)" }
    public static var carriesData: Bool { true }
  }

  public enum Event: MachineEvent {
    case text(String)
    case char(Character)
    case end, reset
  }

  public enum Output: OutputWithData {
    case match(word: String, start: Int, end: Int)
    case message(String)
    case dropped

    public enum Name: NamedCases { case match, message, dropped }
  }

  public enum Policy: String, Choice { case mask, drop, flag }

  public struct Parameters: ParameterSet {
    var words = "spam,ham" { didSet { compile() } }
    var policy = Policy.mask
    var caseFold = true { didSet { compile() } }
    var wholeWord = false { didSet { compile() } }
    private var compiled = standard

    private static let standard = compiled("spam,ham", caseFold: true, wholeWord: false)

    public init() {}

    private static func compiled(
      _ words: String, caseFold: Bool, wholeWord: Bool
    ) -> Derived<Result<WordMatcher, WordMatcher.Failure>> {
      let list = words.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Derived(
        Result { () throws(WordMatcher.Failure) in
          try WordMatcher(words: list, caseFold: caseFold, wholeWord: wholeWord)
        })
    }

    private mutating func compile() {
      compiled = Self.compiled(words, caseFold: caseFold, wholeWord: wholeWord)
    }

    public var conflict: ParameterConflict? {
      switch compiled.value {
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
      guard case .success(let matcher) = compiled.value else { return 0 }
      return matcher.bytes
    }

    /// - Precondition: There is no ``conflict``.
    var matcher: WordMatcher {
      switch compiled.value {
      case .success(let matcher): matcher
      case .failure(let failure): preconditionFailure("a machine was made of words that are none: \(failure)")
      }
    }
  }

  public var state = State()
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .clean: State(position: step.parameters.matcher.start)
    case .dirty: State(position: step.parameters.matcher.start, matches: 1)
    }
  }

  public func isValid(for parameters: Parameters) -> Bool { parameters.matcher.has(state.position) }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .text(let chunk): read(chunk, step)
    case .char(let character): read(String(character), step)
    case .end: end(step)
    case .reset:
      switch state.name {
      case .clean: .stayAs(State(position: step.parameters.matcher.start))
      case .dirty: .move(to: State(position: step.parameters.matcher.start))
      }
    }
  }

  private func read(_ chunk: String, _ step: Step<Self>) -> Reaction<State> {
    let matcher = step.parameters.matcher
    var next = state
    var found: [WordMatcher.Match] = []
    let bytes = chunk.utf8.span
    var searched = 0
    while searched < bytes.count, found.count <= Self.mostMatchesAtOnce {
      let end = min(searched + Self.stretch, bytes.count)
      matcher.scan(bytes.extracting(searched..<end), from: &next.position) {
        if found.count <= Self.mostMatchesAtOnce { found.append($0) }
      }
      searched = end
    }
    guard found.count <= Self.mostMatchesAtOnce else {
      return step.refuse("more than \(Self.mostMatchesAtOnce) stop-words in one piece; send it in smaller ones")
    }
    guard found.reduce(0, { $0 + matcher.words[$1.word].utf8.count }) <= Self.mostMatchedBytesAtOnce else {
      return step.refuse(
        "stop-words of more than \(Self.mostMatchedBytesAtOnce) bytes in one piece; send it in smaller ones")
    }
    next.matches += found.count
    if next.matches > 0, step.parameters.policy == .drop {
      next.shown = []
    } else {
      let length = next.shown.count + chunk.utf8.count
      guard length <= Self.longestMessage else {
        return step.refuse(
          "the message would have \(length) bytes, and at most \(Self.longestMessage) are kept; end or reset it")
      }
      next.shown += chunk.utf8
      if step.parameters.policy == .mask { next.mask(found) }
    }
    tell(found, of: matcher, step)
    return next.name == state.name ? .stayAs(next) : .move(to: next)
  }

  private func end(_ step: Step<Self>) -> Reaction<State> {
    let matcher = step.parameters.matcher
    var message = state
    var found: [WordMatcher.Match] = []
    matcher.finish(&message.position) { found.append($0) }
    tell(found, of: matcher, step)
    message.matches += found.count
    switch step.parameters.policy {
    case .drop where message.matches > 0: step.emit(.dropped)
    case .drop, .flag: step.emit(.message(message.text))
    case .mask:
      message.mask(found)
      step.emit(.message(message.text))
    }
    switch message.name {
    case .clean: return .stayAs(State(position: matcher.start))
    case .dirty: return .move(to: State(position: matcher.start))
    }
  }

  private func tell(_ matches: [WordMatcher.Match], of matcher: WordMatcher, _ step: Step<Self>) {
    for match in matches { step.emit(.match(word: matcher.words[match.word], start: match.start, end: match.end)) }
  }
}

extension SpamFilter.State {
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
