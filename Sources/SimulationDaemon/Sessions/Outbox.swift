import LineProtocol

/// The output queue of one client, in order: replies, which are never dropped, and notices, whose number is limited.
///
/// All lines are kept as text in one buffer, and limits count text. A list of entries says what stretches of the buffer
/// are, where they are anything but lines of text that a rollback takes back. If the client asked for JSON, lines become
/// objects piece by piece as the client reads them. Code that writes lines need not know the form.
struct Outbox: ~Copyable {
  var buffer = ByteBuffer()
  /// Bytes of `buffer` that were written or converted to objects.
  private var written = 0
  /// What the unwritten bytes of `buffer` are, in order; each entry reaches to the next. Empty if all of them are lines
  /// in `form` and nothing else.
  private var entries: ArraySlice<Entry> = []
  /// The form of the output to come.
  private(set) var form = LineForm.text
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
  /// Requests since `committed` whose success is not answered.
  private var withheld: [Withheld] = []
  /// How many of them the current commit covers.
  private var sealedWithheld = 0

  /// Objects to send, whose lines are no longer in `buffer`.
  private var encoded = ByteBuffer(capacity: 64)
  /// Bytes of `encoded` that were written.
  private var sent = 0
  private var writer = JSONWriter()
  /// The verb of the reply that is being converted.
  private var replyVerb = Verb.send

  /// What a stretch of the buffer is, from `start` on.
  struct Entry {
    enum Content: Equatable {
      /// Lines of replies.
      case lines
      case notices
      /// Lines of data that are not split into words, of a diagram for example.
      case texts(tagLength: Int)
    }

    var start: Int
    let form: LineForm
    var content = Content.lines
    /// The verb of the reply that begins here, in JSON: members depend on it. The reply to a `send` needs none.
    var verb: Verb?
    /// Whether it survives a rollback.
    var survives = false

    fileprivate func shifted(by distance: Int) -> Entry {
      var entry = self
      entry.start += distance
      return entry
    }

    /// Whether it only continues the entry before it.
    fileprivate func continues(_ other: Entry) -> Bool {
      verb == nil && form == other.form && content == other.content && survives == other.survives
    }
  }

  /// A place in `buffer` and the form there.
  private struct Mark {
    var place = 0
    var form = LineForm.text
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
        if (entries.first?.form ?? form) == .text {
          let end = min(entries.first { $0.form != .text }?.start ?? buffer.count, committed.place)
          return UnsafeRawBufferPointer(rebasing: buffer.bytes[written..<end])
        }
        encode()
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
    buffer.storageBytes + held.storageBytes + encoded.storageBytes + entries.count * MemoryLayout<Entry>.stride
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

  // MARK: Entries

  /// The index of the entry that begins at a place, which is made if there is none.
  private mutating func entry(at place: Int) -> Int {
    if entries.isEmpty { entries.append(Entry(start: written, form: form)) }
    var index = entries.endIndex - 1
    while entries[index].start > place { index -= 1 }
    if entries[index].start == place { return index }
    var rest = entries[index]
    rest.start = place
    rest.verb = nil
    entries.insert(rest, at: index + 1)
    return index + 1
  }

  /// Gives the output from a place on other properties; what is to come has those of before.
  private mutating func mark(from place: Int, _ change: (inout Entry) -> Void) {
    let first = entry(at: place)
    _ = entry(at: buffer.count)
    for index in first..<(entries.endIndex - 1) { change(&entries[index]) }
    if first > entries.startIndex, entries[first].continues(entries[first - 1]) { entries.remove(at: first) }
  }

