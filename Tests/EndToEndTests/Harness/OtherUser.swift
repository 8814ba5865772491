import Glibc
import UnixHost

/// Another user of this machine, as whom root can connect.
struct OtherUser {
  let uid: UInt32
  let gid: UInt32

  /// Whether this process may act as others.
  static var isPossible: Bool { geteuid() == 0 && systemCall != nil }

  /// A group that every Debian has, for sockets.
  static let group = ["users", "nogroup", "daemon"].lazy.compactMap { name in
    Accounts.group(named: name).map { (name: name, id: $0) }
  }.first

  /// A user without an account, in the group of the tests.
  static func member(_ number: Int) -> OtherUser { OtherUser(uid: UInt32(30_000 + number), gid: group?.id ?? 0) }

  /// Connects as this user.
  func connect(_ path: String) throws -> TestClient { try acting { try TestClient(path: path) } }

  /// Runs `body` on this thread as this user. Only the thread changes: the kernel keeps credentials per thread, and the
  /// functions of glibc, which change all threads at once, are not used.
  func acting<Result>(_ body: () throws -> Result) throws -> Result {
    guard let call = Self.systemCall else { throw HarnessFailure(what: "there is no way to call the system") }
    let unchanged = -1
    guard call(Self.setresgid, unchanged, Int(gid), unchanged) == 0,
      call(Self.setresuid, unchanged, Int(uid), unchanged) == 0
    else { throw HarnessFailure(what: "cannot act as user \(uid)") }
    defer {
      precondition(call(Self.setresuid, unchanged, 0, unchanged) == 0)
      precondition(call(Self.setresgid, unchanged, 0, unchanged) == 0)
    }
    return try body()
  }

  private typealias SystemCall = @convention(c) (Int, Int, Int, Int) -> Int

  // Safety: syscall(2) takes its arguments in registers, as a function with a fixed number of them does on these
  // processors.
  private static let systemCall = dlsym(nil, "syscall").map { unsafeBitCast($0, to: SystemCall.self) }
  #if arch(x86_64)
    private static let setresuid = 117
    private static let setresgid = 119
  #else
    private static let setresuid = 147
    private static let setresgid = 149
  #endif
}
