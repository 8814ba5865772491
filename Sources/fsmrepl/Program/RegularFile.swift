internal import Glibc

/// Tells regular files from pipes, devices and folders, which may block when opened or read.
enum RegularFile {
  /// What the file at a path is if it is not a regular file; `nil` for a regular file or a missing one.
  static func problem(at path: String) -> String? {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    let what =
      switch found.st_mode & S_IFMT {
      case S_IFREG: ""
      case S_IFDIR: "a folder"
      case S_IFIFO: "a pipe"
      case S_IFSOCK: "a socket"
      default: "a device"
      }
    return what.isEmpty ? nil : "it is \(what), not a regular file"
  }
}
