import Foundation
import StateMachines
import TestSupport
import Testing

@testable import Statecharts

@Suite("A proposal of a finding")
struct ProposalTests {
  private static func findings(
    _ text: String, _ reading: DiagramReading = .strict, _ notation: DiagramNotation? = .mermaid
  ) -> (isLoaded: Bool, [Finding]) {
    let bytes = Array(text.utf8)
    switch notation.map({ Definition.compile(diagram: bytes, $0, reading: reading) }) ?? Definition.compile(bytes) {
    case .definition(_, let findings): return (true, findings)
    case .mistakes(let findings, _): return (false, findings)
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
    expect(proposals.contains { write.hasSuffix($0) && (write == $0 || write.contains("/")) }, "\(findings)")
  }

  @Test(
    "of a time or a guard says the same as the finding, and what it asks for",
    arguments: [
      ("after 30 s", "expected a duration; found 30 s; write 30s"),
      ("after 1h 30m / beep", "expected a duration; found 1h 30m; write 90m / beep"),
      ("30s timeout", "expected EVENT [GUARD] / ACTIONS; found 30s timeout; write timeout after 30s"),
      (
        "go if not busy",
        "expected EVENT [GUARD] / ACTIONS; found go if not busy; write go [!(busy)], and the line %% data busy = false"
      ),
      (
        "after 1,5s / beep",
        "read freely, this is a mistake: a comma separates events; write after 1.5s / beep"
      ),
      ("500ms", "read freely, \"500ms\" is a timer: after 500ms; write after 500ms"),
      (
        "go if n > 3",
        "expected EVENT [GUARD] / ACTIONS; found go if n > 3; write go [n > 3], and the line %% data n = 0"
      ),
      ("go [toBusy]", "nothing declares toBusy; write %% data toBusy = true"),
      ("go [!toBusy]", "nothing declares toBusy; write %% data toBusy = false"),
    ])
  func times(label: String, message: String) {
    var text = "stateDiagram-v2\n[*] --> a\nb --> a : back\na --> b : \(label)"
    let (_, findings) = Self.findings(text)
    expect(findings.contains { $0.message == message }, "\(findings)")
    text = Self.following(findings, in: text)
    for line in Self.findings(text).1.compactMap({ $0.message.split(separator: "write ").last }) {
      text += "\n\(line)"
    }
    expect(Self.findings(text).1.isEmpty, "\(Self.findings(text).1)\n\(text)")
  }

  @Test("is what the text of its finding says, and nothing else", arguments: ["People", "People/Inputs"])
  func texts(folder: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: folder)
    for (name, text, notation) in try Self.documents(in: folder) where notation != nil {
      for reading in [DiagramReading.strict, .free] {
        for finding in Self.findings(text, reading, notation).1 {
          guard let write = finding.write else { continue }
          let advice = write.isEmpty ? ["; leave ", " away"] : ["; write \(write)"]
          expect(advice.allSatisfy(finding.message.contains), "\(name) \(finding): \(write)")
          expectEqual(finding.message.split(separator: "; write ").count, write.isEmpty ? 1 : 2, "\(name) \(finding)")
        }
      }
    }
  }

  @Test("is that of a comma in a free reading as well")
  func comma() {
    let (_, findings) = Self.findings("stateDiagram-v2\n[*] --> a\na --> b : after 1,5s / beep", .free)
    expectEqual(findings.map(\.write), ["after 1.5s / beep"])
  }

  /// Follows proposals literally for three rounds, while each error has one.
  private static func follow(_ document: String, _ reading: DiagramReading, _ notation: DiagramNotation?) -> String? {
    var text = document
    var (isLoaded, found) = findings(text, reading, notation)
    func isOver() -> Bool { isLoaded || found.contains { $0.severity == .error && $0.write == nil } }
    for _ in 0..<3 where !isOver() {
      text = following(found, in: text)
      (isLoaded, found) = findings(text, reading, notation)
    }
    return isOver() ? nil : "\(reading)\n\(document)\n\(found)\n\(text)"
  }

  private static let notations: [String: DiagramNotation] = ["mmd": .mermaid, "puml": .plantuml, "json": .xstate]

