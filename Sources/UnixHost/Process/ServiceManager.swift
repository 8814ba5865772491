internal import Glibc

/// The manager of services that has started this process, such as systemd: the sockets on which it listens for us, and
/// what it wants to hear. Without one there are no sockets, and nothing is said.
///
/// The environment carries it, as `sd_listen_fds(3)` and `sd_notify(3)` describe.
package struct ServiceManager: Sendable {
  /// A socket that it passed.
  package struct Socket: Hashable, Sendable {
    package let descriptor: Descriptor
    /// Its `FileDescriptorName`; `unknown` without one.
    package let name: String
  }

  package let sockets: [Socket]
  /// How long it waits for `WATCHDOG=1` before it takes this process for hung, in nanoseconds; nil if it does not wait.
  package let patience: UInt64?
  private let address: String?

  /// The first of the sockets, by convention.
  private static let firstDescriptor: Int32 = 3
  /// More variables than any manager sets sockets: a number beyond it is nonsense.
  private static let mostSockets = 64
  private static let variables = [
    "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
  ]

  /// Reads what the environment says to this process; variables that are meant for another one count as unset.
  package init(environment: (String) -> String? = SocketPath.variable) {
    func isForUs(_ name: String) -> Bool { environment(name).flatMap { Int32($0) } == getpid() }
    let count = isForUs("LISTEN_PID") ? environment("LISTEN_FDS").flatMap { Int($0) } ?? 0 : 0
    let names = environment("LISTEN_FDNAMES")?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    sockets = (0..<min(max(count, 0), Self.mostSockets)).map { place in
      Socket(
        descriptor: Descriptor(rawValue: Self.firstDescriptor + Int32(place)),
        name: names.indices.contains(place) ? String(names[place]) : "unknown")
    }
    address = environment("NOTIFY_SOCKET").flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isWatched = environment("WATCHDOG_PID") == nil || isForUs("WATCHDOG_PID")
    let microseconds = isWatched ? environment("WATCHDOG_USEC").flatMap { UInt64($0) } ?? 0 : 0
    patience = microseconds > 0 ? microseconds.multipliedReportingOverflow(by: 1_000).partialValue : nil
  }

  /// The same, and removes the variables, so that a child does not take them for its own. Only while no other thread runs.
  package static func take() -> ServiceManager {
    let manager = ServiceManager()
    for name in variables { unsetenv(name) }
    return manager
  }

  /// Says something, such as `READY=1`. Never blocks; what cannot be said now is lost.
  package func notify(_ state: String) {
    guard let address, address.utf8.count <= SocketPath.maximumBytes else { return }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    // A name that begins with a zero is not in the file system, and all of its bytes count.
    let isAbstract = address.hasPrefix("@")
    let name = isAbstract ? "\0" + address.dropFirst() : address
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
    var state = state
    withSocketAddress(name) { pointer, size in
      state.withUTF8 {
        _ = sendto(
          socket, $0.baseAddress, $0.count, Int32(Int(MSG_DONTWAIT) | Int(MSG_NOSIGNAL)), pointer,
          isAbstract ? length : size)
      }
    }
  }
}
