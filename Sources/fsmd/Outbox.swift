import LineProtocol

/// What waits to be written to one client, in order: replies, which are never lost, and notices, of which there may only
/// be so many.
///
/// All lines are kept as text, whatever form they go out in, and so are the limits counted. Objects are made of them
/// when the client takes them, a piece at a time: whatever writes a line need not know, and nothing more is kept.
struct Outbox: ~Copyable {
  var buffer = ByteBuffer()
  /// How much of `buffer` has been written, or made objects of.
  private var written = 0
  /// The stretches of notices in `buffer`, in order, those already written left out.
  private var notices: [Range<Int>] = []
  private(set) var noticeBytes = 0
  /// Notices that wait for the end of the reply that is being written; counted in `noticeBytes`.
  private var held = ByteBuffer(capacity: 64)

  /// The place in `buffer` up to which all may be sent: what is behind it tells of what is not stored yet.
  private var settled = 0
  /// The form that held there.
  private var settledForm = LineForm.text
  /// Requests since then whose answer is kept from the client as long as all goes well.
  private var withheld: [Withheld] = []

  private(set) var form = LineForm.text
  /// The places in `buffer` up to which another form holds, in order.
  private var seams: [Seam] = []
  /// The stretches of `buffer` whose lines are not to be taken apart, in order; of objects only.
  private var wholes: [Whole] = []
  /// Objects on their way out, of lines that are no longer in `buffer`.
  private var encoded = ByteBuffer(capacity: 64)
  /// How much of `encoded` has been written.
  private var sent = 0
  private var writer = JSONWriter()

  private struct Seam {
    var place: Int
    let form: LineForm
  }

  private struct Whole {
    var range: Range<Int>
    let tagLength: Int
  }

  /// A request that is not answered, and the place in the outbox where its answer would stand.
  struct Withheld {
    let place: Int
    let tag: [UInt8]
  }

  /// Bytes of objects that are made at once, or of one line if it is longer.
  private static let pieceSize = 64 << 10

  /// The bytes that can be written now, in the form in which they go out; there may be more behind them.
  ///
  /// Safety: they are the buffer's own, and valid until it is changed.
  var unwritten: UnsafeRawBufferPointer {
    mutating get {
      if encoded.isEmpty {
        let end = seams.first?.place ?? buffer.count
        switch seams.first?.form ?? form {
        case .text: return UnsafeRawBufferPointer(rebasing: buffer.bytes[written..<end])
        case .json: encode(upTo: end)
        }
      }
      return UnsafeRawBufferPointer(rebasing: encoded.bytes[sent...])
    }
  }

  var isEmpty: Bool { written == buffer.count && encoded.isEmpty }

  /// How many bytes wait.
  var waiting: Int { buffer.count - written + encoded.count - sent }

  var replyBytes: Int { buffer.count - written - (noticeBytes - held.count) }

  /// Puts notices before the reply that begins at `place`, which is the last one.
  mutating func insertNotices(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    guard !bytes.isEmpty else { return }
    // What changes the form, and the lines of a diagram, come when nothing can be put before them any more.
    assert(seams.last.map { $0.place <= place } ?? true)
    assert(wholes.last.map { $0.range.upperBound <= place } ?? true)
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

  /// Says that so many bytes of ``unwritten`` were written.
  mutating func didWrite(_ count: Int) {
    guard !encoded.isEmpty else { return pass(count) }
    sent += count
    guard sent == encoded.count else { return }
    encoded.removeAll()
    sent = 0
  }

  /// Goes on in `buffer`.
  private mutating func pass(_ count: Int) {
    written += count
    if written == buffer.count {
      buffer.removeAll()
      written = 0
      settled = 0
      notices = []
      seams = []
      wholes = []
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
    seams.removeAll { $0.place <= written }
    wholes.removeAll { $0.range.upperBound <= written }
    // Moving what waits to the front costs its length, so it is done when at least as much has been written.
    if written >= 64 << 10, written >= buffer.count - written {
      let moved = written
      buffer.removeFirst(moved)
      written = 0
      settled -= moved
      notices = notices.map { ($0.lowerBound - moved)..<($0.upperBound - moved) }
      for place in seams.indices { seams[place].place -= moved }
      for place in wholes.indices {
        let range = wholes[place].range
        wholes[place].range = (max(range.lowerBound, moved) - moved)..<(range.upperBound - moved)
      }
    }
    noticeBytes = notices.reduce(held.count) { $0 + $1.count }
  }

  // MARK: What is not stored yet

  /// Says that all that waits may be sent.
  mutating func settle() {
    settled = buffer.count
    settledForm = form
    if !withheld.isEmpty { withheld.removeAll(keepingCapacity: true) }
  }

  /// Notes a request that is not answered unless it is taken back.
  mutating func withhold(_ tag: UnsafeRawBufferPointer) {
    withheld.append(Withheld(place: buffer.count, tag: Array(tag)))
  }

  /// Takes back what was written since all could be sent; of notices also those that wait for the end of a reply. What
  /// comes instead goes out in the form that held before.
  ///
  /// - Returns: The lines, and the requests between them that had none, with their places among those bytes.
  mutating func takeBack() -> (lines: [UInt8], withheld: [Withheld]) {
    let lines = Array(buffer.bytes[settled...])
    let unanswered = withheld.map { Withheld(place: $0.place - settled, tag: $0.tag) }
    withheld = []
    buffer.truncate(to: settled)
    noticeBytes -= held.count
    held.removeAll()
    notices = notices.compactMap { $0.lowerBound < settled ? $0.lowerBound..<min($0.upperBound, settled) : nil }
    noticeBytes = notices.reduce(0) { $0 + $1.count }
    seams.removeAll { $0.place > settled }
    form = settledForm
    wholes = wholes.filter { $0.range.lowerBound < settled }
    return (lines, unanswered)
  }

  // MARK: Forms

  /// Goes on in another form; what has been written before stays as it is.
  mutating func change(to form: LineForm) {
    guard form != self.form else { return }
    if written < buffer.count { seams.append(Seam(place: buffer.count, form: self.form)) }
    self.form = form
  }

  /// Says that all that stands from a place on are lines of data that are not to be taken apart, of one reply.
  mutating func keepWhole(from place: Int, tagLength: Int) {
    guard form == .json, place < buffer.count else { return }
    if let last = wholes.last, last.range.upperBound == place, last.tagLength == tagLength {
      wholes[wholes.count - 1].range = last.range.lowerBound..<buffer.count
    } else {
      wholes.append(Whole(range: place..<buffer.count, tagLength: tagLength))
    }
  }

  /// Makes objects of the next lines, all of which are complete.
  private mutating func encode(upTo end: Int) {
    let bytes = buffer.mutableBytes
    var place = written
    var ahead = wholes[...]
    while place < end, encoded.count < Outbox.pieceSize {
      // Safety: the line lies within what has been written, and is not looked at again.
      let lineEnd = buffer.lineEnd(from: place)
      let line = UnsafeMutableRawBufferPointer(rebasing: bytes[place..<lineEnd])
      while let whole = ahead.first, whole.range.upperBound <= place { ahead = ahead.dropFirst() }
      if let whole = ahead.first, whole.range.contains(place) {
        writer.write(whole: line, tagLength: whole.tagLength, to: &encoded)
      } else {
        writer.write(line, to: &encoded)
      }
      encoded.append(byte: UInt8(ascii: "\n"))
      place = lineEnd + 1
    }
    pass(place - written)
  }
}
