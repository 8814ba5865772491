internal import CSystem
internal import Glibc

/// A numeric address of IPv4 or IPv6 with a port, to listen on.
package struct InternetAddress: Hashable, Sendable {
  package enum Host: Hashable, Sendable {
    case v4(UInt32)
    case v6([UInt8])
  }

  package let host: Host
  package let port: UInt16

  package init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `PORT`, `HOST:PORT` or `[HOST]:PORT`. Without a host it is loopback.
  ///
  /// - Returns: Nil unless the host is an address in numbers or `localhost`, and the port 0 to 65535. IPv6 needs its
  ///   brackets.
  package init?(_ text: String) {
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits), let host = Host(colon.map { String(text[..<$0]) } ?? "localhost")
    else { return nil }
    self.init(host: host, port: port)
  }

  /// As in a link: `127.0.0.1:8080`, `[::1]:8080`.
  package var description: String { "\(host):\(port)" }
}

extension InternetAddress: CustomStringConvertible {}

extension InternetAddress.Host: CustomStringConvertible {
  /// `localhost`, an IPv4 address, or an IPv6 address in brackets.
  package init?(_ text: String) {
    if text == "localhost" {
      self = .v4(UInt32(INADDR_LOOPBACK))
      return
    }
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self = .v4(UInt32(bigEndian: four.s_addr))
      return
    }
    var six = in6_addr()
    guard text.hasPrefix("["), text.hasSuffix("]"), inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &six) == 1
    else { return nil }
    self = .v6(withUnsafeBytes(of: six) { Array($0) })
  }

  /// As in a link, IPv6 in brackets.
  package var description: String {
    switch self {
    case .v4(let number): return [24, 16, 8, 0].map { "\(number >> $0 & 0xFF)" }.joined(separator: ".")
    case .v6(let bytes):
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
      return "[\(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))]"
    }
  }

  /// Whether only this machine reaches it.
  package var isLoopback: Bool {
    switch self {
    case .v4(let number): number >> 24 == 127
    case .v6(let bytes): bytes == Array(repeating: 0, count: 15) + [1]
    }
  }

  /// Whether it stands for every address of this machine.
  package var isWildcard: Bool {
    switch self {
    case .v4(let number): number == 0
    case .v6(let bytes): bytes.allSatisfy { $0 == 0 }
    }
  }
}

extension InternetAddress {
  /// Opens a socket that listens here; non-blocking, closed on exec. The caller closes it.
  ///
  /// - Returns: The socket and its address, in which port 0 has become the port that the system chose.
  /// - Throws: ``SocketFailure/portInUse(address:)``, or ``SocketFailure/system(doing:path:_:)``, which names the
  ///   address as its path.
  package func listen() throws(SocketFailure) -> (socket: Descriptor, address: InternetAddress) {
    let family = if case .v4 = host { AF_INET } else { AF_INET6 }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let made = Glibc.socket(family, type, 0)
    guard made >= 0 else { throw .system(doing: "make a socket for", path: description, .last) }
    var one: Int32 = 1
    // A port stays usable right after its last server has ended; a port with a server does not become free.
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    let bound = withSocketAddress { Glibc.bind(made, $0, $1) }
    guard bound == 0, Glibc.listen(made, SOMAXCONN) == 0 else {
      let error = SystemError.last
      _ = Glibc.close(made)
      if error.code == EADDRINUSE { throw .portInUse(address: description) }
      throw .system(doing: "listen on", path: description, error)
    }
    return (Descriptor(rawValue: made), InternetAddress(host: host, port: Self.port(of: made)))
  }

  private static func port(of socket: Int32) -> UInt16 {
    // Both families have their port at the same place.
    var found = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    // Safety: the kernel writes no more than `size` bytes, which is that of the larger address.
    _ = withUnsafeMutablePointer(to: &found) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return UInt16(bigEndian: found.sin6_port)
  }

  /// Calls `body` with the kernel's form of the address.
  private func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    // Safety: either structure begins like sockaddr by definition; the kernel gets its true size.
    switch host {
    case .v4(let number):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = number.bigEndian
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
      }
    case .v6(let bytes):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
      }
    }
  }
}
