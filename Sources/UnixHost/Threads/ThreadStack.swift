internal import CSystem

/// The stack that every thread of the process has at least.
///
/// Recursions over documents and data are counted, and their limits fit into it. A user may have set less (`ulimit -s`).
package enum ThreadStack {
  /// Address space only, until it is used.
  package static let bytes = 8 << 20

  /// Gives the threads that are made from now on the stack that they need, and the first one as much of it as is allowed.
  package static func ensure() { fsm_ensure_stacks(bytes) }
}
