import Glibc
import TestSupport
import Testing
import UnixHost

/// The daemon as a service manager runs it.
struct ServiceTests {
  private let folder: TemporaryFolder
  private var socket: String { "\(folder.path)/s" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Starts a daemon with the socket of a listener as the first one that was passed.
  private func start(
    _ listener: Listener, _ arguments: String = "", environment: [(String, String?)] = []
  ) throws -> ProgramRun {
    let program = try Products.path(of: "fsmd")
    return try ProgramRun(
      "sh", ["-c", "LISTEN_FDS=1 LISTEN_PID=$$ exec '\(program)' \(arguments) 3<&0 </dev/null"], in: folder,
      input: listener.descriptor, environment: [("XDG_STATE_HOME", "\(folder.path)/state")] + environment, isOurs: false
    )
  }

  @Test("a client that waits at a passed socket is served; the socket stays, for the next daemon and its clients")
  func passed() throws {
    let listener = try Listener(path: socket)
    defer { listener.closeAndRemove() }
    for name in ["first", "second"] {
      let client = try TestClient(path: socket)
      let daemon = try start(listener)
      try expect(client.line(), hasPrefix: "+ fsmd ")
      try expect(client.ask("new power \(name)"), hasPrefix: "+ created \(name) ")
      try expectEqual(client.ask("shutdown"), "+")
      try expectEqual(daemon.ending(), .exited(0))
      expectEqual(fileType(of: socket), S_IFSOCK)
    }
    let client = try TestClient(path: socket)
    let daemon = try start(listener)
    try expect(client.line(), hasPrefix: "+ fsmd ")
    try expect(client.ask("expect first off"), hasPrefix: "+ off")
    daemon.child.signal(SIGTERM)
    try expectEqual(daemon.ending(), .exited(0))
  }

  @Test("a client that has started a daemon whose store cannot be opened learns why")
  func unusableStore() throws {
    let listener = try Listener(path: socket)
    defer { listener.closeAndRemove() }
    close(creat("\(folder.path)/file", 0o600))
    let client = try TestClient(path: socket)
    let daemon = try start(listener, environment: [("XDG_STATE_HOME", "\(folder.path)/file")])
    let refusal = try client.line()
    expect(refusal.hasPrefix("- STORAGE : ") && refusal.contains("\(folder.path)/file"), "\(refusal)")
    try expectEqual(client.line(), "! bye reason=storage")
    try expectEqual(daemon.ending(), .exited(3))
  }

  @Test("another socket beside the one that was passed, or one that is none, is a mistake")
  func wrongSockets() throws {
    let listener = try Listener(path: socket)
    defer { listener.closeAndRemove() }
    let other = try start(listener, "--ephemeral --socket '\(folder.path)/other'")
    try expectEqual(other.ending(), .exited(2))
    expect(other.log, contains: "listens on \(socket), so there is no --socket", "\(other.log)")
    let none = try ProgramRun(
      "sh", ["-c", "LISTEN_FDS=1 LISTEN_PID=$$ exec '\(try Products.path(of: "fsmd"))' --ephemeral 3</dev/null"],
      in: folder, isOurs: false)
    try expectEqual(none.ending(), .exited(2))
    expect(none.log, contains: "descriptor 3", "\(none.log)")
  }

  @Test("the manager hears when the daemon is ready, that it goes on, and that it ends")
  func notified() throws {
    let address = "\(folder.path)/notify"
    let heard = try ManagerSocket(address)
    let daemon = try DaemonProcess(
      "--ephemeral", in: folder, environment: [("NOTIFY_SOCKET", address), ("WATCHDOG_USEC", "20000")])
    try expectEqual(heard.next(), "READY=1\nSTATUS=listens on \(daemon.socket)")
    for _ in 0..<3 { try expectEqual(heard.next(), "WATCHDOG=1") }
    daemon.signal(SIGTERM)
    var last = "WATCHDOG=1"
    while last == "WATCHDOG=1" { last = try heard.next() }
    expectEqual(last, "STOPPING=1")
    try expectEqual(daemon.run.ending(), .exited(0))
  }
}

/// Where a daemon tells its manager how it is.
private final class ManagerSocket {
  private let descriptor: Descriptor

  init(_ path: String) throws {
    descriptor = Descriptor(rawValue: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    // Safety: sockaddr_un begins like sockaddr by definition; the kernel gets the true size.
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw HarnessFailure(what: "cannot listen on \(path): errno \(errno)") }
    descriptor.makeNonBlocking()
  }

  deinit { descriptor.close() }

  func next() throws -> String {
    try Patience.wait(for: "a notification") {
      var buffer = [UInt8](repeating: 0, count: 1_000)
      guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ descriptor.read(into: $0) }) else { return nil }
      return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
  }
}
