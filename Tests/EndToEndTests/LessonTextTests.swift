import Foundation
import TestSupport
import Testing
import UnixHost

/// The lessons: what they promise comes true, and their list has all of them.
struct LessonTextTests {
  private static let folder = Document.root.appending(path: "Lessons")

  private static func lessons() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".fsm") }.sorted()
  }

  private static func lines(_ name: String) throws -> [String] {
    try Document("Lessons/\(name)").lines.map(String.init)
  }

  @Test("every lesson can be played, and each of its answers is what it says")
  func play() throws {
    let lessons = try Self.lessons()
    let run = try ProgramRun(
      "fsmrepl", ["run", "--keep-going", Self.folder.path], in: try TemporaryFolder(),
      environment: [("FSMD_SOCKET", nil), ("XDG_RUNTIME_DIR", "/nonexistent"), ("TMPDIR", nil)])
    try expectEqual(run.ending(), .exited(0), "\(run.output)\(run.log)")
    expect(run.output, hasSuffix: "\(lessons.count) of \(lessons.count) passed\n", "\(run.output)")
  }

  @Test("every lesson has something to predict, and something to reach or to break")
  func shape() throws {
    for lesson in try Self.lessons() {
      let words = try Self.lines(lesson).map { $0.prefix { $0 != " " } }
      expect((2...6).contains(words.count { $0 == "ask" }), "\(lesson)")
      expect((1...3).contains(words.count { $0 == "try" }), "\(lesson)")
      expect(words.contains("hint") && words.contains("show"), "\(lesson)")
    }
  }

  @Test("the list names every lesson once, in order, with its level")
  func index() throws {
    let rows = try Self.lines("README.md").compactMap {
      $0.wholeMatch(of: #/\| \[(\S+\.fsm)\]\((\S+)\) \| (\d) \| \S.* \|/#)
    }
    let lessons = try Self.lessons()
    expectEqual(rows.map { String($0.output.2) }, lessons)
    for row in rows {
      expectEqual(row.output.1, row.output.2)
      let lines = try Self.lines(String(row.output.2))
      expectEqual(lines[1], "level \(row.output.3)")
    }
  }

  @Test("the code that a lesson shows is code that is compiled and tested")
  func code() throws {
    let forms = try Document("Tests/MachineFormsTests/LampForms.swift").text
    var isCode = false
    let shown = try Self.lines("11-one-lamp-in-every-form.fsm").flatMap { line -> [String] in
      if line == "say ```" {
        isCode.toggle()
        return []
      }
      if isCode { return [String(line.dropFirst("say".count).drop { $0 == " " })] }
      return line.hasPrefix("say - `") ? line.matches(of: #/`([^`]+)`/#).map { String($0.output.1) } : []
    }
    expect(shown.count > 20)
    for code in shown { expect(forms.contains(code), "\(code)") }
  }
}
