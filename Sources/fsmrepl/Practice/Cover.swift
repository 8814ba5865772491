internal import Glibc
internal import LineProtocol
internal import Scripts

/// How many of a machine's transitions have been taken, and which have not. It sends nothing and shows nothing.
struct Cover: Equatable {
  let machine: String
  private(set) var coverage = TransitionCoverage([])
  /// The events that were sent to the machine since the beginning.
  private(set) var inputs = 0

  /// The transitions that the meter names.
  static let maxNamed = 3
  /// The width of its bar, in columns.
  private static let width = 20

  init(machine: String) {
    self.machine = machine
  }

  /// Whether nothing is missing; so it is where there are no transitions.
  var isComplete: Bool { coverage.reaches(100) }

  /// Takes the answer to `coverage`.
  ///
  /// - Returns: False if it has nothing about the machine.
  mutating func take(_ rows: [ServerLine]) -> Bool {
    coverage = TransitionCoverage(rows)
    return coverage.hasKinds
  }

  mutating func countInput() { inputs += 1 }

  /// Whether a request is an input of the machine.
  func isMeant(by asked: Conversation.Asked) -> Bool {
    switch asked.verb {
    case .send, .fire: asked.words.first == machine
    case .cast: asked.words.first.map { fnmatch($0, machine, 0) == 0 } ?? false
    case _: false
    }
  }

  /// Whether an answer says that the machine had an input: a request that is a mistake is none.
  static func isInput(_ answer: ServerLine) -> Bool {
    answer.lineClass == .success || answer.code == FailureCode.refused.word
  }

  /// The line below an answer.
  func meter(_ style: Style) -> ScreenText {
    let (made, all) = (coverage.made, coverage.all)
    let percent = all == 0 ? 100 : made * 100 / all
    let full = all == 0 ? Self.width : made * Self.width / all
    let (done, open) = style.usesUnicode ? ("█", "░") : ("#", ".")
    let bar = [
      style(.good, String(repeating: done, count: full)),
      style(.quiet, String(repeating: open, count: Self.width - full)),
    ].joined()
    let figures: ScreenText = "\(bar) \(made) of \(all) transitions, \(percent) %"
    if isComplete {
      let done: ScreenText = "\(style(.good, "done")): every transition of \(style(.name, machine)) has been taken"
      return "\(figures)\n\(done)\(inputs > 0 ? ", with \(inputs == 1 ? "1 event" : "\(inputs) events")" : "")"
    }
    let missing = coverage.missing.prefix(Self.maxNamed)
    var rows = missing.map { transition -> ScreenText in
      let from = style(.state, transition.from)
      let to = style(.state, transition.to)
      return "  \(from) \(style.arrow) \(to) by \(style(.name, transition.trigger))"
    }
    if all - made > missing.count { rows.append("  and \(all - made - missing.count) more") }
    return ([figures] + rows).joined(separator: "\n")
  }
}
