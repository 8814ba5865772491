internal import LineProtocol

/// Completions laid out for the screen.
struct CandidateList {
  let completion: Completion
  /// Width of the screen, in columns.
  let width: Int
  let style: Style

  /// With more candidates than this, details would fill the screen.
  private static let maxWithDetails = 30

  /// Whole lines, each with a line feed.
  var text: ScreenText {
    let candidates = completion.candidates
    let hasDetails = candidates.count <= Self.maxWithDetails && candidates.contains { !$0.detail.isEmpty }
    var text: ScreenText = candidates.isEmpty ? "" : hasDetails ? detailed(candidates) : columns(candidates)
    if completion.isCut { text += "  \(style(.quiet, "\(style.ellipsis) and more"))\n" }
    for line in completion.hint.split(separator: "\n") { text += "  \(style(.quiet, String(line)))\n" }
    return text
  }

  private func styled(_ candidate: Completion.Candidate) -> ScreenText {
    candidate.isPossible ? ScreenText(candidate.text) : style(.quiet, candidate.text)
  }

  private func detailed(_ candidates: [Completion.Candidate]) -> ScreenText {
    let widest = candidates.map { ScreenText.columns(of: $0.text) }.max() ?? 0
    return candidates.map { candidate -> ScreenText in
      let note = candidate.isPossible ? "" : "(\(candidate.lack)) "
      let room = max(0, width - widest - 5)
      let detail = VisibleText.escaped(note + candidate.detail)
      let cut = detail.count > room ? String(detail.prefix(max(0, room - 1))) + style.ellipsis : detail
      let padding = String(repeating: " ", count: widest - ScreenText.columns(of: candidate.text))
      return cut.isEmpty
        ? "  \(styled(candidate))\n" : "  \(styled(candidate))\(padding)  \(style(.quiet, cut))\n"
    }.joined()
  }

  /// Fills column by column, as `ls` does.
  private func columns(_ candidates: [Completion.Candidate]) -> ScreenText {
    let widest = (candidates.map { ScreenText.columns(of: $0.text) }.max() ?? 0) + 2
    let perLine = max(1, (width - 2) / widest)
    let lines = (candidates.count + perLine - 1) / perLine
    return (0..<lines).map { line -> ScreenText in
      let row = stride(from: line, to: candidates.count, by: max(1, lines)).map { candidates[$0] }
      let cells = row.enumerated().map { index, candidate -> ScreenText in
        let isLast = index == row.count - 1
        let padding = isLast ? 0 : widest - ScreenText.columns(of: candidate.text)
        return "\(styled(candidate))\(String(repeating: " ", count: padding))"
      }
      return "  \(cells.joined())\n"
    }.joined()
  }
}
