import LineProtocol
import Simulator
import StateMachines

/// Prints notices from a cursor in the journal on demand. Nothing is queued per watcher and input.
extension Session {
  /// Appends the session's pending notices.
  ///
  /// - Parameters:
  ///   - mayDrop: Whether to drop them if the client has too many unread ones.
  ///   - inputs: The most inputs of the journal to read.
  /// - Returns: Whether there are more.
  ///
  /// During a long reply they are held back. A new watch prints its past first.
  @discardableResult
  mutating func flushNotices(_ world: borrowing WorldCore, mayDrop: Bool, atMost inputs: UInt64 = .max) -> Bool {
    if isReadingPast { return false }
    guard prepareNotices(world, mayDrop: mayDrop, atMost: inputs) else { return false }
    append(notices: noticeScratch.bytes)
    return inputsToTell(world) > 0
  }

  /// Whether a new watch still prints the past of its machines.
  var isReadingPast: Bool { if case .reply(is PastReply, _) = activity { true } else { false } }

  /// How many inputs the client's notices are behind.
  @inline(__always)
  func inputsToTell(_ world: borrowing WorldCore) -> UInt64 {
    guard let cursor, cursor.next <= world.lastSequence else { return 0 }
    return world.lastSequence - cursor.next + 1
  }

  /// Whether its notices are for a worker to print.
  @inline(__always)
  func hasMuchToTell(_ world: borrowing WorldCore) -> Bool { inputsToTell(world) > Session.inputsToldAtOnce }

  /// The most inputs of the journal that are read for notices without a pause.
  static let inputsToldAtOnce: UInt64 = 2_000

  /// Inserts the session's pending notices at `mark`, a place in its outbox.
  mutating func insertNotices(at mark: Int, _ world: borrowing WorldCore, mayDrop: Bool) {
    guard prepareNotices(world, mayDrop: mayDrop, atMost: .max) else { return }
    outbox.insertNotices(noticeScratch.bytes, at: mark)
  }

  /// Prints the session's pending notices into `noticeScratch`.
  ///
  /// - Returns: False if there are none.
  private mutating func prepareNotices(_ world: borrowing WorldCore, mayDrop: Bool, atMost inputs: UInt64) -> Bool {
    guard let cursor, cursor.next <= world.lastSequence || gap != nil else { return false }
    noticeScratch.removeAll()
    if outbox.noticeBytes < noticeQueue { appendGap() }
    print(from: cursor, world, mayDrop: mayDrop, atMost: inputs)
    return true
  }

  /// Appends `* SEQ T …` about what is no input.
  mutating func tell(_ text: String, _ world: borrowing WorldCore) {
    noticeScratch.removeAll()
    noticeScratch.begin(.notice)
    noticeScratch.word(world.lastSequence)
    noticeScratch.word(seconds: world.now.nanoseconds)
    noticeScratch.append(literal: " ")
    noticeScratch.append(text: text)
    noticeScratch.endLine()
    append(notices: noticeScratch.bytes)
  }

  /// Reports a gap even if the client has much to read.
  mutating func tellGap() {
    guard gap != nil else { return }
    noticeScratch.removeAll()
    appendGap()
    append(notices: noticeScratch.bytes)
  }

  private mutating func print(
    from cursor: JournalReader, _ world: borrowing WorldCore, mayDrop: Bool, atMost inputs: UInt64
  ) {
    guard let view = world.watchView(of: watcher) else { return }
    let room = mayDrop ? noticeQueue - outbox.noticeBytes : .max
    var cursor = cursor
    if terms.isSampled, let first = firstOfSample(from: cursor.next, to: world.lastSequence) {
      widenGap(cursor.next...(first - 1))
      cursor = world.journalReader(from: first)
      if noticeScratch.count < room { appendGap() }
    }
    let (end, isOpen) = cursor.next.addingReportingOverflow(inputs)
    let last = isOpen ? world.lastSequence : min(world.lastSequence, end - 1)
    while cursor.next <= last {
      guard let entry = world.read(&cursor) else {
        // More inputs came in one round than the journal keeps.
        widenGap(cursor.next...(world.firstSequence - 1))
        cursor = world.journalReader(from: world.firstSequence)
        if noticeScratch.count < room { appendGap() }
        continue
      }
      // An input of the whole world, such as an undo, concerns every watcher.
      var scope = WatchScope.moves
      if let machine = entry.machine {
        guard let wanted = view.scope(for: machine, in: world) else { continue }
        scope = wanted
      }
      if gap != nil || noticeScratch.count >= room {
        widenGap(entry.sequence...world.lastSequence)
        cursor = world.journalReader(from: world.lastSequence + 1)
        break
      }
      _ = printer.print(
        entry, of: world, scope, .notice, tag: RequestContext.noTag, to: &noticeScratch)
    }
    self.cursor = cursor
  }

  /// Bytes of unread notices that the client may have.
  private var noticeQueue: Int {
    let limit = environment.limits.noticeQueue
    return terms.isSampled ? min(limit, SessionTerms.sampledQueue) : limit
  }

  /// The first input that a sample is about; nil if nothing needs to be left out.
  private func firstOfSample(from next: UInt64, to last: UInt64) -> UInt64? {
    guard last >= next, last - next >= SessionTerms.inputsInASample else { return nil }
    return last - SessionTerms.inputsInASample + 1
  }

  private mutating func widenGap(_ dropped: ClosedRange<UInt64>) {
    if gap == nil { environment.counters.gaps &+= 1 }
    gap = (gap?.lowerBound ?? dropped.lowerBound)...dropped.upperBound
  }

  /// `! gap from=SEQ to=SEQ`
  private mutating func appendGap() {
    guard let gap = gap.take() else { return }
    noticeScratch.begin(.flow)
    noticeScratch.word(literal: "gap")
    noticeScratch.key("from", gap.lowerBound)
    noticeScratch.key("to", gap.upperBound)
    noticeScratch.endLine()
  }
}
