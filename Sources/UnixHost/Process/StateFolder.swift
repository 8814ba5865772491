internal import Glibc

/// The user's folder for state that programs keep between runs: `fsmd` in `$XDG_STATE_HOME`.
package enum StateFolder {
  /// Finds the folder: `$XDG_STATE_HOME/fsmd`, else `.local/state/fsmd` in `$HOME`. A relative path counts as unset.
  /// Does not access the disk.
  ///
  /// - Returns: Nil if neither variable names a folder.
  package static func path(environment: (String) -> String? = SocketPath.variable) -> String? {
    if let base = environment("XDG_STATE_HOME"), base.hasPrefix("/") { return "\(base)/fsmd" }
    if let home = environment("HOME"), home.hasPrefix("/") { return "\(home)/.local/state/fsmd" }
    return nil
  }

  /// Makes the folder, accessible to the user only, and those around it.
  ///
  /// - Returns: Its path, whether or not that succeeded; nil if there is none.
  package static func make() -> String? {
    guard let folder = path() else { return nil }
    var made = ""
    for part in folder.split(separator: "/") {
      made += "/\(part)"
      mkdir(made, 0o700)
    }
    return folder
  }
}
