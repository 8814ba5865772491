internal import Glibc
internal import UnixHost

/// A server process of this run, on a Unix socket in a temporary folder.
///
/// It ends with ``stop()``, and also when this process ends: it watches a pipe that we hold.
struct Server {
  let socketPath: String
  /// Whether it sends a greeting.
  private let greets: Bool
  private let folder: TemporaryFolder
  private let lifeline: Descriptor
  private let child: Child

  /// The daemon built next to this program, without persistence.
  ///
  /// - Parameter log: The file for its log, which is shared with this process otherwise.
  static func fsmd(_ options: [String] = [], log: String? = nil) throws -> Server {
    try start(greets: true, log: log) { socketPath, _ in
      let common = ["--ephemeral", "--socket", socketPath, "--log", "error", "--until-stdin-closes"]
      return (Child.siblingProgram("fsmd"), common + options)
    }
  }

  /// The daemon under callgrind, which writes the number of instructions in ``InstructionCount/function`` to `log` when
  /// it ends.
  static func counted(log: String) throws -> Server {
    try start(greets: true) { socketPath, _ in
      let valgrind = [
        "valgrind", "--tool=callgrind", "--toggle-collect=*\(InstructionCount.function)*",
        "--callgrind-out-file=/dev/null", "--log-file=\(log)",
      ]
      let daemon = [
        Child.siblingProgram("fsmd"), "--ephemeral", "--socket", socketPath, "--log", "error", "--until-stdin-closes",
      ]
      return ("/usr/bin/env", ["SWIFT_DETERMINISTIC_HASHING=1"] + valgrind + daemon)
    }
  }

  /// The daemon with durable worlds.
  ///
  /// - Parameter folder: Where they are stored; nil for a folder that is removed with the server.
  static func durable(_ options: [String] = [], in folder: TemporaryFolder? = nil) throws -> Server {
    try start(greets: true) { socketPath, own in
      let common = ["--socket", socketPath, "--log", "error", "--until-stdin-closes"]
      let state = "XDG_STATE_HOME=\(folder?.path ?? own)"
      return ("/usr/bin/env", [state, Child.siblingProgram("fsmd")] + common + options)
    }
  }

  /// Redis without persistence, at full speed.
  static func redis() throws -> Server { try redis(["--appendonly", "no"]) }

  /// Redis that appends each command to a file.
  ///
  /// - Parameter sync: When it waits for the disk: `everysec` or `always`.
  static func redis(appendingWithSync sync: String) throws -> Server {
    try redis(["--appendonly", "yes", "--appendfsync", sync])
  }

  private static func redis(_ persistence: [String]) throws -> Server {
    try start(greets: false) { socketPath, folder in
      // The shell ends Redis when the pipe is closed.
      let script = "redis-server \"$@\" </dev/null >/dev/null & read -r _; kill $!; wait $!"
      let options = ["--port", "0", "--unixsocket", socketPath, "--dir", folder, "--save", ""]
      return ("/bin/sh", ["-c", script, "sh"] + options + persistence)
    }
  }

  private static func start(
    greets: Bool, log: String? = nil,
    _ command: (_ socketPath: String, _ folder: String) -> (program: String, arguments: [String])
  ) throws -> Server {
    let folder = try TemporaryFolder()
    let socketPath = "\(folder.path)/socket"
    let (program, arguments) = command(socketPath, folder.path)
    let pipe = try Pipe()
    let file = log.map { Descriptor(rawValue: open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)) }
    defer {
      pipe.reading.close()
      file?.close()
    }
    do {
      let child = try Child.spawn(program, arguments, input: pipe.reading, error: file)
      return Server(socketPath: socketPath, greets: greets, folder: folder, lifeline: pipe.writing, child: child)
    } catch {
      pipe.writing.close()
      throw BenchFailure.noServer("cannot start \(program): \(error)")
    }
  }

  /// Connects as soon as the server accepts, and reads its greeting.
  ///
  /// - Parameters:
  ///   - seconds: How long a server may take to start.
  ///   - isGreeted: Whether to wait for its greeting and read it.
  func connect(within seconds: UInt64 = 10, isGreeted: Bool = true) throws -> Conversation {
    let deadline = HostClock.now() + seconds * 1_000_000_000
    while true {
      do {
        let conversation = Conversation(try ClientSocket.connect(path: socketPath))
        if greets, isGreeted { try conversation.take(prefix: "+ fsmd protocol=1 ") }
        return conversation
      } catch let error as SocketFailure {
        guard HostClock.now() < deadline, child.ending() == nil else {
          throw BenchFailure.noServer("the server on \(socketPath) does not answer: \(error)")
        }
      }
      usleep(100)  // Short compared with a start of milliseconds, long enough to leave it a core.
    }
  }

  var use: ProcessUse { ProcessUse(pid: child.pid) }

  /// Sends SIGTERM.
  func terminate() { child.signal() }

  /// Whether it has ended by itself; true only once.
  var hasEnded: Bool { child.ending() != nil }

  /// Kills it at once; ``stop()`` must still be called.
  func kill() { use.kill() }

  func stop() {
    lifeline.close()
    child.waitForEnding()
  }
}

/// A folder that is removed with its content when its last reference is released.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/fsmbench.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchFailure.noServer("no folder in /tmp: \(SystemError.last)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { TemporaryFolder.remove(path) }

  private static func remove(_ path: String) {
    guard let names = try? Folder.names(in: path) else {
      unlink(path)
      return
    }
    for name in names { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
