@testable import Scripts

/// Parses scripts that are at hand as texts.
struct ScriptReader {
  let path: String

  /// - Parameter files: The texts of the files that the script may name, by path.
  func parse(_ text: String, files: [String: String] = [:]) throws(ScriptMistakes) -> Script {
    try ScriptParser.parse(path, Array(text.utf8)) { name in
      files[name].map { .bytes(Array($0.utf8)) } ?? .failed("No such file or directory")
    }
  }

  /// The first mistake that is found in a script.
  func failure(_ text: String, files: [String: String] = [:]) -> String {
    failures(text, files: files).first ?? "parsed"
  }

  /// What is told of a script, a line each.
  func failures(_ text: String, files: [String: String] = [:]) -> [String] {
    do throws(ScriptMistakes) {
      _ = try parse(text, files: files)
      return []
    } catch {
      return error.lines
    }
  }
}
