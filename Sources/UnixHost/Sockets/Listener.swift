internal import CSystem
internal import Glibc

/// The daemon's socket in the file system, ready to accept.
package struct Listener: Sendable {
  /// For the poller: readable when a client waits to be accepted.
  package let descriptor: Descriptor
  package let path: String
  /// Of the file that was made here; nil if the manager of services made it.
  private let identity: FileIdentity?
  private let isForGroup: Bool
  /// Kept open so that a connection can still be accepted and closed when no other descriptor is left.
  private var spare: Descriptor?

  /// Binds and listens, with the longest backlog that the system allows. The socket has mode 0600, or 0660 for a group.
  ///
  /// A socket on which no process accepts is replaced. Of two processes that start at the same time exactly one wins,
  /// as a lock is held while the name is checked and bound: on the folder, or for a group on a file beside the socket,
  /// since whoever may read a folder can lock it. If only one of the two has a group, they do not lock the same, and
  /// both may start; clients then find the one that was bound last.
  ///
  /// - Throws: `inUse` when a process accepts there, `notASocket` when the name belongs to a file or a folder (which is
  ///   left alone), `directory` when the folder is missing or unusable, `emptyPath`, `pathTooLong`, `locked`, `lock`,
  ///   `system`; for a group also `unreachable` and `replaceable`.
  package init(path: String, for group: SocketGroup? = nil) throws(SocketFailure) {
    try SocketPath.checkLength(path)
    try group?.checkFolders(of: path)
    isForGroup = group != nil
    let lock = try SocketLock(of: path, isForGroup: isForGroup)
    defer { lock.release() }
    try Self.clearStaleSocket(path)
    guard let socket = makeSocket(nonBlocking: true) else {
      throw .system(doing: "make a socket for", path: path, .last)
    }
    do throws(SocketFailure) {
      identity = try Self.bind(socket, to: path, for: group)
    } catch {
      socket.close()
      throw error
    }
    self.path = path
    descriptor = socket
    spare = Self.openSpare()
  }

  /// Takes over a socket on which the manager of services listens (``ServiceManager``), so that no client is lost while
  /// this process starts or ends.
  ///
  /// The file belongs to the manager: it is neither checked nor removed here, and its owner, group and mode are what the
  /// manager gave it.
  ///
  /// - Parameter group: The group that has to be able to connect.
  /// - Throws: `notListening` unless it is a Unix socket with a name on which this process may accept; `notForGroup`.
  package init(inherited socket: Descriptor, for group: SocketGroup? = nil) throws(SocketFailure) {
    guard let path = listeningPath(of: socket) else { throw .notListening(descriptor: socket.rawValue) }
    if let group {
      var found = stat()
      guard stat(path, &found) == 0, found.st_gid == group.id, found.st_mode & 0o060 == 0o060 else {
        throw .notForGroup(path: path, group: group.name)
      }
    }
    socket.makeNonBlocking()
    _ = fcntl(socket.rawValue, F_SETFD, FD_CLOEXEC)
    self.path = path
    descriptor = socket
    identity = nil
    isForGroup = group != nil
    spare = Self.openSpare()
  }

  /// The result of one attempt to accept.
  package enum Accepted: Hashable, Sendable {
    /// A non-blocking connection, closed on exec.
    case connection(Descriptor, Peer)
    /// No client waits.
    case none
    /// No descriptor was free, so a client was accepted and closed, which keeps the poller from spinning.
    case turnedAway
    /// Not even that was possible: remove the listener from the poller until a descriptor has been closed.
    case exhausted
  }

  /// Accepts one connection; never blocks.
  package mutating func accept() -> Accepted {
    accept(with: fsm_accept)
  }

  /// - Parameter take: `accept4`, or a test's replacement that simulates running out of descriptors.
  mutating func accept(with take: (Int32) -> Int32) -> Accepted {
    while true {
      let found = take(descriptor.rawValue)
      if found >= 0 {
        if spare == nil { spare = Self.openSpare() }
        let connection = Descriptor(rawValue: found)
        if let peer = Peer(of: connection) { return .connection(connection, peer) }
        connection.close()
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED, EPERM: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return turnAway(with: take)
      default: return .none
      }
    }
  }

  /// Stops listening and removes the file, if it is still the one created here.
  package func closeAndRemove() {
    guard identity != nil else {
      descriptor.close()
      spare?.close()
      return
    }
    let lock = try? SocketLock(of: path, isForGroup: isForGroup)
    if FileIdentity(path: path) == identity { unlink(path) }
    descriptor.close()
    spare?.close()
    lock?.release()
  }

  private mutating func turnAway(with take: (Int32) -> Int32) -> Accepted {
    guard let reserve = spare else { return .exhausted }
    reserve.close()
    let found = take(descriptor.rawValue)
    let nobodyWaits = found < 0 && errno == EAGAIN
    if found >= 0 { Descriptor(rawValue: found).close() }
    spare = Self.openSpare()
    if nobodyWaits { return .none }
    return found >= 0 ? .turnedAway : .exhausted
  }

  private static func openSpare() -> Descriptor? {
    let found = open("/dev/null", O_RDONLY | O_CLOEXEC)
    return found < 0 ? nil : Descriptor(rawValue: found)
  }

  /// Removes a socket on which no process accepts; throws for anything else with this name.
  private static func clearStaleSocket(_ path: String) throws(SocketFailure) {
    var found = stat()
    guard lstat(path, &found) == 0 else {
      if errno == ENOENT { return }
      throw .system(doing: "look at", path: path, .last)
    }
    guard found.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    do throws(SocketFailure) {
      let holder = try ClientSocket.connect(path: path)
      defer { holder.close() }
      throw SocketFailure.inUse(path: path, pid: Peer(of: holder)?.pid)
    } catch .nobodyListens {
      guard unlink(path) == 0 || errno == ENOENT else {
        throw .system(doing: "replace the stale socket", path: path, .last)
      }
    } catch .system(_, _, let error) where error.code == EAGAIN || error.code == EPROTOTYPE {
      // A full backlog, or a socket of another type: in both cases it is in use.
      throw .inUse(path: path, pid: nil)
    }
  }

  private static func bind(
    _ socket: Descriptor, to path: String, for group: SocketGroup?
  ) throws(SocketFailure) -> FileIdentity {
    // On Linux the file gets the socket's own mode; unlike umask this does not affect other threads.
    _ = fchmod(socket.rawValue, 0o600)
    let result = withSocketAddress(path) { Glibc.bind(socket.rawValue, $0, $1) }
    guard result == 0 else { throw .system(doing: "make the socket", path: path, .last) }
    guard let identity = FileIdentity(path: path) else { throw .system(doing: "look at", path: path, .last) }
    // The file is this user's alone until it has its group. Nobody can have put a link in its place (`checkFolders`).
    if let group, lchown(path, uid_t.max, group.id) != 0 || chmod(path, 0o660) != 0 {
      let error = SystemError.last
      unlink(path)
      throw .system(doing: "give to the group \(group.name) the socket", path: path, error)
    }
    guard listen(socket.rawValue, maximumBacklog()) == 0 else {
      let error = SystemError.last
      unlink(path)
      throw .system(doing: "listen on", path: path, error)
    }
    return identity
  }

  /// The system's maximum; 4096 if it cannot be read, which the kernel reduces itself.
  private static func maximumBacklog() -> Int32 {
    let file = open("/proc/sys/net/core/somaxconn", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 4096 }
    defer { close(file) }
    var digits = [UInt8](repeating: 0, count: 16)
    let count = read(file, &digits, digits.count)
    let text = String(decoding: digits.prefix(max(count, 0)).prefix { $0 != 0x0A }, as: UTF8.self)
    return Int32(text) ?? 4096
  }
}

