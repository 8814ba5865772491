#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Testing

/// The rows of a text in a source file: their cells, and where they are.
struct Rows {
  struct Row {
    let cells: [String]
    let location: SourceLocation
  }

  let rows: [Row]

  /// The rows of a literal. Its lines are looked for in the file, so that a failure is shown at its row; where the file
  /// cannot be read, at the call.
  init(of text: String, fileID: String, filePath: String, line: Int, column: Int) {
    var place = line - 1
    let source = Rows.lines(of: filePath)
    rows = text.split(separator: "\n").map { row in
      let trimmed = Rows.trimmed(row)
      if let found = source[min(place, source.count)...].firstIndex(where: { Rows.trimmed($0) == trimmed }) {
        place = found + 1
      }
      return Row(
        cells: Rows.cells(of: trimmed),
        location: SourceLocation(fileID: fileID, filePath: filePath, line: max(place, line), column: column))
    }
  }

  /// The first table of a file's documentation comments whose first column is headed `state`. Nil if there is none.
  init?(ofDocumentationIn filePath: String) {
    let lines = Rows.lines(of: filePath).map(Rows.trimmed)
    guard let first = lines.firstIndex(where: { $0.hasPrefix("/// | state |") }) else { return nil }
    let fileID = filePath.split(separator: "/").suffix(2).joined(separator: "/")
    rows = lines[first...].prefix { $0.hasPrefix("/// |") }.enumerated().compactMap { offset, line in
      if line.hasPrefix("/// | ---") { return nil }
      return Row(
        cells: Rows.cells(of: String(line.dropFirst(5).dropLast())),
        location: SourceLocation(fileID: fileID, filePath: filePath, line: first + offset + 1, column: 1))
    }
  }

  private static func lines(of path: String) -> [Substring] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static func cells(of line: String) -> [String] {
    line.split(separator: "|", omittingEmptySubsequences: false).map { trimmed($0) }
  }

  /// A text with one space between words: how many there are does not matter.
  static func plain(_ text: String) -> String { text.split(separator: " ").joined(separator: " ") }

  static func trimmed(_ text: some StringProtocol) -> String {
    var rest = Substring(text)
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
