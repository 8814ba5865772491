internal import CPostgres
internal import Glibc
internal import JournalStore

/// Why statements did not run to their end.
enum QueryFailure: Error {
  /// The server refused one, so the transaction is rolled back.
  case refused(state: String, String)
  /// No reply came, or one that leaves open what happened. The connection is of no use any more.
  case lost(String)
}

/// One connection to PostgreSQL, used by one thread at a time.
///
/// Each ``run(_:)`` sends its statements at once and waits for all replies. A server that is silent for
/// ``patience`` is given up.
final class Connection {
  /// In milliseconds; one of the server's hosts may take as long to connect.
  static let usualPatience: Int32 = 5_000

  /// How long the server may be silent, in milliseconds.
  var patience = Connection.usualPatience
  let url: PostgresURL
  // Safety: opened in `init` and closed in `close`, which sets it to nil; no call is made afterwards. The warning lives
  // as long as the object, and libpq writes it during calls with this connection only.
  private var handle: OpaquePointer?
  private let warning = UnsafeMutablePointer<fsm_pg_warning>.allocate(capacity: 1)

  /// - Throws: `cannotOpen` if no host answers, or the server does not let us in.
  init(_ url: PostgresURL) throws(StoreFailure) {
    self.url = url
    warning.initialize(to: fsm_pg_warning())
    handle = fsm_pg_connect(url.text, "\(Connection.usualPatience / 1_000)", "fsmd")
    guard let handle, fsm_pg_is_good(handle) != 0 else {
      let reason = handle.map { Connection.line(String(cString: fsm_pg_error($0))) } ?? "no memory"
      close()
      throw .cannotOpen(path: url.shown, reason: reason)
    }
    fsm_pg_note_warnings(handle, warning)
    _ = fsm_pg_begin_pipeline(handle)
  }

  deinit {
    close()
    warning.deallocate()
  }

  func close() {
    if let handle { fsm_pg_finish(handle) }
    handle = nil
  }

  /// As 150018 of 15.18.
  var serverVersion: Int { handle.map { Int(fsm_pg_server_version($0)) } ?? 0 }
  /// The server's process, as far as a pooler does not stand for it.
  var process: Int { handle.map { Int(fsm_pg_process($0)) } ?? 0 }

  /// Whether it is open, and nothing was lost on it.
  var isOpen: Bool { handle != nil }

  /// Runs statements in the order given, as one transaction unless they begin and end one.
  ///
  /// - Returns: The result of each.
  func run(_ queries: [Query]) throws(QueryFailure) -> [Rows] {
    guard let handle else { throw .lost("the connection is closed") }
    warning.pointee = fsm_pg_warning()
    for query in queries where !send(query, handle) { throw lost() }
    guard fsm_pg_sync(handle) == 1 else { throw lost() }
    var all: [Rows] = []
    var refusal: QueryFailure?
    // After the results of a statement comes nil, then those of the next one; at last that of the sync.
    while true {
      try wait(handle)
      guard let result = fsm_pg_get_result(handle) else {
        if fsm_pg_is_good(handle) == 0 { throw lost() }
        continue
      }
      defer { fsm_pg_clear(result) }
      switch Int(fsm_pg_status(result)) {
      case FSM_PG_COMMAND_OK, FSM_PG_TUPLES_OK: all.append(Connection.rows(result))
      case FSM_PG_PIPELINE_SYNC:
        if let refusal { throw refusal }
        return all
      case FSM_PG_PIPELINE_ABORTED: break
      case _:
        let state = Connection.field(result, FSM_PG_STATE)
        let text = Connection.field(result, FSM_PG_MESSAGE)
        guard !state.isEmpty, Connection.field(result, FSM_PG_SEVERITY) == "ERROR" else { throw lost(text) }
        refusal = refusal ?? .refused(state: state, Connection.line(text))
      }
    }
  }

  /// Runs statements in a transaction of their own, in one round trip; in two, if the server ended the first for its time.
  ///
  /// - Parameter areSettingsMade: Whether the first statement makes the settings of the transaction, but for its own timeout.
  /// - Throws: `lost` if it is not known whether it is committed.
  func commit(_ queries: [Query], areSettingsMade: Bool = false) throws(QueryFailure) -> [Rows] {
    if areSettingsMade {
      do throws(QueryFailure) {
        // What is sent at once is a transaction by itself, with fewer statements to parse.
        let all = try run(queries)
        try checkWarning()
        return all
      } catch {
        // The timer of a statement starts before a setting that it makes.
        guard case .refused("57014", _) = error else { throw settled(error) }
      }
    }
    do throws(QueryFailure) {
      let all = try run([Connection.begin, Connection.settings] + queries + [Query("COMMIT")])
      try checkCommit(all.last)
      return Array(all.dropFirst(2).dropLast())
    } catch {
      let error = settled(error)
      if case .refused = error { _ = try run([Query("ROLLBACK")]) }
      throw error
    }
  }

