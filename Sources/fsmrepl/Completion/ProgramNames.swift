internal import Glibc
internal import LineProtocol
internal import UnixHost

/// Commands of the shell as completions.
enum ProgramNames {
  /// How many are listed.
  private static let most = 100

  /// The folders of `$PATH`.
  private static var folders: [Substring] { (SocketPath.variable("PATH") ?? "").split(separator: ":") }

  /// Whether there is a program of this name.
  static func has(_ program: String) -> Bool { folders.contains { access("\($0)/\(program)", X_OK) == 0 } }

  /// The programs in `$PATH` whose names begin with the typed text; of a text with a slash, files.
  static func completion(of typed: String) -> Completion {
    guard !typed.contains("/") else { return FileNames.completion(of: typed) }
    guard !typed.isEmpty else { return Completion(hint: "CMD: a command of the shell") }
    var names: Set<String> = []
    for folder in folders {
      for name in (try? Folder.names(in: String(folder))) ?? [] where name.hasPrefix(typed) && !names.contains(name) {
        if access("\(folder)/\(name)", X_OK) == 0 { names.insert(name) }
      }
    }
    let candidates = names.sorted().prefix(most).map { Completion.Candidate(text: $0) }
    return Completion(candidates: candidates, isCut: names.count > most)
  }
}
