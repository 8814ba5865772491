import LineProtocol
import Simulator
import StateMachines

/// Notices are printed from a place in the journal when there is time for it, never queued per watcher and input.
extension Session {
  /// Appends the notices that a session has not had.
  ///
  /// - Parameter mayDrop: Whether they are dropped when the client has too many already.
  ///
  /// While a reply of many lines is being written they are kept back, and what a new watch wants to know of the past
  /// goes before all of them.
  mutating func flushNotices(_ world: borrowing WorldCore, mayDrop: Bool) {
    if case .reply(.past, _) = activity { return }
    guard prepareNotices(world, mayDrop: mayDrop) else { return }
    append(notices: noticeScratch.bytes)
  }

  /// Puts the notices that a session has not had before what begins at `mark`, a place in its outbox.
  mutating func insertNotices(at mark: Int, _ world: borrowing WorldCore, mayDrop: Bool) {
    guard prepareNotices(world, mayDrop: mayDrop) else { return }
    outbox.insertNotices(noticeScratch.bytes, at: mark)
  }

  /// Prints what a session has not had into its `noticeScratch`.
  ///
  /// - Returns: False if there is nothing.
  private mutating func prepareNotices(_ world: borrowing WorldCore, mayDrop: Bool) -> Bool {
    guard let cursor, cursor.next <= world.lastSequence || gap != nil else { return false }
    noticeScratch.removeAll()
    if outbox.noticeBytes < environment.limits.noticeQueue { appendGap() }
    print(from: cursor, world, mayDrop: mayDrop)
    return true
  }

  /// Tells a session of a gap, however much it has to read.
  mutating func tellGap() {
    guard gap != nil else { return }
    noticeScratch.removeAll()
    appendGap()
    append(notices: noticeScratch.bytes)
  }

  private mutating func print(from cursor: JournalReader, _ world: borrowing WorldCore, mayDrop: Bool) {
    guard let view = world.watchView(of: watcher) else { return }
    let room = mayDrop ? environment.limits.noticeQueue - outbox.noticeBytes : .max
    var cursor = cursor
    while cursor.next <= world.lastSequence {
      guard let entry = world.read(&cursor) else {
        // More inputs came in one round than the journal keeps.
        widenGap(cursor.next...(world.firstSequence - 1))
        cursor = world.journalReader(from: world.firstSequence)
        if noticeScratch.count < room { appendGap() }
        continue
      }
      // Whoever watches anything here has to know that some of what was told does not hold any more.
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
      effort &+= Session.effortOfANotice
    }
    self.cursor = cursor
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
