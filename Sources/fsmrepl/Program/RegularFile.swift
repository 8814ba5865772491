internal import Glibc

/// Tells regular files from pipes, devices and folders, since opening or reading one of those may block for ever.
enum RegularFile {
  /// Why what is at a path is no regular file; `nil` if it is one, or if nothing is there.
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
    return what.isEmpty ? nil : "it is \(what), and only a regular file will do"
  }
}
