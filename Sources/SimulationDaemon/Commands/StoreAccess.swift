import Glibc
import JournalStore
import LineProtocol
import PostgresStore
import Simulator
import UnixHost

/// What the subcommands that read a store share.
enum StoreAccess {
  static let good: Int32 = 0
  static let wrongUse: Int32 = 1
  static let badStore: Int32 = 3

  static let summary =
    "the store: a folder (default: $XDG_STATE_HOME/fsmd, or .local/state/fsmd in $HOME)\nor the address of a database"

  /// Parses the words after a subcommand. Prints help, version and usage errors.
  static func read<Option>(
    _ table: OptionTable<Option>, _ words: [String], usage: String, version: String,
    _ make: ([OptionTable<Option>.Given], [String]) throws(UsageFailure) -> Invocation.Outcome
  ) -> Invocation.Outcome {
    do throws(UsageFailure) {
      switch try table.parse(words) {
      case .help:
        Descriptor.standardOutput.writeAll(usage)
        return .exit(good)
      case .version:
        Descriptor.standardOutput.writeAll("fsmd \(version)\n")
        return .exit(good)
      case .run(let options, let operands):
        return try make(options, operands)
      }
    } catch {
      let text = table.text(of: error) { Nearest.match($0, among: $1) }
      complain("\(text)\nTry '\(table.program) --help'.")
      return .exit(wrongUse)
    }
  }

  static func complain(_ text: String) {
    Descriptor.standardError.writeAll("\(ProgramName.current): \(text)\n")
  }

  /// Opens a store for reading.
  ///
  /// - Parameter place: A folder, or the address of a database; nil for the user's default.
  static func open(_ place: String?) throws -> any StoreReading {
    if let place, PostgresURL.isOne(place) { return try PostgresReader.open(place, naming: .ofAllUsers) }
    return try openFolder(place)
  }

  /// Opens a store for writing, beside a daemon only if that is on a database.
  static func openForWriting(_ place: String) throws(StoreFailure) -> any WorldStore {
    let writer = StoreWriter(process: getpid(), socket: "")
    if PostgresURL.isOne(place) {
      return try PostgresStore.open(place, writer: writer, naming: .ofAllUsers)
    }
    do throws(StoreFailure) {
      return try SQLiteStore.open(folder: place, durability: .full, writer: writer) { complain("\($0)") }
    } catch .locked(let path, let owner?) {
      // A daemon would be told to take another store; a command is about this one.
      throw .other(path: path, reason: "it belongs to \(owner); end that first")
    }
  }

  static func openFolder(_ folder: String?) throws -> SQLiteReader {
    if let folder, PostgresURL.isOne(folder) {
      throw StoreFailure.cannotOpen(
        path: "a store on PostgreSQL",
        reason: "this works on a folder; '\(ProgramName.current) store copy' makes one of it")
    }
    guard let folder = folder ?? StateFolder.path() else {
      throw StoreFailure.cannotOpen(
        path: "the store", reason: "neither $XDG_STATE_HOME nor $HOME names a folder; --state FOLDER does")
    }
    return try SQLiteReader.open(folder: folder)
  }

  /// Runs `body` on a snapshot of the store, whatever a daemon writes meanwhile.
  static func reading<R>(_ store: any StoreReading, _ body: () throws -> R) throws -> R {
    try store.withSnapshot { () throws(StoreFailure) in Result { try body() } }.get()
  }

  /// A world by its name.
  static func world(_ name: String, in store: any WorldReading) throws -> StoredWorld {
    if let found = try store.world(name) { return found }
    let names = try store.worlds().map(\.name)
    throw HistoryFailure.unknownWorld(name, near: Nearest.match(name, among: names), known: names)
  }

  /// Runs `body` and reports a failure.
  ///
  /// - Returns: The exit code.
  static func reporting(_ body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch let error {
      complain("\(error)")
      return code(of: error)
    }
  }

  private static func code(of error: any Error) -> Int32 {
    switch error {
    case is NewFile.Exists: return wrongUse
    case let failure as HistoryFailure:
      switch failure {
      case .unknownWorld: return wrongUse
      case .unreadable, .notSoFar, .noCheckpoint, .forgotten, .unsayable, .tooLong: return badStore
      }
    case _: return badStore
    }
  }
}
