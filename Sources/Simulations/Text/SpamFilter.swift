public import StateMachines

/// A filter that searches messages for stop-words. A message comes in pieces of any length.
///
/// | state | text, char | end | reset |
/// | --- | --- | --- | --- |
/// | clean | stayed; with a stop-word → dirty, match | stayed, message; after a last match as in dirty | stayed |
/// | dirty(matches) | stayed, match for each further one | → clean, message or dropped | → clean |
///
/// Each stop-word found is emitted as `match(word,start,end)`, in the order of the ends, and of two with the same end
/// the longer first. Matches may overlap. Places count the characters of the message from 0, and `end` is the place
/// after the last one. A character is a Unicode scalar, so the cuts between pieces change nothing. The word is spelled
/// as in `words`.
///
/// At `end` the policy applies to a dirty message: `mask` writes `*` for every character of every match, `drop` emits
/// only `dropped`, and `flag` emits the message unchanged. A clean message always passes. Then the next message begins.
///
/// With `wholeWord` a stop-word counts only if no letter, digit, accent or low line touches it. Its match is emitted
/// when the next character is known, which may be at `end`. Case is folded character by character (`ß` is not `ss`).
/// Stop-words are taken as written between the commas, spaces included.
///
/// A message is kept until it ends, up to ``longestMessage``. A piece is refused as a whole if it makes the message
/// longer than that, or has more than ``mostMatchesAtOnce`` or ``mostMatchedBytesAtOnce``. A message that will be
/// dropped is not kept.
public struct SpamFilter: Machine {
  /// The most bytes of UTF-8 in a message.
  public static let longestMessage = 65_536
  /// The most matches in a piece.
  public static let mostMatchesAtOnce = 10_000
  /// The most bytes of the words of all matches in a piece.
  public static let mostMatchedBytesAtOnce = 262_144
  /// The number of bytes to search before the matches are counted.
  private static let stretch = 4_096

  /// The message so far.
  public struct State: StateWithData {
    var position = WordMatcher.Position()
    /// The text to show at the end, already masked if the policy is `mask`; empty for a message to drop.
    var shown: [UInt8] = []
    /// The number of stop-words found.
    var matches = 0

    public enum Name: NamedCases { case clean, dirty }

    public var name: Name { matches == 0 ? .clean : .dirty }
    public var data: String? { matches == 0 ? nil : "\(matches)" }
    public static var carriesData: Bool { true }
  }

  /// What of the message so far decides how it goes on: neither its text nor its length.
  public struct Essence: Encodable {
    fileprivate let place: UInt32
    let decoder: ScalarDecoder
    /// Latest first.
    let recent: [Bool]
    let waiting: [Int]
    let isDirty: Bool
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

  /// The place in the automaton of the words.
  public func place(for parameters: Parameters) -> String? {
    parameters.matcher.states <= WordLimits.places ? "q\(state.position.state)" : nil
  }

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
    var chunk = chunk
    chunk.withUTF8 { bytes in
      var searched = 0
      while searched < bytes.count, found.count <= Self.mostMatchesAtOnce {
        let end = min(searched + Self.stretch, bytes.count)
        matcher.scan(bytes[searched..<end], from: &next.position) {
          if found.count <= Self.mostMatchesAtOnce { found.append($0) }
        }
        searched = end
      }
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
    // For each character, how many more matches begin there than end.
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

extension SpamFilter.State: PartlyIncidental {
  public func essence(for parameters: any ParameterSet) -> SpamFilter.Essence {
    let count = position.recent.count
    return SpamFilter.Essence(
      place: position.state, decoder: position.decoder,
      recent: (0..<count).map { position.recent[((position.offset - 1 - $0) % count + count) % count] },
      waiting: position.waiting.map(\.word), isDirty: matches > 0)
  }
}
