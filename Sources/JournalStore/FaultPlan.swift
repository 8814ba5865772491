/// Lets one call to the disk fail, so that tests can see what becomes of all that was acknowledged: every call of SQLite
/// that may touch a file, and every call of the store's own files, is counted.
package final class FaultPlan {
  /// When the fault strikes.
  package enum Timing: Hashable, Sendable, CaseIterable {
    /// The call fails and did nothing.
    case insteadOfCall
    /// The call did its work and says that it failed.
    case afterCall
    /// The call fails and did nothing, and so does each one after it, as on a dead disk.
    case fromThenOn
  }

  /// How many calls there were.
  package private(set) var calls = 0
  private var failing: Int
  private var timing: Timing
  private let code: Int32

  /// - Parameters:
  ///   - call: Which call fails, counted from 1; 0 lets all succeed.
  ///   - code: What SQLite returns (a result code such as `SQLITE_IOERR`).
  package init(call: Int, _ timing: Timing, code: Int32) {
    failing = call
    self.timing = timing
    self.code = code
  }

  /// Lets a call that is still to come be the one that fails.
  ///
  /// - Parameter number: Counted from the next call, 1; 0 lets all succeed from now on.
  package func strike(call number: Int, _ timing: Timing = .insteadOfCall) {
    failing = number == 0 ? 0 : calls + number
    self.timing = timing
  }

  /// Whether the plan came to the call that fails.
  package var hasStruck: Bool { failing > 0 && calls >= failing }

  /// Makes one call.
  ///
  /// - Returns: What SQLite returned, or the fault's code.
  func calling(_ call: () -> Int32) -> Int32 {
    calls += 1
    switch timing {
    case .insteadOfCall:
      return calls == failing ? code : call()
    case .afterCall:
      let result = call()
      return calls == failing ? code : result
    case .fromThenOn:
      return failing > 0 && calls >= failing ? code : call()
    }
  }
}
