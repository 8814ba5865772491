import Foundation
import TestSupport
import Testing
import UnixHost

/// `Examples/Statecharts` and the pages about machines from files, played by the real programs.
struct StatechartExampleTests {
  private static let folder = Document.root.appending(path: "Examples/Statecharts")

  private static func names(in folder: URL, _ endings: String...) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { name in endings.contains { name.hasSuffix($0) } }
  }

  private static func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

  @Test("every script passes, and every chart is loaded by one")
  func scripts() throws {
    let scripts = try Self.names(in: Self.folder, ".fsm")
    expectEqual(scripts.count, 12)
    let run = try Workplace().run(["run", "--keep-going", Self.folder.path])
    expectEqual(run.code, .exited(0), "\(run.output)\(run.log)")
    expect(run.output, hasSuffix: "12 of 12 passed\n")
    let lines = try scripts.flatMap { try Self.text(Self.folder.appending(path: $0)).split(separator: "\n") }
    for chart in try Self.names(in: Self.folder, ".mmd", ".scxml", ".puml", ".json") {
      expect(lines.contains { $0.split(separator: " ").prefix(2) == ["load", chart[...]] }, "\(chart)")
    }
  }

  @Test("the charts have no warnings, the first exercise has one, and the second none")
  func warnings() throws {
    let exercises = Document.root.appending(path: "Examples/Exercises")
    let charts = try [Self.folder, exercises, exercises.appending(path: "Solutions")].flatMap { folder in
      try Self.names(in: folder, ".mmd", ".scxml", ".puml", ".json").map { folder.appending(path: $0).path }
    }
    expectEqual(charts.count, 20)
    let run = try Workplace().run(["run", "--check"] + charts)
    expectEqual(run.code, .exited(0), "\(run.output)\(run.log)")
    let airlock = exercises.appending(path: "airlock.mmd").path
    expectEqual(
      (run.output + run.log).split(separator: "\n").filter { $0.contains("warning") },
      [
        "\(airlock):7:19: warning: nothing leads out of closd; did you mean closed?"
      ])
  }

  @Test(
    "the script of an exercise fails, and passes with the solution",
    arguments: [("airlock.mmd", "airlock.fsm:6:"), ("parking.scxml", "parking.fsm:11:")])
  func exercises(chart: String, failure: String) throws {
    let folder = Document.root.appending(path: "Examples/Exercises")
    let script = String(chart.prefix { $0 != "." }) + ".fsm"
    let place = try Workplace()
    try place.write(script, Self.text(folder.appending(path: script)))
    try place.write(chart, Self.text(folder.appending(path: chart)))
    let before = try place.run("run", "@\(script)")
    expect(before.code == .exited(4) && before.output.contains(failure), "\(before.output)\(before.log)")
    try place.write(chart, Self.text(folder.appending(path: "Solutions/\(chart)")))
    let after = try place.run("run", "@\(script)")
    expectEqual(after.code, .exited(0), "\(after.output)\(after.log)")
    expect(!after.output.contains("warning"), "\(after.output)")
  }

  @Test("the index names every file, and only those")
  func index() throws {
    let page = try Self.text(Self.folder.appending(path: "README.md"))
    let links = Set(page.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.output.1) })
    for link in links {
      expect(FileManager.default.fileExists(atPath: Self.folder.appending(path: link).path), "\(link)")
    }
    for chart in try Self.names(in: Self.folder, ".mmd", ".scxml", ".puml", ".json") {
      expect(links.contains(chart), "\(chart)")
    }
  }

  /// The first block of a page with this language that has this text in it.
  private static func block(of page: Document, _ language: String, with text: String) throws -> String {
    try #require(page.blocks(marked: language).first { $0.text.contains(text) }).text
  }

  @Test("the files that the page has the reader write do what it says")
  func page() throws {
    let page = try Document("Docs/Statecharts.md")
    let diagram = try Self.block(of: page, "mermaid", with: "stateDiagram-v2")
    let place = try Workplace()
    try place.write("lamp.mmd", diagram)
    try place.write("lamp.fsm", Self.block(of: page, "fsm", with: "load lamp.mmd"))
    let run = try place.run("run", "@lamp.fsm")
    expectEqual(run.code, .exited(0), "\(run.output)\(run.log)")
    try place.write("lamp.mmd", "")
    try place.write("lamp.scxml", Self.block(of: page, "xml", with: "<scxml"))
    try place.write("lamp.fsm", try place.text("lamp.fsm").replacing("lamp.mmd", with: "lamp.scxml"))
    let second = try place.run("run", "@lamp.fsm")
    expectEqual(second.code, .exited(0), "\(second.output)\(second.log)")
  }
}
