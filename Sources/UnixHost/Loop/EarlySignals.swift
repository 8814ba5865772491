internal import Glibc
internal import Synchronization

/// The signals that end the daemon, caught from process start: one that arrives before the loop serves is not lost and
/// does not end the process silently.
package enum EarlySignals {
  /// The last signal that arrived; 0 if none.
  private static let last = Atomic<Int32>(0)
  package static let numbers = [SIGTERM, SIGINT, SIGHUP]

  /// Records the signals from now on, until another handler is set. An ignored signal stays ignored.
  package static func note() {
    // Initialize the global here: a signal handler must not.
    _ = last.load(ordering: .relaxed)
    for number in numbers where !SignalQueue.isIgnored(number) {
      signal(number) { EarlySignals.last.store($0, ordering: .relaxed) }
    }
  }

  /// The signal that arrived, if any.
  package static var noted: Int32? {
    let number = last.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }
}
