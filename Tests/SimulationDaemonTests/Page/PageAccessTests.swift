import Glibc
import TestSupport
import Testing
import UnixHost

@testable import SimulationDaemon

@Suite("Who may use the page")
struct PageAccessTests {
  private func access(_ address: String) throws -> PageAccess {
    PageAccess(address: try #require(InternetAddress(address)))
  }

  @Test("on loopback a host is any name of loopback with the port, and nothing else")
  func loopback() throws {
    let access = try access("8080")
    for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "127.0.0.2:8080"] {
      expect(access.isOurs(host: host), "\(host)")
    }
    for host in [
      "", "8080", "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.1:8081", "evil.example:8080",
      "localhost.evil:8080",
      "127.0.0.1.evil:8080", "192.168.0.1:8080", "127.0.0.1:8080:8080", "::1:8080", "127.0.0.1:8080 ", "0.0.0.0:8080",
    ] { expect(!access.isOurs(host: host), "\(host)") }
  }

  @Test("elsewhere it is that address alone, and on all addresses any in numbers")
  func elsewhere() throws {
    let one = try access("10.0.0.5:8080")
    expect(one.isOurs(host: "10.0.0.5:8080"))
    expect(!one.isOurs(host: "127.0.0.1:8080") && !one.isOurs(host: "10.0.0.6:8080"))
    let all = try access("0.0.0.0:8080")
    for host in ["10.0.0.5:8080", "[fe80::1]:8080", "localhost:8080"] { expect(all.isOurs(host: host), "\(host)") }
    expect(!all.isOurs(host: "evil.example:8080"))
  }

  @Test("browsers leave port 80 out")
  func defaultPort() throws {
    let access = try access("80")
    expect(access.isOurs(host: "localhost") && access.isOurs(host: "127.0.0.1:80") && access.isOurs(host: "[::1]"))
    expect(!access.isOurs(host: "80") && !access.isOurs(host: "evil.example"))
  }

  @Test("a token has 128 bits and is another each time; only itself is taken for it")
  func tokens() throws {
    let access = try access("8080")
    let digits = access.token
    expect(digits.count == 32 && digits.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    try expect(self.access("8080").token != digits)
    expect(access.isToken(digits.utf8))
    for other in ["", String(digits.dropLast()), digits + "0", String(digits.reversed()), digits.uppercased() + "x"] {
      expect(!access.isToken(other.utf8), "\(other)")
    }
  }

  @Test("a file keeps a token over starts; one that others may read, or that has something else in it, is refused")
  func keptToken() throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/token"
    let token = try PageToken.kept(in: file)
    expectEqual(token.count, PageToken.digits)
    try expectEqual(PageToken.kept(in: file), token)
    chmod(file, 0o640)
    #expect(throws: PageToken.Failure.self) { try PageToken.kept(in: file) }
    chmod(file, 0o600)
    truncate(file, 8)
    #expect(throws: PageToken.Failure.self) { try PageToken.kept(in: file) }
    #expect(throws: PageToken.Failure.self) { try PageToken.kept(in: "/") }
    #expect(throws: PageToken.Failure.self) { try PageToken.kept(in: "/missing/folder/token") }
  }

  @Test("the link is one that a browser can open")
  func links() throws {
    try expect(access("8080").link, hasPrefix: "http://127.0.0.1:8080/#")
    try expect(access("[::1]:8080").link, hasPrefix: "http://[::1]:8080/#")
    try expect(access("0.0.0.0:8080").link, hasPrefix: "http://127.0.0.1:8080/#")
    try expect(access("[::]:8080").link, hasPrefix: "http://[::1]:8080/#")
  }
}
