internal import LineProtocol
internal import Scripts

extension Script {
  /// The steps that are played together with the one at a place, which is the first of them.
  func group(at place: Int) -> Range<Int> {
    let first = steps[place]
    var end = place
    while end < steps.count, steps[end].source == first.source, steps[end].line == first.line {
      switch steps[end].action {
      case .repeats(_, let past): return place..<Int(past)
      case .request(.begin, _): return place..<endOfBatch(from: end)
      case .request, .check, .again: end += 1
      }
    }
    return place..<end
  }

  private func endOfBatch(from place: Int) -> Int {
    for end in place..<steps.count {
      if case .request(.end, _) = steps[end].action { return end + 1 }
    }
    return steps.count
  }

  /// The lines of the file that some steps stand in, without outcomes; a document with the first of its lines.
  func lines(of range: Range<Int>) -> [String] {
    guard let first = range.first.map({ steps[$0] }), let last = range.last.map({ steps[$0] }) else { return [] }
    if case .request(.define, _) = first.action { return document(from: first) }
    let isOneFile = steps[range].allSatisfy { $0.source == first.source }
    guard first.line < last.line, isOneFile else { return [withoutOutcome(line(of: first), steps[range])] }
    return (first.line...last.line).map { number in
      let line = String(decoding: sources[Int(first.source)].line(Int(number)), as: UTF8.self)
      return Self.beforeArrow(String(line.reversed().drop { $0 == " " || $0 == "\t" }.reversed()))
    }
  }

  /// A `load`, or a `define` with its document.
  private func document(from step: Step) -> [String] {
    let first = Self.beforeArrow(line(of: step))
    guard !first.hasPrefix("load") else { return [first] }
    let source = sources[Int(step.source)]
    let lines = (Int(step.line) + 1..<source.count + 1).prefix(Self.maxLinesOfDocument + 1).map {
      String(decoding: source.line($0), as: UTF8.self)
    }
    let end = lines.firstIndex { DocumentSource.isEnd($0.utf8) }
    return [first] + (end.map { Array(lines[...$0]) } ?? lines.dropLast() + ["…"])
  }

  private static let maxLinesOfDocument = 40

  /// A line without its outcome; one with names with their values.
  private func withoutOutcome(_ line: String, _ steps: ArraySlice<Step>) -> String {
    guard line.contains("$"), let last = steps.last else { return Self.beforeArrow(line) }
    guard case .request = last.action, steps.count == 1 else { return Self.beforeArrow(line) }
    return request(of: last)
  }

  private static func beforeArrow(_ line: String) -> String {
    guard line.includes("=>"), let arrow = RequestText.split(line).first(where: { $0 == "=>" }) else { return line }
    let text = line[..<arrow.startIndex]
    return String(text.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
