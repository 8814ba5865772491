internal import Glibc

/// Failures of system calls on the store's files.
extension StoreFailure {
  /// The failure for an error number.
  static func system(_ code: Int32, path: String) -> StoreFailure {
    switch code {
    case let code where isNoRoom(code): .full(path: path)
    case EROFS, EACCES, EPERM: .readOnly(path: path)
    case let other: .cannotOpen(path: path, reason: text(ofError: other))
    }
  }

  /// Whether there is no room: on the disk, for this user, or in a file of this process.
  static func isNoRoom(_ code: Int32) -> Bool {
    code == ENOSPC || code == EDQUOT || code == EFBIG
  }

  /// The system's text for an error number, such as `Permission denied`.
  static func text(ofError code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
