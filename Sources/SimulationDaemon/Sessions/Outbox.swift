import LineProtocol

/// The output queue of one client, in order: replies, which are never dropped, and notices, whose number is limited.
///
/// All lines are kept as text, and limits count text. If the client asked for JSON, lines become objects piece by piece
/// as the client reads them. Code that writes lines need not know the form.
struct Outbox: ~Copyable {
  var buffer = ByteBuffer()
  /// Bytes of `buffer` that were written or converted to objects.
  private var written = 0
  /// The ranges of unwritten notices in `buffer`, in order.
  private var notices: [Range<Int>] = []
  /// Bytes of notices in `buffer` and `held`.
  private var noticesHere = 0
  /// Notices that wait for the end of the current reply.
  private var held = ByteBuffer(capacity: 64)
  /// For a stand-in: what waits in the original outbox, so that limits count it.
  private var elsewhere = Elsewhere()

  /// The place in `buffer` up to which all may be sent. Later output depends on unstored changes.
  private var committed = Mark()
  /// The place up to which all may be sent when the current commit succeeds.
  private var sealed = Mark()
  /// The ranges of `buffer` after `committed` that survive a rollback, in order.
  private var surviving: [Range<Int>] = []
  /// Requests since `committed` whose success is not answered.
  private var withheld: [Withheld] = []
  /// How many of them the current commit covers.
  private var sealedWithheld = 0

  private(set) var form = LineForm.text
  /// The places in `buffer` at which the form changes, with the form before each, in order.
  private var seams: [Seam] = []
  /// The ranges of `buffer` whose lines are not split into words, in order; only for JSON.
  private var wholes: [Whole] = []
  /// Objects to send, whose lines are no longer in `buffer`.
  private var encoded = ByteBuffer(capacity: 64)
  /// Bytes of `encoded` that were written.
  private var sent = 0
  private var writer = JSONWriter()
  /// Where replies begin in `buffer`, with their verbs, in order; only for `json2`, whose members depend on the verb. The
  /// reply to a `send` has no such mark.
  private var replies: ArraySlice<ReplyMark> = []
  /// The verb of the reply that is being converted.
  private var replyVerb = Verb.send

  private struct ReplyMark {
    var place: Int
    let verb: Verb
  }

  /// A place in `buffer` and the form there.
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

  /// A request without an answer, and the place of its answer in the outbox.
  struct Withheld {
    var place: Int
    let tag: [UInt8]
  }

  /// Bytes of objects that are made at once; a longer line is converted alone.
  var pieceSize = 64 << 10

  /// The bytes to write next, in their final form; more may follow. Empty while ``hasUnwritten`` is false.
  ///
  /// Safety: they belong to the buffer and are valid until it changes.
  var unwritten: UnsafeRawBufferPointer {
    mutating get {
      if encoded.isEmpty {
        let end = min(seams.first?.place ?? buffer.count, committed.place)
        switch seams.first?.form ?? form {
        case .text: return UnsafeRawBufferPointer(rebasing: buffer.bytes[written..<end])
        case .json: encode(upTo: end, areNamed: false)
        case .json2: encode(upTo: end, areNamed: true)
        }
      }
      return UnsafeRawBufferPointer(rebasing: encoded.bytes[sent...])
    }
  }

  /// Whether nothing waits for the client or the store.
  var isEmpty: Bool { written == buffer.count && encoded.isEmpty }

  /// Whether something can be written now.
  var hasUnwritten: Bool { written < committed.place || !encoded.isEmpty }

  /// The outbox's memory in bytes.
  var storageBytes: Int {
    buffer.storageBytes + held.storageBytes + encoded.storageBytes + notices.count * MemoryLayout<Range<Int>>.stride
      + seams.count * MemoryLayout<Seam>.stride + wholes.count * MemoryLayout<Whole>.stride
      + replies.count * MemoryLayout<ReplyMark>.stride
  }

  /// Unread bytes.
  var waiting: Int { buffer.count - written + encoded.count - sent + elsewhere.notices + elsewhere.replies }

  var replyBytes: Int { buffer.count - written - (noticesHere - held.count) + elsewhere.replies }

  /// Unread bytes of notices.
  var noticeBytes: Int { noticesHere + elsewhere.notices }

  /// Frees the space of what was written, if nothing waits.
  mutating func shrinkIfEmpty() {
    guard buffer.isEmpty, encoded.isEmpty else { return }
    buffer.removeAll(keeping: Outbox.leastSpace)
    encoded.removeAll(keeping: Outbox.leastSpace)
  }

