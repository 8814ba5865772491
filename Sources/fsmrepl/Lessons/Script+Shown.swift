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
    let lines = sources[Int(first.source)].bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    return (first.line...last.line).map { number in
      let line = String(decoding: lines[Int(number) - 1], as: UTF8.self)
      return Self.beforeArrow(String(line.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed()))
    }
  }

  /// A `load`, or a `define` with its document.
  private func document(from step: Step) -> [String] {
    let first = Self.beforeArrow(line(of: step))
    guard !first.hasPrefix("load") else { return [first] }
    let lines = sources[Int(step.source)].bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .dropFirst(Int(step.line)).prefix(Self.mostLinesOfDocument + 1).map {
        String(decoding: $0.filter { $0 != 0x0D }, as: UTF8.self)
      }
    let end = lines.firstIndex { DocumentSource.isEnd($0.utf8) }
    return [first] + (end.map { Array(lines[...$0]) } ?? lines.dropLast() + ["…"])
  }

  private static let mostLinesOfDocument = 40

  /// A line without its outcome; one with names with their values.
  private func withoutOutcome(_ line: String, _ steps: ArraySlice<Step>) -> String {
    guard line.contains("$"), let last = steps.last else { return Self.beforeArrow(line) }
    guard case .request = last.action, steps.count == 1 else { return Self.beforeArrow(line) }
    return request(of: last)
  }

  private static func beforeArrow(_ line: String) -> String {
    guard line.contains("=>"), let arrow = RequestText.split(line).first(where: { $0 == "=>" }) else { return line }
    let text = line[..<arrow.startIndex]
    return String(text.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }

  /// The remarks of the script's own file as narration. Within documents there are none.
  var remarks: [Narration] {
    var remarks: [Narration] = []
    var isInDocument = false
    var next = 0
    let own = steps.indices.filter { steps[$0].source == 0 }
    let lines = sources[0].bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (place, bytes) in lines.enumerated() {
      let line = Int32(place + 1)
      let text = bytes.drop { $0 == 0x20 || $0 == 0x09 }
      while next < own.count, steps[own[next]].line < line { next += 1 }
      if isInDocument {
        isInDocument = !DocumentSource.isEnd(text)
      } else if text.first == UInt8(ascii: "#") {
        let said = String(decoding: text.drop { $0 == UInt8(ascii: "#") }, as: UTF8.self).filter { $0 != "\r" }
        remarks.append(
          Narration(
            source: 0, line: line, step: next < own.count ? own[next] : steps.count,
            content: .say(String(said.drop { $0 == " " }))))
      } else if next < own.count, steps[own[next]].line == line, case .request(.define, _) = steps[own[next]].action,
        text.starts(with: "define".utf8) || text.first == UInt8(ascii: "@")
      {
        isInDocument = true
      }
    }
    return remarks
  }
}
