internal import CSQLite
internal import Glibc

/// An open file of the store, beside the database.
///
/// It does not close itself.
struct StoreFile {
  let path: String
  let descriptor: Int32

  /// - Parameter flags: As for `open`; the file is closed on exec.
  init(_ path: String, _ flags: Int32, faults: FaultPlan? = nil) throws(StoreFailure) {
    self.path = path
    var found: Int32 = -1
    let code = Self.calling(faults) {
      repeat { found = open(path, flags | O_CLOEXEC, 0o600) } while found < 0 && errno == EINTR
      return found < 0 ? errno : 0
    }
    descriptor = found
    guard code == 0 else {
      if found >= 0 { close() }
      throw code == ENOENT && flags & O_CREAT == 0 ? .absent(path: path) : StoreFailure.system(code, path: path)
    }
    if flags & (O_TRUNC | O_EXCL) != 0 { faults?.didChange(.made(path)) }
  }

  func close() {
    _ = Glibc.close(descriptor)
  }

  func length() throws(StoreFailure) -> Int {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { throw StoreFailure.system(errno, path: path) }
    return Int(found.st_size)
  }

  /// At most `count` bytes: fewer where the file ends.
  func read(_ count: Int, at offset: Int) throws(StoreFailure) -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
        if got < 0 {
          if errno == EINTR { continue }
          code = errno
          return
        }
        if got == 0 { return }
        filled += got
      }
    }
    guard code == 0 else { throw StoreFailure.system(code, path: path) }
    return bytes
  }

  /// Writes a range of the file's image at the same range of the file.
  func write(_ range: Range<Int>, of image: [UInt8], faults: FaultPlan?) throws(StoreFailure) {
    let code = Self.calling(faults) {
      image.withUnsafeBytes { image in
        var done = range.lowerBound
        while done < range.upperBound {
          let count = pwrite(descriptor, image.baseAddress.map { $0 + done }, range.upperBound - done, off_t(done))
          if count < 0 {
            if errno == EINTR { continue }
            return errno
          }
          done += count
        }
        return 0
      }
    }
    guard code == 0 else { throw StoreFailure.system(code, path: path) }
    faults?.didChange(.wrote(path, at: range.lowerBound, Array(image[range])))
  }

  /// Makes one kernel call, which returns an error number or 0, unless a fault replaces it.
  static func calling(_ faults: FaultPlan?, _ call: () -> Int32) -> Int32 {
    guard let faults else { return call() }
    var own: Int32 = 0
    let code = faults.calling {
      own = call()
      return 0
    }
    // A fault plan returns an SQLite code.
    return switch code {
    case 0: own
    case SQLITE_FULL: ENOSPC
    case _: EIO
    }
  }

  static func exists(_ path: String) -> Bool {
    var found = stat()
    return lstat(path, &found) == 0
  }

  /// Its length in bytes; 0 if it does not exist.
  static func size(_ path: String) -> Int {
    var found = stat()
    return stat(path, &found) == 0 ? Int(found.st_size) : 0
  }

  /// Waits until a file, or the names in a folder, are on the disk.
  static func sync(_ path: String, faults: FaultPlan?) throws(StoreFailure) {
    let file = try StoreFile(path, O_RDONLY)
    defer { file.close() }
    let code = calling(faults) { fsync(file.descriptor) == 0 ? 0 : errno }
    guard code == 0 else { throw StoreFailure.system(code, path: path) }
    faults?.didChange(.synced(path))
  }

  static func rename(_ path: String, to name: String, faults: FaultPlan?) throws(StoreFailure) {
    let code = calling(faults) { Glibc.rename(path, name) == 0 ? 0 : errno }
    guard code == 0 else { throw StoreFailure.system(code, path: name) }
    faults?.didChange(.renamed(path, to: name))
  }

  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func remove(_ path: String) {
    _ = unlink(path)
  }

  /// Makes a folder with mode 0700, and missing folders above it. An existing folder stays as it is.
  static func makeFolder(_ path: String) throws(StoreFailure) {
    if exists(path) { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeFolder(String(path[..<slash])) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw StoreFailure.system(errno, path: path) }
  }
}

/// The identity of an open file, to check that its path still names it.
///
/// The kernel does not reuse the inode number of an open file, so one look at the path shows whether the file was
/// moved, removed or replaced; the link count would not.
struct FilePlace {
  let path: String
  private let device: dev_t
  private let number: ino_t

  /// - Throws: `gone` if there is no file.
  init(_ path: String) throws(StoreFailure) {
    var found = stat()
    guard stat(path, &found) == 0 else { throw .gone(path: path) }
    self.path = path
    device = found.st_dev
    number = found.st_ino
  }

  var isKept: Bool {
    var found = stat()
    return stat(path, &found) == 0 && found.st_ino == number && found.st_dev == device
  }
}