  private static func documents(in folder: URL) throws -> [(name: String, text: String, notation: DiagramNotation?)] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).sorted {
      $0.path < $1.path
    }
    .compactMap { file in
      let notation = notations[file.pathExtension]
      if notation == nil, file.pathExtension != "scxml" { return nil }
      return (file.lastPathComponent, String(decoding: try Data(contentsOf: file), as: UTF8.self), notation)
    }
  }

  @Test(
    "leads to a document that loads, in three rounds, or to a finding without one",
    arguments: ["People", "People/Inputs"])
  func rounds(folder: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: folder)
    for (name, text, notation) in try Self.documents(in: folder) {
      for reading in [DiagramReading.strict, .free] { expectNil(Self.follow(text, reading, notation), "\(name)") }
    }
  }

  @Test(
    "keeps the target of an arrow without a label, and ends when it is followed", arguments: ["", " %% the end", ";"])
  func targets(ending: String) {
    var text = """
      stateDiagram-v2
      [*] --> Still
      Still --> [*]\(ending)
      Still --> Moving\(ending)
      Moving --> Still
      Moving --> Crash
      Crash --> [*]\(ending)
      """
    let arrows = text.split(separator: "\n").dropFirst().map { $0.prefix { !"%;".contains($0) } }
    for _ in 0..<6 { text = Self.following(Self.findings(text).1, in: text) }
    expectEqual(Self.findings(text).1.compactMap(\.write), [], "\(text)")
    for (line, arrow) in zip(text.split(separator: "\n").dropFirst(), arrows) {
      expect(line, hasPrefix: arrow.split(separator: " ").joined(separator: " "), "\(text)")
    }
  }

  @Test(
    "of a document of SCXML is what was meant",
    arguments: [
      (#"<state id="on"><transition event="push" target="onn"/></state>"#, #"target="on"/></state>"#),
      (#"<state id="on"><transition event="push" taget="on"/></state>"#, #"target="on"/></state>"#),
      (
        #"<state id="on"><transtion event="push" target="on"/></state>"#,
        #"<transition event="push" target="on"/></state>"#
      ),
      (#"<stat id="on"></stat>"#, nil),
    ])
  func scxml(line: String, write: String?) {
    let head = #"<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">"#
    let (isLoaded, findings) = Self.findings("\(head)\n\(line)\n</scxml>", .strict, nil)
    expect(!isLoaded)
    let proposals = findings.compactMap(\.write)
    expect(
      write.map { wanted in proposals.count == 1 && proposals[0].hasSuffix(wanted) } ?? proposals.isEmpty, "\(findings)"
    )
  }

  /// A line with one of its words damaged.
  private static func damaged(_ line: String, _ generator: inout Generator) -> String {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count > 1 else { return String(line.dropLast()) }
    var changed = words
    let place = generator.draw(in: 1...(words.count - 1))
    let word = words[place]
    let middle = word.index(word.startIndex, offsetBy: word.count / 2)
    switch generator.draw(in: 0...5) {
    case 0 where !word.isEmpty: changed[place].remove(at: middle)
    case 1 where !word.isEmpty: changed[place].insert(word[middle], at: middle)
    case 2: changed[place] = "the \(word) thing"
    case 3: changed[place] = word.replacing("-->", with: "->").replacing("=", with: "==")
    case 4: changed.insert("\(word)", at: place)
    case _: changed.remove(at: place)
    }
    return changed.joined(separator: " ")
  }

  @Test(
    "of a damaged example leads to a document that loads, in three rounds, or to a finding without one",
    arguments: Thorough.rounds(0..<60))
  func mutations(round: Int) throws {
    var generator = Generator(salt: UInt64(round))
    for (name, text, notation) in try Self.documents(in: ExampleChartTests.folder) {
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      for _ in 0..<generator.draw(in: 1...2) {
        let place = generator.draw(in: 1...(lines.count - 1))
        lines[place] = Self.damaged(lines[place], &generator)
      }
      let damaged = lines.joined(separator: "\n")
      for reading in [DiagramReading.strict, .free] { expectNil(Self.follow(damaged, reading, notation), "\(name)") }
    }
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
    let guarded = text.replacing("try again", with: "if amount > 3")
    expectEqual(Self.findings(guarded).1.map(\.write), ["", "[amount > 3]", "[else]"])
    expect(Self.findings(Self.following(Self.findings(guarded).1, in: guarded)).isLoaded)
    let (_, findings) = Self.findings(text)
    expectEqual(findings.map(\.line), [3, 5, 6])
    expectEqual(findings.map(\.write), ["", "[tryAgain]", "[else]"])
    expect(Self.findings(Self.following(findings, in: text)).isLoaded)
  }
}
