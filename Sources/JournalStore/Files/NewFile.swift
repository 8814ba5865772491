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
    do {
      try make(path, from: new, fill)
    } catch let failure as StoreFailure {
      throw failure.about(path, insteadOf: new)
    }
  }

  private static func make(_ path: String, from new: String, _ fill: (_ temporary: String) throws -> Void) throws {
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

extension StoreFailure {
  /// The failure of a temporary file as that of the file that somebody asked for.
  fileprivate func about(_ path: String, insteadOf temporary: String) -> StoreFailure {
    switch self {
    case .full(temporary): .full(path: path)
    case .readOnly(temporary): .cannotOpen(path: path, reason: "its folder cannot be written to")
    case .cannotOpen(temporary, let reason): .cannotOpen(path: path, reason: reason)
    case .other(temporary, let reason): .other(path: path, reason: reason)
    case .unknown(temporary, let reason): .other(path: path, reason: reason)
    case .damaged(let damage) where damage.path == temporary:
      .damaged(Damage(path, world: damage.world, at: damage.sequence, damage.finding))
    case .full, .readOnly, .cannotOpen, .other, .unknown, .damaged, .fenced, .outOfStep, .lost, .noSuchWorld,
      .worldExists, .locked, .otherSchema, .absent, .gone:
      self
    }
  }
}
