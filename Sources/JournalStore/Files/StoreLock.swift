internal import Glibc

/// The lock that keeps a second daemon from a store. The kernel releases it when the process ends.
///
/// The file names the holder: its process id and its socket, one line each. It stays when the lock is released.
struct StoreLock {
  private let file: StoreFile

  /// - Throws: `locked` with the holder, if the file names it.
  init(path: String, store: String, for writer: StoreWriter, faults: FaultPlan?) throws(StoreFailure) {
    let file = try StoreFile(path, O_RDWR | O_CREAT, faults: faults)
    var isHeld = false
    do throws(StoreFailure) {
      var code: Int32
      repeat { code = flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno } while code == EINTR
      if code == EWOULDBLOCK { throw .locked(path: store, by: try Self.holder(file)) }
      guard code == 0 else { throw StoreFailure.system(code, path: path) }
      isHeld = true
      _ = ftruncate(file.descriptor, 0)
      let text = Array("\(writer.process)\n\(writer.socket)\n".utf8)
      try file.write(0..<text.count, of: text, faults: faults)
    } catch {
      // The lock is held even if the holder cannot be written: a store on a full disk can still be read.
      guard isHeld else {
        file.close()
        throw error
      }
    }
    self.file = file
  }

  func release() {
    // Said, since closing is not enough: a child that is being started has a copy of the descriptor until its exec.
    _ = flock(file.descriptor, LOCK_UN)
    file.close()
  }

  private static func holder(_ file: StoreFile) throws(StoreFailure) -> StoreWriter? {
    let text = String(decoding: try file.read(4096, at: 0), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let process = lines.first.flatMap({ Int32($0) }) else { return nil }
    return StoreWriter(process: process, socket: lines.count > 1 ? String(lines[1]) : "")
  }
}
