internal import Scripts
import LineProtocol

/// A check that may be wrong itself: it names a timer, an output, a reading or a state that its kind may not have.
struct RunDoubt {
  enum Subject: String {
    case timer, output, reading, state

    /// The code under which the prompt words such a mistake.
    var code: FailureCode {
      switch self {
      case .timer, .output, .reading: .unknownTimer
      case .state: .badArgument
      }
    }
  }

  let subject: Subject
  let machine: String
  /// What it names.
  let names: [String]
  let step: Script.Step
  let turn: Int32
  /// The index of the word in what the step does.
  let word: Int
  /// The kind of the machine then, if it is known.
  let kind: String?

  init(
    _ subject: Subject, of machine: String, _ names: [String], _ step: Script.Step, turn: Int32, word: Int,
    kind: String? = nil
  ) {
    self.subject = subject
    self.machine = machine
    self.names = names
    self.step = step
    self.turn = turn
    self.word = word
    self.kind = kind
  }

  /// What is looked at only once.
  var subjectOfKind: String { "\(kind ?? "") \(names.joined(separator: ","))" }
}

/// Mistakes of the script that only the daemon can see: names that a kind does not have.
///
/// The daemon is asked only where such a name may be the reason of what came of a check, and only once about each kind,
/// so a script that passes is hardly slower for it.
extension RunPlayer {
  /// Looks at the checks that passed because there was no such reading, up to the first mistake.
  func settleReadings() throws(Stop) {
    let doubts = doubtedReadings
    if !doubts.isEmpty { doubtedReadings = [] }
    for doubt in doubts where readingsSeen.insert(doubt.subjectOfKind).inserted {
      if try settle(doubt) { return }
    }
  }

  /// Asks the daemon whether a kind has what a check names. If not, that becomes the failure.
  func settle(_ doubt: RunDoubt?) throws(Stop) -> Bool {
    guard let doubt, let mistake = try mistake(doubt) else { return false }
    let hasMachine = mistake.code != FailureCode.unknownMachine.word
    turnChecked = doubt.turn
    failure = nil
    fail(
      doubt.step, word: hasMachine ? doubt.word : doubt.subject == .output ? 2 : 1,
      expected: hasMachine ? "a known \(doubt.subject)" : "a machine", got: mistake.note ?? mistake.code, .failed,
      hints: Self.hints(mistake))
    return true
  }

  /// What is wrong with a check, as the prompt would say it; nil if its words are known, or nobody knows.
  private func mistake(_ doubt: RunDoubt) throws(Stop) -> ServerLine? {
    if doubt.subject == .state {
      let answer = try ask("expect \(doubt.machine) \(Word.written(doubt.names[0]))").last
      return answer.code == FailureCode.badArgument.word ? answer : nil
    }
    guard let kind = try kind(in: doubt) else {
      let answer = try ask("show \(doubt.machine)").last
      return answer.code == FailureCode.unknownMachine.word ? answer : nil
    }
    guard let (known, unknown) = try unknown(doubt, to: kind) else { return nil }
    // It may be of an older version of its kind.
    let own = try words(describing: doubt.machine)
    if !own.isEmpty, Self.unknown(doubt, to: own) == nil {
      if doubt.kind != nil { readingsSeen.remove(doubt.subjectOfKind) }
      return nil
    }
    // When the line was played, another machine may have had the name.
    let others = doubt.kind == nil ? try pastKinds(of: doubt.machine) : []
    for other in others where other != kind {
      if try self.unknown(doubt, to: other) == nil { return nil }
    }
    var fields = [ServerLine.Field(key: "allowed", value: known.joined(separator: ","))]
    if let near = Nearest.match(Self.bare(unknown), among: known) {
      fields.append(ServerLine.Field(key: "did-you-mean", value: near))
    }
    return ServerLine(
      lineClass: .failure, tag: nil, words: [doubt.subject.code.word], fields: fields,
      note: "a \(kind) has no \(doubt.subject.rawValue) '\(unknown)'")
  }

  /// The name in a check that a kind does not have, and those that it has; nil if it has all, or nobody knows.
  private func unknown(_ doubt: RunDoubt, to kind: String) throws(Stop) -> (known: [String], unknown: String)? {
    if wordsOfKinds[kind] == nil { wordsOfKinds[kind] = try words(describing: kind) }
    return Self.unknown(doubt, to: wordsOfKinds[kind] ?? [])
  }

  private static func unknown(_ doubt: RunDoubt, to words: [[String]]) -> (known: [String], unknown: String)? {
    let known = words.filter { $0[0] == doubt.subject.rawValue }.map { $0[1] }
    guard !words.isEmpty, !known.contains("*"), let unknown = doubt.names.first(where: { !isKnown($0, known) }) else {
      return nil
    }
    return (known, unknown)
  }

  /// The first words of each row about a kind, or about a machine; none if there is no such.
  private func words(describing name: String) throws(Stop) -> [[String]] {
    try ask("describe \(Word.written(name))").rows.compactMap { ServerLine($0)?.words }.filter { $0.count > 1 }
  }

  private static func isKnown(_ name: String, _ known: [String]) -> Bool {
    known.contains(name) || known.contains(bare(name))
  }

  /// The name of a timer without its key: `alert` of `alert(3)`.
  private static func bare(_ name: String) -> String { String(name.prefix { $0 != "(" }) }

  /// The kind of the machine, which may be gone meanwhile; nil if it cannot be found.
  private func kind(in doubt: RunDoubt) throws(Stop) -> String? {
    if let kind = doubt.kind { return kind }
    if let words = try ask("list \(doubt.machine)").rows.first.flatMap({ ServerLine($0)?.words }), words.count > 1 {
      return words[1]
    }
    return try pastKinds(of: doubt.machine).last
  }

  /// The kinds of all machines that have had a name, oldest first.
  private func pastKinds(of machine: String) throws(Stop) -> [String] {
    var kinds: [String] = []
    var next: UInt64 = 1
    while true {
      let lines = try ask("journal \(machine) since=\(next) limit=\(Self.inputsAtOnce) what=moves").rows
        .compactMap { ServerLine($0)?.words }.filter { $0.count > 3 }
      guard let last = lines.last.flatMap({ UInt64($0[0]) }) else { return kinds }
      for line in lines where line[3] == "created" && line.count > 4 { kinds.append(line[4]) }
      next = last + 1
    }
  }

  /// How many inputs of the journal are read at once.
  private static let inputsAtOnce = 10_000
}
