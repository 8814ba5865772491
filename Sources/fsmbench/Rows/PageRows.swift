internal import Glibc
internal import UnixHost

/// The senders' throughput while browsers watch every change on the live page, each by curl.
struct PageBenchmark: Sendable {
  let streams: Int
  let connections: Int
  let depth: Int

  var what: String { "power, all watched on \(streams) pages, \(connections) × \(depth)" }

  func run(_ effort: Effort) throws -> Row {
    let folder = try TemporaryFolder()
    let daemon = try Server.fsmd(["--page", "0", "--log", "info"], log: "\(folder.path)/log")
    defer { daemon.stop() }
    try Fleet.make(kind: "power", 0..<WireBenchmark.names, on: try daemon.connect())
    let readers = try PageReaders(streams, log: "\(folder.path)/log", in: folder)
    defer { readers.stop() }
    var client = try WireClient(
      conversations: try (0..<connections).map { _ in try daemon.connect() },
      workload: Workload(depth: depth, names: WireBenchmark.names, Workload.send("buttonClick")))

    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: {
        try readers.ask("watch *\n")
        return try client.run(nanoseconds: effort.nanoseconds)
      },
      peer: {
        try readers.ask("unwatch *\n")
        return try client.run(nanoseconds: effort.nanoseconds)
      })
    return Row(pairing, .perSecond, beside: "unwatched", targets: [.ratioAtLeast(0.85)])
  }
}

/// Streams of the live page that are read as fast as they come, each by a process of its own.
private final class PageReaders {
  private let children: [Child]
  private let sessions: [String]
  private let page: String
  private let cookie: String

  /// - Parameter log: The daemon's log, which has the link.
  init(_ count: Int, log: String, in folder: TemporaryFolder) throws {
    let link = try PageReaders.find(in: log) { text in
      text.firstMatch(of: ##/ page (http://[^#]*:(\d+)/)#(\S+)\n/##).map { (page: $0.1, port: $0.2, token: $0.3) }
    }
    page = String(link.page)
    cookie = "fsmd-\(link.port)=\(link.token)"
    let (page, cookie) = (page, cookie)
    // Four lines name the session; what follows is read and dropped.
    let script = "curl -sN -b \"$1\" \"$2\"stream | { head -n 4 >\"$3\"; exec cat >/dev/null; }"
    children = try (0..<count).map {
      do {
        return try Child.spawn("sh", ["-c", script, "sh", cookie, page, "\(folder.path)/stream.\($0)"])
      } catch {
        throw BenchFailure.noServer("cannot start sh: \(error)")
      }
    }
    sessions = try (0..<count).map { number in
      try PageReaders.find(in: "\(folder.path)/stream.\(number)") { text in
        text.firstMatch(of: #/"session":"([0-9a-f]+)"/#).map { String($0.1) }
      }
    }
  }

  /// Sends a request of each stream, and waits until the daemon has taken it.
  func ask(_ request: String) throws {
    for session in sessions {
      let child: Child
      do {
        child = try Child.spawn("curl", ["-sf", "-b", cookie, "--data-raw", request, "\(page)requests/\(session)"])
      } catch {
        throw BenchFailure.noServer("cannot start curl: \(error)")
      }
      guard child.waitForEnding() == .exited(0) else {
        throw BenchFailure.noServer("the page did not take a request")
      }
    }
  }

  func stop() {
    for child in children {
      // The group is curl, and what drops its output.
      child.killGroup()
      child.waitForEnding()
    }
  }

  /// Looks into a file until something is there.
  private static func find<Found>(in path: String, _ look: (String) -> Found?) throws -> Found {
    let deadline = HostClock.now() + 10_000_000_000
    while HostClock.now() < deadline {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      if file >= 0 {
        defer { close(file) }
        let bytes = try? Descriptor(rawValue: file).readToEnd(atMost: 1 << 20) {}
        if let bytes, let found = look(String(decoding: bytes, as: UTF8.self)) { return found }
      }
      usleep(1_000)
    }
    throw BenchFailure.noServer("nothing was found in \(path): is curl installed?")
  }
}
