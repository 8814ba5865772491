internal import Glibc
internal import UnixHost

/// Waits for descriptors of any type (with poll, as epoll does not support files), with a deadline.
struct Readiness {
  struct Wish {
    let descriptor: Descriptor
    var reads = true
    var writes = false
  }

  private var entries: [pollfd] = []
  /// Whether the connection may have lines, or has ended.
  private(set) var hasLines = false

  /// Waits for a connection, too, and sends afterwards what fits.
  ///
  /// - Parameter reads: Whether what it has received is wanted.
  init(_ wishes: [Wish], and connection: Connection?, reads: Bool = true, until deadline: UInt64?) {
    guard let connection, reads || connection.wantsToWrite else {
      self.init(wishes, until: deadline)
      return
    }
    let descriptor = connection.descriptor
    self.init(
      wishes + [Wish(descriptor: descriptor, reads: reads, writes: connection.wantsToWrite)],
      until: [deadline, reads ? connection.due : nil].compactMap(\.self).min())
    hasLines = reads && (canRead(descriptor) || connection.isDue)
    if canWrite(descriptor) || connection.isDue { connection.flush() }
  }

  /// Waits until a descriptor is ready.
  ///
  /// - Parameter deadline: In nanoseconds of ``HostClock``; `nil` waits without limit, a past one only polls.
  init(_ wishes: [Wish], until deadline: UInt64? = nil) {
    entries = wishes.map { wish in
      let events = (wish.reads ? POLLIN : 0) | (wish.writes ? POLLOUT : 0)
      return pollfd(fd: wish.descriptor.rawValue, events: Int16(events), revents: 0)
    }
    while true {
      var milliseconds: Int32 = -1
      if let deadline {
        let now = HostClock.now()
        // Rounded up, so that the deadline has passed when nothing arrived.
        milliseconds = now >= deadline ? 0 : Int32(clamping: (deadline - now + 999_999) / 1_000_000)
      }
      let count = poll(&entries, nfds_t(entries.count), milliseconds)
      if count >= 0 || errno != EINTR { return }
    }
  }

  /// Whether a read would not block: data, end of data, or an error.
  func canRead(_ descriptor: Descriptor) -> Bool {
    has(descriptor, POLLIN | POLLHUP | POLLERR)
  }

  func canWrite(_ descriptor: Descriptor) -> Bool {
    has(descriptor, POLLOUT | POLLERR)
  }

  private func has(_ descriptor: Descriptor, _ events: Int32) -> Bool {
    entries.contains { $0.fd == descriptor.rawValue && Int32($0.revents) & events != 0 }
  }
}
