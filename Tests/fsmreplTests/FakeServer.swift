import Dispatch
import Glibc
import LineProtocol
import Synchronization
import TestSupport
import UnixHost

/// A daemon that says what a test wants: one connection after the other, on a thread of its own.
///
/// It hangs up after half a minute, so that a client that waits for ever fails instead.
final class FakeServer: Sendable {
  let path: String
  private let folder: TemporaryFolder
  /// What is to be said without being asked.
  private let unasked = Mutex<[[UInt8]]>([])

  nonisolated private static let patience: UInt64 = 30_000_000_000
  /// Between two looks at what is to be said, in milliseconds.
  nonisolated private static let interval: Int32 = 5

  /// - Parameter answer: The lines to send for a request without its tag; a word `@` in them stands for the tag.
  ///   `nil` hangs up, and so does a line `! bye`.
  init(
    greeting: [String] = ["+ fsmd protocol=1 version=0 world=main clock=virtual t=0.000 seq=0"],
    answer: @escaping @Sendable (String) -> [String]?
  ) throws {
    folder = try TemporaryFolder()
    path = "\(folder.path)/s"
    let made = try Listener(path: path)
    DispatchQueue(label: "fake daemon").async { [weak self] in
      var listener = made
      let deadline = HostClock.now() + Self.patience
      while HostClock.now() < deadline, self != nil {
        var entry = pollfd(fd: listener.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, Self.interval)
        guard case .connection(let connection, _) = listener.accept() else { continue }
        for line in greeting { connection.writeAll("\(line)\n") }
        DispatchQueue(label: "fake daemon").async { [weak self] in
          Self.serve(connection, answer: answer, until: deadline) { self?.takeUnasked() }
          connection.close()
        }
      }
      listener.closeAndRemove()
    }
  }

  /// Sends a line to whoever is connected; with several connections, to one of them.
  func say(_ line: String) {
    say(Array(line.utf8))
  }

  /// The same with bytes that may be no text.
  func say(_ line: [UInt8]) {
    unasked.withLock { $0.append(line) }
  }

  nonisolated private func takeUnasked() -> [[UInt8]] {
    unasked.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  /// - Parameter unasked: What is to be said now; `nil` when the test is over.
  nonisolated private static func serve(
    _ connection: Descriptor, answer: (String) -> [String]?, until deadline: UInt64, unasked: () -> [[UInt8]]?
  ) {
    var input = InputBuffer(longestLine: 1 << 20)
    while HostClock.now() < deadline {
      while case .line(let line) = input.nextLine() {
        var request = String(decoding: line.bytes, as: UTF8.self)
        var tag = ""
        if request.hasPrefix("@"), let end = request.firstIndex(of: " ") {
          tag = String(request[..<end])
          request = String(request[request.index(after: end)...])
        }
        guard let lines = answer(request) else { return }
        for line in lines {
          let words = line.split(separator: " ", omittingEmptySubsequences: false).map { $0 == "@" ? tag : String($0) }
          connection.writeAll(words.joined(separator: " ") + "\n")
        }
        if lines.contains(where: { $0.hasPrefix("! bye") || $0.contains(#""what":"bye""#) }) { return }
      }
      guard let lines = unasked() else { return }
      for line in lines { _ = (line + [0x0A]).withUnsafeBytes { connection.writeAll($0) } }
      var entry = pollfd(fd: connection.rawValue, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, interval)
      switch connection.read(into: input.room(atLeast: 4096)) {
      case .bytes(let count): input.didFill(count)
      case .wouldBlock: continue
      case .closed, .failed: return
      }
    }
  }
}
