internal import Glibc
internal import UnixHost

/// The temporary folder of a daemon that is started for this program only, with its socket and its log.
///
/// The log is locked. The daemon writes it through the same open file, so the kernel releases the lock when both have
/// ended, however they end. Then the next program removes what they have left.
struct DaemonFolder {
  private let path: String
  /// What the daemon writes.
  let log: Descriptor

  private static let prefix = "fsmrepl-"
  /// What stands for the rest of the name, until there is one.
  private static let placeholder = "XXXXXX"

  var socketPath: String { Self.socketPath(in: path) }

  private static func socketPath(in folder: String) -> String { "\(folder)/fsmd.sock" }
  private static func logPath(in folder: String) -> String { "\(folder)/log" }

  /// Makes a folder that only this user can enter.
  init(in base: String) throws(SystemError) {
    while true {
      var template = Array("\(base)/\(Self.prefix)\(Self.placeholder)".utf8CString)
      guard mkdtemp(&template) != nil else { throw .last }
      let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      let found = open(Self.logPath(in: path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      // Until it is locked, another program takes the folder for one that was left behind.
      if found < 0, errno == ENOENT { continue }
      guard found >= 0 else {
        let error = SystemError.last
        rmdir(path)
        throw error
      }
      guard flock(found, LOCK_EX | LOCK_NB) == 0, access(Self.logPath(in: path), F_OK) == 0 else {
        close(found)
        continue
      }
      self.path = path
      log = Descriptor(rawValue: found)
      return
    }
  }

  /// Removes it with what is in it.
  func remove() {
    Self.remove(path)
    log.close()
  }

  /// Removes the folders of programs that were killed and whose daemons have ended.
  static func removeAbandoned(in base: String) {
    let length = prefix.utf8.count + placeholder.utf8.count
    for name in (try? Folder.names(in: base)) ?? [] where name.hasPrefix(prefix) && name.utf8.count == length {
      let path = "\(base)/\(name)"
      var facts = stat()
      // Another user may have put a link there, and this one a folder for other things, which others can usually read.
      guard lstat(path, &facts) == 0, facts.st_mode == S_IFDIR | 0o700, facts.st_uid == geteuid() else { continue }
      let log = open(logPath(in: path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard log >= 0 else {
        rmdir(path)  // It goes only if nothing is in it.
        continue
      }
      if flock(log, LOCK_EX | LOCK_NB) == 0 { remove(path) }
      close(log)
    }
  }

  private static func remove(_ path: String) {
    unlink(socketPath(in: path))
    unlink(logPath(in: path))
    rmdir(path)
  }
}
