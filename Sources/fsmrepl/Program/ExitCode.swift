internal import LineProtocol

/// The exit status of the program.
enum ExitCode: Int32, Equatable {
  case good = 0
  case usage = 1
  /// No connection to the daemon, or it was lost.
  case noConnection = 2
  /// A request was refused or failed.
  case failed = 3
  /// An `expect` was not met.
  case expectation = 4
  /// An `await` reached its deadline.
  case timeOut = 5
  /// Ctrl-C ended the program.
  case interrupted = 130

  /// The status for a failure with this code.
  static func of(failure code: String) -> ExitCode {
    switch FailureCode(rawValue: code) {
    case .expected: .expectation
    case .timeout: .timeOut
    default: .failed
    }
  }
}