  /// Inserts notices before the reply at `place`, which is the last one.
  mutating func insertNotices(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    guard !bytes.isEmpty else { return }
    let index = entry(at: place)
    // After a change of the form or a diagram's lines, nothing is inserted before them any more.
    assert(entries[index...].allSatisfy { $0.form == form && [.lines, .notices].contains($0.content) })
    buffer.insert(bytes, at: place)
    noticesHere += bytes.count
    for later in index..<entries.endIndex { entries[later].start += bytes.count }
    let notices = Entry(start: place, form: form, content: .notices)
    if index == entries.startIndex || !notices.continues(entries[index - 1]) { entries.insert(notices, at: index) }
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

  /// Changes the form of later output.
  mutating func change(to form: LineForm) {
    guard form != self.form else { return }
    if written < buffer.count {
      let index = entry(at: buffer.count)
      entries[index] = Entry(start: buffer.count, form: form)
    } else {
      entries = []
    }
    self.form = form
  }

  /// Marks the output from a place on as lines of one reply that are not split into words.
  mutating func keepWhole(from place: Int, tagLength: Int) {
    guard form != .text, place < buffer.count else { return }
    mark(from: place) { $0.content = .texts(tagLength: tagLength) }
  }

  /// Marks that the reply to a request with this verb begins here. The mark replaces that of a request which was not
  /// answered.
  mutating func beginReply(_ verb: Verb) {
    guard form == .json else { return }
    let index = entry(at: buffer.count)
    entries[index].verb = verb
  }

  // MARK: Writing

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
    let end = written + count
    while let first = entries.first {
      let next = entries.dropFirst().first?.start ?? buffer.count
      if first.content == .notices { noticesHere -= min(next, end) - written }
      written = min(next, end)
      guard next <= end, entries.count > 1 else { break }
      entries.removeFirst()
    }
    written = end
    if written == buffer.count {
      if let verb = entries.last?.verb { replyVerb = verb }
      entries = []
      buffer.removeAll()
      written = 0
      committed.place = 0
      sealed.place = 0
      for place in withheld.indices { withheld[place].place = 0 }
    } else if written >= 64 << 10, written >= buffer.count - written {
      // Moving the rest costs its length, so it happens only when at least as much was written.
      let moved = written
      buffer.removeFirst(moved)
      written = 0
      committed.place -= moved
      sealed.place = max(0, sealed.place - moved)
      for place in withheld.indices { withheld[place].place -= moved }
      for place in entries.indices { entries[place].start = max(0, entries[place].start - moved) }
    }
  }

  /// Converts the next lines, which are all complete, to objects.
  private mutating func encode() {
    while written < committed.place, encoded.count < pieceSize {
      let entry = entries.first ?? Entry(start: written, form: form)
      guard entry.form == .json else { return }
      if let verb = entry.verb {
        replyVerb = verb
        entries[entries.startIndex].verb = nil
      }
      let bytes = buffer.mutableBytes
      let end = min(committed.place, entries.dropFirst().first?.start ?? buffer.count)
      var place = written
      while place < end, encoded.count < pieceSize {
        // Safety: the line lies within the buffer's bytes and is not read again.
        let lineEnd = buffer.lineEnd(from: place)
        let line = UnsafeMutableRawBufferPointer(rebasing: bytes[place..<lineEnd])
        if case .texts(let tagLength) = entry.content {
          writer.write(whole: line, tagLength: tagLength, to: &encoded)
        } else {
          let lineClass = line.first
          writer.write(line, answering: replyVerb, to: &encoded)
          if lineClass == LineClass.success.rawValue || lineClass == LineClass.failure.rawValue { replyVerb = .send }
        }
        encoded.append(byte: UInt8(ascii: "\n"))
        place = lineEnd + 1
      }
      pass(place - written)
    }
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
    if !entries.isEmpty || !other.entries.isEmpty {
      var more = (other.entries.isEmpty ? [Entry(start: 0, form: form)] : other.entries).map { $0.shifted(by: place) }
      // The reply may have begun here, before the stand-in took it on.
      let begun = entries.remove(at: entry(at: place))
      more[0].verb = more[0].verb ?? begun.verb
      entries += more
    }
    buffer.append(other.buffer.bytes)
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
    if sealed.place >= committed.place { committed = sealed }
  }

  /// Marks the output from a place on to survive a rollback.
  mutating func keepOnRollback(from place: Int) {
    guard place < buffer.count else { return }
    mark(from: place) { $0.survives = true }
  }

  /// Records a request that is answered only if it is rolled back.
  mutating func withhold(_ tag: UnsafeRawBufferPointer) {
    withheld.append(Withheld(place: buffer.count, tag: Array(tag)))
  }

  /// Output that was rolled back.
  struct Uncommitted {
    let lines: [UInt8]
    /// What `lines` are; each entry reaches to the next. The last may be empty.
    let entries: [Entry]
    /// Requests without an answer, with their places in `lines`.
    let withheld: [Withheld]
  }

  /// Removes the output since the last commit, including held notices, and restores the form of that time.
  mutating func rollBack() -> Uncommitted {
    let start = committed.place
    let first = entry(at: start)
    let uncommitted = Uncommitted(
      lines: Array(buffer.bytes[start...]), entries: entries[first...].map { $0.shifted(by: -start) },
      withheld: withheld.map { Withheld(place: $0.place - start, tag: $0.tag) })
    for index in first..<(entries.endIndex - 1) where entries[index].content == .notices {
      noticesHere -= entries[index + 1].start - entries[index].start
    }
    noticesHere -= held.count
    held.removeAll()
    withheld = []
    sealedWithheld = 0
    sealed = committed
    form = committed.form
    entries.removeSubrange(first...)
    entries.append(Entry(start: start, form: form))
    buffer.truncate(to: start)
    return uncommitted
  }
}