/// Distinguishes files that have had the same name.
private struct FileIdentity: Equatable, Sendable {
  let device: UInt
  let inode: UInt

  init?(path: String) {
    var found = stat()
    guard lstat(path, &found) == 0 else { return nil }
    device = UInt(found.st_dev)
    inode = UInt(found.st_ino)
  }
}

/// An exclusive lock on a socket's name, which the kernel releases when the process ends.
private struct SocketLock {
  private let descriptor: Descriptor

  /// How long to wait for another process to release the lock: 2 s in steps of 10 ms.
  private static let attempts = 200
  private static let pause: UInt32 = 10_000

  /// - Parameter isForGroup: Whether others may read the folder. The file of the lock stays: a process that waits for it
  ///   would otherwise lock another file than the next one.
  init(of socket: String, isForGroup: Bool) throws(SocketFailure) {
    let path = isForGroup ? "\(socket).lock" : SocketPath.directory(of: socket)
    let found =
      isForGroup
      ? open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
      : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard found >= 0 else { throw isForGroup ? .lock(path: path, .last) : .directory(path: path, .last) }
    descriptor = Descriptor(rawValue: found)
    for _ in 0..<Self.attempts {
      if flock(found, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(Self.pause)
    }
    let error = SystemError.last
    descriptor.close()
    throw error.code == EWOULDBLOCK ? .locked(path: path) : .lock(path: path, error)
  }

  func release() {
    descriptor.close()
  }
}
