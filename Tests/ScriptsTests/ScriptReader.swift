@testable import Scripts

/// Parses scripts that are at hand as texts.
struct ScriptReader {
  let path: String

  /// - Parameter files: The texts of the files that the script may name, by path.
  func parse(_ text: String, files: [String: String] = [:]) throws(ScriptFailure) -> Script {
    try ScriptParser.parse(path, Array(text.utf8)) { name in
      files[name].map { .bytes(Array($0.utf8)) } ?? .failed("No such file or directory")
    }
  }

  /// The mistake in a script.
  func failure(_ text: String, files: [String: String] = [:]) -> String {
    do throws(ScriptFailure) {
      _ = try parse(text, files: files)
      return "parsed"
    } catch {
      return "\(error)"
    }
  }
}
