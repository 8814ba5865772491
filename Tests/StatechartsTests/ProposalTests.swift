import Foundation
import Testing

@testable import Statecharts

@Suite("A proposal of a finding")
struct ProposalTests {
  private static func findings(_ text: String, _ reading: DiagramReading = .strict) -> (isLoaded: Bool, [Finding]) {
    switch Definition.compile(mermaid: Array(text.utf8), reading: reading) {
    case .definition(_, let findings): (true, findings)
    case .mistakes(let findings, _): (false, findings)
    }
  }

  /// The text with the proposals in their places: the first of each line.
  private static func following(_ findings: [Finding], in text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var seen: Set<Int> = []
    for finding in findings {
      guard let write = finding.write, seen.insert(finding.line).inserted else { continue }
      lines[finding.line - 1] = String(lines[finding.line - 1].unicodeScalars.prefix(finding.column - 1)) + write
    }
    return lines.joined(separator: "\n")
  }

  @Test(
    "is what can stand instead",
    arguments: [
      ("a --> b : user pushes", "userPushes"), ("a --> b : 500ms", "after 500ms"), ("[*] --> a : created", ""),
      ("a --> b : press / turn the lamp on, beep", "press / turnTheLampOn, beep"),
      ("a --> b : (1) take head", "takeHead"), ("a : Waiting", "\"Waiting\""),
      ("a --> b : timeout(30s)", "timeout after 30s"),
    ])
  func examples(line: String, write: String) {
    let (_, findings) = Self.findings("stateDiagram-v2\n\(line)\n")
    let proposals = findings.compactMap(\.write)
    #expect(proposals.contains { write.hasSuffix($0) && (write == $0 || write.contains("/")) }, "\(findings)")
  }

  @Test("is that of a comma in a free reading as well")
  func comma() {
    let (_, findings) = Self.findings("stateDiagram-v2\n[*] --> a\na --> b : after 1,5s / beep", .free)
    #expect(findings.map(\.write) == ["after 1.5s / beep"])
  }

  @Test("leads to a diagram that loads, in three rounds, or to a finding without one", arguments: PeopleTests.names)
  func rounds(name: String) throws {
    var text = String(decoding: try PeopleTests.text(of: name), as: UTF8.self)
    for _ in 0..<3 {
      let (isLoaded, findings) = Self.findings(text)
      if isLoaded { return }
      if findings.contains(where: { $0.severity == .error && $0.write == nil }) { return }
      text = Self.following(findings, in: text)
    }
    let (isLoaded, findings) = Self.findings(text)
    #expect(
      isLoaded || findings.contains { $0.severity == .error && $0.write == nil }, "\(findings)\n\(text)")
  }

  @Test("is not made where a second mistake would come of it")
  func chained() {
    let text = """
      stateDiagram-v2
        state c <<choice>>
        [*] --> a : user starts
        a --> c : go
        c --> a : try again
        c --> b : all good
      """
    let (_, findings) = Self.findings(text)
    #expect(findings.map(\.line) == [3, 5, 6])
    #expect(findings.map(\.write) == ["", "[tryAgain]", "[else]"])
    #expect(Self.findings(Self.following(findings, in: text)).isLoaded)
  }
}
