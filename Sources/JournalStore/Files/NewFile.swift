internal import Glibc

/// Makes files for people: written in full under another name first, and never replacing an existing file.
package enum NewFile {
  /// A file with this name exists.
  package struct Exists: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String

    package init(path: String) {
      self.path = path
    }

    package var description: String { "there is a file \(path) already, and it is not overwritten" }
  }

  /// Makes a file.
  ///
  /// - Parameters:
  ///   - path: In a folder that exists.
  ///   - fill: Writes to an empty file of mode 0600 before the umask; it gets the file's temporary name.
  /// - Throws: ``Exists``, ``StoreFailure``, and what `fill` throws. Then no file is left.
  package static func make(_ path: String, _ fill: (_ temporary: String) throws -> Void) throws {
    if StoreFile.exists(path) { throw Exists(path: path) }
    let new = "\(path).\(getpid()).new"
    StoreFile.remove(new)  // A dead process with this id may have left one.
    try StoreFile(new, O_RDWR | O_CREAT | O_EXCL).close()
    defer { StoreFile.remove(new) }
    try fill(new)
    try StoreFile.sync(new, faults: nil)
    // Unlike renaming, linking fails if another process has made the file meanwhile.
    if link(new, path) != 0 {
      switch errno {
      case EEXIST: throw Exists(path: path)
      case EPERM, EOPNOTSUPP:
        // A file system without hard links.
        if StoreFile.exists(path) { throw Exists(path: path) }
        try StoreFile.rename(new, to: path, faults: nil)
      case let code: throw StoreFailure.system(code, path: path)
      }
    }
    // The name must be on the disk as well.
    try StoreFile.sync(StoreFile.folder(of: path), faults: nil)
  }

  /// Makes a file with these bytes.
  package static func write(_ bytes: [UInt8], to path: String) throws {
    try make(path) { new in
      let file = try StoreFile(new, O_WRONLY)
      defer { file.close() }
      try file.write(0..<bytes.count, of: bytes, faults: nil)
    }
  }
}
