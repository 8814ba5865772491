import Glibc

/// A folder for one test, removed with all that is in it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/fsmd-e2e-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw HarnessFailure(what: "no temporary folder: errno \(errno)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.removeTree(path) }

  private static func removeTree(_ path: String) {
    for name in names(in: path) {
      let inside = "\(path)/\(name)"
      if fileType(of: inside) == S_IFDIR { removeTree(inside) } else { unlink(inside) }
    }
    rmdir(path)
  }

  /// What is in a folder, in no order; nothing if there is no such folder.
  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// The permission bits of a file; nil if there is none.
func permissions(of path: String) -> UInt32? {
  var found = stat()
  return lstat(path, &found) == 0 ? found.st_mode & 0o777 : nil
}

/// The type bits of a file (`S_IFSOCK`, …); nil if there is none.
func fileType(of path: String) -> UInt32? {
  var found = stat()
  return lstat(path, &found) == 0 ? found.st_mode & S_IFMT : nil
}

/// The whole of a small file, or of one in `/proc`; empty if it cannot be read.
func contents(of path: String) -> String {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return "" }
  defer { close(file) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 16 << 10)
  while true {
    let count = read(file, &piece, piece.count)
    guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
    bytes += piece[..<count]
  }
}
