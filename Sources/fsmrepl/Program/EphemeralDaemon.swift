internal import Glibc
internal import UnixHost

/// A daemon started for this program only, in a temporary folder.
///
/// Its standard input is the read end of a pipe; it stops when the pipe closes. So it ends with this program in any
/// case.
final class EphemeralDaemon {
  enum Failure: Error, Equatable, CustomStringConvertible {
    case noFolder(SystemError)
    case notStarted(program: String, SystemError)
    /// It ended before it answered, with this last line of output.
    case ended(String)
    case silent(seconds: Int)
    /// The user stopped waiting.
    case stopped

    var description: String {
      switch self {
      case .noFolder(let error): "no temporary folder for a daemon: \(error)"
      case .notStarted(let program, let error): "cannot start \(program): \(error)"
      case .ended(let said): "the daemon started for this session ended at once" + (said.isEmpty ? "" : ": \(said)")
      case .stopped: "stopped waiting for the daemon to start"
      case .silent(let seconds): "the daemon started for this session did not answer within \(seconds) s"
      }
    }
  }

  let socketPath: String
  private let folder: DaemonFolder
  private let child: Child
  private let lifeline: Descriptor
  private var isEnded = false

  /// How many seconds it may take to answer.
  private static let patience = 5
  /// How long it may take to exit after the pipe is closed, in nanoseconds.
  private static let parting: UInt64 = 1_000_000_000
  /// Between two checks of its state, in nanoseconds.
  private static let pause: UInt64 = 2_000_000

  private init(folder: DaemonFolder, child: Child, lifeline: Descriptor) {
    self.folder = folder
    self.child = child
    self.lifeline = lifeline
    socketPath = folder.socketPath
  }

  /// Starts a daemon and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - program: A path, or a name that is looked for in `PATH`.
  ///   - options: Options for it, besides those that every such daemon gets.
  static func start(
    _ program: String, _ options: [String], isToStop: () -> Bool
  ) throws(Failure) -> (daemon: EphemeralDaemon, connection: Descriptor) {
    let daemon = try launch(program, options)
    let deadline = HostClock.now() + UInt64(patience) * 1_000_000_000
    while HostClock.now() < deadline {
      if let connection = try? ClientSocket.connect(path: daemon.socketPath) { return (daemon, connection) }
      if daemon.hasEnded {
        let said = daemon.lastErrorLine()
        daemon.remove()
        throw .ended(said)
      }
      if isToStop() {
        daemon.end()
        throw .stopped
      }
      _ = Readiness([], until: HostClock.now() + pause)
    }
    daemon.end()
    throw .silent(seconds: patience)
  }

  private static func launch(_ program: String, _ options: [String]) throws(Failure) -> EphemeralDaemon {
    let given = SocketPath.variable("TMPDIR") ?? ""
    // A long TMPDIR leaves no room for the path of a socket.
    let base = given.hasPrefix("/") && given.utf8.count < 60 ? given : "/tmp"
    DaemonFolder.removeAbandoned(in: base)
    let folder: DaemonFolder
    do throws(SystemError) { folder = try DaemonFolder(in: base) } catch { throw .noFolder(error) }
    do throws(SystemError) {
      let pipe = try Pipe()
      defer { pipe.reading.close() }
      do throws(SystemError) {
        let child = try Child.spawn(
          program, ["--ephemeral", "--socket", folder.socketPath, "--until-stdin-closes"] + options,
          input: pipe.reading, output: folder.log, error: folder.log)
        return EphemeralDaemon(folder: folder, child: child, lifeline: pipe.writing)
      } catch {
        pipe.writing.close()
        throw error
      }
    } catch {
      folder.remove()
      throw .notStarted(program: program, error)
    }
  }

  /// Whether the process has ended.
  var hasEnded: Bool {
    if !isEnded, child.ending() != nil { isEnded = true }
    return isEnded
  }

  /// Closes the pipe, waits briefly for the process to exit, and cleans up.
  func end() {
    lifeline.close()
    let deadline = HostClock.now() + Self.parting
    while !hasEnded {
      if HostClock.now() >= deadline {
        child.signal(SIGKILL)
        child.waitForEnding()
        break
      }
      _ = Readiness([], until: HostClock.now() + Self.pause)
    }
    folder.remove()
  }

  /// Cleans up after a daemon that has exited by itself.
  func remove() {
    lifeline.close()
    folder.remove()
  }

  /// The link of its live page; nil without one. It is known before the daemon's first greeting.
  var pageLink: String? {
    for line in firstLines {
      let words = line.split(separator: " ")
      if let index = words.firstIndex(of: "page"), words.count > index + 1 { return String(words[index + 1]) }
    }
    return nil
  }

  /// The last line that it wrote.
  private func lastErrorLine() -> String { firstLines.last.map(String.init) ?? "" }

  /// What it has written, up to 4096 bytes.
  private var firstLines: [Substring] {
    // The position in the file is shared with the daemon, which writes at it.
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { pread(folder.log.rawValue, $0.baseAddress, $0.count, 0) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
  }
}
