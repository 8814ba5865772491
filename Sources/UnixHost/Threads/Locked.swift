internal import Glibc

/// A value that only one thread at a time can use.
///
/// The lock is POSIX's and not the standard library's: the thread sanitizer cannot see through the latter and would
/// report every value passed between threads as a race.
package final class Locked<Value>: @unchecked Sendable {
  // Safety: `value` is used only while `mutex` is held. The mutex keeps its address until deinit.
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with the value while other threads wait. Not reentrant.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}

/// Lets one thread wait until another signals; POSIX's for the same reason as ``Locked``.
package final class Semaphore: @unchecked Sendable {
  // Safety: made for any number of threads. It keeps its address until deinit.
  private let semaphore: UnsafeMutablePointer<sem_t>

  package init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Releases one thread: one that waits, or the next that would.
  package func signal() {
    sem_post(semaphore)
  }

  package func wait() {
    while sem_wait(semaphore) != 0, errno == EINTR {}
  }
}
