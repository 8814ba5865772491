import LineProtocol
import Simulator
import StateMachines

/// Notices are printed from a place in the journal when there is time for it, never queued per watcher and input.
extension Engine {
  /// Appends the notices that a session has not had.
  ///
  /// - Parameter mayDrop: Whether they are dropped when the client has too many already.
  func pump(_ session: inout Session, _ world: borrowing World, mayDrop: Bool) {
    insertNotices(at: session.outbox.buffer.count, &session, world, mayDrop: mayDrop)
  }

  /// Puts the notices that a session has not had before what begins at `mark`, a place in its outbox.
  func insertNotices(at mark: Int, _ session: inout Session, _ world: borrowing World, mayDrop: Bool) {
    guard let cursor = session.cursor, cursor.next <= world.lastSequence || session.gap != nil else { return }
    session.noticeScratch.removeAll()
    if session.outbox.noticeBytes < limits.noticeQueue { appendGap(&session) }
    print(from: cursor, &session, world, mayDrop: mayDrop)
    session.outbox.insertNotices(session.noticeScratch.bytes, at: mark)
  }

  /// Tells a session of a gap before a reply to `sync`, however much it has to read.
  func tellGap(before mark: Int, _ session: inout Session) {
    guard session.gap != nil else { return }
    session.noticeScratch.removeAll()
    appendGap(&session)
    session.outbox.insertNotices(session.noticeScratch.bytes, at: mark)
  }

  private func print(
    from cursor: JournalReader, _ session: inout Session, _ world: borrowing World, mayDrop: Bool
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
        continue
      }
      guard let scope = view.scope(for: entry.machine) else { continue }
      if session.gap != nil || session.noticeScratch.count >= room {
        widenGap(&session, entry.sequence...world.lastSequence)
        cursor = world.journalReader(from: world.lastSequence + 1)
        break
      }
      _ = session.printer.print(
        entry, of: world, scope, .notice, tag: noTag, to: &session.noticeScratch)
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
