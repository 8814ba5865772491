import Dispatch
import Glibc
import LineProtocol
import UnixHost

/// A daemon that says what a test wants: one connection after the other, on a thread of its own.
///
/// It hangs up after ten seconds, so that a client that waits for ever fails instead.
final class FakeServer: Sendable {
  let path: String
  private let folder: String

  /// - Parameter answer: The lines to send for a request without its tag; `nil` hangs up, and so does a `! bye`. `@` in a line stands for
  ///   the request's tag.
  init(
    greeting: [String] = ["+ fsmd protocol=1 version=0 world=main clock=virtual t=0.000 seq=0"],
    answer: @escaping @Sendable (String) -> [String]?
  ) throws {
    var template = Array("/tmp/fsmrepl-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError.last }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    self.folder = folder
    path = "\(folder)/s"
    let made = try Listener(path: path)
    DispatchQueue.global().async {
      var listener = made
      let deadline = HostClock.now() + 10_000_000_000
      while HostClock.now() < deadline {
        var entry = pollfd(fd: listener.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, 100)
        guard case .connection(let connection, _) = listener.accept() else {
          // The test has taken the folder away: it is done.
          if access(folder, F_OK) != 0 { break }
          continue
        }
        Self.serve(connection, greeting: greeting, answer: answer, until: deadline)
        connection.close()
      }
      listener.closeAndRemove()
    }
  }

  deinit {
    unlink(path)
    rmdir(folder)
  }

  nonisolated private static func serve(
    _ connection: Descriptor, greeting: [String], answer: (String) -> [String]?, until deadline: UInt64
  ) {
    var input = InputBuffer(longestLine: 1 << 20)
    for line in greeting { connection.writeAll("\(line)\n") }
    while HostClock.now() < deadline {
      while case .line(let line) = input.nextLine() {
        var request = String(decoding: line.bytes, as: UTF8.self)
        var tag = ""
        if request.hasPrefix("@"), let end = request.firstIndex(of: " ") {
          tag = String(request[..<end])
          request = String(request[request.index(after: end)...])
        }
        guard let lines = answer(request) else { return }
        for line in lines { connection.writeAll(line.replacing("@", with: tag) + "\n") }
        if lines.contains(where: { $0.hasPrefix("! bye") }) { return }
      }
      var entry = pollfd(fd: connection.rawValue, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 100)
      switch connection.read(into: input.room(atLeast: 4096)) {
      case .bytes(let count): input.didFill(count)
      case .wouldBlock: continue
      case .closed, .failed: return
      }
    }
  }
}
