import Glibc
import TestSupport
import Testing

@testable import UnixHost

struct ServiceManagerTests {
  private func manager(_ variables: [String: String]) -> ServiceManager {
    ServiceManager { variables[$0] }
  }

  @Test("sockets are those that were passed to this process, with their names")
  func sockets() {
    let own = "\(getpid())"
    let passed = manager(["LISTEN_PID": own, "LISTEN_FDS": "2", "LISTEN_FDNAMES": ":watch"])
    expectEqual(passed.sockets.map(\.descriptor.rawValue), [3, 4])
    expectEqual(passed.sockets.map(\.name), ["", "watch"])
    expectEqual(manager(["LISTEN_PID": own, "LISTEN_FDS": "1"]).sockets.map(\.name), ["unknown"])
    for wrong in [
      ["LISTEN_FDS": "1"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"], ["LISTEN_PID": own, "LISTEN_FDS": "-1"],
    ] {
      expect(manager(wrong).sockets.isEmpty)
    }
    expectEqual(manager(["LISTEN_PID": own, "LISTEN_FDS": "999999999"]).sockets.count, 64)
  }

  @Test("a watchdog waits for this process, or for whoever")
  func watchdog() {
    expectNil(manager([:]).patience)
    expectEqual(manager(["WATCHDOG_USEC": "3"]).patience, 3_000)
    expectEqual(manager(["WATCHDOG_USEC": "3", "WATCHDOG_PID": "\(getpid())"]).patience, 3_000)
    expectNil(manager(["WATCHDOG_USEC": "3", "WATCHDOG_PID": "1"]).patience)
    for wrong in ["0", "-1", "soon"] { expectNil(manager(["WATCHDOG_USEC": wrong]).patience) }
  }

  @Test("what is said arrives, at a path and at a name without one; without a listener it is lost")
  func notify() throws {
    let folder = TemporaryFolder.inMemory()
    defer { withExtendedLifetime(folder) {} }
    manager(["NOTIFY_SOCKET": "\(folder.path)/nobody"]).notify("READY=1")
    manager(["NOTIFY_SOCKET": "relative"]).notify("READY=1")
    manager([:]).notify("READY=1")
    for address in ["\(folder.path)/n", "@fsmd-test-\(getpid())"] {
      let name = address.hasPrefix("@") ? "\0\(address.dropFirst())" : address
      let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let descriptor = Descriptor(rawValue: socket)
      defer { descriptor.close() }
      let bound = withSocketAddress(name) { pointer, size in
        bind(socket, pointer, address.hasPrefix("@") ? socklen_t(2 + name.utf8.count) : size)
      }
      try #require(bound == 0)
      descriptor.makeNonBlocking()
      manager(["NOTIFY_SOCKET": address]).notify("READY=1\nSTATUS=here")
      var buffer = [UInt8](repeating: 0, count: 100)
      guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ descriptor.read(into: $0) }) else {
        Issue.record("nothing arrived at \(address)")
        continue
      }
      expectEqual(String(decoding: buffer.prefix(count), as: UTF8.self), "READY=1\nSTATUS=here")
    }
  }
}
