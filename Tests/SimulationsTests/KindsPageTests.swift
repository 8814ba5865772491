import Foundation
import Simulations
import StateMachines
import TestSupport
import Testing

/// `Docs/Kinds.md`, and the tables of `Docs/Sources.md`, are written from the catalogue, the sources and the lessons:
/// `make kinds`.
struct KindsPageTests {
  @Test("the page of the kinds is what the catalogue says; FSMD_KINDS_PAGE=FILE writes it anew")
  func page() throws {
    let page = try written()
    if let file = ProcessInfo.processInfo.environment["FSMD_KINDS_PAGE"] {
      try Data(page.utf8).write(to: URL(filePath: file))
    } else {
      try expectEqual(Document("Docs/Kinds.md").text + "\n", page, "'make kinds' writes it anew")
    }
  }

  @Test("the tables of the sources are what the catalogue says; FSMD_KINDS_PAGE=FILE writes them anew beside it")
  func sourcesPage() throws {
    let page = try Document("Docs/Sources.md").text + "\n"
    let written = try withTables(page)
    if let file = ProcessInfo.processInfo.environment["FSMD_KINDS_PAGE"] {
      try Data(written.utf8).write(to: URL(filePath: file).deletingLastPathComponent().appending(path: "Sources.md"))
    } else {
      expectEqual(page, written, "'make kinds' writes it anew")
    }
  }

  @Test("every source that a kind names has a table, and each table has kinds")
  func sourceNames() throws {
    let page = try Document("Docs/Sources.md").text
    let tables = page.matches(of: Self.table).map { String($0.output.1) }
    expectEqual(tables.sorted(), Set(Catalogue.simulations.entries.map(\.source).filter { !$0.isEmpty }).sorted())
  }

  /// The mark before a table, and the table after it.
  private static var table: Regex<(Substring, Substring)> {
    #/<!-- source=(\w+), written by `make kinds` -->\n(?:\n?\|[^\n]*\n)*/#
  }

  private func withTables(_ page: String) throws -> String {
    let (sources, lessons, demos) = (try sources(), try lessons(), try demos())
    return page.replacing(Self.table) { match in
      let name = String(match.output.1)
      var table = "<!-- source=\(name), written by `make kinds` -->\n\n"
      table += "| kind | is | form | lessons | demonstrations |\n| --- | --- | --- | --- | --- |\n"
      for entry in Catalogue.simulations.entries where entry.source == name {
        let cells = [
          "[`\(entry.name)`](../\(sources[entry.name] ?? ""))", entry.about, Self.form(of: entry),
          lessons[entry.name, default: ""], demos[entry.name, default: ""],
        ]
        table += "| \(cells.joined(separator: " | ")) |\n".replacing("|  |", with: "| |").replacing("|  |", with: "| |")
      }
      return table
    }
  }

  /// The form, with a link to its section.
  private static func form(of entry: CatalogueEntry) -> String {
    guard case .machine(let kind) = entry else { return "composition" }
    return "[\(kind.form.rawValue)](Forms.md#\(kind.form.rawValue.lowercased().replacing(" ", with: "-")))"
  }

  /// Links to the demonstrations that make a machine of each kind.
  private func demos() throws -> [String: String] {
    let folder = Document.root.appending(path: "Demos").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".fsm") && $0.contains("/") }
    var demos: [String: String] = [:]
    for file in files.sorted() {
      for kind in try Self.kinds(madeIn: "Demos/\(file)") {
        let name = file.split(separator: "/").last?.dropLast(4) ?? ""
        let link = "[\(name)](../Demos/\(file))"
        demos[kind] = demos[kind].map { "\($0), \(link)" } ?? link
      }
    }
    return demos
  }

  private static func kinds(madeIn path: String) throws -> Set<String> {
    Set(try Document(path).text.matches(of: #/(?m)^(?: *|.*  )new (\w+) /#).map { String($0.output.1) })
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
      `kinds form=acceptor` a form. [The demonstrations](../Demos/README.md) show every kind at work, and
      [Sources](Sources.md) has the way from an article, a talk or a lecture to its machines.

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
      for match in text.matches(of: #/Composition\(\s*"(\w+)"/#) { sources[String(match.output.1)] = path }
    }
    return sources
  }

  /// Links to the lessons that make a machine of each kind.
  private func lessons() throws -> [String: String] {
    let files = try FileManager.default.contentsOfDirectory(atPath: Document.root.appending(path: "Lessons").path)
    var lessons: [String: String] = [:]
    for file in files.sorted() where file.hasSuffix(".fsm") {
      let number = try #require(Int(file.prefix { $0 != "-" }))
      for kind in try Self.kinds(madeIn: "Lessons/\(file)") {
        let link = "[\(number)](../Lessons/\(file))"
        lessons[kind] = lessons[kind].map { "\($0), \(link)" } ?? link
      }
    }
    return lessons
  }
}

extension CatalogueEntry {
  /// The name of its source; empty for none.
  fileprivate var source: String {
    switch self {
    case .machine(let kind): kind.source
    case .composition(let composition): composition.source
    }
  }
}
