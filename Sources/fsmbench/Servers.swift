internal import Glibc
internal import UnixHost

/// A server process of this run, on a Unix socket in a folder of its own.
///
/// It ends with ``stop()``, and also when this process ends in any other way: it watches a pipe that we hold.
struct Server {
  let socketPath: String
  /// Whether it says something before it is asked.
  private let greets: Bool
  private let folder: String
  private let lifeline: Descriptor
  private let child: Child

  /// The daemon that was built beside this program; it keeps nothing.
  static func fsmd(_ options: [String] = []) throws -> Server {
    try start(greets: true) { socketPath in
      let common = ["--ephemeral", "--socket", socketPath, "--log", "error", "--until-stdin-closes"]
      return (Child.siblingProgram("fsmd"), common + options)
    }
  }

  /// Redis without persistence: all of its speed.
  static func redis() throws -> Server {
    try start(greets: false) { socketPath in
      // The shell ends Redis when the pipe is closed.
      let script = "redis-server \"$@\" </dev/null >/dev/null & read -r _; kill $!; wait $!"
      let options = ["--port", "0", "--unixsocket", socketPath, "--save", "", "--appendonly", "no"]
      return ("/bin/sh", ["-c", script, "sh"] + options)
    }
  }

  private static func start(
    greets: Bool, _ command: (_ socketPath: String) -> (program: String, arguments: [String])
  ) throws -> Server {
    var template = Array("/tmp/fsmbench.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchFailure.noServer("no folder in /tmp: \(SystemError.last)") }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let socketPath = "\(folder)/socket"
    let (program, arguments) = command(socketPath)
    let pipe = try Pipe()
    defer { pipe.reading.close() }
    do {
      let child = try Child.spawn(program, arguments, input: pipe.reading)
      return Server(socketPath: socketPath, greets: greets, folder: folder, lifeline: pipe.writing, child: child)
    } catch {
      pipe.writing.close()
      _ = rmdir(folder)
      throw BenchFailure.noServer("cannot start \(program): \(error)")
    }
  }

  /// A connection, as soon as the server accepts one, its greeting read; at most ten seconds after the start.
  func connect() throws -> Conversation {
    let deadline = HostClock.now() + 10_000_000_000
    while true {
      do {
        let conversation = Conversation(try ClientSocket.connect(path: socketPath))
        if greets { try conversation.take(prefix: "+ fsmd protocol=1 ") }
        return conversation
      } catch let error as SocketFailure {
        guard HostClock.now() < deadline, child.ending() == nil else {
          throw BenchFailure.noServer("the server on \(socketPath) does not answer: \(error)")
        }
      }
      usleep(100)  // Short beside the milliseconds that a start takes, long enough to leave it a core.
    }
  }

  func stop() {
    lifeline.close()
    child.waitForEnding()
    unlink(socketPath)
    rmdir(folder)
  }
}
