import LineProtocol
import Simulator
import StateMachines

/// Takes a session's lines one after the other: framing, batches, what goes before and after a request.
extension Engine {
  /// Takes lines until none is complete, the session is busy or its client has too much to read, or an errand comes up.
  func converse(_ session: inout Session, _ realm: inout Realm, _ request: inout Request) -> Errand {
    if isHeld(session, by: realm.rewinding) {
      session.isHeldUp = true
      return .none
    }
    while session.life != .ended {
      if !session.activity.isNone {
        if case .compare(let comparison) = session.activity { return .service(.goOn(with: comparison)) }
        let goesOn = work(&session, &realm)
        if case .rewind(let rewind) = session.activity, rewind.rewinding.hasArrived { return .service(.finish(rewind)) }
        if !goesOn || !session.activity.isNone { return announcement(realm) }
        if realm.unannounced != nil { return .service(.announceLivelock) }
      }
      session.isHeldUp =
        session.outbox.replyBytes >= limits.replyQueue || session.effort >= Engine.effortInASlice
      if session.isHeldUp {
        session.effort = 0
        return .none
      }
      switch session.input.nextLine() {
      case .incomplete:
        if session.life == .inputEnded { session.sayGoodbye(nil) }
        return .none
      case .tooLong:
        tooLong(&session)
      case .line(let line):
        if session.batch != nil {
          guard let end = collect(line, &session, &request) else { continue }
          runBatch(end, &session, &realm, &request)
          if realm.unannounced != nil { return .service(.announceLivelock) }
          continue
        }
        let errand = take(line, inBatch: false, &session, &realm, &request)
        if case .service = errand { return errand }
        if realm.unannounced != nil { return .service(.announceLivelock) }
      }
    }
    return .none
  }

  /// Whether a session has to wait until somebody else's way back has come to its end.
  private func isHeld(_ session: borrowing Session, by rewinding: Rewinding?) -> Bool {
    guard let rewinding else { return false }
    if case .rewind(let own) = session.activity { return own.rewinding !== rewinding }
    return true
  }

  /// Machines or inputs looked at for one client, by however many requests, before others get their turn.
  private static let effortInASlice = 50_000
  /// What any request costs at least, measured in the same coin.
  private static let effortOfARequest = 8
  /// What a notice costs.
  static let effortOfANotice = 4

  /// About how many machines or inputs a request looks at; none for those that go to one machine by its name.
  func effort(of verb: Verb, _ realm: borrowing Realm) -> Int {
    switch verb {
    case .count, .list, .cast, .agenda, .watch, .unwatch: realm.world.machineCount
    case .journal: inputsKept(realm)
    case .coverage: realm.world.machineCount + inputsKept(realm)
    case .wire, .unwire, .wires: realm.world.wireCount
    case .help, .kinds, .describe, .new, .drop, .show, .can, .send, .graph, .clock, .speed, .pause, .resume, .advance,
      .step,
      .fire, .await, .cancel, .expect, .undo, .goto, .world, .use, .worlds, .diff, .begin, .end, .quiet, .mode, .limits,
      .stats, .sync,
      .quit, .shutdown:
      0
    }
  }

  private func inputsKept(_ realm: borrowing Realm) -> Int {
    Int(realm.world.lastSequence + 1 - realm.world.firstSequence)
  }

  private func announcement(_ realm: borrowing Realm) -> Errand {
    realm.unannounced == nil ? .none : .service(.announceLivelock)
  }

  /// Carries out one line, with what it caused on what the client watches before the reply.
  @inline(__always)
  private func take(
    _ line: InputBuffer.Line, inBatch: Bool, _ session: inout Session,
    _ realm: inout Realm, _ request: inout Request
  ) -> Errand {
    do throws(Request.Failure) {
      try request.parse(line)
    } catch {
      switch error {
      case .blank: break
      case .syntax(let text): session.fail(request.tag, .syntax, text)
      }
      return .none
    }
    counters.requests &+= 1
    session.effort &+= Engine.effortOfARequest
    if inBatch, let verb = Verb(request.verb), !verb.entry.inBatch {
      session.fail(request.tag, .usage, "'\(verb.name)' cannot stand between 'begin' and 'end'")
      return .none
    }
    let mark = session.outbox.buffer.count
    let errand = run(request, &session, &realm)
    if realm.world.livelock != nil { answerLivelock(request.tag, mark, &session, &realm) }
    if session.isQuiet, realm.stored != nil, session.outbox.buffer.count == mark, case .none = errand,
      session.activity.isNone
    {
      session.outbox.withhold(request.tag)
    }
    if session.cursor != nil { insertNotices(at: mark, &session, realm.world, mayDrop: true) }
    return errand
  }

  private func tooLong(_ session: inout Session) {
    if session.batch != nil {
      keep(Batch.Line(range: 0..<0, isTooLong: true), [], &session)
    } else {
      failTooLong(&session)
    }
  }

  private func failTooLong(_ session: inout Session) {
    session.fail(
      UnsafeRawBufferPointer(start: nil, count: 0), .tooLong, [("limit", "\(limits.line)")],
      "a line has at most \(limits.line) bytes; this one was dropped")
  }

  // MARK: Batches

