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

  init(
    _ subject: Subject, of machine: String, _ names: [String], _ step: Script.Step, turn: Int32, word: Int
  ) {
    self.subject = subject
    self.machine = machine
    self.names = names
    self.step = step
    self.turn = turn
    self.word = word
  }
}

/// Mistakes of the script that only the daemon can see: names that a kind does not have.
///
/// The daemon is asked only where such a name may be the reason of what came of a check, so a script that passes is not
/// slower for it.
extension RunPlayer {
  /// Looks at the check that failed; if none did, at those that passed because there is no such reading now.
  func settleDoubts() throws(Stop) {
    if failure != nil {
      _ = try settle(doubt)
    } else {
      for doubt in doubtedReadings.values.sorted(by: { $0.step.line < $1.step.line }) where try settle(doubt) { return }
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
    guard let kind = try kind(of: doubt.machine) else {
      let answer = try ask("show \(doubt.machine)").last
      return answer.code == FailureCode.unknownMachine.word ? answer : nil
    }
    let rows = try ask("describe \(Word.written(kind))")
    guard rows.last.lineClass == .success else { return nil }
    let known = rows.rows.compactMap { ServerLine($0)?.words }.filter {
      $0.count > 1 && $0[0] == doubt.subject.rawValue
    }.map { $0[1] }
    guard !known.contains("*"), let unknown = doubt.names.first(where: { !Self.isKnown($0, known) }) else { return nil }
    var fields = [ServerLine.Field(key: "allowed", value: known.joined(separator: ","))]
    if let near = Nearest.match(Self.bare(unknown), among: known) {
      fields.append(ServerLine.Field(key: "did-you-mean", value: near))
    }
    return ServerLine(
      lineClass: .failure, tag: nil, words: [doubt.subject.code.word], fields: fields,
      note: "a \(kind) has no \(doubt.subject.rawValue) '\(unknown)'")
  }

  private static func isKnown(_ name: String, _ known: [String]) -> Bool {
    known.contains(name) || known.contains(bare(name))
  }

  /// The name of a timer without its key: `alert` of `alert(3)`.
  private static func bare(_ name: String) -> String { String(name.prefix { $0 != "(" }) }

  /// The kind of a machine, which may be gone meanwhile; nil if it cannot be found.
  private func kind(of machine: String) throws(Stop) -> String? {
    if let words = try ask("list \(machine)").rows.first.flatMap({ ServerLine($0)?.words }), words.count > 1 {
      return words[1]
    }
    let first = try ask("journal \(machine) since=1 limit=1").rows.first.flatMap { ServerLine($0)?.words } ?? []
    return first.count > 4 && first[3] == "created" ? first[4] : nil
  }
}
