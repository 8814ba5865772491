import Glibc
import TestSupport
import Testing

@testable import UnixHost

struct SignalQueueTests {
  @Test("a signal waits to be read, and does nothing else")
  func queued() throws {
    // Whoever started the tests may have ignored one of them.
    let before = [SIGUSR1, SIGUSR2].map { signal($0, SIG_DFL) }
    defer { for (number, action) in zip([SIGUSR1, SIGUSR2], before) { signal(number, action) } }
    let queue = try SignalQueue([SIGUSR1, SIGUSR2])
    expectNil(queue.next())
    // To this thread: the others of the test process do not hold these signals back.
    raise(SIGUSR2)
    raise(SIGUSR1)
    expectEqual(Set([queue.next(), queue.next()]), [SIGUSR1, SIGUSR2])
    expectNil(queue.next())
  }

  @Test("a signal that is ignored stays ignored")
  func ignored() throws {
    let before = signal(SIGURG, SIG_IGN)
    defer { signal(SIGURG, before) }
    let queue = try SignalQueue([SIGURG])
    raise(SIGURG)
    expectNil(queue.next())
  }

  @Test("afterwards the signals are as they were before")
  func restored() throws {
    func isBlocked() -> Bool {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      return sigismember(&mask, SIGUSR1) == 1
    }
    let before = isBlocked()
    do {
      let queue = try SignalQueue([SIGUSR1])
      expect(isBlocked())
      withExtendedLifetime(queue) {}
    }
    expectEqual(isBlocked(), before)
  }
}
