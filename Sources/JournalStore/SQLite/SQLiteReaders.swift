internal import Synchronization

/// A pool of connections for reading while a store is written.
///
/// Each call of ``reading(_:)`` has its own connection, so no lock is held while reading. Free connections are reused.
final class SQLiteReaders: StoreReaders {
  // Safety: a reader is either in the list or used by the one call that took it out.
  private struct Free: @unchecked Sendable {
    let reader: SQLiteReader
  }

  private struct State {
    var free: [Free] = []
    var isClosed = false
  }

  /// How many free connections are kept: usually more than threads read at once.
  private static let mostFree = 4

  var answersAtOnce: Bool { true }
  var place: String { files.database }
  private let files: StoreFiles
  /// The store's identity: a file put in its place has another one.
  private let identity: UInt64
  private let boot: UInt64
  private let system: String?
  private let faults: FaultPlan?
  private let state = Mutex(State())

  init(_ files: StoreFiles, identity: UInt64, _ circumstances: SQLiteStore.Circumstances) {
    self.files = files
    self.identity = identity
    boot = circumstances.boot
    system = circumstances.system
    faults = circumstances.faults
  }

  func reading<R: ~Copyable>(_ body: (any WorldReading) throws(StoreFailure) -> R) throws(StoreFailure) -> R {
    let reader = try take()
    defer { putBack(reader) }
    return try reader.withSnapshot { () throws(StoreFailure) in try body(reader) }
  }

  /// Closes the free connections, and each of the others when it becomes free.
  func close() {
    let free = state.withLock { state in
      defer { state = State(isClosed: true) }
      return state.free
    }
    for free in free { free.reader.close() }
  }

  private func take() throws(StoreFailure) -> SQLiteReader {
    let (free, isClosed) = state.withLock { ($0.free.popLast(), $0.isClosed) }
    if isClosed { throw .other(path: files.database, reason: "the store is closed") }
    return if let free { free.reader } else { try open() }
  }

  private func putBack(_ reader: SQLiteReader) {
    let free = Free(reader: reader)
    let isKept = state.withLock { state in
      guard !state.isClosed, state.free.count < SQLiteReaders.mostFree else { return false }
      state.free.append(free)
      return true
    }
    if !isKept { reader.close() }
  }

  private func open() throws(StoreFailure) -> SQLiteReader {
    guard StoreFile.exists(files.database) else { throw .gone(path: files.database) }
    let database = try Database(path: files.database, .reading, system: system, faults: faults)
    do throws(StoreFailure) {
      try database.hold([files.database, files.log])
      guard try StoreRow.read(database).identity == identity else { throw .gone(path: files.database) }
    } catch {
      database.close()
      throw error
    }
    return SQLiteReader(files, database, boot: boot)
  }
}
