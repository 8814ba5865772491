import Glibc
import TestSupport
import Testing

@testable import UnixHost

struct DescriptorTests {
  private func socketPair() -> (Descriptor, Descriptor) {
    var ends: [Int32] = [0, 0]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
    return (Descriptor(rawValue: ends[0]), Descriptor(rawValue: ends[1]))
  }

  private func read(_ from: Descriptor, _ count: Int = 64) -> (Descriptor.Transfer, [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: count)
    let transfer = buffer.withUnsafeMutableBytes { from.read(into: $0) }
    guard case .bytes(let count) = transfer else { return (transfer, []) }
    return (transfer, Array(buffer.prefix(count)))
  }

  /// Closes one end and waits until the other has noticed: a child that another test starts has copies of all
  /// descriptors until its exec.
  private func close(_ far: Descriptor, seenBy near: Descriptor) {
    far.close()
    var wanted = pollfd(fd: near.rawValue, events: 0, revents: 0)
    expectEqual(poll(&wanted, 1, 60_000), 1)
  }

  @Test("bytes arrive, then nothing, then the end")
  func readsToTheEnd() {
    let (near, far) = socketPair()
    defer { near.close() }
    let bytes = Array("hello".utf8)
    expectEqual(bytes.withUnsafeBytes { far.send($0) }, .bytes(5))
    expect(read(near) == (.bytes(5), bytes))
    expectEqual(read(near).0, .wouldBlock)
    close(far, seenBy: near)
    expectEqual(read(near).0, .closed)
  }

  @Test("after the end of sending, the other way still works")
  func halfClosed() {
    let (near, far) = socketPair()
    defer {
      near.close()
      far.close()
    }
    far.shutdownSending()
    expectEqual(read(near).0, .closed)
    expectEqual([1, 2].withUnsafeBytes { near.send($0) }, .bytes(16))
    expectEqual(read(far).0, .bytes(16))
  }

  @Test("sending to nobody is an answer, not a signal")
  func sendsToNobody() {
    let (near, far) = socketPair()
    defer { near.close() }
    close(far, seenBy: near)
    expectEqual([UInt8(1)].withUnsafeBytes { near.send($0) }, .closed)
  }

  @Test("a full socket says so")
  func full() {
    let (near, far) = socketPair()
    defer {
      near.close()
      far.close()
    }
    let chunk = [UInt8](repeating: 1, count: 1 << 16)
    var last = Descriptor.Transfer.bytes(0)
    for _ in 0..<1_000 {
      last = chunk.withUnsafeBytes { near.send($0) }
      if last == .wouldBlock { break }
    }
    expectEqual(last, .wouldBlock)
  }

  @Test("a wrong descriptor is a failure with the system's words")
  func failed() {
    expectEqual(read(Descriptor(rawValue: -1)).0, .failed(SystemError(code: EBADF)))
    expectEqual("\(SystemError(code: EBADF))", "Bad file descriptor")
  }
}
