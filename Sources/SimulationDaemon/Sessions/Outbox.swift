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
  /// The bytes of notices in `buffer` and `held`.
  private var noticesHere = 0
  /// Notices that wait for the end of the reply that is being written.
  private var held = ByteBuffer(capacity: 64)
  /// What waits in the outbox that this one stands in for, so that limits count it too.
  private var elsewhere = Elsewhere()

  /// The place in `buffer` up to which all may be sent: what is behind it tells of what is not stored yet.
  private var committed = Mark()
  /// The place up to which all may be sent when the commit that is under way succeeds.
  private var sealed = Mark()
  /// The stretches of `buffer` behind `committed` that hold whatever the store says, in order.
  private var standing: [Range<Int>] = []
  /// Requests since then whose answer is kept from the client as long as all goes well.
  private var withheld: [Withheld] = []
  /// How many of those the commit that is under way tells of.
  private var sealedWithheld = 0

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

  /// A place in `buffer`, and the form that held there.
  private struct Mark {
    var place = 0
    var form = LineForm.text
  }

  private struct Seam {
    var place: Int
    let form: LineForm
  }

  private struct Whole {
    var range: Range<Int>
    let tagLength: Int
  }

  private struct Elsewhere {
    var notices = 0
    var replies = 0
  }

  /// A request that is not answered, and the place in the outbox where its answer would stand.
  struct Withheld {
    var place: Int
    let tag: [UInt8]
  }

  /// Bytes of objects that are made at once, or of one line if it is longer.
  private static let pieceSize = 64 << 10

  /// The bytes that can be written now, in the form in which they go out; there may be more behind them. Empty while
  /// ``hasUnwritten`` is false.
  ///
  /// Safety: they are the buffer's own, and valid until it is changed.
  var unwritten: UnsafeRawBufferPointer {
    mutating get {
      if encoded.isEmpty {
        let end = min(seams.first?.place ?? buffer.count, committed.place)
        switch seams.first?.form ?? form {
        case .text: return UnsafeRawBufferPointer(rebasing: buffer.bytes[written..<end])
        case .json: encode(upTo: end)
        }
      }
      return UnsafeRawBufferPointer(rebasing: encoded.bytes[sent...])
    }
  }

  /// Whether nothing waits, neither for the client nor for the store.
  var isEmpty: Bool { written == buffer.count && encoded.isEmpty }

  /// Whether something can be written now.
  var hasUnwritten: Bool { written < committed.place || !encoded.isEmpty }

  /// The bytes of memory that it has.
  var storageBytes: Int {
    buffer.storageBytes + held.storageBytes + encoded.storageBytes + notices.count * MemoryLayout<Range<Int>>.stride
      + seams.count * MemoryLayout<Seam>.stride + wholes.count * MemoryLayout<Whole>.stride
  }

  /// How many bytes wait.
  var waiting: Int { buffer.count - written + encoded.count - sent + elsewhere.notices + elsewhere.replies }

  var replyBytes: Int { buffer.count - written - (noticesHere - held.count) + elsewhere.replies }

  /// Bytes of notices that wait.
  var noticeBytes: Int { noticesHere + elsewhere.notices }

  /// Puts notices before the reply that begins at `place`, which is the last one.
  mutating func insertNotices(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    guard !bytes.isEmpty else { return }
    // What changes the form, and the lines of a diagram, come when nothing can be put before them any more.
    assert(seams.last.map { $0.place <= place } ?? true)
    assert(wholes.last.map { $0.range.upperBound <= place } ?? true)
    buffer.insert(bytes, at: place)
    noticesHere += bytes.count
    if let last = notices.last, last.lowerBound <= place, place <= last.upperBound {
      notices[notices.count - 1] = last.lowerBound..<(last.upperBound + bytes.count)
    } else {
      notices.append(place..<(place + bytes.count))
    }
  }

  /// Keeps notices until the reply that is being written has ended.
  mutating func hold(_ bytes: UnsafeRawBufferPointer) {
    held.append(bytes)
    noticesHere += bytes.count
  }

  /// Lets go of the notices that were kept, as the reply has ended.
  mutating func release() {
    guard !held.isEmpty else { return }
    noticesHere -= held.count
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
      committed.place = 0
      sealed.place = 0
      for place in withheld.indices { withheld[place].place = 0 }
      notices = []
      seams = []
      wholes = []
      noticesHere = held.count
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
      committed.place -= moved
      sealed.place = max(0, sealed.place - moved)
      standing = standing.map { ($0.lowerBound - moved)..<($0.upperBound - moved) }
      for place in withheld.indices { withheld[place].place -= moved }
      notices = notices.map { ($0.lowerBound - moved)..<($0.upperBound - moved) }
      for place in seams.indices { seams[place].place -= moved }
      for place in wholes.indices {
        let range = wholes[place].range
        wholes[place].range = (max(range.lowerBound, moved) - moved)..<(range.upperBound - moved)
      }
    }
    noticesHere = notices.reduce(held.count) { $0 + $1.count }
  }

  // MARK: Outboxes that stand in for others

  /// An empty outbox for what is written for this client elsewhere; ``append(_:)`` brings it back. Limits count what waits
  /// here as well.
  func standIn() -> Outbox {
    var other = Outbox()
    other.elsewhere = Elsewhere(notices: noticeBytes, replies: waiting - noticeBytes)
    other.form = form
    return other
  }

  /// Appends what was written to an outbox that stood in for this one.
  mutating func append(_ other: borrowing Outbox) {
    let place = buffer.count
    buffer.append(other.buffer.bytes)
    notices += other.notices.map { ($0.lowerBound + place)..<($0.upperBound + place) }
    wholes += other.wholes.map {
      Whole(range: ($0.range.lowerBound + place)..<($0.range.upperBound + place), tagLength: $0.tagLength)
    }
    standing += other.standing.map { ($0.lowerBound + place)..<($0.upperBound + place) }
    withheld += other.withheld.map { Withheld(place: $0.place + place, tag: $0.tag) }
    held.append(other.held.bytes)
    noticesHere += other.noticesHere
  }

  // MARK: What is not stored yet

  /// Whether something waits for the store.
  var isUncommitted: Bool { committed.place < buffer.count || !withheld.isEmpty }

  /// Lets all that waits be sent.
  mutating func commit() {
    seal()
    commitSealed()
  }

  /// Marks all that waits as told by the commit that is about to begin.
  mutating func seal() {
    sealed = Mark(place: buffer.count, form: form)
    sealedWithheld = withheld.count
  }

  /// Lets be sent what was marked: it is stored.
  mutating func commitSealed() {
    if sealedWithheld > 0 { withheld.removeFirst(sealedWithheld) }
    sealedWithheld = 0
    guard sealed.place >= committed.place else { return }
    committed = sealed
    if !standing.isEmpty { standing.removeAll { $0.upperBound <= committed.place } }
  }

  /// Notes that what was written from a place on holds whether or not anything is stored.
  mutating func stand(from place: Int) {
    guard place < buffer.count else { return }
    if let last = standing.last, last.upperBound == place {
      standing[standing.count - 1] = last.lowerBound..<buffer.count
    } else {
      standing.append(place..<buffer.count)
    }
  }

  /// Notes a request that is not answered unless it is taken back.
  mutating func withhold(_ tag: UnsafeRawBufferPointer) {
    withheld.append(Withheld(place: buffer.count, tag: Array(tag)))
  }

  /// What is taken back.
  struct Uncommitted {
    let lines: [UInt8]
    /// The stretches of `lines` that hold all the same.
    let standing: [Range<Int>]
    /// The requests that had no answer, with their places among `lines`.
    let withheld: [Withheld]
    /// The places among `lines` from which on another form holds, in order.
    let forms: [(place: Int, form: LineForm)]
  }

  /// Takes back what was written since all could be sent; of notices also those that wait for the end of a reply. The form
  /// is the one that held before.
  mutating func rollBack() -> Uncommitted {
    let start = committed.place
    let uncommitted = Uncommitted(
      lines: Array(buffer.bytes[start...]),
      standing: standing.compactMap {
        $0.upperBound > start ? (max($0.lowerBound, start) - start)..<($0.upperBound - start) : nil
      },
      withheld: withheld.map { Withheld(place: $0.place - start, tag: $0.tag) },
      forms: seams.indices.filter { seams[$0].place >= start }.map { seam in
        (seams[seam].place - start, seam + 1 < seams.count ? seams[seam + 1].form : form)
      })
    withheld = []
    sealedWithheld = 0
    standing = []
    sealed = committed
    buffer.truncate(to: start)
    noticesHere -= held.count
    held.removeAll()
    notices = notices.compactMap { $0.lowerBound < start ? $0.lowerBound..<min($0.upperBound, start) : nil }
    noticesHere = notices.reduce(0) { $0 + $1.count }
    seams.removeAll { $0.place >= start }
    form = committed.form
    wholes = wholes.filter { $0.range.lowerBound < start }
    return uncommitted
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
