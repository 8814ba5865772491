internal import LineProtocol

/// How many of a machine's transitions have been taken, and which have not. It only decides and words.
struct Cover: Equatable {
  let machine: String
  private(set) var taken = 0
  private(set) var all = 0
  /// The transitions that are missing, as people read them; not all of them, if there are many.
  private(set) var missing: [ScreenText] = []
  /// The events that were sent since the beginning.
  private(set) var inputs = 0

  /// The transitions that the meter names.
  static let mostNamed = 3
  /// The width of its bar, in columns.
  private static let width = 20

  init(machine: String) {
    self.machine = machine
  }

  var isComplete: Bool { all > 0 && taken == all }

  /// Takes the answer to `coverage`.
  ///
  /// - Returns: False if it has nothing about the machine.
  mutating func take(_ rows: [ServerLine], style: Style) -> Bool {
    guard let heading = rows.first(where: { $0.words.first == "kind" }),
      let figure = heading["transitions"]?.split(separator: "/").compactMap({ Int($0) }), figure.count == 2
    else { return false }
    (taken, all) = (figure[0], figure[1])
    let untried = rows.filter { $0.words.prefix(3).last == "transition" && $0.words.first == "untried" }
    missing = untried.compactMap { row in
      guard row.words.count == 5, let cause = row["event"] ?? row["timer"] else { return nil }
      let from = style(.state, row.words[3])
      let to = style(.state, row.words[4])
      return "\(from) \(style.arrow) \(to) by \(style(.name, cause))"
    }
    return true
  }

  mutating func countInput() { inputs += 1 }

  /// The line below an answer.
  func meter(_ style: Style) -> ScreenText {
    let percent = all == 0 ? 100 : taken * 100 / all
    let full = all == 0 ? Self.width : taken * Self.width / all
    let (done, open) = style.usesUnicode ? ("█", "░") : ("#", ".")
    let bar = [
      style(.good, String(repeating: done, count: full)),
      style(.quiet, String(repeating: open, count: Self.width - full)),
    ].joined()
    let figures: ScreenText = "\(bar) \(taken) of \(all) transitions, \(percent) %"
    if isComplete {
      let done: ScreenText = "\(style(.good, "done")): every transition of \(style(.name, machine)) has been taken"
      return "\(figures)\n\(done)\(inputs > 0 ? ", with \(inputs == 1 ? "1 event" : "\(inputs) events")" : "")"
    }
    let rest = all - taken - min(missing.count, Self.mostNamed)
    var named = missing.prefix(Self.mostNamed).map { "  \($0)" as ScreenText }
    if rest > 0 { named.append("  and \(rest) more") }
    return ([figures] + named).joined(separator: "\n")
  }
}
