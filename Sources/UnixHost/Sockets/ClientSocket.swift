internal import Glibc

/// The client's end of a connection to the daemon.
package enum ClientSocket {
  /// Connects to the daemon at `path`.
  ///
  /// A Unix socket connects at once or fails, so this does not block. But if so many others connect that there is no place
  /// to wait for the daemon, it tries again.
  ///
  /// - Parameter tries: How often it tries, every 10 ms.
  /// - Returns: A non-blocking descriptor, closed on exec; the caller closes it.
  /// - Throws: `emptyPath`, `pathTooLong`; `nobodyListens` when there is no such file or no process accepts on it;
  ///   `system` for everything else, a full backlog included.
  package static func connect(path: String, tries: Int = 1) throws(SocketFailure) -> Descriptor {
    try SocketPath.checkLength(path)
    guard let socket = makeSocket(nonBlocking: true) else {
      throw .system(doing: "make a socket for", path: path, .last)
    }
    let result = withSocketAddress(path) { address, size in
      retryingOnInterrupt { Glibc.connect(socket.rawValue, address, size) }
    }
    guard result == 0 else {
      let error = SystemError.last
      socket.close()
      switch error.code {
      case ENOENT, ECONNREFUSED, ENOTDIR: throw .nobodyListens(path: path)
      case EAGAIN where tries > 1:
        usleep(10_000)
        return try connect(path: path, tries: tries - 1)
      default: throw .system(doing: "connect to", path: path, error)
      }
    }
    return socket
  }

  /// Starts a command for a shell, and connects to it by its standard input and output. It ends with the connection.
  ///
  /// - Throws: `system`.
  package static func connect(command: String) throws(SocketFailure) -> Descriptor {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw .system(doing: "make sockets for", path: command, .last)
    }
    let (own, its) = (Descriptor(rawValue: ends[0]), Descriptor(rawValue: ends[1]))
    defer { its.close() }
    do throws(SystemError) {
      _ = try Child.spawn("/bin/sh", ["-c", command], input: its, output: its)
    } catch {
      own.close()
      throw .system(doing: "start", path: command, error)
    }
    _ = fcntl(own.rawValue, F_SETFL, O_NONBLOCK)
    return own
  }
}
