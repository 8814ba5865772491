/// A Mermaid state diagram as it was read: states, arrows and data, each with its place in the text.
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
    /// The region that it is in: the one in which it was declared, or else the innermost that mentions it.
    var home = 0
    /// Content of `entry` and `exit`, one for each text.
    var entries: [[XMLDocument.Node]] = []
    var exits: [[XMLDocument.Node]] = []
    /// What leads out of it or is handled in it, in the order of the text.
    var arrows: [Int] = []
    var hasHistory = false
    var hasDeepHistory = false
    /// Arrows from `NAME[H]` and `NAME[H*]` to where they lead for the first time.
    var historyDefault: Int?
    var deepHistoryDefault: Int?
  }

  /// A sequence of states of which one is active: the whole diagram, or what `--` separates.
  struct Region {
    /// The state around it; `nil` for the whole diagram.
    var owner: Int?
    var offset: Int
    /// Arrows from `[*]`.
    var initials: [Int] = []
    /// Arrows from `[H]` and `[H*]` to where they lead for the first time.
    var historyDefault: Int?
    var deepHistoryDefault: Int?
    var hasHistory = false
    var hasDeepHistory = false
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
  }

  var states: [State] = []
  /// The first one is the whole diagram.
  var regions: [Region] = [Region(owner: nil, offset: 0)]
  var arrows: [Arrow] = []
  var data: [Data] = []
  var notes: [Note] = []
  var hasErrors = false

  mutating func error(_ offset: Int, _ message: String) {
    notes.append(Note(severity: .error, offset: offset, message: message))
    hasErrors = true
  }

  mutating func warn(_ offset: Int, _ message: String) {
    notes.append(Note(severity: .warning, offset: offset, message: message))
  }

  /// The region around a region; `nil` for the whole diagram.
  func around(_ region: Int) -> Int? { regions[region].owner.map { states[$0].home } }

  /// The states of each region, in the order of the text.
  var members: [[Int]] {
    var members = [[Int]](repeating: [], count: regions.count)
    for state in states.indices.sorted(by: { (states[$0].offset, $0) < (states[$1].offset, $1) }) {
      members[states[state].home].append(state)
    }
    return members
  }
}

/// The text at an arrow or in a state: `press [count < 3] / count = count + 1, beep`.
struct DiagramLabel {
  enum Trigger {
    case event(PlacedText)
    /// `after 5s`, or a timer that brings an event by name.
    case timer(name: PlacedText?, nanoseconds: Int64, offset: Int)
  }

  var triggers: [Trigger] = []
  /// What the event's data have to be, as a condition.
  var samples: String?
  var condition: PlacedText?
  var isElse = false
  /// `internal` in front: the state is not left.
  var isInternal = false
  /// `always`: there is no event, and not that of the end of the state's block either.
  var isAlways = false
  var content: [XMLDocument.Node] = []
  var offset = 0

  /// Whether it is as good as no label.
  var isEmpty: Bool { triggers.isEmpty && condition == nil && !isElse && content.isEmpty && !isInternal }
}