  private static let leastSpace = 4_096

  /// Inserts notices before the reply at `place`, which is the last one.
  mutating func insertNotices(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    guard !bytes.isEmpty else { return }
    // After a change of the form or a diagram's lines, nothing is inserted before them any more.
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

  /// Holds notices until the current reply ends.
  mutating func hold(_ bytes: UnsafeRawBufferPointer) {
    held.append(bytes)
    noticesHere += bytes.count
  }

  /// Appends the held notices when the reply has ended.
  mutating func release() {
    guard !held.isEmpty else { return }
    noticesHere -= held.count
    insertNotices(held.bytes, at: buffer.count)
    held.removeAll()
  }

  /// Records that so many bytes of ``unwritten`` were written.
  mutating func didWrite(_ count: Int) {
    guard !encoded.isEmpty else { return pass(count) }
    sent += count
    guard sent == encoded.count else { return }
    encoded.removeAll()
    sent = 0
  }

  /// Advances in `buffer`.
  private mutating func pass(_ count: Int) {
    written += count
    takeReplies(upTo: written)
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
    // Moving the rest costs its length, so it happens only when at least as much was written.
    if written >= 64 << 10, written >= buffer.count - written {
      let moved = written
      buffer.removeFirst(moved)
      written = 0
      committed.place -= moved
      sealed.place = max(0, sealed.place - moved)
      surviving = surviving.map { ($0.lowerBound - moved)..<($0.upperBound - moved) }
      for place in withheld.indices { withheld[place].place -= moved }
      notices = notices.map { ($0.lowerBound - moved)..<($0.upperBound - moved) }
      for place in replies.indices { replies[place].place -= moved }
      for place in seams.indices { seams[place].place -= moved }
      for place in wholes.indices {
        let range = wholes[place].range
        wholes[place].range = (max(range.lowerBound, moved) - moved)..<(range.upperBound - moved)
      }
    }
    noticesHere = notices.reduce(held.count) { $0 + $1.count }
  }

  // MARK: Stand-ins

  /// An empty outbox for output that is written elsewhere; ``append(_:)`` adds it here. Limits also count what waits
  /// here.
  func standIn() -> Outbox {
    var other = Outbox()
    other.elsewhere = Elsewhere(notices: noticeBytes, replies: waiting - noticeBytes)
    other.form = form
    return other
  }

  /// Appends a stand-in's output.
  mutating func append(_ other: borrowing Outbox) {
    let place = buffer.count
    buffer.append(other.buffer.bytes)
    notices += other.notices.map { ($0.lowerBound + place)..<($0.upperBound + place) }
    wholes += other.wholes.map {
      Whole(range: ($0.range.lowerBound + place)..<($0.range.upperBound + place), tagLength: $0.tagLength)
    }
    for mark in other.replies { add(ReplyMark(place: mark.place + place, verb: mark.verb)) }
    surviving += other.surviving.map { ($0.lowerBound + place)..<($0.upperBound + place) }
    withheld += other.withheld.map { Withheld(place: $0.place + place, tag: $0.tag) }
    held.append(other.held.bytes)
    noticesHere += other.noticesHere
  }

  // MARK: Commit and rollback

  /// Whether something waits for the store.
  var isUncommitted: Bool { committed.place < buffer.count || !withheld.isEmpty }

  /// Lets all output be sent.
  mutating func commit() {
    seal()
    commitSealed()
  }

  /// Marks all output as covered by the commit about to begin.
  mutating func seal() {
    sealed = Mark(place: buffer.count, form: form)
    sealedWithheld = withheld.count
  }

  /// Lets the marked output be sent: its changes are stored.
  mutating func commitSealed() {
    if sealedWithheld > 0 { withheld.removeFirst(sealedWithheld) }
    sealedWithheld = 0
    guard sealed.place >= committed.place else { return }
    committed = sealed
    if !surviving.isEmpty { surviving.removeAll { $0.upperBound <= committed.place } }
  }

  /// Marks the output from a place on to survive a rollback.
  mutating func keepOnRollback(from place: Int) {
    guard place < buffer.count else { return }
    if let last = surviving.last, last.upperBound == place {
      surviving[surviving.count - 1] = last.lowerBound..<buffer.count
    } else {
      surviving.append(place..<buffer.count)
    }
  }

  /// Records a request that is answered only if it is rolled back.
  mutating func withhold(_ tag: UnsafeRawBufferPointer) {
    withheld.append(Withheld(place: buffer.count, tag: Array(tag)))
  }

  /// Output that was rolled back.
  struct Uncommitted {
    let lines: [UInt8]
    /// The ranges of `lines` that survive.
    let surviving: [Range<Int>]
    /// Requests without an answer, with their places in `lines`.
    let withheld: [Withheld]
    /// The places in `lines` from which another form holds, in order.
    let forms: [(place: Int, form: LineForm)]
    /// The places in `lines` where replies begin, with their verbs, in order.
    let replies: [(place: Int, verb: Verb)]
  }

  /// Removes the output since the last commit, including held notices, and restores the form of that time.
  mutating func rollBack() -> Uncommitted {
    let start = committed.place
    let uncommitted = Uncommitted(
      lines: Array(buffer.bytes[start...]),
      surviving: surviving.compactMap {
        $0.upperBound > start ? (max($0.lowerBound, start) - start)..<($0.upperBound - start) : nil
      },
      withheld: withheld.map { Withheld(place: $0.place - start, tag: $0.tag) },
      forms: seams.indices.filter { seams[$0].place >= start }.map { seam in
        (seams[seam].place - start, seam + 1 < seams.count ? seams[seam + 1].form : form)
      },
      replies: replies.filter { $0.place >= start }.map { ($0.place - start, $0.verb) })
    replies.removeAll { $0.place >= start }
    withheld = []
    sealedWithheld = 0
    surviving = []
    sealed = committed
    buffer.truncate(to: start)
    held.removeAll()
    notices = notices.compactMap { $0.lowerBound < start ? $0.lowerBound..<min($0.upperBound, start) : nil }
    noticesHere = notices.reduce(0) { $0 + $1.count }
    seams.removeAll { $0.place >= start }
    form = committed.form
    wholes = wholes.filter { $0.range.lowerBound < start }
    return uncommitted
  }

  // MARK: Form

  /// Changes the form of later output.
  mutating func change(to form: LineForm) {
    guard form != self.form else { return }
    if written < buffer.count { seams.append(Seam(place: buffer.count, form: self.form)) }
    self.form = form
  }

  /// Marks the output from a place on as lines of one reply that are not split into words.
  mutating func keepWhole(from place: Int, tagLength: Int) {
    guard form != .text, place < buffer.count else { return }
    if let last = wholes.last, last.range.upperBound == place, last.tagLength == tagLength {
      wholes[wholes.count - 1].range = last.range.lowerBound..<buffer.count
    } else {
      wholes.append(Whole(range: place..<buffer.count, tagLength: tagLength))
    }
  }

  /// Marks that the reply to a request with this verb begins here.
  mutating func beginReply(_ verb: Verb) {
    if form == .json2 { add(ReplyMark(place: buffer.count, verb: verb)) }
  }

  /// Adds a mark. It replaces that of a request which was not answered: nothing is written that would remove that one.
  private mutating func add(_ mark: ReplyMark) {
    if replies.last?.place == mark.place { replies.removeLast() }
    replies.append(mark)
  }

  /// Removes the marks up to a place.
  private mutating func takeReplies(upTo place: Int) {
    while let first = replies.first, first.place <= place {
      replyVerb = first.verb
      replies.removeFirst()
    }
  }

  /// Converts the next lines, which are all complete, to objects.
  ///
  /// - Parameter areNamed: Whether words are members of their own.
  private mutating func encode(upTo end: Int, areNamed: Bool) {
    let bytes = buffer.mutableBytes
    var place = written
    var ahead = wholes[...]
    while place < end, encoded.count < pieceSize {
      // Safety: the line lies within the buffer's bytes and is not read again.
      let lineEnd = buffer.lineEnd(from: place)
      let line = UnsafeMutableRawBufferPointer(rebasing: bytes[place..<lineEnd])
      while let whole = ahead.first, whole.range.upperBound <= place { ahead = ahead.dropFirst() }
      if let whole = ahead.first, whole.range.contains(place) {
        writer.write(whole: line, tagLength: whole.tagLength, to: &encoded)
      } else if areNamed {
        takeReplies(upTo: place)
        let lineClass = line.first
        writer.write(line, answering: replyVerb, to: &encoded)
        // Only notices and the reply to a `send` come without a mark.
        if lineClass == LineClass.success.rawValue || lineClass == LineClass.failure.rawValue { replyVerb = .send }
      } else {
        writer.write(line, to: &encoded)
      }
      encoded.append(byte: UInt8(ascii: "\n"))
      place = lineEnd + 1
    }
    pass(place - written)
  }
}
