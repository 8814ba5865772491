/// What the plain words of a line from the daemon are, in order: the names of their members in `mode json`.
///
/// Written as the documentation writes lines: `reading NAME VALUE [UNIT]`. A word in lower case stands for itself and
/// becomes the member `what`, a second one `sort`. One in capitals becomes a member of that name, in brackets if it may
/// be missing; with `…` it is a list of all words that are left. `(USAGE)` is the line as written up to its text, with
/// what looks like keys.
package struct ReplyShape: Sendable {
  struct Token: Sendable {
    /// The name of the member.
    let member: [UInt8]
    /// The only word that fits here; `nil` for any.
    let literal: [UInt8]?
    let isOptional: Bool
    let isList: Bool
    /// Whether its word is a number, if it is written as one.
    let isNumber: Bool
  }

  /// As written in the table.
  package let text: String
  let tokens: [Token]
  /// Whether the words are one text.
  let isAsWritten: Bool
  private let count: ClosedRange<Int>

  init(_ text: String) {
    self.text = text
    isAsWritten = text.hasPrefix("(")
    var literals = ["what", "sort"][...]
    tokens = text.split(separator: " ").map { word in
      let isOptional = word.hasPrefix("[")
      let isList = word.hasSuffix("…")
      let name = word.filter { $0.isLetter }
      let isLiteral = name.first?.isLowercase == true
      let member = isLiteral ? literals.popFirst() ?? "word" : name.lowercased()
      return Token(
        member: Array(member.utf8), literal: isLiteral ? Array(word.utf8) : nil, isOptional: isOptional,
        isList: isList, isNumber: ReplyShape.numbers.contains(member))
    }
    let least = tokens.count { !$0.isOptional && !$0.isList }
    count = least...(isAsWritten || tokens.last?.isList == true ? Int.max : tokens.count)
  }

  /// The names of its members, in order.
  package var members: [String] { tokens.map { String(decoding: $0.member, as: UTF8.self) } }

  /// The members of words that are numbers if they are written as such.
  package static let numbers: Set<String> = [
    "seq", "t", "due", "value", "lines", "count", "machines", "patterns", "activity",
  ]

  private func fits(_ parts: LineParts, _ line: UnsafeRawBufferPointer) -> Bool {
    guard count.contains(parts.words.count) || isAsWritten else { return false }
    for (token, word) in zip(tokens, parts.words) {
      guard let literal = token.literal else { continue }
      guard line[word].elementsEqual(literal) else { return false }
    }
    return true
  }

  /// The shape of a line; `nil` if none fits.
  ///
  /// - Parameter verb: That of the request it answers; `nil` for an answer that a client gives itself.
  static func of(_ parts: LineParts, _ line: UnsafeRawBufferPointer, answering verb: Verb?) -> ReplyShape? {
    if parts.words.isEmpty, parts.lineClass == .success { return bare }
    let shapes: [ReplyShape] =
      switch parts.lineClass {
      case .notice: history
      case .flow: flow
      case .failure: failure
      case .data: verb == .journal ? history : (verb?.replyShapes ?? ofClients).data
      case .success: (verb?.replyShapes ?? ofClients).success
      }
    if let shape = shapes.first(where: { $0.fits(parts, line) }) { return shape }
    return parts.lineClass == .success && greeting.fits(parts, line) ? greeting : nil
  }

  /// All shapes of a class, those with the most words first. Of those that fit the members of an object, the first is
  /// the shape of its line: no key follows words that it could continue.
  static func all(_ lineClass: LineClass) -> [ReplyShape] {
    switch lineClass {
    case .notice: history
    case .flow: flow
    case .failure: failure
    case .data: allOfData
    case .success: allOfSuccess
    }
  }

  private static let allOfData = longestFirst(history + (Verb.allReplyShapes + [ofClients]).flatMap(\.data))
  private static let allOfSuccess = longestFirst(
    (Verb.allReplyShapes + [ofClients]).flatMap(\.success) + [greeting, bare])

  private static func longestFirst(_ shapes: [ReplyShape]) -> [ReplyShape] {
    shapes.sorted { $0.tokens.count > $1.tokens.count }
  }

  /// Notices, and lines of `journal`.
  package static let history = [
    "created KIND STATE", "moved FROM TO", "output OUTPUT DATA…", "told OUTPUT DATA…", "dropped", "stayed STATE",
    "ignored STATE", "refused STATE", "expired TIMER", "armed TIMER", "disarmed TIMER", "wired OUTPUT TO EVENT",
    "unwired OUTPUT TO EVENT", "pointed [STATE]", "undone", "redone", "defined KIND", "undefined KIND", "clock",
  ].map { ReplyShape("SEQ T NAME " + $0) }

  /// A success without words, which `cancel` has out of turn.
  private static let bare = ReplyShape("")
  private static let greeting = ReplyShape("fsmd")
  /// Answers that `fsmrepl` gives itself: to `help` of its own words, `save`, `record` and the like.
  private static let ofClients = ReplyShapes(
    data: ["example", "note", "(USAGE)"], "LINES", "off", "saved FILE", "exported FILE", "recording FILE",
    "recorded FILE")
  static let flow = [ReplyShape("WHAT")]
  static let failure = [ReplyShape("CODE")]
}

