internal import Scripts
import LineProtocol

/// A look at a script before it is played: it makes the kinds that the script defines, and holds its words against those
/// of all kinds and machines that it speaks of.
struct Examination {
  let script: Script
  private var check: KindCheck
  /// What the daemon says of kinds that the script does not define.
  private(set) var book: KindBook
  private var definitions: [(kind: String, rows: [ServerLine], step: Int)] = []
  private var mistakes: [(step: Int, failure: RunFailure)] = []
  /// The time of the world, if that is there already, in nanoseconds.
  private var now = Int64.min

  /// The names of machines that are asked about at most; of further ones nothing is known.
  private static let mostNames = 2_000
  /// The machines of one name with a number that are looked at.
  private static let mostNumbered = 100

  /// For a script that gets a world of its own.
  ///
  /// - Parameter book: What is known of kinds that no script defines.
  init(_ script: Script, knowing book: KindBook) {
    self.script = script
    self.book = book
    check = KindCheck(script)
  }

  /// For a script that is played in a world that is there already.
  ///
  /// - Parameter only: The steps to look at; nil for all of which something is certain.
  init(_ script: Script, in world: String, only: Range<Int>? = nil) {
    self.script = script
    book = KindBook(ofNewWorld: false)
    check = KindCheck(script, in: world, only: only)
  }

  /// The steps that it looks at.
  var steps: Range<Int> { check.steps }
  var definesKinds: Bool { !check.definitions.isEmpty }
  /// Whether it has to ask anything.
  var hasQuestions: Bool { definesKinds || check.kinds.contains { !book.has($0) } }

  // MARK: Questions

  /// Asks about the kinds that the script does not define.
  mutating func learnKinds(_ player: RunPlayer) throws(RunLink.Stop) {
    for kind in check.kinds.sorted() { try learn(kind, player) }
  }

  /// Makes the kinds that the script defines.
  ///
  /// - Parameter player: Plays ``Script/definitions`` in a world that is dropped afterwards.
  mutating func define(_ player: RunPlayer) throws(RunLink.Stop) {
    for (place, definition) in check.definitions.enumerated() {
      try player.play(upTo: place + 1)
      let failure = player.result.failure
      player.passOver()
      let (rows, last) = try describe(definition.kind, player)
      let isDefined = last.lineClass == .success
      if isDefined { definitions.append((definition.kind, rows, definition.step)) }
      // Time and version can differ from those in the script's own world, where they are compared.
      if let failure, !isDefined || failure.status != .expectation { mistakes.append((definition.step, failure)) }
    }
  }

  /// Asks which machines the world in use has already.
  mutating func learnMachines(_ player: RunPlayer) throws(RunLink.Stop) {
    now = try player.ask(Verb.world.name).last["t"].flatMap { TimeText.time($0) } ?? .min
    book.names = try list("", limit: Nearest.candidates, player).map(\.words[0])
    for name in check.machineNames().prefix(Self.mostNames) {
      guard let words = try words(of: name, player) else { continue }
      book.learn(machine: name, words)
    }
  }

  /// Asks about a kind and the kinds of its members.
  private mutating func learn(_ kind: String, _ player: RunPlayer) throws(RunLink.Stop) {
    guard !book.has(kind) else { return }
    let (rows, last) = try describe(kind, player)
    book.learn(kind, rows, last)
    for member in book.members(of: kind) { try learn(member, player) }
  }

  private func describe(_ kind: String, _ player: RunPlayer) throws(RunLink.Stop) -> ([ServerLine], ServerLine) {
    let (rows, last, _) = try player.ask("describe \(Word.written(kind))")
    return (rows.compactMap { ServerLine($0) }, last)
  }

  private func list(_ pattern: String, limit: Int, _ player: RunPlayer) throws(RunLink.Stop) -> [ServerLine] {
    try player.ask("list \(pattern) limit=\(limit)").rows.compactMap { ServerLine($0) }.filter { $0.words.count > 1 }
  }

  /// What the machines of a name may be; nil if nobody knows.
  private mutating func words(of name: String, _ player: RunPlayer) throws(RunLink.Stop) -> [KindWords]? {
    let rows = try list(Word.written(name), limit: Self.mostNumbered, player)
    let isNumbered = name.contains("*")
    guard !rows.isEmpty else { return isNumbered ? [] : try wordsOfComposed(name, player) }
    // A pattern also matches the members of what is composed.
    let dots = name.count { $0 == "." }
    guard rows.count < Self.mostNumbered, rows.allSatisfy({ row in row.words[0].count { $0 == "." } == dots }) else {
      return nil
    }
    var all: [KindWords] = []
    for row in rows {
      guard let words = try words(of: row.words[0], kind: row.words[1], player) else { return nil }
      if !all.contains(words) { all.append(words) }
    }
    return all
  }

  private mutating func words(
    of name: String, kind: String, _ player: RunPlayer
  ) throws(RunLink.Stop) -> KindWords? {
    try learn(kind, player)
    guard let words = book.words(kind) else { return nil }
    // A machine keeps the version of its kind that it was made with.
    guard let version = words.version, version != "1" else { return words }
    let rows = try describe(name, player).0
    return rows.first?["machine"] == name ? KindWords(kind, rows) : nil
  }

  /// The words of a name that no machine has, but several may have together.
  private func wordsOfComposed(_ name: String, _ player: RunPlayer) throws(RunLink.Stop) -> [KindWords]? {
    let (rows, last) = try describe(name, player)
    guard last.lineClass == .success else { return last.code == FailureCode.unknownKind.word ? [] : nil }
    guard let kind = rows.first?.words.last, kind != name else { return nil }
    return [KindWords(kind, rows)]
  }

  // MARK: Mistakes

  /// All mistakes, the first with the others in it; nil if there are none.
  mutating func failure() -> RunFailure? {
    var known = book
    for kind in definitions { known.learn(kind.kind, kind.rows, definedBy: kind.step) }
    for mistake in check.mistakes(known, now: now) {
      var failure = RunFailure(mistake)
      failure.hints += Wording.remedy(mistake.answer).map { [$0] } ?? []
      mistakes.append((mistake.step, failure))
    }
    mistakes.sort { $0.step < $1.step }
    guard var first = mistakes.first?.failure else { return nil }
    first.others = mistakes.dropFirst().prefix(ScriptLimits.mistakes - 1).map(\.failure)
    first.more = mistakes.count - 1 - first.others.count
    return first
  }
}
