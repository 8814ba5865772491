import Testing

/// The README's table of kinds: it has what the sources say of form and size.
struct KindTableTests {
  /// What the sources say of a kind.
  private struct Entry: Equatable {
    let form: String
    /// Lines of code of the machine and its catalogue entry; `–` for a composition, which has no rule.
    let lines: String
    let about: String

    var row: String { "\(form) | \(lines) | \(about)" }
  }

  @Test("the README's table of kinds: form, lines of code, what it is")
  func table() throws {
    let readme = try Checkout.file("README.md").text
    let entries = try entries()
    #expect(entries.count > 40)
    for (kind, entry) in entries.sorted(by: { $0.key < $1.key }) {
      #expect(readme.contains("| `\(kind)` | \(entry.row) |\n"), "| `\(kind)` | \(entry.row) |")
    }
  }

  private func entries() throws -> [String: Entry] {
    let files = try Checkout.swiftFiles(in: "Sources/Simulations")
    let forms = try forms()
    var entries: [String: Entry] = [:]
    for file in files {
      let kinds = #/Kind\(\s*(\w+)\.self, "(\w+)",\s*(?:version: \d+,\s*)?"([^"]*)",\s*(?:form: \.(\w+),)?/#
      for match in file.text.matches(of: kinds) {
        let (_, type, kind, about, form) = match.output
        let lines = files.filter { isPart($0, of: type) }.reduce(0) { $0 + lineCount($1) }
        entries[String(kind)] = Entry(
          form: form.flatMap { forms[String($0)] } ?? forms["enumAndSwitch"] ?? "", lines: "\(lines)",
          about: String(about))
      }
      for match in file.text.matches(of: #/= Composition\(\s*"(\w+)",\s*"([^"]*)"/#) {
        entries[String(match.output.1)] = Entry(form: "composition", lines: "–", about: String(match.output.2))
      }
    }
    return entries
  }

  /// The names of the forms as they are printed, by their cases.
  private func forms() throws -> [String: String] {
    let text = try Checkout.file("Sources/StateMachines/Catalogue/Form.swift").text
    var forms: [String: String] = [:]
    for match in text.matches(of: #/case (\w+)(?: = "([^"]*)")?\n/#) {
      forms[String(match.output.1)] = String(match.output.2 ?? match.output.1)
    }
    return forms
  }

  /// Whether a file holds part of a machine: it bears the type's name, or that of what it is made of.
  private func isPart(_ file: ProjectFile, of type: Substring) -> Bool {
    let name = file.path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
    return name == type || name.hasPrefix("\(type)+") || name == "\(type)Feature"
  }

  /// Lines with code, but for imports.
  private func lineCount(_ file: ProjectFile) -> Int {
    file.swift.code.count { line in line.contains { !$0.isWhitespace } && !line.contains("import ") }
  }
}
