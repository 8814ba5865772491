import CPage

/// The live page, as it was when the program was built.
///
/// `Web` has the HTML, the CSS and the ES modules, of which a browser could load each. They are given out as three files:
/// all modules are in one of them, so that a page opens with one request instead of thirty.
package enum LivePage {
  package static let html = texts["index.html"] ?? ""
  package static let css = texts["page.css"] ?? ""

  /// All modules as one, to stand where `index.html` has `main.js`: each after those that it imports from.
  ///
  /// No two modules have a name of their top level in common, their imports stand on lines of their own and have no `as`, so
  /// only the words `import` and `export` need to go.
  package static let script = {
    var written: Set<String> = []
    var script = ""
    func write(_ name: String) {
      guard written.insert(name).inserted, let text = texts[name] else { return }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines where line.hasPrefix("import ") {
        if let from = line.split(separator: "\"").dropFirst().first { write(String(from.dropFirst("./".count))) }
      }
      script += "\n// MARK: \(name)\n\n"
      for line in lines where !line.hasPrefix("import ") {
        script += "\(line.hasPrefix("export ") ? line.dropFirst("export ".count) : line[...])\n"
      }
    }
    write("main.js")
    return script
  }()

  /// All files by name.
  package static let texts: [String: String] = {
    var count = 0
    let first = fsm_page_files(&count)
    // Safety: the table has so many rows, and with what it points to it is a constant of the program.
    let files = UnsafeBufferPointer(start: first, count: count).map { file in
      let bytes = UnsafeBufferPointer(start: file.bytes, count: file.length)
      return (String(cString: file.name), String(decoding: bytes, as: UTF8.self))
    }
    return Dictionary(uniqueKeysWithValues: files)
  }()
}
