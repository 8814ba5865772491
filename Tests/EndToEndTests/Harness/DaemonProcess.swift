import Glibc
import TestSupport
import UnixHost

/// A daemon of a test's own: the real program, a private folder, a socket nobody else knows.
///
/// It ends with its standard input, whose other end this process holds: so no daemon outlives the tests, even if they
/// crash.
final class DaemonProcess {
  let run: ProgramRun
  let folder: TemporaryFolder
  let socket: String
  private let leash: Pipe
  private var isOnLeash = true

  /// Starts a daemon and waits until it accepts.
  ///
  /// - Parameters:
  ///   - folder: That of a daemon before it, whose durable worlds it brings back; nil for a folder of its own.
  ///   - socket: The name of its socket there.
  ///   - environment: Variables that are set (or, with nil, unset) for it only.
  convenience init(
    _ arguments: String..., in folder: TemporaryFolder? = nil, socket: String = "s",
    environment: [(String, String?)] = []
  ) throws {
    try self.init(with: arguments, in: folder, socket: socket, environment: environment)
  }

  init(
    with arguments: [String], in old: TemporaryFolder? = nil, socket name: String = "s", program: String = "fsmd",
    environment: [(String, String?)] = []
  ) throws {
    folder = try old ?? TemporaryFolder()
    socket = "\(folder.path)/\(name)"
    leash = try Pipe()
    run = try ProgramRun(
      program, ["--socket", socket, "--until-stdin-closes"] + arguments, in: folder, input: leash.reading,
      environment: environment)
    leash.reading.close()
    let (run, socket) = (run, socket)
    let first: Descriptor = try Patience.wait(for: "the daemon to listen") {
      guard run.isRunning else { throw HarnessFailure(what: "the daemon has ended: \(run.log)") }
      return try? ClientSocket.connect(path: socket)
    }
    first.close()
  }

  deinit { letGo() }

  /// Closes the daemon's standard input, which ends it.
  func letGo() {
    guard isOnLeash else { return }
    isOnLeash = false
    leash.writing.close()
  }

  var facts: ProcessFacts { run.facts }

  func signal(_ number: Int32) { run.child.signal(number) }

  /// Stops it where it is; `SIGCONT` lets it go on, with all that has come meanwhile.
  func stop() throws {
    signal(SIGSTOP)
    try Patience.wait(until: "a daemon that stands still") { facts.isStopped }
  }

  /// A connection, with its greeting still to be read.
  func connectUngreeted() throws -> TestClient { try TestClient(path: socket) }

  /// A connection that has been greeted.
  func connect() throws -> TestClient {
    let client = try connectUngreeted()
    let greeting = try client.line()
    guard greeting.hasPrefix("+ fsmd protocol=1 ") else { throw HarnessFailure(what: "greeted with: \(greeting)") }
    return client
  }

  /// The open descriptors of a daemon at rest, to be compared with later ones.
  ///
  /// Dispatch opens one for its timers when the first is set, some time later, and keeps it; so a timer is set first.
  func idleDescriptors() throws -> Int {
    let client = try connect()
    for request in ["world new idle clock=real", "use idle", "new power p", "await p on within=60ms"] {
      try client.ask(request)
    }
    for request in ["use main", "world drop idle", "quit"] { try client.ask(request) }
    _ = try client.readToEnd()
    return facts.descriptors
  }

  /// Waits until there are so many open descriptors as there were, and says how many more there are if not.
  func surplusDescriptors(over before: Int) -> Int {
    try? Patience.wait(until: "descriptors to be closed") { facts.descriptors <= before }
    return facts.descriptors - before
  }
}
