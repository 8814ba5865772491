import Foundation
import Simulations
import StateMachines
import TestSupport
import Testing

/// `Docs/Kinds.md` is written from the catalogue, the sources and the lessons: `make kinds`.
struct KindsPageTests {
  @Test("the page of the kinds is what the catalogue says; FSMD_KINDS_PAGE=FILE writes it anew")
  func page() throws {
    let page = try written()
    if let file = ProcessInfo.processInfo.environment["FSMD_KINDS_PAGE"] {
      try Data(page.utf8).write(to: URL(filePath: file))
    } else {
      #expect(try Document("Docs/Kinds.md").text + "\n" == page, "'make kinds' writes it anew")
    }
  }

  private func written() throws -> String {
    let catalogue = Catalogue.simulations
    let sources = try sources()
    let lessons = try lessons()
    var page = """
      # Kinds of machines

      <!-- Written by `make kinds` from the catalogue. -->

      `new KIND NAME` makes a machine. `describe KIND` prints its manual page: states, events, timers, outputs, readings,
      parameters, the table, and a session that shows it at work; `graph KIND` draws it. Each kind leads to its source,
      and is written in the [form](Forms.md) that its origin has. At the prompt, `kinds group=text` lists a group and
      `kinds form=acceptor` a form. [The demonstrations](../Demos/README.md) show every kind at work.

      """
    for group in catalogue.groupNames {
      page += "\n## \(group.prefix(1).uppercased())\(group.dropFirst())\n\n"
      page += "| kind | is | form | origin | lesson |\n| --- | --- | --- | --- | --- |\n"
      for entry in catalogue.entries where catalogue.group(of: entry.name) == group {
        let source = try #require(sources[entry.name], "no source has \(entry.name)")
        let (form, origin) =
          switch entry {
          case .machine(let kind): (kind.form.rawValue, kind.origin)
          case .composition(let composition): ("composition", composition.origin)
          }
        let cells = [
          "[`\(entry.name)`](../\(source))", entry.about, form, origin, lessons[entry.name, default: ""],
        ]
        page += "| \(cells.joined(separator: " | ")) |\n".replacing("|  |", with: "| |")
      }
    }
    return page
  }

  /// The file of each kind's type, or of its composition.
  private func sources() throws -> [String: String] {
    let folder = "Sources/Simulations"
    let paths = try FileManager.default.subpathsOfDirectory(atPath: Document.root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    var sources: [String: String] = [:]
    for path in paths {
      let text = try Document(path).text
      for match in text.matches(of: #/Kind\(\s*(\w+)\.self, "(\w+)"/#) {
        sources[String(match.output.2)] = paths.first { $0.hasSuffix("/\(match.output.1).swift") }
      }
      for match in text.matches(of: #/= Composition\(\s*"(\w+)"/#) { sources[String(match.output.1)] = path }
    }
    return sources
  }

  /// Links to the lessons that make a machine of each kind.
  private func lessons() throws -> [String: String] {
    let files = try FileManager.default.contentsOfDirectory(atPath: Document.root.appending(path: "Lessons").path)
    var lessons: [String: String] = [:]
    for file in files.sorted() where file.hasSuffix(".fsm") {
      let number = try #require(Int(file.prefix { $0 != "-" }))
      let text = try Document("Lessons/\(file)").text
      for kind in Set(text.matches(of: #/(?m)^ *new (\w+) /#).map { String($0.output.1) }) {
        let link = "[\(number)](../Lessons/\(file))"
        lessons[kind] = lessons[kind].map { "\($0), \(link)" } ?? link
      }
    }
    return lessons
  }
}
