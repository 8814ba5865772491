import LineProtocol
internal import Scripts

/// What machines have covered of their kinds, in all worlds of a run together, from the answers to
/// `coverage list=all`.
///
/// Kinds are told apart by their names alone: of two scripts that define kinds of one name, both count as one kind.
struct RunCoverage: Equatable, Sendable {
  /// What is counted.
  enum Level: String, CaseIterable, Sendable { case states, transitions, guards, timers, switches }

  /// How much of each kind has to be covered.
  struct Floor: Equatable, Sendable {
    let level: Level
    let percent: Int

    /// `N%` of the transitions, or `LEVEL=N%`; nil for any other text.
    init?(_ text: String) {
      let parts = text.split(separator: "=", omittingEmptySubsequences: false)
      guard let level = parts.count == 1 ? .transitions : Level(rawValue: String(parts[0])), parts.count < 3,
        let percent = parts.last.flatMap({ TransitionCoverage.percent($0) })
      else { return nil }
      self.level = level
      self.percent = percent
    }
  }

  /// One thing that machines of a kind can do.
  struct Item: Equatable, Sendable {
    /// Its words in the answer, without `lacks=`.
    let text: String
    /// The words and fields themselves, for a picture.
    let words: [String]
    let trigger: String?
    /// What is left to do for it: of a guard, the outcomes that have not happened. Empty if it was tried.
    fileprivate(set) var lacks: Set<String>

    var isReached: Bool { lacks.isEmpty }
  }

  struct Kind: Equatable, Sendable {
    let name: String
    /// Whether the daemon could not find out all that there is.
    fileprivate(set) var isPartial = false
    /// By level, in the order in which they came.
    fileprivate(set) var items: [Level: [Item]] = [:]
    private var places: [Level: [String: Int]] = [:]

    fileprivate init(name: String) { self.name = name }

    fileprivate mutating func add(_ item: Item, at level: Level) {
      if let index = places[level]?[item.text] {
        items[level]?[index].lacks.formIntersection(item.lacks)
      } else {
        places[level, default: [:]][item.text] = items[level]?.count ?? 0
        items[level, default: []].append(item)
      }
    }

    func untried(_ level: Level) -> [Item] { (items[level] ?? []).filter { !$0.isReached } }

    func figure(_ level: Level) -> (reached: Int, all: Int) {
      let items = items[level] ?? []
      return (items.count { $0.isReached }, items.count)
    }

    /// Whether so much is covered. Of what there is none of, all is.
    func reaches(_ floor: Floor) -> Bool {
      let (reached, all) = figure(floor.level)
      return reached * 100 >= floor.percent * all
    }
  }

  private var byName: [String: Kind] = [:]

  /// By name.
  var kinds: [Kind] { byName.values.sorted { $0.name < $1.name } }

  init() {}

  /// - Parameter rows: Of an answer to `coverage list=all`.
  init(_ rows: [ServerLine]) {
    for row in rows where row.words.count > 1 {
      let name = row.words[1]
      var kind = byName[name] ?? Kind(name: name)
      switch row.words[0] {
      case "kind": kind.isPartial = row["graph"] == "partial"
      case "tried", "untried": if let (item, level) = Self.item(row) { kind.add(item, at: level) }
      case _: continue
      }
      byName[name] = kind
    }
  }

  private static func item(_ row: ServerLine) -> (Item, Level)? {
    guard row.words.count > 3 else { return nil }
    let level: Level
    switch row.words[2] {
    case "state": level = .states
    case "transition": level = .transitions
    case "guard": level = .guards
    case "timer" where row.words.last == "expired": level = .timers
    case "switch": level = .switches
    case _: return nil
    }
    let words = Array(row.words.dropFirst(3))
    let fields = row.fields.filter { $0.key != "lacks" }.map { "\($0.key)=\(Word.written($0.value))" }
    let text = ((level == .timers ? words.dropLast() : words).map { Word.written($0) } + fields).joined(separator: " ")
    let isTried = row.words[0] == "tried"
    // Only a guard lacks something in particular.
    let lacks = row["lacks"].map { $0.split(separator: ",").map(String.init) } ?? [""]
    return (
      Item(text: text, words: words, trigger: row["event"] ?? row["timer"], lacks: isTried ? [] : Set(lacks)), level
    )
  }

  /// Adds what another world has seen.
  mutating func add(_ other: RunCoverage) {
    for (name, kind) in other.byName {
      guard var known = byName[name] else {
        byName[name] = kind
        continue
      }
      known.isPartial = known.isPartial || kind.isPartial
      for (level, items) in kind.items { for item in items { known.add(item, at: level) } }
      byName[name] = known
    }
  }

  /// The report for programs, with a line for each kind.
  var json: String {
    let rows = kinds.map { kind in
      let levels = Level.allCases.map { level in
        let (reached, all) = kind.figure(level)
        let untried = kind.untried(level).map { JSONWriter.quoted($0.description) }.joined(separator: ",")
        return "\"\(level.rawValue)\":{\"reached\":\(reached),\"all\":\(all),\"untried\":[\(untried)]}"
      }
      let partial = kind.isPartial ? ",\"partial\":true" : ""
      return "{\"kind\":\(JSONWriter.quoted(kind.name)),\(levels.joined(separator: ","))\(partial)}"
    }
    return "{\"kinds\":[\n\(rows.joined(separator: ",\n"))\n]}\n"
  }

  /// A line for each kind of which too little is covered.
  func misses(of floor: Floor) -> [String] {
    guard !byName.isEmpty else { return ["no machine was made, so nothing is covered"] }
    return kinds.filter { !$0.reaches(floor) }.map {
      let (reached, all) = $0.figure(floor.level)
      return
        "\($0.name): \(reached * 100 / max(1, all))% of the \(floor.level.rawValue) (\(reached) of \(all)), which is below \(floor.percent)%"
    }
  }
}

extension RunCoverage.Item: CustomStringConvertible {
  var description: String {
    let outcomes = lacks.filter { !$0.isEmpty }.sorted()
    return outcomes.isEmpty ? text : "\(text) lacks=\(outcomes.joined(separator: ","))"
  }
}
