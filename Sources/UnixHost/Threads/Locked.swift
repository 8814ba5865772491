internal import Glibc

/// A value that one thread at a time has.
///
/// The lock is POSIX's and not the standard library's, whose algorithm the thread sanitizer cannot see: with it every
/// value that goes from one thread to the next would count as a race.
package final class Locked<Value>: @unchecked Sendable {
  // Safety: `value` is touched with `mutex` held only. The mutex stays at its place until this value goes.
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

  /// Does `body` with the value, while others wait. Not to be called within itself.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}

/// Lets one thread wait until another says that it may go on; POSIX's for the same reason as ``Locked``.
final class Semaphore: @unchecked Sendable {
  // Safety: made for any number of threads. It stays at its place until this value goes.
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets one thread go on: one that waits, or the next that would.
  func signal() {
    sem_post(semaphore)
  }

  func wait() {
    while sem_wait(semaphore) != 0, errno == EINTR {}
  }
}
