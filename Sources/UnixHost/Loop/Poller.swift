internal import CSystem
internal import Glibc

/// A set of descriptors that can be polled for readiness: epoll, level triggered.
package struct Poller: ~Copyable {
  /// Readable when a member is ready: for another poller or a Dispatch source.
  package let descriptor: Descriptor
  // Safety: owned by this value, fully initialized; the kernel writes no more than its count.
  private let events: UnsafeMutableBufferPointer<epoll_event>

  /// What a member waits for.
  package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// Avoids the methods of `OptionSet`, which are not inlined into other targets: this runs often for each client.
    package init(readable: Bool, writable: Bool) {
      rawValue = (readable ? EPOLLIN.rawValue : 0) | (writable ? EPOLLOUT.rawValue : 0)
    }

    package static let readable = Interest(rawValue: EPOLLIN.rawValue)
    package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
    /// The other side of a socket sends nothing more, which is then reported as `isHungUp`.
    package static let hangUp = Interest(rawValue: EPOLLRDHUP.rawValue)
  }

  /// A member that is ready.
  package struct Event: Hashable, Sendable {
    /// The number given when the member was added.
    package let token: UInt32
    package let isReadable: Bool
    package let isWritable: Bool
    /// The other side is gone: received data can still be read, nothing can be sent.
    ///
    /// Reported whatever the interest, repeatedly until the member is removed or closed. With ``Interest/hangUp`` also
    /// when the other side only sends nothing more.
    package let isHungUp: Bool
  }

  /// The members that the last wait found ready. A view of the poller's memory: do not keep it past the next wait.
  package struct Events: RandomAccessCollection {
    fileprivate let found: UnsafeBufferPointer<epoll_event>

    package var startIndex: Int { 0 }
    package var endIndex: Int { found.count }

    package subscript(index: Int) -> Event {
      let event = found[index]
      return Event(
        token: event.data.u32,
        isReadable: event.events & EPOLLIN.rawValue != 0,
        isWritable: event.events & EPOLLOUT.rawValue != 0,
        isHungUp: event.events & (EPOLLHUP.rawValue | EPOLLERR.rawValue | EPOLLRDHUP.rawValue) != 0)
    }
  }

  /// - Parameter capacity: How many ready members one wait reports at most; the next wait reports the others.
  /// - Throws: The system's error when no descriptor is available.
  package init(capacity: Int = 256) throws(SystemError) {
    let made = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard made >= 0 else { throw .last }
    descriptor = Descriptor(rawValue: made)
    events = .allocate(capacity: capacity)
    events.initialize(repeating: epoll_event())
  }

  deinit {
    descriptor.close()
    events.deallocate()
  }

  /// Adds a descriptor.
  ///
  /// - Throws: The system's error: already a member, a regular file, out of memory.
  package func add(_ member: Descriptor, token: UInt32, interest: Interest) throws(SystemError) {
    try control(EPOLL_CTL_ADD, member, token, interest)
  }

  /// Changes what a member waits for; an empty interest leaves only `isHungUp`.
  package func modify(_ member: Descriptor, token: UInt32, interest: Interest) throws(SystemError) {
    try control(EPOLL_CTL_MOD, member, token, interest)
  }

  /// Removes a member; a descriptor that is no member or is closed is ignored.
  package func remove(_ member: Descriptor) {
    _ = epoll_ctl(descriptor.rawValue, EPOLL_CTL_DEL, member.rawValue, nil)
  }

  /// Waits until a member is ready.
  ///
  /// - Parameter nanoseconds: The timeout; 0 returns at once, `nil` waits without limit.
  /// - Returns: The ready members, none after a timeout or a signal; valid until the next wait.
  package func wait(nanoseconds: UInt64? = 0) -> Events {
    var count: Int32
    if let nanoseconds, nanoseconds > 0 {
      var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      count = epoll_pwait2(descriptor.rawValue, events.baseAddress, Int32(events.count), &time, nil)
      if count < 0, errno == ENOSYS {
        // A kernel or an emulator without the finer call: milliseconds, rounded up.
        let milliseconds = Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
        count = epoll_wait(descriptor.rawValue, events.baseAddress, Int32(events.count), milliseconds)
      }
    } else {
      count = epoll_wait(descriptor.rawValue, events.baseAddress, Int32(events.count), nanoseconds == nil ? -1 : 0)
    }
    return Events(found: UnsafeBufferPointer(rebasing: events[..<max(0, Int(count))]))
  }

  private func control(
    _ operation: Int32, _ member: Descriptor, _ token: UInt32, _ interest: Interest
  ) throws(SystemError) {
    var event = epoll_event()
    event.events = interest.rawValue
    event.data.u32 = token
    guard epoll_ctl(descriptor.rawValue, operation, member.rawValue, &event) == 0 else { throw .last }
  }
}
