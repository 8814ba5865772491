import LineProtocol

/// A state diagram as it was read: states, arrows and data, each with its place in the text.
struct Diagram {
  struct State {
    enum Kind { case plain, final, choice, fork, join }

    var id: String
    var kind = Kind.plain
    /// Where the state was declared, or first mentioned.
    var offset: Int
    /// The region in which it was declared.
    var declared: Int?
    /// The regions in which arrows and texts mention it, each once.
    var mentions: [Int] = []
    /// The regions within it.
    var regions: [Int] = []
    /// The line of its block, if it has one.
    var block: Int?
    /// The region that it is in, once the whole text was read: see ``findHomes(_:)``.
    var home = 0
    /// Content of `entry` and `exit`, one for each text.
    var entries: [[XMLDocument.Node]] = []
    var exits: [[XMLDocument.Node]] = []
    /// What pictures show instead of the id; "" for the id.
    var title = ""
    var descriptions: [String] = []
    /// Whether it has a text.
    var isDescribed = false
    /// What leads out of it or is handled in it, in the order of the text.
    var arrows: [Int] = []
    /// Whether an arrow from it or to it could not be read.
    var isFaulty = false
    /// `NAME[H]` and `NAME[H*]`.
    var histories = Histories()
  }

  /// The histories that are mentioned, with the arrow of each to where it leads for the first time.
  struct Histories {
    private var arrows: [Bool: Int?] = [:]

    var isEmpty: Bool { arrows.isEmpty }
    func contains(isDeep: Bool) -> Bool { arrows[isDeep] != nil }

    subscript(isDeep: Bool) -> Int? {
      get { arrows[isDeep] ?? nil }
      set { arrows[isDeep] = .some(newValue) }
    }
  }

  /// A sequence of states of which one is active: the whole diagram, or what `--` separates.
  struct Region {
    /// The state around it; `nil` for the whole diagram.
    var owner: Int?
    var offset: Int
    /// Arrows from `[*]`.
    var initials: [Int] = []
    /// `[H]` and `[H*]`.
    var histories = Histories()
    var hasFinal = false
  }

  enum End {
    case state(Int)
    /// `[*]` of a region: its beginning as a source, its end as a target.
    case edge(region: Int)
    /// The history of a state.
    case history(of: Int, isDeep: Bool)
    /// The history of a region in which it stands.
    case regionHistory(Int, isDeep: Bool)

    var state: Int? { if case .state(let state) = self { state } else { nil } }
  }

  struct Arrow {
    var source: End
    /// `nil` for what is handled within a state.
    var target: End?
    var label: DiagramLabel
    var offset: Int
    var targetOffset: Int
  }

  struct Data {
    var name: PlacedText
    var value: PlacedText?
  }

  /// A mistake or a warning at a place of the text.
  struct Note {
    var severity: Finding.Severity
    var offset: Int
    var message: String
    /// What the message ends with where there is no proposal.
    var hint = ""
    /// What may stand from the place to the end of the line instead.
    var write: String?
    /// Whether something is missing that only the author knows, so that nothing is proposed.
    var isOpen = false
    /// Whether a strict reading has a finding of its own for it.
    var isFoundStrictly = false
  }

  var states: [State] = []
  /// Whether no arrow has an event, so that each was given one.
  var hasGivenEvents = false
  /// Whether there are regions outside of all blocks.
  var hasOuterRegions = false
  /// Whether a state that nothing declares is where it is mentioned first, and not in the innermost such block.
  var isHomeFirst = false
  /// The first one is the whole diagram.
  var regions: [Region] = [Region(owner: nil, offset: 0)]
  var arrows: [Arrow] = []
  var data: [Data] = []
  var notes: [Note] = []
  /// How many of the notes are errors.
  private(set) var errors = 0
  var hasErrors: Bool { errors > 0 }
  /// Names that guards have and nothing declares, in the order of the text.
  var conditions: [ChartCondition] = []
  /// What events that are named after words are called in the diagram.
  var eventTexts: [String: String] = [:]
  /// Data of events that actions use by the names in the event's parentheses.
  var namedData: Set<String> = []
  /// What timers are called in the diagram, by the places of their triggers.
  var timerTexts: [Int: String] = [:]

