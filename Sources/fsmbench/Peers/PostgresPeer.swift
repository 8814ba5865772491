internal import CPostgres
internal import Glibc
internal import UnixHost

/// A PostgreSQL server of this run, in a temporary folder and with PostgreSQL's own settings, and a connection to it.
///
/// It ends with ``stop()``, and also when this process ends: a shell watches a pipe that we hold.
struct PostgresPeer {
  let address: String
  private let folder: TemporaryFolder
  private let lifeline: Descriptor
  private let child: Child
  // Safety: closed by `stop`, after which no other method is called.
  private let connection: OpaquePointer

  /// Runs under the user `postgres` if this process is root, which a server refuses.
  private static let script = """
    set -e
    programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    as=; [ "$(id -u)" != 0 ] || as='runuser -u postgres --'
    chmod 777 "$1"
    cd /
    $as "$programs/initdb" -D "$1/data" -A trust -U bench --no-instructions
    $as "$programs/pg_ctl" -D "$1/data" -w -l "$1/log" \\
      -o "-c listen_addresses= -c unix_socket_directories=$1" start </dev/null
    read -r _ || true
    $as "$programs/pg_ctl" -D "$1/data" -w -m immediate stop
    """

  /// - Throws: ``BenchFailure/notHere(_:)`` if PostgreSQL or libpq is not installed.
  init() throws {
    guard (try? Folder.names(in: "/usr/lib/postgresql"))?.isEmpty == false else {
      throw BenchFailure.notHere("PostgreSQL is not installed; 'apt install postgresql' does that")
    }
    if let reason = fsm_pg_load() { throw BenchFailure.notHere("no libpq: \(String(cString: reason))") }
    let folder = try TemporaryFolder()
    let (pipe, silence) = (try Pipe(), try Pipe())
    defer {
      for descriptor in [pipe.reading, silence.reading, silence.writing] { descriptor.close() }
    }
    self.folder = folder
    lifeline = pipe.writing
    child = try Child.spawn(
      "/bin/sh", ["-c", "(\(Self.script)) >/dev/null 2>&1", "sh", folder.path], input: pipe.reading)
    address = "postgresql:///postgres?host=\(folder.path)&user=bench"
    connection = try Self.connect(address, child)
  }

  /// Connects as soon as the server accepts.
  private static func connect(_ address: String, _ child: Child) throws -> OpaquePointer {
    let deadline = HostClock.now() + 60_000_000_000
    while true {
      guard let connection = fsm_pg_connect(address, "10", "fsmbench") else {
        throw BenchFailure.noServer("no memory for a connection to PostgreSQL")
      }
      if fsm_pg_is_good(connection) != 0 { return connection }
      let reason = String(cString: fsm_pg_error(connection))
      fsm_pg_finish(connection)
      guard HostClock.now() < deadline, child.ending() == nil else {
        throw BenchFailure.noServer("PostgreSQL does not answer: \(reason)")
      }
      usleep(10_000)  // Short compared with a start of seconds.
    }
  }

  func stop() {
    fsm_pg_finish(connection)
    lifeline.close()
    child.waitForEnding()
  }

  /// Runs a statement as a transaction.
  ///
  /// - Parameter value: `$1`, of the type bytea.
  /// - Returns: The numbers of its first row, each of the type bigint.
  @discardableResult
  func run(_ text: String, _ value: [UInt8]? = nil) throws -> [Int] {
    let count: Int32 = value == nil ? 0 : 1
    let isSent = (value ?? []).withUnsafeBytes { bytes in
      let length = Int32(bytes.count)
      return fsm_pg_send(
        connection, text, count, [17], [bytes.baseAddress?.assumingMemoryBound(to: CChar.self)], [length], [1])
    }
    guard isSent == 1 else { throw lost() }
    var numbers: [Int] = []
    var isGood = true
    while let result = fsm_pg_get_result(connection) {
      defer { fsm_pg_clear(result) }
      let status = Int(fsm_pg_status(result))
      isGood = isGood && (status == FSM_PG_COMMAND_OK || status == FSM_PG_TUPLES_OK)
      guard fsm_pg_rows(result) > 0 else { continue }
      numbers = (0..<fsm_pg_columns(result)).map { column in
        // Safety: the value is the result's and has this length.
        UnsafeRawBufferPointer(start: fsm_pg_value(result, 0, column), count: Int(fsm_pg_length(result, 0, column)))
          .reduce(0) { $0 << 8 | Int($1) }
      }
    }
    guard isGood else { throw lost() }
    return numbers
  }

  private func lost() -> BenchFailure { .lost("PostgreSQL: \(String(cString: fsm_pg_error(connection)))") }
}
