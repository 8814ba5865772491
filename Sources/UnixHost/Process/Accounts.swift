internal import Glibc

/// Users and groups as the system knows them.
///
/// A call takes as long as the system needs, which may ask a directory on another machine. An event loop that serves
/// others must not wait for it.
package enum Accounts {
  /// A user's name.
  ///
  /// - Returns: Nil if the system knows none, or one that is no text or holds a control character or a slash.
  /// - Throws: Why the system cannot say whether there is one.
  package static func name(ofUser uid: UInt32) throws(SystemError) -> String? {
    let name = try look { buffer, size in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let code = getpwuid_r(uid, &entry, buffer, size, &found)
      return (code, found.flatMap { String(validatingCString: $0.pointee.pw_name) })
    }
    guard let name, !name.isEmpty, name.unicodeScalars.allSatisfy({ isPrintable($0) && $0 != "/" }) else { return nil }
    return name
  }

  /// The number of a user's account; nil if there is none of this name.
  ///
  /// - Throws: Why the system cannot say whether there is one.
  package static func user(named name: String) throws(SystemError) -> UInt32? {
    try look { buffer, size in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let code = getpwnam_r(name, &entry, buffer, size, &found)
      return (code, found.map { $0.pointee.pw_uid })
    }
  }

  /// The number of a group; nil if there is none of this name.
  package static func group(named name: String) -> UInt32? {
    let found = try? look { buffer, size in
      var entry = Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>?
      let code = getgrnam_r(name, &entry, buffer, size, &found)
      return (code, found.map { $0.pointee.gr_gid })
    }
    return found ?? nil
  }

  /// Whether this process may give files to a group: it is in the group, or root.
  package static func isMember(of group: UInt32) -> Bool {
    if geteuid() == 0 || getegid() == group { return true }
    let count = getgroups(0, nil)
    guard count > 0 else { return false }
    var groups = [gid_t](repeating: 0, count: Int(count))
    return getgroups(count, &groups) > 0 && groups.contains(group)
  }

  /// The user that this process acts for.
  package static var own: UInt32 { geteuid() }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
  }

  /// Asks with a larger buffer as long as the system says that it is too small.
  ///
  /// - Parameter ask: Returns the call's error number, and what it found. Texts are copied before it returns.
  /// - Throws: What does not mean that there is none: a directory on another machine may not answer.
  private static func look<Found>(
    _ ask: (UnsafeMutablePointer<CChar>, Int) -> (code: Int32, found: Found?)
  ) throws(SystemError) -> Found? {
    var size = 1_024
    while size <= 1 << 20 {
      // Safety: the buffer outlives the call, which is told its size.
      let (code, found) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
        buffer.baseAddress.map { ask($0, size) } ?? (ENOMEM, nil)
      }
      switch code {
      case EINTR: continue
      case ERANGE: size *= 4
      case 0, ENOENT, ESRCH, EBADF, EPERM: return found
      case _: throw SystemError(code: code)
      }
    }
    throw SystemError(code: ERANGE)
  }
}
