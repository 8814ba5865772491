internal import JournalStore
internal import Synchronization

/// Connections for reading while a store is written: usually one, more only as long as several threads read.
final class PostgresReaders: StoreReaders {
  // Safety: a reader is either in the list or used by the one call that took it out.
  private struct Free: @unchecked Sendable {
    let reader: PostgresReader
  }

  private struct State {
    var free: [Free] = []
    /// How many are lent.
    var lent = 0
    var isClosed = false
  }

  var answersAtOnce: Bool { false }
  var place: String { url.shown }
  private let url: PostgresURL
  private let run: Epoch?
  private let naming: WorldNaming
  private let state = Mutex(State())

  init(_ url: PostgresURL, _ run: Epoch?, _ naming: WorldNaming) {
    (self.url, self.run, self.naming) = (url, run, naming)
  }

  func reading<R: ~Copyable>(_ body: (any WorldReading) throws(StoreFailure) -> R) throws(StoreFailure) -> R {
    try lending { (reader) throws(StoreFailure) in
      try reader.withSnapshot { () throws(StoreFailure) in try body(reader) }
    }
  }

  /// Lends a reader without a snapshot.
  func lending<R: ~Copyable>(_ body: (PostgresReader) throws(StoreFailure) -> R) throws(StoreFailure) -> R {
    let (free, isClosed) = state.withLock { state in
      if !state.isClosed { state.lent += 1 }
      return (state.free.popLast(), state.isClosed)
    }
    if isClosed { throw .other(path: url.shown, reason: "the store is closed") }
    let reader = free?.reader ?? PostgresReader(url, run, naming)
    defer { putBack(reader) }
    return try body(reader)
  }

  func close() {
    let free = state.withLock { state in
      defer { (state.free, state.isClosed) = ([], true) }
      return state.free
    }
    for free in free { free.reader.close() }
  }

  private func putBack(_ reader: PostgresReader) {
    let returned = Free(reader: reader)
    let superfluous = state.withLock { state in
      state.lent -= 1
      if state.isClosed || !returned.reader.isConnected { return [returned] }
      state.free.append(returned)
      if state.lent > 0 { return [] }
      defer { state.free = [returned] }
      return state.free.dropLast()
    }
    for free in superfluous { free.reader.close() }
  }
}
