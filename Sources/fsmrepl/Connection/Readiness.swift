internal import Glibc
internal import UnixHost

/// Waiting for descriptors of any sort (poll, as epoll takes no files), with a deadline.
struct Readiness {
  struct Wish {
    let descriptor: Descriptor
    var reads = true
    var writes = false
  }

  private var entries: [pollfd] = []

  /// Waits until one of the wishes comes true.
  ///
  /// - Parameter deadline: In nanoseconds of ``HostClock``; `nil` waits for ever, one that has passed only looks.
  init(_ wishes: [Wish], until deadline: UInt64? = nil) {
    entries = wishes.map { wish in
      let events = (wish.reads ? POLLIN : 0) | (wish.writes ? POLLOUT : 0)
      return pollfd(fd: wish.descriptor.rawValue, events: Int16(events), revents: 0)
    }
    while true {
      var milliseconds: Int32 = -1
      if let deadline {
        let now = HostClock.now()
        // Rounded up, so that the deadline has passed when nothing came.
        milliseconds = now >= deadline ? 0 : Int32(clamping: (deadline - now + 999_999) / 1_000_000)
      }
      let count = poll(&entries, nfds_t(entries.count), milliseconds)
      if count >= 0 || errno != EINTR { return }
    }
  }

  /// Whether a read would not wait: data, the end of data, or an error to be read.
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
