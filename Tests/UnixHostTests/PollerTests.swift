import Glibc
import TestSupport
import Testing

@testable import UnixHost

final class PollerTests {
  private let pipe: Pipe
  private let poller: Poller

  init() throws {
    pipe = try Pipe()
    poller = try Poller(capacity: 4)
  }

  private func write(_ text: String) {
    pipe.writing.writeAll(text)
  }

  private func close() {
    pipe.reading.close()
    pipe.writing.close()
  }

  @Test("readiness is reported with the token, for as long as it lasts")
  func levelTriggered() throws {
    defer { close() }
    try poller.add(pipe.reading, token: 7, interest: .readable)
    expect(poller.wait().isEmpty)
    write("x")
    let expected = Poller.Event(token: 7, isReadable: true, isWritable: false, isHungUp: false)
    expectEqual(Array(poller.wait()), [expected])
    expectEqual(Array(poller.wait()), [expected])
    var byte: UInt8 = 0
    _ = withUnsafeMutableBytes(of: &byte) { pipe.reading.read(into: $0) }
    expect(poller.wait().isEmpty)
  }

  @Test("interest can be changed and taken back")
  func interest() throws {
    defer { close() }
    try poller.add(pipe.writing, token: 1, interest: [])
    expect(poller.wait().isEmpty)
    try poller.modify(pipe.writing, token: 2, interest: [.writable])
    expectEqual(poller.wait().map(\.token), [2])
    expectEqual(poller.wait().map(\.isWritable), [true])
    poller.remove(pipe.writing)
    expect(poller.wait().isEmpty)
    poller.remove(pipe.writing)
  }

  @Test("a hang-up is reported without any interest")
  func hangUp() throws {
    try poller.add(pipe.reading, token: 1, interest: [])
    pipe.writing.close()
    // Not at once: a child that another test starts has copies of all descriptors until its exec.
    expectEqual(poller.wait(nanoseconds: 60_000_000_000).map(\.isHungUp), [true])
    pipe.reading.close()
  }

  @Test("more ready members than fit come with the next wait")
  func capacity() throws {
    defer { close() }
    write("x")
    var copies: [Descriptor] = []
    for token in 0..<6 {
      let copy = Descriptor(rawValue: dup(pipe.reading.rawValue))
      copies.append(copy)
      try poller.add(copy, token: UInt32(token), interest: .readable)
    }
    let seen = Set(Array(poller.wait()).map(\.token) + Array(poller.wait()).map(\.token))
    expectEqual(seen, Set(0..<6))
    for copy in copies { copy.close() }
  }

  @Test("adding twice is a failure")
  func twice() throws {
    defer { close() }
    try poller.add(pipe.reading, token: 1, interest: .readable)
    #expect(throws: SystemError(code: EEXIST)) {
      try poller.add(pipe.reading, token: 1, interest: .readable)
    }
  }

  @Test("a bounded wait comes back")
  func bounded() {
    defer { close() }
    let start = HostClock.now()
    expect(poller.wait(nanoseconds: 5_000_000).isEmpty)
    expect(HostClock.now() - start >= 4_000_000)
  }
}
