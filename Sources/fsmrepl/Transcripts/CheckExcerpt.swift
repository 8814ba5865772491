import Scripts
internal import LineProtocol

/// The part of a transcript around its first difference.
struct CheckExcerpt {
  /// The first line that differs, in the file and as received; `nil` where there is none.
  let expected: String?
  let got: String?
  let rows: [DifferenceRow]

  /// How many lines are shown before and after a difference.
  private static let context = 3
  /// How many differing lines are shown.
  private static let maxShown = 20

  /// - Parameter exchange: The exchange whose answers differ from `got`.
  init(_ transcript: Transcript, _ exchange: Transcript.Exchange, got: [String]) {
    let answers = transcript.answers(to: exchange)
    var rows = [
      DifferenceRow(side: .both, number: exchange.place + 1, text: transcript.line(exchange.place))
    ]
    for edit in LineDifference(from: answers, to: got).edits {
      switch edit {
      case .same(let old, _):
        rows.append(DifferenceRow(side: .both, number: exchange.answers[old] + 1, text: answers[old]))
      case .removed(let old):
        rows.append(DifferenceRow(side: .expected, number: exchange.answers[old] + 1, text: answers[old]))
      case .added(let new):
        rows.append(DifferenceRow(side: .got, number: nil, text: got[new]))
      }
    }
    let first = rows.firstIndex { $0.side != .both } ?? 0
    let changes = rows[first...].prefix { $0.side != .both }
    expected = changes.first { $0.side == .expected }?.text
    self.got = changes.first { $0.side == .got }?.text
    let last = min(rows.lastIndex { $0.side != .both } ?? 0, first + Self.maxShown - 1)
    self.rows = Array(rows[max(0, first - Self.context)..<min(rows.count, last + Self.context + 1)])
  }
}