  mutating func error(
    _ offset: Int, _ message: String, hint: String = "", write: String? = nil, isOpen: Bool = false
  ) {
    notes.append(
      Note(severity: .error, offset: offset, message: message, hint: hint, write: write, isOpen: isOpen))
    errors += 1
  }

  /// Says how something was read that has no formal meaning.
  mutating func assume(
    _ offset: Int, _ message: String, hint: String = "", write: String? = nil, isFoundStrictly: Bool = false
  ) {
    notes.append(
      Note(
        severity: .note, offset: offset, message: message, hint: hint, write: write, isFoundStrictly: isFoundStrictly))
  }

  mutating func assume(arrow: Int, _ message: String, isFoundStrictly: Bool = false) {
    assume(arrows[arrow].offset, message, isFoundStrictly: isFoundStrictly)
  }

  mutating func warn(_ offset: Int, _ message: String, hint: String = "", write: String? = nil) {
    notes.append(Note(severity: .warning, offset: offset, message: message, hint: hint, write: write))
  }

  /// The states of each region, in the order of the text.
  var members: [[Int]] {
    var members = [[Int]](repeating: [], count: regions.count)
    for state in states.indices.sorted(by: { (states[$0].offset, $0) < (states[$1].offset, $1) }) {
      members[states[state].home].append(state)
    }
    return members
  }

  /// The state that an arrow leads to.
  func target(of arrow: Int) -> Int? { arrows[arrow].target?.state }
}

/// The text at an arrow or in a state: `press [count < 3] / count = count + 1, beep`.
struct DiagramLabel {
  enum Trigger {
    case event(PlacedText)
    /// `after 5s`, or a timer that brings an event by name.
    case timer(name: PlacedText?, nanoseconds: Int64, offset: Int)
  }

  var triggers: [Trigger] = []
  /// What the event's data have to be.
  var samples: EventSamples?
  var condition: PlacedText?
  /// The guard as an expression, where the diagram has it in words or with names that nothing declares.
  var expression: String?
  /// Whether the guard is no formal one: it is in words, or stands without brackets.
  var isWorded = false
  /// The names in the guard that nothing declares.
  var conditions: [ChartCondition] = []
  /// Values of conditions that the guard compares them with, or that lie beside these, and all for which it is true.
  var valuesOfConditions: [[(key: String, text: String)]] = []
  /// Whether the guard says no more than where the arrow leads: another one has the same event.
  var isAlternative = false
  /// Words where there is no event: at an arrow that says where something begins.
  var remark: PlacedText?
  var isElse = false
  /// Whether it was `else` at an arrow that is no choice's: it comes after the others, and has no guard.
  var isLast = false
  /// `internal` in front: the state is not left.
  var isInternal = false
  /// An action as the formal notation has it, with its place.
  typealias Action = (offset: Int, text: String)

  var actions: [Action] = []
  /// `always`: there is no event, and not that of the end of the state's block either.
  var isAlways = false
  var content: [XMLDocument.Node] = []
  var offset = 0

  /// The first event, or nothing.
  var firstWords: String { events.first ?? "" }

  /// The guard as an expression.
  var guardExpression: String? { expression ?? condition?.string }

  /// The names of the events that trigger it, without those of timers.
  var events: [String] {
    triggers.compactMap { trigger in if case .event(let name) = trigger { name.string } else { nil } }
  }

  var isUnguarded: Bool { condition == nil && !isElse }

  var isTimed: Bool { triggers.contains { if case .timer = $0 { true } else { false } } }

