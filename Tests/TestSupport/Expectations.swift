import Foundation
package import Testing

// The expectations of tests as plain functions: each takes the compiler a quarter of the time of the macro `#expect`, and
// there are thousands. `#expect` remains where it does more: `throws:`, `processExitsWith:` and a `sourceLocation:`.
// A comment is made of a failure only.

/// Expects two equal values, and shows both if they differ.
package func expectEqual<Value: Equatable>(
  _ found: Value, _ wanted: Value, _ comment: @autoclosure () -> Comment? = nil, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
  if found == wanted { return }
  fail(
    "\(shown(found)) is not equal to \(shown(wanted))" + difference(found, wanted), comment(),
    Place(fileID, filePath, line, column))
}

/// Expects no value, and shows the one that is there.
package func expectNil<Value>(
  _ found: Value?, _ comment: @autoclosure () -> Comment? = nil, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
  guard let found else { return }
  fail("\(shown(found)) is not nil", comment(), Place(fileID, filePath, line, column))
}

/// Expects a condition to be true, and shows the line of the source if it is not.
package func expect(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
  if condition { return }
  fail(writtenLine("\(filePath)", line), comment(), Place(fileID, filePath, line, column))
}

/// Expects a text that begins so, and shows the text if it does not; nil does not.
package func expect<Text: StringProtocol>(
  _ text: Text?, hasPrefix prefix: some StringProtocol, _ comment: @autoclosure () -> Comment? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
  if let text, text.hasPrefix(prefix) { return }
  fail("\(shown(text)) does not begin with \(shown(prefix))", comment(), Place(fileID, filePath, line, column))
}

/// Expects a text that ends so, and shows the text if it does not; nil does not.
package func expect<Text: StringProtocol>(
  _ text: Text?, hasSuffix suffix: some StringProtocol, _ comment: @autoclosure () -> Comment? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
  if let text, text.hasSuffix(suffix) { return }
  fail("\(shown(text)) does not end with \(shown(suffix))", comment(), Place(fileID, filePath, line, column))
}

/// Expects a text that contains another, and shows the text if it does not; nil does not.
package func expect<Text: StringProtocol>(
  _ text: Text?, contains part: String, _ comment: @autoclosure () -> Comment? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
  if let text, text.contains(part) { return }
  fail("\(shown(text)) does not contain \(shown(part))", comment(), Place(fileID, filePath, line, column))
}

/// Expects one of several elements to be equal to another, and shows them all if none is; nil has none.
package func expect<Elements: Sequence>(
  _ elements: Elements?, contains element: Elements.Element, _ comment: @autoclosure () -> Comment? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) where Elements.Element: Equatable {
  if let elements, elements.contains(element) { return }
  fail("\(shown(elements)) does not contain \(shown(element))", comment(), Place(fileID, filePath, line, column))
}

/// A line of a source file; "false" if the file is not there.
private func writtenLine(_ path: String, _ line: Int) -> String {
  let lines = (try? String(contentsOfFile: path, encoding: .utf8))?.split(
    separator: "\n", omittingEmptySubsequences: false)
  guard let lines, lines.indices.contains(line - 1) else { return "false" }
  return String(lines[line - 1].drop { $0 == " " })
}

/// Where an expectation stands.
private struct Place {
  let location: SourceLocation

  init(_ fileID: StaticString, _ filePath: StaticString, _ line: Int, _ column: Int) {
    location = SourceLocation(fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
  }
}

private func fail(_ what: String, _ comment: Comment?, _ place: Place) {
  let remark = comment.map { "\n\($0.rawValue)" } ?? ""
  Issue.record("Expectation failed: \(what)\(remark)", sourceLocation: place.location)
}

private func shown(_ value: some Any) -> String { String(describingForTest: value) }

private func shown<Value>(_ value: Value?) -> String { value.map { String(describingForTest: $0) } ?? "nil" }

/// The lines that only one of two lists has.
private func difference(_ found: Any, _ wanted: Any) -> String {
  guard let found = found as? [String], let wanted = wanted as? [String] else { return "" }
  return found.difference(from: wanted).map { change in
    switch change {
    case .insert(_, let line, _): "\n+ \(line)"
    case .remove(_, let line, _): "\n- \(line)"
    }
  }.joined()
}