  /// Keeps a line of a batch.
  ///
  /// - Returns: The `end`, if it was that.
  private func collect(_ line: InputBuffer.Line, _ session: inout Session, _ request: inout Request) -> BatchEnd? {
    if let end = end(line, &request) { return end }
    let start = session.batch?.bytes.count ?? 0
    keep(
      Batch.Line(range: start..<(start + line.bytes.count), isTooLong: false), UnsafeRawBufferPointer(line.bytes),
      &session)
    return nil
  }

  private func keep(_ line: Batch.Line, _ bytes: some Collection<UInt8>, _ session: inout Session) {
    guard var batch = session.batch.take() else { return }
    if batch.overflow == nil {
      if batch.lines.count >= limits.batch {
        batch.overflow = ("batch", limits.batch)
      } else if batch.bytes.count + bytes.count > limits.batchBytes {
        batch.overflow = ("batchBytes", limits.batchBytes)
      } else {
        batch.lines.append(line)
        batch.bytes.append(contentsOf: bytes)
      }
      if batch.overflow != nil {
        batch.lines = []
        batch.bytes = []
      }
    }
    session.batch = batch
  }

  /// What an `end` bears.
  private struct BatchEnd {
    let tag: [UInt8]
    /// Whether nothing follows it.
    let isBare: Bool
  }

  /// The `end` that a line is. It is looked at in a copy: parsing rewrites escapes, and a batch keeps what was sent.
  private func end(_ line: InputBuffer.Line, _ request: inout Request) -> BatchEnd? {
    guard line.bytes.count <= 256 else { return nil }
    var copy = Array(line.bytes)
    return copy.withUnsafeMutableBytes { bytes in
      do throws(Request.Failure) {
        try request.parse(bytes, isPlain: line.isPlain)
      } catch {
        return nil
      }
      guard Verb(request.verb) == .end else { return nil }
      return BatchEnd(tag: Array(request.tag), isBare: request.words.isEmpty)
    }
  }

  /// Runs the kept lines at one moment, the first failure ends it.
  private func runBatch(
    _ end: BatchEnd, _ session: inout Session, _ realm: inout Realm, _ request: inout Request
  ) {
    guard var batch = session.batch.take() else { return }
    guard end.isBare else {
      end.tag.withUnsafeBytes { session.fail($0, .usage, "end is used as 'end'; nothing of the batch was run") }
      return
    }
    session.isRunningBatch = true
    defer { session.isRunningBatch = false }
    var index = 0
    var failed: Int?
    if let overflow = batch.overflow {
      end.tag.withUnsafeBytes {
        session.fail(
          $0, .limit, [("name", overflow.name), ("value", "\(overflow.value)")],
          "this batch went over the limit; nothing of it was run")
      }
      return
    }
    // Timers that are due expire before it, and are no part of it.
    settle(&session, &realm)
    realm.world.beginRequest()
    defer { realm.world.endRequest() }
    for line in batch.lines {
      let bytes = line.range
      batch.bytes.withUnsafeMutableBytes { all in
        let text = UnsafeMutableRawBufferPointer(rebasing: all[bytes])
        guard line.isTooLong || !isBlank(text) else { return }
        index += 1
        if failed != nil {
          skip(text, index, &session, &request)
        } else {
          runBatchLine(line, text, &session, &realm, &request)
          if session.didFail { failed = index }
        }
      }
    }
    session.didFail = failed != nil
    end.tag.withUnsafeBytes { tag in
      if let failed {
        session.fail(tag, .batch, [("index", "\(failed)")], "line \(failed) failed; what was done before it stays")
      } else {
        session.outbox.buffer.begin(.success, tag: tag)
        session.outbox.buffer.key("batch", UInt64(index))
        session.outbox.buffer.endLine()
      }
    }
  }

  private func runBatchLine(
    _ line: Batch.Line, _ text: UnsafeMutableRawBufferPointer, _ session: inout Session, _ realm: inout Realm,
    _ request: inout Request
  ) {
    session.didFail = false
    if line.isTooLong {
      failTooLong(&session)
      return
    }
    _ = take(InputBuffer.Line(unknown: text), inBatch: true, &session, &realm, &request)
    // A reply of many lines is written whole, since nobody may come in between.
    while !session.activity.isNone, !session.didFail {
      guard session.outbox.replyBytes < limits.replyQueue else {
        session.fail(
          request.tag, .limit, [("name", "replyQueue"), ("value", "\(limits.replyQueue)")],
          "the replies of this batch are too long; send this request by itself")
        session.endActivity()
        return
      }
      _ = work(&session, &realm)
    }
  }

  /// `- BATCH index=K : not run`
  private func skip(
    _ text: UnsafeMutableRawBufferPointer, _ index: Int, _ session: inout Session, _ request: inout Request
  ) {
    do throws(Request.Failure) {
      try request.parse(text, isPlain: false)
    } catch {
      // It is not run, whatever it is; what can be read of its tag goes back.
    }
    session.fail(request.tag, .batch, [("index", "\(index)")], "not run")
  }

  private func isBlank(_ text: UnsafeMutableRawBufferPointer) -> Bool {
    guard let first = text.first(where: { $0 != 0x20 && $0 != 0x09 }) else { return true }
    return first == UInt8(ascii: "#")
  }
}