  /// Whether it is as good as no label.
  var isEmpty: Bool { triggers.isEmpty && condition == nil && !isElse && content.isEmpty && !isInternal }
}

/// The data that an event has to have for an arrow: `(softly)`, `(on|off)`, `(failed=true)`.
struct EventSamples {
  /// With its parentheses.
  var text: String
  /// What is asked of the event, as an expression.
  var expression: String
  /// Data for which that is true, as JSON.
  var data: [String]
  /// What is between the commas, if these are all names, as of the parameters of a function.
  var names: [String] = []

  /// - Parameter inner: What stands in the parentheses.
  init(_ inner: PlacedText) {
    text = "(\(inner.string))"
    var listed: [String] = []
    var conditions: [String] = []
    (expression, data) = ("", [])
    let parts = inner.split(",").map(\.string)
    if parts.allSatisfy(Parser.isVariable) { names = parts }
    for alternative in inner.split("|") {
      let parts = alternative.split(",").map(\.string)
      let members = parts.compactMap(Self.member(of:))
      if members.count == parts.count {
        let all = members.map { Self.comparison(of: "String((_event.data || {}).\($0.key))", with: $0.value) }
        conditions.append(all.joined(separator: " && "))
        add(members.map { (key: $0.key, text: $0.value) })
      } else {
        listed.append(DiagramReader.quoted(parts.joined(separator: ",")))
        if parts.count == 1, !parts[0].isEmpty { add([("value", parts[0])]) }
      }
    }
    if !listed.isEmpty {
      let list = listed.joined(separator: ", ")
      conditions.append("[\(list)].includes(Object.values(_event.data || {}).join(','))")
    }
    expression = conditions.count == 1 ? conditions[0] : conditions.map { "(\($0))" }.joined(separator: " || ")
  }

  private mutating func add(_ members: [(key: String, text: String)]) {
    if let text = ChartData.text(of: members) { data.append(text) }
  }

  /// A flag is `on` or `true`, as somebody likes it.
  private static func comparison(of expression: String, with value: String) -> String {
    let words = [["on", "true"], ["off", "false"]].first { $0.contains(value) }
    guard let words else { return "\(expression) == \(DiagramReader.quoted(value))" }
    return "[\(words.map(DiagramReader.quoted).joined(separator: ", "))].includes(\(expression))"
  }

  /// `failed=true`, `failed: true`; `nil` for a value alone. `12:30` is one, without a blank.
  private static func member(of text: String) -> (key: String, value: String)? {
    guard let sign = text.firstIndex(of: "=") ?? text.find(": ")?.lowerBound else { return nil }
    let key = text[..<sign].split(separator: " ").joined(separator: " ")
    let value = text[text.index(after: sign)...].drop { $0 == " " || $0 == "=" }
    return Parser.isVariable(key) && !value.isEmpty ? (key, String(value)) : nil
  }
}

/// A name in guards that nothing declares: a parameter of the kind, which the data of an event override for its input.
struct ChartCondition: Hashable, Sendable {
  enum Form: Hashable, Sendable {
    /// On or off.
    case flag
    /// A flag that is off at first, since only its opposite is asked for.
    case denied
    case number
    /// A number that another one is compared with, and is below at first: `max` in `n >= max`.
    case limit
    case text

    /// The value of a machine that is made without the parameter.
    var otherwise: String {
      switch self {
      case .flag: "on"
      case .denied: "off"
      case .number: "0"
      case .limit: "1"
      case .text: ""
      }
    }

    /// The same as a value of the expression language.
    var literal: String {
      switch self {
      case .flag: "true"
      case .denied: "false"
      case .number, .limit: otherwise
      case .text: "''"
      }
    }

    var isNumber: Bool { self == .number || self == .limit }

    /// The other value of a flag; nil for anything else.
    var opposite: String? {
      switch self {
      case .flag: "off"
      case .denied: "on"
      case .number, .limit, .text: nil
      }
    }
  }

  var name: String
  var form: Form
}
