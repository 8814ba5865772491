package import LineProtocol

/// How many of the transitions of some kinds were made, from an answer to `coverage`.
package struct TransitionCoverage: Equatable, Sendable {
  /// A move, by the names of the states and of what triggers it.
  package struct Transition: Equatable, Sendable {
    package let from: String
    package let to: String
    package let trigger: String
  }

  /// Whether any kind was looked at: false if no machine matched.
  package private(set) var hasKinds = false
  package private(set) var made = 0
  package private(set) var all = 0
  /// What was not made, as far as the daemon names it.
  package private(set) var missing: [Transition] = []

  package init(_ rows: [ServerLine]) {
    for line in rows {
      if line.words.first == "kind", let numbers = line["transitions"]?.split(separator: "/").compactMap({ Int($0) }),
        numbers.count == 2
      {
        hasKinds = true
        made += numbers[0]
        all += numbers[1]
      }
      if line.words.starts(with: ["untried"]), line.words.count == 5, line.words[2] == "transition" {
        let trigger = line["event"] ?? line["timer"] ?? "?"
        missing.append(Transition(from: line.words[3], to: line.words[4], trigger: trigger))
      }
    }
  }

  /// `N%`, from 0 to 100.
  package static func percent(_ text: some StringProtocol) -> Int? {
    guard text.hasSuffix("%"), let number = UInt8(text.dropLast()), number <= 100, text.first?.isNumber == true else {
      return nil
    }
    return Int(number)
  }

  /// Whether so many per cent were made. Of a kind without transitions all were.
  package func reaches(_ percent: Int) -> Bool { hasKinds && made * 100 >= all * percent }

  package var text: String { "\(all == 0 ? 100 : made * 100 / all)% (\(made) of \(all) transitions)" }
}
