import CSystem
import Glibc

/// A folder for one test, removed with all that is in it.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/fsmd-test-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil, "no temporary folder to be had")
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    removeTree(path)
  }
}

private func removeTree(_ path: String) {
  if let folder = opendir(path) {
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != ".." else { continue }
      var found = stat()
      let inside = "\(path)/\(name)"
      guard lstat(inside, &found) == 0 else { continue }
      if found.st_mode & S_IFMT == S_IFDIR { removeTree(inside) } else { unlink(inside) }
    }
    closedir(folder)
  }
  rmdir(path)
}

/// The permission bits of a file, `nil` if there is none.
func mode(of path: String) -> UInt32? {
  var found = stat()
  guard lstat(path, &found) == 0 else { return nil }
  return found.st_mode & 0o777
}
