import CSystem
import Glibc
import TestSupport
import Testing

@testable import UnixHost

@Suite(.serialized)
struct ListenerTests {
  private let folder = TemporaryFolder.inMemory()
  private var path: String { "\(folder.path)/s" }

  @Test("the socket is this user's alone, and a client that connects is known by its uid and pid")
  func acceptsAPeer() throws {
    var listener = try Listener(path: path)
    defer { listener.closeAndRemove() }
    expectEqual(mode(of: path), 0o600)
    expectEqual(listener.accept(), .none)
    let client = try ClientSocket.connect(path: path)
    defer { client.close() }
    guard case .connection(let connection, let peer) = listener.accept() else {
      Issue.record("nobody was accepted")
      return
    }
    defer { connection.close() }
    expectEqual(peer.uid, geteuid())
    expectEqual(peer.pid, getpid())
    expect(peer.isTrusted)
    expectEqual(Peer(of: client)?.pid, getpid())
    expect(fcntl(connection.rawValue, F_GETFL) & O_NONBLOCK != 0)
    expect(fcntl(connection.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    expect(fcntl(listener.descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    expectEqual(listener.accept(), .none)
  }

  @Test("a live socket is not taken, and its holder is named")
  func live() throws {
    let first = try Listener(path: path)
    defer { first.closeAndRemove() }
    #expect(throws: SocketFailure.inUse(path: path, pid: getpid())) { _ = try Listener(path: path) }
    expect("\(SocketFailure.inUse(path: "s", pid: 7))", contains: "process 7")
    // The attempt has not taken the name away from its holder.
    try ClientSocket.connect(path: path).close()
  }

  @Test("a live socket whose backlog is full is still live")
  func fullBacklog() throws {
    guard let socket = makeSocket(nonBlocking: true) else { return }
    defer { socket.close() }
    expectEqual(withSocketAddress(path) { bind(socket.rawValue, $0, $1) }, 0)
    expectEqual(listen(socket.rawValue, 0), 0)
    let waiting = try ClientSocket.connect(path: path)
    defer { waiting.close() }
    #expect(throws: SocketFailure.inUse(path: path, pid: nil)) { _ = try Listener(path: path) }
  }

  @Test("a stale socket is replaced")
  func stale() throws {
    guard let socket = makeSocket(nonBlocking: true) else { return }
    expectEqual(withSocketAddress(path) { bind(socket.rawValue, $0, $1) }, 0)
    socket.close()
    #expect(throws: SocketFailure.nobodyListens(path: path)) { _ = try ClientSocket.connect(path: path) }
    let listener = try Listener(path: path)
    defer { listener.closeAndRemove() }
    try ClientSocket.connect(path: path).close()
  }

  @Test("a socket that was passed is served, and its file stays")
  func inherited() throws {
    guard let socket = makeSocket(nonBlocking: false) else { return }
    #expect(throws: SocketFailure.notListening(descriptor: socket.rawValue)) { _ = try Listener(inherited: socket) }
    expectEqual(withSocketAddress(path) { bind(socket.rawValue, $0, $1) }, 0)
    #expect(throws: SocketFailure.notListening(descriptor: socket.rawValue)) { _ = try Listener(inherited: socket) }
    expectEqual(listen(socket.rawValue, 5), 0)
    _ = fcntl(socket.rawValue, F_SETFD, 0)
    let nobody = SocketGroup(name: "other", id: getegid() + 1)
    #expect(throws: SocketFailure.notForGroup(path: path, group: "other")) {
      _ = try Listener(inherited: socket, for: nobody)
    }
    var listener = try Listener(inherited: socket)
    expectEqual(listener.path, path)
    expect(fcntl(socket.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    expectEqual(listener.accept(), .none)
    let client = try ClientSocket.connect(path: path)
    defer { client.close() }
    guard case .connection(let connection, _) = listener.accept() else {
      Issue.record("nobody was accepted")
      return
    }
    connection.close()
    listener.closeAndRemove()
    expect(mode(of: path) != nil)
  }

  @Test("what is no socket is left alone")
  func notASocket() throws {
    close(creat(path, 0o644))
    #expect(throws: SocketFailure.notASocket(path: path)) { _ = try Listener(path: path) }
    expectEqual(mode(of: path), 0o644)
    unlink(path)
    symlink("/tmp", path)
    #expect(throws: SocketFailure.notASocket(path: path)) { _ = try Listener(path: path) }
  }

  @Test("a missing folder is named")
  func missingFolder() {
    #expect(throws: SocketFailure.directory(path: "\(folder.path)/no", SystemError(code: ENOENT))) {
      _ = try Listener(path: "\(folder.path)/no/s")
    }
  }

  @Test("a path that is too long is refused before anything is touched")
  func tooLong() {
    let long = "\(folder.path)/\(String(repeating: "x", count: 100))"
    #expect(throws: SocketFailure.pathTooLong(path: long, bytes: long.utf8.count)) { _ = try Listener(path: long) }
    #expect(throws: SocketFailure.pathTooLong(path: long, bytes: long.utf8.count)) {
      _ = try ClientSocket.connect(path: long)
    }
  }

  @Test("closing removes its own file, and nobody else's")
  func removesOnlyItsOwn() throws {
    let first = try Listener(path: path)
    first.closeAndRemove()
    expectNil(mode(of: path))

    let second = try Listener(path: path)
    unlink(path)
    let third = try Listener(path: path)
    second.closeAndRemove()
    expectEqual(mode(of: path), 0o600)
    third.closeAndRemove()
    expectNil(mode(of: path))
  }

  @Test("a folder that somebody keeps locked is a failure, not a hang")
  func locked() throws {
    let holder = open(folder.path, O_RDONLY | O_DIRECTORY)
    defer { close(holder) }
    expectEqual(flock(holder, LOCK_EX), 0)
    #expect(throws: SocketFailure.locked(path: folder.path)) { _ = try Listener(path: path) }
  }

  @Test("without a free descriptor callers are hung up on instead of waiting for ever")
  func outOfDescriptors() throws {
    var listener = try Listener(path: path)
    defer { listener.closeAndRemove() }
    var clients: [Descriptor] = []
    for _ in 0..<3 { clients.append(try ClientSocket.connect(path: path)) }
    defer { for client in clients { client.close() } }

    // Every second call finds no descriptor: the one before the spare is given up for the caller.
    var calls = 0
    let outOfDescriptors: (Int32) -> Int32 = { socket in
      calls += 1
      guard calls.isMultiple(of: 2) else {
        errno = EMFILE
        return -1
      }
      return fsm_accept(socket)
    }
    let answers = (0..<4).map { _ in listener.accept(with: outOfDescriptors) }

    expectEqual(answers, [.turnedAway, .turnedAway, .turnedAway, .none])
    var byte: UInt8 = 0
    for client in clients {
      expectEqual(withUnsafeMutableBytes(of: &byte) { client.read(into: $0) }, .closed)
    }
  }

  @Test("when even the spare does not help, the caller is told to stop asking")
  func exhausted() throws {
    var listener = try Listener(path: path)
    defer { listener.closeAndRemove() }
    let never: (Int32) -> Int32 = { _ in
      errno = ENFILE
      return -1
    }
    expectEqual(listener.accept(with: never), .exhausted)
    expectEqual(listener.accept(), .none)
  }
}

@Suite("Sockets for a group", .serialized)
struct SocketGroupTests {
  private let folder = TemporaryFolder.inMemory()

  /// The group of this process.
  private var own: SocketGroup { SocketGroup(name: "own", id: getegid()) }

  @Test("the socket has the group and its mode, in a folder that the group can pass")
  func mode() throws {
    chmod(folder.path, 0o750)
    let path = "\(folder.path)/s"
    // The folder above is the system's.
    let listener = try Listener(path: path, for: own)
    defer { listener.closeAndRemove() }
    var found = stat()
    expectEqual(lstat(path, &found), 0)
    expectEqual(found.st_mode & 0o777, 0o660)
    expectEqual(found.st_gid, getegid())
    try ClientSocket.connect(path: path).close()
  }

  @Test("who can only read the folder cannot lock the daemon out")
  func locked() throws {
    chmod(folder.path, 0o755)
    let path = "\(folder.path)/s"
    let reader = open(folder.path, O_RDONLY | O_DIRECTORY)
    defer { close(reader) }
    expectEqual(flock(reader, LOCK_EX), 0)
    try Listener(path: path, for: own).closeAndRemove()
    var found = stat()
    expect(lstat("\(path).lock", &found) == 0 && found.st_mode & 0o777 == 0o600)

    let holder = open("\(path).lock", O_RDONLY)
    expectEqual(flock(holder, LOCK_EX), 0)
    #expect(throws: SocketFailure.locked(path: "\(path).lock")) { _ = try Listener(path: path, for: own) }
    close(holder)
    unlink("\(path).lock")
    symlink("/tmp/elsewhere", "\(path).lock")
    #expect(throws: SocketFailure.lock(path: "\(path).lock", SystemError(code: ELOOP))) {
      _ = try Listener(path: path, for: own)
    }
  }

  @Test("a folder that the group cannot pass, or that others can write, is named")
  func folders() {
    let path = "\(folder.path)/s"
    chmod(folder.path, 0o700)
    #expect(throws: SocketFailure.unreachable(group: "own", folder: folder.path, mode: 0o700)) {
      _ = try Listener(path: path, for: own)
    }
    // The group of the folder is another one, so what others may do counts.
    chmod(folder.path, 0o770)
    #expect(throws: SocketFailure.unreachable(group: "other", folder: folder.path, mode: 0o770)) {
      _ = try Listener(path: path, for: SocketGroup(name: "other", id: getegid() &+ 1))
    }
    #expect(throws: SocketFailure.replaceable(folder: folder.path)) { _ = try Listener(path: path, for: own) }
    // Whoever can write the folder of a link can replace the link.
    let (safe, open) = ("\(folder.path)/safe", "\(folder.path)/open")
    mkdir(safe, 0o755)
    mkdir(open, 0o755)
    chmod(folder.path, 0o755)
    chmod(open, 0o777)
    symlink(safe, "\(open)/link")
    #expect(throws: SocketFailure.replaceable(folder: open)) { _ = try Listener(path: "\(open)/link/s", for: own) }
    chmod(open, 0o755)
    #expect(throws: Never.self) { try Listener(path: "\(open)/link/s", for: own).closeAndRemove() }
    chmod(folder.path, 0o700)
  }

  @Test("groups are looked up by name, and users by number")
  func accounts() throws {
    #expect(throws: SocketFailure.noSuchGroup("no such group")) { _ = try SocketGroup(named: "no such group") }
    expectEqual(try Accounts.name(ofUser: 0), "root")
    expectEqual(try Accounts.user(named: "root"), 0)
    expectEqual(Accounts.group(named: "root"), 0)
    expectNil(try Accounts.name(ofUser: 4_000_000_000))
    expect(Accounts.isMember(of: getegid()))
    expect("\(SocketFailure.notInGroup("class"))", contains: "class")
  }
}
