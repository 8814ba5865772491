import Glibc
import TestSupport
import Testing

@testable import UnixHost

struct InternetAddressTests {
  @Test(
    "an address is a port, or a host in numbers and a port",
    arguments: [
      ("8080", "127.0.0.1:8080"), ("localhost:0", "127.0.0.1:0"), ("127.0.0.2:65535", "127.0.0.2:65535"),
      ("0.0.0.0:80", "0.0.0.0:80"), ("[::1]:8080", "[::1]:8080"), ("[::]:1", "[::]:1"),
      ("[0:0:0:0:0:0:0:1]:1", "[::1]:1"),
    ])
  func reads(text: String, written: String) {
    expectEqual(InternetAddress(text)?.description, written)
  }

  @Test(
    "anything else is none",
    arguments: [
      "", ":", ":1", "x", "1x", "65536", "-1", "+1", "1.2.3.4", "1.2.3:4", "example.org:80", "::1:80", "[::1]",
      "[::1]80", "[::1:80", "127.0.0.1:", "127.0.0.1:080000", " 80", "127.0.0.1:80 ", "1.2.3.4:8:0", "[1.2.3.4]:80",
    ])
  func refuses(text: String) {
    expectNil(InternetAddress(text))
  }

  @Test("what is only this machine, and what is all of it")
  func kinds() throws {
    for (text, isLoopback, isWildcard) in [
      ("1", true, false), ("127.9.9.9:1", true, false), ("[::1]:1", true, false), ("0.0.0.0:1", false, true),
      ("[::]:1", false, true), ("10.0.0.1:1", false, false), ("[fe80::1]:1", false, false),
    ] {
      let host = try #require(InternetAddress(text)).host
      expect(host.isLoopback == isLoopback && host.isWildcard == isWildcard, "\(text)")
    }
  }

  @Test("port 0 becomes a free one, which another cannot have at the same time")
  func listens() throws {
    let wanted = try #require(InternetAddress("0"))
    let (socket, address) = try wanted.listen()
    expect(address.host == wanted.host && address.port != 0)
    expect(fcntl(socket.rawValue, F_GETFL) & O_NONBLOCK != 0)
    expect(fcntl(socket.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    #expect(throws: SocketFailure.portInUse(address: "\(address)")) { _ = try address.listen() }
    // The port can be had again at once after this, which is not tried: a child that another test starts has a copy of
    // the socket until its exec.
    var (reuses, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    expectEqual(getsockopt(socket.rawValue, SOL_SOCKET, SO_REUSEADDR, &reuses, &size), 0)
    expectEqual(reuses, 1)
    socket.close()
  }

  @Test("an address that this machine does not have is named with the system's reason")
  func foreign() throws {
    let address = try #require(InternetAddress("192.0.2.1:1"))
    #expect(
      throws: SocketFailure.system(
        doing: "listen on", path: "192.0.2.1:1", SystemError(code: EADDRNOTAVAIL))
    ) { _ = try address.listen() }
  }
}
