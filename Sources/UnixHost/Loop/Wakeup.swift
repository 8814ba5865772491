internal import CSystem
internal import Glibc

/// Wakes a thread that waits in a ``Poller``, from any other thread.
package struct Wakeup: Sendable {
  /// Readable from ``signal()`` until ``drain()``.
  package let descriptor: Descriptor

  /// - Throws: The system's error when no descriptor is available.
  package init() throws(SystemError) {
    let made = fsm_eventfd()
    guard made >= 0 else { throw .last }
    descriptor = Descriptor(rawValue: made)
  }

  /// Makes the descriptor readable. Several signals before a drain count as one.
  package func signal() {
    var one: UInt64 = 1
    withUnsafeBytes(of: &one) { _ = descriptor.write($0) }
  }

  /// Makes the descriptor unreadable until the next signal.
  package func drain() {
    withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { _ = descriptor.read(into: $0) }
  }
}
