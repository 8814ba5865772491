internal import CSystem
internal import Glibc

/// An open file descriptor.
///
/// A plain number with named operations. It does not close itself: the code that opened it closes it.
package struct Descriptor: Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let standardInput = Descriptor(rawValue: STDIN_FILENO)
  package static let standardOutput = Descriptor(rawValue: STDOUT_FILENO)
  package static let standardError = Descriptor(rawValue: STDERR_FILENO)

  /// Opens `/dev/null` for each standard descriptor that is closed.
  ///
  /// Otherwise a socket would get that number, and log lines would be sent to its peer. Call it before anything is
  /// opened.
  package static func fillStandard() {
    while true {
      let found = open("/dev/null", O_RDWR)  // `open` returns the lowest free number.
      guard found >= 0, found <= STDERR_FILENO else {
        if found >= 0 { _ = Glibc.close(found) }
        return
      }
    }
  }

  // Safety: the buffers below are passed to the kernel with their own counts, and none is kept.

  /// The result of one read or write.
  package enum Transfer: Hashable, Sendable {
    /// The number of bytes moved; at least one, unless zero were requested.
    case bytes(Int)
    /// Nothing can be moved now; wait with the poller.
    case wouldBlock
    /// The other side is gone: end of its data, or no reader left.
    case closed
    case failed(SystemError)
  }

  /// Reads what is available, at most the size of `buffer`.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    let count = retryingOnInterrupt { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
    return count == 0 && !buffer.isEmpty ? .closed : Self.transfer(count)
  }

  /// Writes as much of `buffer` as fits.
  ///
  /// For pipes, terminals and files. On a socket without a reader this raises SIGPIPE: use ``send(_:)`` there.
  package func write(_ buffer: UnsafeRawBufferPointer) -> Transfer {
    Self.transfer(retryingOnInterrupt { Glibc.write(rawValue, buffer.baseAddress, buffer.count) })
  }

  /// Writes as much of `buffer` to a socket as fits; never raises SIGPIPE.
  package func send(_ buffer: UnsafeRawBufferPointer) -> Transfer {
    Self.transfer(
      retryingOnInterrupt { Glibc.send(rawValue, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL)) })
  }

  /// Writes all of `text`; blocks as long as it takes.
  ///
  /// For diagnostics and for programs with nothing else to do.
  ///
  /// - Returns: `false` when it could not be written in full.
  @discardableResult
  package func writeAll(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0)) }
  }

  /// Writes all bytes; blocks as long as it takes.
  ///
  /// - Returns: `false` when they could not be written in full.
  @discardableResult
  package func writeAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      switch write(rest) {
      case .bytes(let count):
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      case .wouldBlock:
        var wanted = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        guard retryingOnInterrupt({ poll(&wanted, 1, -1) }) >= 0 else { return false }
      case .closed, .failed:
        return false
      }
    }
    return true
  }

  /// Whether it is a terminal.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// How many columns the terminal has; `nil` without a terminal, or if it does not say.
  package var columns: Int? { windowSize.flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil } }

  /// How many rows the terminal has; `nil` without a terminal, or if it does not say.
  package var rows: Int? { windowSize.flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil } }

  private var windowSize: winsize? {
    var size = winsize()
    return ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Makes reads and writes return instead of blocking.
  ///
  /// The flag belongs to the open file, so other processes that share it are affected: never use it on a terminal.
  package func makeNonBlocking() {
    let flags = fcntl(rawValue, F_GETFL)
    _ = fcntl(rawValue, F_SETFL, flags | O_NONBLOCK)
  }

  /// Ends sending on a socket; reading continues. Only tests use it.
  package func shutdownSending() {
    _ = shutdown(rawValue, Int32(SHUT_WR))
  }

  package func close() {
    // Not repeated after EINTR: on Linux the descriptor is closed by then, and its number may be reused.
    _ = Glibc.close(rawValue)
  }

  private static func transfer(_ count: Int) -> Transfer {
    guard count < 0 else { return .bytes(count) }
    switch errno {
    case EAGAIN: return .wouldBlock
    case EPIPE, ECONNRESET: return .closed
    case let code: return .failed(SystemError(code: code))
    }
  }
}
