internal import CReadline
internal import Glibc
internal import UnixHost

/// Lines typed in this and earlier sessions, kept in `fsmd/history` in the user's state folder.
///
/// Errors are ignored: the history is a convenience.
@MainActor
struct HistoryFile {
  private let path: String?

  /// How many lines are kept.
  private static let most: Int32 = 5_000

  init() {
    path = Self.preparePath()
    using_history()
    clear_history()  // Of an earlier prompt of this process, whose lines are in the file.
    stifle_history(Self.most)
    guard let path else { return }
    history_truncate_file(path, Self.most)
    read_history(path)
  }

  /// Adds a line in memory and on disk, unless it is blank or repeats the one before.
  func add(_ line: String) {
    guard line.contains(where: { $0 != " " && $0 != "\t" }) else { return }
    if let last = history_get(history_base + history_length - 1), let text = last.pointee.line {
      if String(cString: text) == line { return }
    }
    add_history(line)
    if let path { append_history(1, path) }
  }

  /// Makes the folder and the file, accessible to the user only.
  private static func preparePath() -> String? {
    guard let folder = StateFolder.make() else { return nil }
    let file = open("\(folder)/history", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    close(file)
    return "\(folder)/history"
  }
}
