package import LineProtocol

extension Script.Check {
  /// How an answer differs from what a check expects.
  package struct Miss: Hashable, Sendable {
    package let expected: String
    package let got: String
    /// The index of the word that is wrong, in the check as it is written.
    package let word: Int
    /// Whether the check is about no machine at all.
    package var isOfNothing = false
  }

  /// How the answer to ``request`` differs from what is expected; nil if it does not.
  ///
  /// An `expect output` and a `never` are judged by notices, so they miss nothing here.
  ///
  /// - Parameter rows: The lines of data of an answer that succeeded.
  package func miss(in rows: [ServerLine]) -> Miss? {
    switch self {
    case .timers(_, let names):
      let timers = ShownMachine(rows).timers
      func text(_ names: [String]) -> String { "timers \(names.isEmpty ? "none" : names.joined(separator: ","))" }
      return names.sorted() == timers.sorted() ? nil : Miss(expected: text(names), got: text(timers), word: 3)
    case .reading(_, let name, let wanted):
      return ShownMachine(rows).difference(name, wanted).map { Miss(expected: $0.expected, got: $0.got, word: 4) }
    case .noErrors:
      let told = rows.first { $0.words.count > 5 && $0.words[3] == "told" && $0.words[4] == "error" }
      return told.map {
        Miss(expected: "no-errors", got: "error \(Word.written($0.words[5])) at seq=\($0.words[0])", word: 2)
      }
    case .coverage(let pattern, let percent):
      let coverage = TransitionCoverage(rows)
      if !coverage.hasKinds {
        return Miss(expected: "a machine", got: "no machine matches '\(pattern)'", word: 2, isOfNothing: true)
      }
      return coverage.reaches(percent)
        ? nil : Miss(expected: "coverage \(percent)%", got: "coverage \(coverage.text)", word: 1)
    case .output, .never: return nil
    }
  }
}
