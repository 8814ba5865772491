internal import CSystem
internal import Glibc

/// The stack that every thread of the process has at least.
///
/// Recursions over documents and data are counted, and their limits fit into it several times. A user may have set less
/// (`ulimit -s`), for this program as for others.
package enum ThreadStack {
  /// Address space only, until it is used.
  package static let bytes = 8 << 20

  /// Gives the threads that are made from now on, and the calling one if it is the first, the stack that they need.
  package static func ensure() {
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(bytes) {
      limit.rlim_cur = min(rlim_t(bytes), limit.rlim_max)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit)
    }
    fsm_ensure_stacks(bytes)
  }

  /// What new threads have unless they are made with another size.
  package static var standard: Int { fsm_stack_size() }
}
