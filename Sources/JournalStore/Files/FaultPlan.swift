internal import Synchronization

/// Lets one disk call fail, so that tests can check what happens to acknowledged inputs. Counts every SQLite call that
/// may touch a file, and every call on the store's own files.
///
/// Any thread may call it.
package final class FaultPlan: Sendable {
  /// A change that the store itself made to a file beside its database.
  package enum Change: Sendable {
    /// There is an empty file with this name, new or truncated.
    case made(String)
    case wrote(String, at: Int, [UInt8])
    case renamed(String, to: String)
    /// A file, or the names in a folder.
    case synced(String)
  }

  /// When and how calls fail.
  package enum Timing: Hashable, Sendable, CaseIterable {
    /// The call fails and did nothing.
    case insteadOfCall
    /// The call did its work but reports failure.
    case afterCall
    /// The call and all later ones fail and did nothing, as on a dead disk.
    case fromThenOn
  }

  private struct State {
    var calls = 0
    var failing: Int
    var timing: Timing
  }

  private let state: Mutex<State>
  private let code: Int32
  /// Called for each change made.
  private let watcher: (@Sendable (Change) -> Void)?

  /// The number of calls so far.
  package var calls: Int { state.withLock { $0.calls } }

  /// - Parameters:
  ///   - call: Which call fails, counted from 1; 0 lets all succeed.
  ///   - code: What SQLite returns (a result code such as `SQLITE_IOERR`).
  ///   - watcher: Called for each change to a file that the store makes without SQLite.
  package init(
    call: Int, _ timing: Timing, code: Int32, watcher: (@Sendable (Change) -> Void)? = nil
  ) {
    state = Mutex(State(failing: call, timing: timing))
    self.code = code
    self.watcher = watcher
  }

  /// Makes a future call fail.
  ///
  /// - Parameter number: Counted from the next call, 1; 0 lets all succeed from now on.
  package func strike(call number: Int, _ timing: Timing = .insteadOfCall) {
    state.withLock { state in
      state.failing = number == 0 ? 0 : state.calls + number
      state.timing = timing
    }
  }

  /// Whether the failing call has been reached, for tests.
  package var hasStruck: Bool { state.withLock { $0.failing > 0 && $0.calls >= $0.failing } }

  /// Makes one call.
  ///
  /// - Returns: What SQLite returned, or the fault's code.
  func calling(_ call: () -> Int32) -> Int32 {
    let (isStruck, timing) = state.withLock { state in
      state.calls += 1
      let isStruck =
        state.timing == .fromThenOn
        ? state.failing > 0 && state.calls >= state.failing : state.calls == state.failing
      return (isStruck, state.timing)
    }
    guard isStruck else { return call() }
    if timing == .afterCall { _ = call() }
    return code
  }

  func didChange(_ change: @autoclosure () -> Change) {
    watcher?(change())
  }
}
