import Glibc

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
