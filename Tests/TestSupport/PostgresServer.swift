internal import Foundation

/// A PostgreSQL server of the tests' own: in a temporary folder, under an unprivileged user, without the network. The
/// machine's own cluster is not touched.
///
/// It ends with the process that started it, even if that crashes: a shell waits for the end of a pipe.
package final class PostgresServer: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private static let binaries: String? = {
    let versions = "/usr/lib/postgresql"
    let found = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
    return found.compactMap(Int.init).sorted().last.map { "\(versions)/\($0)/bin" }
  }()

  /// Without it, the tests that need a server are skipped.
  package static let isInstalled =
    binaries.map { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") } ?? false

  /// The server of all tests that do not stop it.
  package static let shared = Result { try PostgresServer() }

  package let folder: String
  private let leash: Pipe

  /// - Parameter primary: The server whose standby this is to be; nil for one of its own.
  package init(following primary: PostgresServer? = nil) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "fsmd-pg-\(UUID().uuidString.prefix(8))").path
    leash = Pipe()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    if let primary {
      try run("pg_basebackup", ["-h", primary.folder, "-U", "fsm", "-D", data, "-R", "-c", "fast", "--no-sync"])
    } else {
      try run("initdb", ["-D", data, "-A", "trust", "-U", "fsm", "--no-sync", "--no-instructions"])
    }
    let watch = Self.process(
      "/bin/sh",
      ["-c", #"cat > /dev/null; "$0" -D "$1/data" -m immediate stop; rm -rf "$1""#, try Self.path("pg_ctl"), folder])
    watch.standardInput = leash
    watch.standardOutput = FileHandle.nullDevice
    watch.standardError = FileHandle.nullDevice
    try watch.run()
    try start()
  }

  private var data: String { "\(folder)/data" }

  /// Starts it, and waits until it answers.
  package func start() throws {
    let options = "-c listen_addresses= -c unix_socket_directories=\(folder) -c fsync=off -c shared_buffers=16MB"
    try run("pg_ctl", ["-D", data, "-w", "-s", "-l", "\(folder)/log", "-o", options, "start"])
  }

  /// Ends it at once, as a crash does.
  package func crash() throws { try run("pg_ctl", ["-D", data, "-w", "-s", "-m", "immediate", "stop"]) }

  /// Makes a database.
  ///
  /// - Returns: Its address.
  package func makeDatabase() throws -> String {
    let name = "d\(UUID().uuidString.prefix(8).lowercased())"
    try run("createdb", ["-h", folder, "-U", "fsm", name])
    return "postgresql:///\(name)?host=\(folder)&user=fsm"
  }

  /// Runs SQL in a database.
  ///
  /// - Returns: What it prints, without headings.
  @discardableResult
  package func sql(_ text: String, in address: String) throws -> String {
    try run("psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, address])
  }

  // MARK: Programs

  private static func path(_ program: String) throws -> String {
    guard let binaries else { throw Failure(description: "PostgreSQL is not installed") }
    return "\(binaries)/\(program)"
  }

  /// A program under an unprivileged user: a server refuses to run as root.
  private static func process(_ path: String, _ arguments: [String]) -> Process {
    let process = Process()
    let isRoot = getuid() == 0
    process.executableURL = URL(filePath: isRoot ? "/usr/sbin/runuser" : path)
    process.arguments = (isRoot ? ["-u", "postgres", "--", path] : []) + arguments
    process.currentDirectoryURL = URL(filePath: "/")
    return process
  }

  @discardableResult
  private func run(_ program: String, _ arguments: [String]) throws -> String {
    // Foundation waits until nobody has a descriptor of its own any more; a server that is started would keep it.
    let closing = #"for f in /proc/$$/fd/*; do n=${f##*/}; [ $n -gt 2 ] && eval "exec $n>&-"; done; exec "$0" "$@""#
    let process = Self.process("/bin/bash", ["-c", closing, try Self.path(program)] + arguments)
    // A file, since a server that is started keeps its output open.
    let file = "\(folder)/output-\(UUID().uuidString)"
    _ = FileManager.default.createFile(atPath: file, contents: nil)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let output = try FileHandle(forWritingTo: URL(filePath: file))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    try output.close()
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    guard process.terminationStatus == 0 else { throw Failure(description: "\(program): \(text)") }
    return text.trimmingCharacters(in: .newlines)
  }
}
