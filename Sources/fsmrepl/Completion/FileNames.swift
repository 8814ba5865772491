internal import Glibc
internal import LineProtocol
internal import UnixHost

/// File names as completions.
enum FileNames {
  /// How many are listed.
  private static let most = 100

  /// Files and folders whose paths begin with the typed text; hidden ones only after a typed dot.
  ///
  /// - Parameter isWanted: Whether a file is one of those that are asked for.
  static func completion(of typed: String, where isWanted: (String) -> Bool = { _ in true }) -> Completion {
    // Text in quotes is not completed.
    guard !typed.hasPrefix("\"") else { return Completion() }
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let begun = typed.dropFirst(folder.count)
    guard let all = try? Folder.names(in: folder.isEmpty ? "." : folder) else { return Completion(hint: "FILE") }
    var names: [String] = []
    for name in all {
      guard name.hasPrefix(begun), !name.hasPrefix(".") || begun.hasPrefix(".") else { continue }
      let path = folder + name
      var found = stat()
      let isFolder = stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
      // A name that needs quotes would not match the text in the line.
      if isFolder || isWanted(path), Word.written(path) == path { names.append(isFolder ? "\(path)/" : path) }
    }
    let candidates = names.prefix(most).map { Completion.Candidate(text: $0) }
    return Completion(
      candidates: candidates, isCut: names.count > most, hint: candidates.isEmpty ? "FILE: a name for the file" : "")
  }
}