extension ReplyShape {
  /// The keys of the lines that end replies, successes first.
  package static let endKeys = [
    "t", "seq", "outputs", "moved", "stayed", "ignored", "refused", "fired", "members", "effect", "into", "from",
    "to", "way", "since", "version", "states", "events", "batch", "world", "clock", "speed", "paused", "service",
    "machine", "state", "event", "timer", "allowed", "ignores", "verb", "kind", "count", "line", "column", "missing",
    "argument", "got", "expected", "owner", "index", "name", "value", "limit", "output", "done", "durable",
    "did-you-mean", "id", "first", "last", "host",
    "omitted",
  ]
}

extension Verb {
  /// The keys of the line that ends a success; nil where it can have any of ``ReplyShape/endKeys``.
  package var successKeys: [String]? {
    let stamp = ["t", "seq"]
    return switch self {
    case .send, .fire: stamp + ["outputs"]
    case .cast: ["moved", "stayed", "ignored", "refused"] + stamp
    case .new: stamp + ["members"]
    case .drop, .wire, .unwire, .undefine, .await: stamp
    case .advance, .step: ["fired"] + stamp
    case .undo, .redo, .goto: ["paused"] + stamp
    case .client: ["last"]
    case _: nil
    }
  }
}

/// The lines of the reply to a verb.
package struct ReplyShapes: Sendable {
  /// Lines of data; the first that fits counts.
  package let data: [ReplyShape]
  package let success: [ReplyShape]

  fileprivate init(data: [String] = [], _ success: String...) {
    self.data = data.map(ReplyShape.init)
    self.success = success.map(ReplyShape.init)
  }
}

extension Verb {
  /// The shapes of the lines that answer this verb. Lines of diagrams and scripts are a text each and have no shape.
  package var replyShapes: ReplyShapes { Verb.allReplyShapes[Int(rawValue)] }

  fileprivate static let allReplyShapes = allCases.map(\.shapes)

  private var shapes: ReplyShapes {
    let lines = "LINES"
    let outcomes = ["moved FROM TO", "stayed STATE", "ignored STATE"]
    return switch self {
    case .help: ReplyShapes(data: ["example", "(USAGE)"], lines)
    case .kinds: ReplyShapes(data: ["NAME"], lines)
    case .describe:
      ReplyShapes(
        data: ["wire FROM OUTPUT TO EVENT"]
          + ["kind", "state", "event", "timer", "output", "told", "reading", "parameter", "member"].map { "\($0) NAME" }
          + ["legend NAME INPUTS…", "origin", "reason", "table", "example"], lines)
    case .define: ReplyShapes(data: ["PLACE SEVERITY"], "defined KIND", "resource PATH")
    case .new: ReplyShapes("created NAME [STATE]")
    case .drop: ReplyShapes("dropped NAME")
    case .list: ReplyShapes(data: ["NAME KIND STATE"], lines)
    case .count: ReplyShapes(data: ["KIND STATE COUNT"], lines)
    case .show:
      ReplyShapes(
        data: ["state STATE", "reading NAME VALUE [UNIT]", "timer NAME", "error TEXT", "allowed EVENTS…"],
        lines)
    case .can: ReplyShapes(data: ["EVENT ARGUMENTS…"], "yes", "no", lines)
    case .send, .fire: ReplyShapes(outcomes[0], outcomes[1], outcomes[2])
    case .cast: ReplyShapes("MACHINES")
    case .wires: ReplyShapes(data: ["FROM OUTPUT TO EVENT"], lines)
    case .watch, .unwatch: ReplyShapes("watching PATTERNS")
    case .journal, .wave, .script, .graph: ReplyShapes(lines)
    case .coverage:
      ReplyShapes(
        data: ["kind KIND", "region KIND REGION"]
          + ["untried", "tried"].flatMap { word in
            [
              "region REGION STATE", "state STATE", "transition FROM TO", "pair STATE EVENT", "timer TIMER END",
              "guard STATE", "switch FROM FIRST STATE SECOND TO",
            ].map { "\(word) KIND \($0)" }
          } + ["more KIND OF COUNT"], lines)
    case .clock: ReplyShapes("clock CLOCK")
    case .advance: ReplyShapes("advanced")
    case .step: ReplyShapes("stepped")
    case .agenda: ReplyShapes(data: ["DUE NAME TIMER"], lines)
    case .await: ReplyShapes("reached STATE")
    case .expect: ReplyShapes("STATE")
    case .world: ReplyShapes("", "created WORLD", "dropped WORLD", "shared WORLD ACCESS", "unshared WORLD")
    case .who: ReplyShapes(data: ["USER"], lines)
    case .worlds: ReplyShapes(data: ["WORLD out-of-service", "WORLD"], lines)
    case .diff:
      ReplyShapes(
        data: [
          "time FIRST SECOND", "only WORLD NAME KIND STATE", "hidden NAME STATE", "wire WORLD FROM OUTPUT TO EVENT",
        ] + ["kind", "state"].map { "\($0) NAME FIRST SECOND" }
          + ["parameter PARAMETER", "reading READING", "timer TIMER"].map { sort in
            let words = sort.split(separator: " ")
            return "\(words[0]) NAME \(words[1]) FIRST SECOND"
          }, lines)
    case .discard: ReplyShapes("discarded LINES")
    case .client: ReplyShapes("client NAME")
    case .limits, .stats: ReplyShapes(data: ["NAME VALUE UNIT"], lines)
    case .activities: ReplyShapes(data: ["ACTIVITY"], lines)
    case .undefine, .wire, .unwire, .point, .speed, .pause, .resume, .cancel, .undo, .redo, .goto, .use, .begin, .end,
      .quiet, .mode,
      .sync, .quit, .shutdown:
      ReplyShapes("")
    }
  }
}
