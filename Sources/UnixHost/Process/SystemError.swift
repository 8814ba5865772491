internal import Glibc

/// What the kernel said when it refused a call.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number, as in `errno`.
  package let code: Int32

  package init(code: Int32) {
    self.code = code
  }

  /// The error of the system call that has just failed on this thread.
  package static var last: SystemError { SystemError(code: errno) }

  /// The system's words for it, such as `Permission denied`.
  package var description: String {
    var text = [CChar](repeating: 0, count: 128)
    // The XSI and the GNU version of strerror_r differ in what they return, and only one of them is imported;
    // strerror's buffer would be shared between threads. This build has the XSI one.
    guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Calls again as long as a signal interrupted the call.
///
/// - Returns: What `call` returned, which is negative with `errno` set when it failed.
func retryingOnInterrupt<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result < 0, errno == EINTR { continue }
    return result
  }
}
