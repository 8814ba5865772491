import LineProtocol

/// What waits to be written to one client, in order: replies, which are never lost, and notices, of which there may only
/// be so many.
struct Outbox: ~Copyable {
  var buffer = ByteBuffer()
  /// How much of `buffer` has been written.
  private var written = 0
  /// The stretches of notices in `buffer`, in order, those already written left out.
  private var notices: [Range<Int>] = []
  private(set) var noticeBytes = 0
  /// Notices that wait for the end of the reply that is being written; counted in `noticeBytes`.
  private var held = ByteBuffer(capacity: 64)

  /// The bytes that wait.
  ///
  /// Safety: they are the buffer's own, and valid until it is changed.
  var unwritten: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer.bytes[written...])
  }

  var isEmpty: Bool { written == buffer.count }

  var replyBytes: Int { buffer.count - written - (noticeBytes - held.count) }

  /// Puts notices before the reply that begins at `place`, which is the last one.
  mutating func insertNotices(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    guard !bytes.isEmpty else { return }
    buffer.insert(bytes, at: place)
    noticeBytes += bytes.count
    if let last = notices.last, last.lowerBound <= place, place <= last.upperBound {
      notices[notices.count - 1] = last.lowerBound..<(last.upperBound + bytes.count)
    } else {
      notices.append(place..<(place + bytes.count))
    }
  }

  /// Keeps notices until the reply that is being written has ended.
  mutating func hold(_ bytes: UnsafeRawBufferPointer) {
    held.append(bytes)
    noticeBytes += bytes.count
  }

  /// Lets go of the notices that were kept, as the reply has ended.
  mutating func release() {
    guard !held.isEmpty else { return }
    noticeBytes -= held.count
    insertNotices(held.bytes, at: buffer.count)
    held.removeAll()
  }

  /// Says that so many bytes were written.
  mutating func didWrite(_ count: Int) {
    written += count
    if written == buffer.count {
      buffer.removeAll()
      written = 0
      notices = []
      noticeBytes = held.count
      return
    }
    while let first = notices.first, first.lowerBound < written {
      if first.upperBound <= written {
        notices.removeFirst()
      } else {
        notices[0] = written..<first.upperBound
        break
      }
    }
    // Moving what waits to the front costs its length, so it is done when at least as much has been written.
    if written >= 64 << 10, written >= buffer.count - written {
      let moved = written
      buffer.removeFirst(moved)
      written = 0
      notices = notices.map { ($0.lowerBound - moved)..<($0.upperBound - moved) }
    }
    noticeBytes = notices.reduce(held.count) { $0 + $1.count }
  }
}
