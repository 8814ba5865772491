internal import CSystem
internal import Glibc

/// Calls `body` with a Unix socket's path as a kernel address.
///
/// - Precondition: The path has 1 to ``SocketPath/maximumBytes`` bytes.
func withSocketAddress<Result>(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8)
  precondition(!bytes.isEmpty && bytes.count <= SocketPath.maximumBytes, "the caller checks the path")
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }  // The rest is zero.
  // Safety: sockaddr_un begins like sockaddr by definition; the kernel gets the true size.
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}

/// The process at the other end of a connected Unix socket, as recorded by the kernel when the connection was made.
package struct Peer: Hashable, Sendable {
  /// The process that called `connect`, or, seen from a client, `listen`.
  package let pid: Int32
  package let uid: UInt32

  package init?(of socket: Descriptor) {
    var credentials = fsm_credentials()
    var size = socklen_t(MemoryLayout<fsm_credentials>.size)
    guard getsockopt(socket.rawValue, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    pid = credentials.pid
    uid = credentials.uid
  }

  /// Whether the peer is this user or root, who can do anything anyway.
  package var isTrusted: Bool { uid == geteuid() || uid == 0 }
}

/// A new Unix stream socket, closed on exec; `nil` with `errno` set if none can be made.
func makeSocket(nonBlocking: Bool) -> Descriptor? {
  let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0))
  let socket = Glibc.socket(AF_UNIX, flags, 0)
  return socket < 0 ? nil : Descriptor(rawValue: socket)
}

/// The path of a Unix stream socket that accepts connections; nil for anything else, and for one without a path.
func listeningPath(of socket: Descriptor) -> String? {
  func option(_ name: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(socket.rawValue, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
  }
  guard option(SO_TYPE) == Int32(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN) == 1 else { return nil }
  var found = sockaddr_un()
  var size = socklen_t(MemoryLayout<sockaddr_un>.size)
  // Safety: sockaddr_un begins like sockaddr by definition; the kernel writes no more than its size.
  let code = withUnsafeMutablePointer(to: &found) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.rawValue, $0, &size) }
  }
  guard code == 0, found.sun_family == sa_family_t(AF_UNIX) else { return nil }
  let path = withUnsafeBytes(of: &found.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  return path.isEmpty ? nil : path
}
