internal import Glibc

/// An error number from a system call.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number, as in `errno`.
  package let code: Int32

  package init(code: Int32) {
    self.code = code
  }

  /// The error of the last failed system call on this thread.
  package static var last: SystemError { SystemError(code: errno) }

  /// The system's text for it, such as `Permission denied`.
  package var description: String {
    var text = [CChar](repeating: 0, count: 128)
    // The XSI and the GNU version of strerror_r return different types, and only one is imported: here the XSI one.
    // strerror would share its buffer between threads.
    guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Repeats a call that a signal interrupted.
///
/// - Returns: What `call` returned: negative, with `errno` set, when it failed.
func retryingOnInterrupt<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result < 0, errno == EINTR { continue }
    return result
  }
}
