import LineProtocol
import Simulator
import StateMachines

/// Notices are printed from a place in the journal when there is time for it, never queued per watcher and input.
extension Engine {
  /// Appends the notices that a session has not had.
  ///
  /// - Parameter mayDrop: Whether they are dropped when the client has too many already.
  ///
  /// While a reply of many lines is being written they are kept back, and what a new watch wants to know of the past
  /// goes before all of them.
  func flushNotices(_ session: inout Session, _ world: borrowing WorldCore, mayDrop: Bool) {
    if case .reply(.past, _) = session.activity { return }
    guard prepareNotices(&session, world, mayDrop: mayDrop) else { return }
    session.append(notices: session.noticeScratch.bytes)
  }

  /// Puts the notices that a session has not had before what begins at `mark`, a place in its outbox.
  func insertNotices(at mark: Int, _ session: inout Session, _ world: borrowing WorldCore, mayDrop: Bool) {
    guard prepareNotices(&session, world, mayDrop: mayDrop) else { return }
    session.outbox.insertNotices(session.noticeScratch.bytes, at: mark)
  }

  /// Prints what a session has not had into its `noticeScratch`.
  ///
  /// - Returns: False if there is nothing.
  private func prepareNotices(_ session: inout Session, _ world: borrowing WorldCore, mayDrop: Bool) -> Bool {
    guard let cursor = session.cursor, cursor.next <= world.lastSequence || session.gap != nil else { return false }
    session.noticeScratch.removeAll()
    if session.outbox.noticeBytes < limits.noticeQueue { appendGap(&session) }
    print(from: cursor, &session, world, mayDrop: mayDrop)
    return true
  }

  /// Tells a session of a gap, however much it has to read.
  func tellGap(_ session: inout Session) {
    guard session.gap != nil else { return }
    session.noticeScratch.removeAll()
    appendGap(&session)
    session.append(notices: session.noticeScratch.bytes)
  }

  private func print(
    from cursor: JournalReader, _ session: inout Session, _ world: borrowing WorldCore, mayDrop: Bool
  ) {
    guard let view = world.watchView(of: session.watcher) else { return }
    let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
    let room = mayDrop ? limits.noticeQueue - session.outbox.noticeBytes : .max
    var cursor = cursor
    while cursor.next <= world.lastSequence {
      guard let entry = world.read(&cursor) else {
        // More inputs came in one round than the journal keeps.
        widenGap(&session, cursor.next...(world.firstSequence - 1))
        cursor = world.journalReader(from: world.firstSequence)
        if session.noticeScratch.count < room { appendGap(&session) }
        continue
      }
      // Whoever watches anything here has to know that some of what was told does not hold any more.
      var scope = WatchScope.moves
      if let machine = entry.machine {
        guard let wanted = view.scope(for: machine, in: world) else { continue }
        scope = wanted
      }
      if session.gap != nil || session.noticeScratch.count >= room {
        widenGap(&session, entry.sequence...world.lastSequence)
        cursor = world.journalReader(from: world.lastSequence + 1)
        break
      }
      _ = session.printer.print(
        entry, of: world, scope, .notice, tag: noTag, to: &session.noticeScratch)
      session.effort &+= Engine.effortOfANotice
    }
    session.cursor = cursor
  }

  private func widenGap(_ session: inout Session, _ dropped: ClosedRange<UInt64>) {
    if session.gap == nil { counters.gaps &+= 1 }
    session.gap = (session.gap?.lowerBound ?? dropped.lowerBound)...dropped.upperBound
  }

  /// `! gap from=SEQ to=SEQ`
  private func appendGap(_ session: inout Session) {
    guard let gap = session.gap else { return }
    session.gap = nil
    session.noticeScratch.begin(.flow)
    session.noticeScratch.word(literal: "gap")
    session.noticeScratch.key("from", gap.lowerBound)
    session.noticeScratch.key("to", gap.upperBound)
    session.noticeScratch.endLine()
  }
}
