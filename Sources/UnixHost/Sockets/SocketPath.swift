internal import CSystem
internal import Glibc

/// The path of the daemon's socket, and where it was given.
package struct SocketPath: Hashable, Sendable {
  /// The longest path of a Unix socket in bytes: `sun_path` without its closing zero.
  package static let maximumBytes = 107

  /// What gave the path, highest precedence first.
  package enum Origin: Hashable, Sendable {
    /// `--socket PATH`
    case option
    /// `$FSMD_SOCKET`
    case variable
    /// `$XDG_RUNTIME_DIR/fsmd/fsmd.sock`
    case runtimeDirectory
    /// `fsmd-<uid>/fsmd.sock` in the temporary directory
    case temporaryDirectory
  }

  package let path: String
  package let origin: Origin

  /// Whether the user named this path, so that no other may be used.
  package var isNamed: Bool { origin == .option || origin == .variable }

  /// Finds the path: the option, else `FSMD_SOCKET`, else the runtime directory, else the temporary directory.
  ///
  /// An empty variable counts as unset, and so does a relative `XDG_RUNTIME_DIR` or `TMPDIR`. Does not access the disk.
  ///
  /// - Throws: `emptyPath` for an empty option, `pathTooLong`.
  package static func resolve(
    option: String?,
    environment: (String) -> String? = variable
  ) throws(SocketFailure) -> SocketPath {
    let found: SocketPath
    if let option {
      guard !option.isEmpty else { throw .emptyPath }
      found = SocketPath(path: option, origin: .option)
    } else if let path = environment("FSMD_SOCKET"), !path.isEmpty {
      found = SocketPath(path: path, origin: .variable)
    } else if let folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") {
      found = SocketPath(path: "\(folder)/fsmd/fsmd.sock", origin: .runtimeDirectory)
    } else {
      let given = environment("TMPDIR")
      let folder = given.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
      found = SocketPath(path: "\(folder)/fsmd-\(geteuid())/fsmd.sock", origin: .temporaryDirectory)
    }
    try checkLength(found.path)
    return found
  }

  /// Makes the folder of a default path, with mode 0700; does nothing for a path that the user named.
  ///
  /// - Throws: `directory` when it cannot be made, `directoryNotOurs` when the name belongs to a folder of another
  ///   user, a link or a file.
  package func prepareDirectory() throws(SocketFailure) {
    guard !isNamed else { return }
    let folder = Self.directory(of: path)
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw .directory(path: folder, .last)
    }
    var found = stat()
    guard lstat(folder, &found) == 0 else { throw .directory(path: folder, .last) }
    guard found.st_mode & S_IFMT == S_IFDIR, found.st_uid == geteuid() else {
      throw .directoryNotOurs(path: folder)
    }
    if found.st_mode & 0o777 != 0o700, chmod(folder, 0o700) != 0 {
      throw .directory(path: folder, .last)
    }
  }

  /// An environment variable of this process.
  package static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  static func checkLength(_ path: String) throws(SocketFailure) {
    let bytes = path.utf8.count
    guard bytes > 0 else { throw .emptyPath }
    guard bytes <= maximumBytes else { throw .pathTooLong(path: path, bytes: bytes) }
  }

  /// The folder of a path.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