  /// A refused commit may have happened: a server that shuts down says so while it waits for its standby.
  private func settled(_ failure: QueryFailure) -> QueryFailure {
    if case .refused(let state, let text) = failure, state.hasPrefix("57P") { lost(text) } else { failure }
  }

  /// Runs `body` within a transaction.
  ///
  /// - Throws: What `body` throws, after which nothing is stored; `lost` as ``commit(_:)``.
  func transaction<R>(
    _ failure: (QueryFailure) -> StoreFailure, _ body: () throws(StoreFailure) -> R
  ) throws(StoreFailure) -> R {
    do throws(QueryFailure) {
      _ = try run([Connection.begin, Connection.settings])
    } catch {
      close()
      if case .lost(let reason) = error { throw .cannotOpen(path: url.shown, reason: reason) }
      throw failure(error)
    }
    let result: R
    do throws(StoreFailure) {
      result = try body()
    } catch {
      // If that fails, the server rolls back by itself.
      do throws(QueryFailure) { _ = try run([Query("ROLLBACK")]) } catch { close() }
      throw error
    }
    do throws(QueryFailure) {
      try checkCommit(try run([Query("COMMIT")]).last)
    } catch {
      throw failure(error)
    }
    return result
  }

  private static let begin = Query("BEGIN")

  private static let settings = Query("SELECT \(transactionSettings)")

  /// Of the transaction alone, so that a pooler may give the next one to another session.
  static let transactionSettings = """
    set_config('synchronous_commit', 'on', true), set_config('client_min_messages', 'warning', true),
      set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)
    """

  private func checkWarning() throws(QueryFailure) {
    // A wait for a standby that was cancelled is a commit with a warning.
    if warning.pointee.state.0 != 0 { throw lost("the server committed with a warning, perhaps not on its standby") }
  }

  private func checkCommit(_ result: Rows?) throws(QueryFailure) {
    try checkWarning()
    guard result?.command == "COMMIT" else { throw lost("the server did not commit") }
  }

  // MARK: Waiting

  /// Sends what is left of the queries, and waits until a result has arrived.
  private func wait(_ handle: OpaquePointer) throws(QueryFailure) {
    while true {
      let unsent = fsm_pg_flush(handle)
      guard unsent >= 0 else { throw lost() }
      guard fsm_pg_is_busy(handle) != 0 || unsent > 0 else { return }
      let events = Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0)
      var place = pollfd(fd: fsm_pg_socket(handle), events: events, revents: 0)
      let found = poll(&place, 1, patience)
      if found < 0, errno == EINTR { continue }
      guard found > 0 else { throw lost("the server was silent for \(patience) ms") }
      if place.revents & ~Int16(POLLOUT) != 0, fsm_pg_consume(handle) == 0 { throw lost() }
    }
  }

  private func send(_ query: Query, _ handle: OpaquePointer) -> Bool {
    let parameters = query.parameters
    let types = parameters.map(\.kind.rawValue)
    let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
    let formats = parameters.map { _ in Int32(1) }
    // Safety: libpq copies the values during the call, for which they are borrowed.
    func borrow(_ rest: ArraySlice<Parameter>, _ values: inout [UnsafePointer<CChar>?]) -> Bool {
      guard let next = rest.first else {
        return fsm_pg_send(handle, query.text, Int32(parameters.count), types, values, lengths, formats) == 1
      }
      guard let bytes = next.bytes else {
        values.append(nil)
        return borrow(rest.dropFirst(), &values)
      }
      // An empty value is not NULL, so it needs an address.
      return (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { bytes in
        values.append(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        return borrow(rest.dropFirst(), &values)
      }
    }
    var values: [UnsafePointer<CChar>?] = []
    return borrow(parameters[...], &values)
  }

  private func lost(_ reason: String? = nil) -> QueryFailure {
    let reason =
      reason ?? handle.map { Connection.line(String(cString: fsm_pg_error($0))) } ?? "the connection is closed"
    close()
    return .lost(reason)
  }

  // MARK: Results

  private static func rows(_ result: OpaquePointer) -> Rows {
    let columns = fsm_pg_columns(result)
    return Rows(
      command: String(cString: fsm_pg_command(result)),
      rows: (0..<fsm_pg_rows(result)).map { row in
        Row(
          columns: (0..<columns).map { column in
            if fsm_pg_is_null(result, row, column) != 0 { return nil }
            // Safety: the value is the result's, has this length, and is copied at once.
            return Array(
              UnsafeRawBufferPointer(
                start: fsm_pg_value(result, row, column), count: Int(fsm_pg_length(result, row, column))))
          })
      })
  }

  private static func field(_ result: OpaquePointer, _ field: Int) -> String {
    fsm_pg_field(result, Int32(field)).map { String(cString: $0) } ?? ""
  }

  /// A text of libpq's in one line.
  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" || $0 == " " } }.joined(separator: "; ")
  }
}
