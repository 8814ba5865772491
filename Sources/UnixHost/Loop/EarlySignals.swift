internal import Glibc
internal import Synchronization

/// The signals that end the daemon, from its first moment on: one that comes before the loop serves is not lost, and does
/// not end the process without a word.
package enum EarlySignals {
  /// The last that came; 0 if none did.
  private static let last = Atomic<Int32>(0)
  static let numbers = [SIGTERM, SIGINT, SIGHUP]

  /// Notes them from now on, until somebody else handles them. A signal that is ignored stays so.
  package static func note() {
    // The first use of a global is no work for a handler.
    _ = last.load(ordering: .relaxed)
    for number in numbers where !SignalQueue.isIgnored(number) {
      signal(number) { EarlySignals.last.store($0, ordering: .relaxed) }
    }
  }

  /// The one that came, if one did.
  static var noted: Int32? {
    let number = last.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }
}
