import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Takes a session's lines one after the other: framing, batches, what goes before and after a request.
extension Engine {
  /// Takes lines until none is complete, the session is busy or its client has too much to read, or a deferred effect comes up.
  ///
  /// - Parameter end: The host time at which others are to have their turn.
  func converse(
    _ session: inout Session, _ realm: inout Realm, _ request: inout Request, until end: UInt64
  ) -> DeferredEffect {
    if isHeld(session, by: realm.rewinding) {
      session.isHeldUp = true
      return .none
    }
    while session.life != .ended {
      if case .none = session.activity {
      } else {
        if session.endWhatNobodyReads() { continue }
        if session.activity.isForWorkers { session.needsWorker = true }
        if case .await = session.activity, realm.clock.mode == .real { session.needsWorker = false }
        if session.needsWorker { return announcement(realm) }
        _ = work(&session, &realm)
        if !session.activity.isNone {
          // A little is done here, so that what is short need not wait for a worker; the rest is a worker's.
          session.needsWorker = true
          return announcement(realm)
        }
        if realm.unannounced != nil { return .service(.announceLivelock) }
      }
      session.isHeldUp = mustPause(&session, until: end)
      if session.isHeldUp { return .none }
      if takePlainSends(&session, &realm) {
        if realm.unannounced != nil { return .service(.announceLivelock) }
        continue
      }
      switch nextRequest(&session, &request) {
      case .nothing: return .none
      case .kept:
        if case .deferred(let deferred) = session.activity, case .batch(let batch) = deferred.requests,
          isShort(batch, realm)
        {
          carryOut(deferred, &session, &realm, &request)
          if realm.unannounced != nil { return .service(.announceLivelock) }
        }
      case .request(let line):
        if line.bytes.count > Engine.longLine || realm.isSlow || !Engine.isPlainSend(line), mayTakeLong(line, realm),
          self.defer(line, &session, &request)
        {
          continue
        }
        let deferredEffect = take(line, inBatch: false, &session, &realm, &request)
        if case .service = deferredEffect { return deferredEffect }
        if realm.unannounced != nil { return .service(.announceLivelock) }
      }
    }
    return .none
  }

  /// Takes lines while the world is with a worker, as long as they do not ask for it.
  func converseWithoutWorld(_ session: inout Session, _ request: inout Request, until end: UInt64) -> DeferredEffect {
    session.isHeldUp = true
    while session.life != .ended, session.activity.isNone {
      if mustPause(&session, until: end) { return .none }
      switch nextRequest(&session, &request) {
      case .nothing:
        session.isHeldUp = false
        return .none
      case .kept: continue
      case .request(let line):
        if let verb = Engine.verb(of: line), verb.needsTheWorld {
          session.input.putBack()
          return .none
        }
        let deferredEffect = takeWithoutWorld(line, &session, &request)
        if case .service = deferredEffect { return deferredEffect }
      }
    }
    return .none
  }

  /// What a session's next line is.
  private enum Next {
    /// None is complete. A client that will send no more has been told goodbye.
    case nothing
    /// One of a batch that is being collected, or one that is too long, which was answered.
    case kept
    case request(InputBuffer.Line)
  }

  @inline(__always)
  private func nextRequest(_ session: inout Session, _ request: inout Request) -> Next {
    switch session.input.nextLine() {
    case .incomplete:
      if session.life == .inputEnded { session.sayGoodbye(nil) }
      return .nothing
    case .tooLong:
      tooLong(&session)
      return .kept
    case .line(let line):
      if session.batch == nil { return .request(line) }
      collect(line, &session, &request)
      return .kept
    }
  }

  /// Whether a session's next line is to wait: for its client, which has replies to take, or for others.
  private func mustPause(_ session: inout Session, until end: UInt64) -> Bool {
    if session.outbox.replyBytes >= limits.replyQueue { return true }
    guard session.effort >= Engine.effortBetweenLooks else { return false }
    session.effort = 0
    return HostClock.now() >= end
  }

  /// Whether a session has to wait until somebody else's way back has come to its end.
  private func isHeld(_ session: borrowing Session, by rewinding: Rewinding?) -> Bool {
    guard let rewinding else { return false }
    if case .rewind(let own) = session.activity { return own.rewinding !== rewinding }
    return true
  }

  /// Machines or inputs looked at for one client, by however many requests, before it is looked whether others are to have
  /// their turn: some hundredths of a millisecond.
  private static let effortBetweenLooks = 4_000
  /// What any request costs at least, measured in the same coin; so does each input that comes of it.
  private static let effortOfARequest = 8
  /// What a notice costs.
  static let effortOfANotice = 4

  /// Lines of more bytes may be much work for a machine.
  private static let longLine = 1_024
  /// A request that looks at more machines or inputs than this is a worker's.
  private static let effortOnEventLoop = 5_000

  /// The verb of a line that nobody has parsed; nil if there is none.
  static func verb(of line: InputBuffer.Line) -> Verb? {
    var rest = UnsafeRawBufferPointer(line.bytes)[...]
    while true {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      let word = rest.prefix { $0 != 0x20 && $0 != 0x09 }
      if word.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) { return quotedVerb(of: line) }
      guard word.first == UInt8(ascii: "@") else { return Verb(UnsafeRawBufferPointer(rebasing: word)) }
      rest = rest[word.endIndex...]
    }
  }

  /// The same where the verb or the tag may be written with quotes, which hardly anybody does.
  private static func quotedVerb(of line: InputBuffer.Line) -> Verb? {
    // In a copy, since parsing may rewrite a line.
    var copy = Array(line.bytes)
    var request = Request()
    return copy.withUnsafeMutableBytes { bytes in
      do throws(Request.Failure) {
        try request.parse(bytes, isPlain: false)
        return Verb(request.verb)
      } catch {
        return nil
      }
    }
  }

  private static let packedSend: UInt32 = 0x646E_6573  // "send", first byte lowest

  /// Whether a line is a `send` without a tag, as nearly all are: no more is to be looked at then than this.
  @inline(__always)
  private static func isPlainSend(_ line: InputBuffer.Line) -> Bool {
    line.bytes.count > 4 && line.bytes.loadUnaligned(as: UInt32.self) == packedSend
  }

  /// Whether a line is not to be carried out on the event loop.
  private func mayTakeLong(_ line: InputBuffer.Line, _ realm: borrowing Realm) -> Bool {
    if realm.slice.isOnWorker { return false }
    let isWorkers = line.bytes.count > Engine.longLine || realm.isSlow
    guard isWorkers || realm.isLarge else { return false }
    guard let verb = Engine.verb(of: line), verb.needsTheWorld, !verb.isAlwaysShort else { return false }
    return isWorkers || effort(of: verb, bytes: line.bytes.count, realm) > Engine.effortOnEventLoop
  }

  /// Batches of more lines are a worker's.
  private static let shortBatch = 100

  /// Whether a batch can be carried out on the event loop.
  private func isShort(_ batch: Batch, _ realm: borrowing Realm) -> Bool {
    guard batch.lines.count <= Engine.shortBatch, batch.bytes.count <= Engine.longLine else { return false }
    if realm.isSlow { return false }
    var batch = batch
    var effort = 0
    for line in batch.lines {
      let verb = batch.bytes.withUnsafeMutableBytes {
        Engine.verb(of: InputBuffer.Line(unknown: UnsafeMutableRawBufferPointer(rebasing: $0[line.range])))
      }
      switch verb {
      case .describe, .graph, .coverage: return false
      case let verb?: effort += self.effort(of: verb, bytes: line.range.count, realm)
      case nil: break
      }
      if effort > Engine.effortOnEventLoop { return false }
    }
    return true
  }

  /// Keeps a line for a worker.
  ///
  /// - Returns: False if it is none that can be parsed.
  private func `defer`(_ line: InputBuffer.Line, _ session: inout Session, _ request: inout Request) -> Bool {
    let bytes = Array(line.bytes)
    // In a copy, since parsing may rewrite a line.
    var copy = bytes
    let tag: [UInt8]? = copy.withUnsafeMutableBytes { bytes in
      do throws(Request.Failure) {
        try request.parse(bytes, isPlain: false)
      } catch {
        return nil
      }
      session.task = Verb(request.verb).map { Task($0) }
      return Array(request.tag)
    }
    guard let tag else { return false }
    session.activity = .deferred(Activity.Deferred(requests: .line(bytes), tag: tag))
    return true
  }

  /// Carries out what was kept for a worker.
  func carryOut(
    _ deferred: Activity.Deferred, _ session: inout Session, _ realm: inout Realm, _ request: inout Request
  ) {
    session.endActivity()
    switch deferred.requests {
    case .line(var bytes):
      bytes.withUnsafeMutableBytes { bytes in
        _ = take(InputBuffer.Line(unknown: bytes), inBatch: false, &session, &realm, &request)
      }
    case .batch(let batch):
      run(batch, deferred.tag, &session, &realm, &request)
    }
  }

  /// About how many machines or inputs a request looks at; none for those that go to one machine by its name.
  ///
  /// - Parameter bytes: How long its line is: some machines look at each byte of what they are sent.
  func effort(of verb: Verb, bytes: Int, _ realm: borrowing Realm) -> Int {
    switch verb {
    case .count, .list, .agenda: realm.world.machineCount
    case .cast: realm.world.machineCount * max(1, bytes / 4)
    case .journal: inputsKept(realm)
    case .coverage: realm.world.machineCount + inputsKept(realm)
    case .wire, .unwire, .wires: realm.world.wireCount
    case .help, .kinds, .describe, .new, .drop, .show, .can, .send, .watch, .unwatch, .graph, .clock, .speed, .pause,
      .resume, .advance,
      .step, .fire, .await, .cancel, .activities, .expect, .undo, .goto, .world, .use, .worlds, .diff, .begin, .end,
      .quiet, .mode, .limits, .stats, .sync, .quit, .shutdown:
      0
    }
  }

  private func inputsKept(_ realm: borrowing Realm) -> Int {
    Int(realm.world.lastSequence + 1 - realm.firstSequence)
  }

  private func announcement(_ realm: borrowing Realm) -> DeferredEffect {
    realm.unannounced == nil ? .none : .service(.announceLivelock)
  }

  /// Takes lines as long as they are plain sends and nothing special is going on: what ``take`` asks at each line is asked
  /// once for all of them here. What comes of each is the same.
  ///
  /// - Returns: Whether there was one.
  @inline(__always)
  private func takePlainSends(_ session: inout Session, _ realm: inout Realm) -> Bool {
    guard session.batch == nil, session.cursor == nil, !session.isQuiet, !session.isStanding, realm.outage == nil,
      !realm.isSlow
    else { return false }
    guard var line = session.input.nextPlainSend() else { return false }
    // Each send leaves nothing that is due, so timers need be looked at but once.
    fireDue(&session, &realm)
    let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
    var machine = realm.world.expectSend(toNamed: line.name)
    var hasTaken = false
    while true {
      // The next machine is looked for before this one is sent to, so that both wait for memory at the same time.
      let next = session.input.nextPlainSend()
      let nextMachine = next.flatMap { realm.world.expectSend(toNamed: $0.name) }
      let mark = session.outbox.buffer.count
      let before = realm.world.journal.last
      guard session.effort < Engine.effortBetweenLooks, session.outbox.replyBytes < limits.replyQueue,
        realm.hasRoomForInputs, realm.unannounced == nil, let addressee = machine,
        let words = realm.world.send(plain: line.event, to: addressee)
      else {
        session.input.putBack(line)
        return hasTaken
      }
      hasTaken = true
      counters.requests &+= 1
      session.didFail = false
      answerSend(of: line.event, to: line.name, words, noTag, &session, &realm)
      session.effort &+=
        line.length &+ Engine.effortOfARequest &* Int(truncatingIfNeeded: realm.world.journal.last &- before &+ 1)
      if realm.world.livelock != nil { answerLivelock(noTag, mark, &session, &realm) }
      guard let next else { return true }
      line = next
      machine = nextMachine
    }
  }

  /// Carries out one line, with what it caused on what the client watches before the reply.
  @inline(__always)
  private func take(
    _ line: InputBuffer.Line, inBatch: Bool, _ session: inout Session,
    _ realm: inout Realm, _ request: inout Request
  ) -> DeferredEffect {
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
    session.effort &+= line.bytes.count
    // In a batch a line that only reads may be what the others depend on.
    if !session.hasReader, !inBatch, let verb = Verb(request.verb), verb.onlyReads { return .none }
    if inBatch, let verb = Verb(request.verb), !verb.entry.inBatch {
      session.fail(request.tag, .usage, "'\(verb.name)' cannot stand between 'begin' and 'end'")
      return .none
    }
    let mark = session.outbox.buffer.count
    let before = realm.world.journal.last
    let deferredEffect = run(request, &session, &realm)
    session.effort &+= Engine.effortOfARequest &* Int(truncatingIfNeeded: realm.world.journal.last &- before &+ 1)
    if realm.world.livelock != nil { answerLivelock(request.tag, mark, &session, &realm) }
    if session.isQuiet, realm.stored != nil, session.outbox.buffer.count == mark, case .none = deferredEffect,
      session.activity.isNone
    {
      session.outbox.withhold(request.tag)
    }
    let end = session.outbox.buffer.count
    if session.cursor != nil { insertNotices(at: mark, &session, realm.world, mayDrop: true) }
    if session.isStanding {
      session.outbox.stand(from: mark + session.outbox.buffer.count - end)
      session.isStanding = false
    }
    return deferredEffect
  }

  /// Carries out one line that does not ask for the world.
  private func takeWithoutWorld(
    _ line: InputBuffer.Line, _ session: inout Session, _ request: inout Request
  ) -> DeferredEffect {
    do throws(Request.Failure) {
      try request.parse(line)
    } catch {
      if case .syntax(let text) = error { session.fail(request.tag, .syntax, text) }
      return .none
    }
    counters.requests &+= 1
    session.effort &+= Engine.effortOfARequest &+ line.bytes.count
    let mark = session.outbox.buffer.count
    let deferredEffect = runWithoutWorld(request, &session)
    session.outbox.stand(from: mark)
    return deferredEffect
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

  /// Keeps a line of a batch; its `end` makes the batch the session's activity, which is a worker's
  /// unless it is short.
  private func collect(_ line: InputBuffer.Line, _ session: inout Session, _ request: inout Request) {
    if let end = end(line, &request) {
      close(end, &session)
      return
    }
    let start = session.batch?.bytes.count ?? 0
    keep(
      Batch.Line(range: start..<(start + line.bytes.count), isTooLong: false), UnsafeRawBufferPointer(line.bytes),
      &session)
  }

  private func close(_ end: BatchEnd, _ session: inout Session) {
    guard let batch = session.batch.take() else { return }
    guard end.isBare else {
      end.tag.withUnsafeBytes { session.fail($0, .usage, "end is used as 'end'; nothing of the batch was run") }
      return
    }
    if let overflow = batch.overflow {
      end.tag.withUnsafeBytes {
        session.fail(
          $0, .limit, [("name", overflow.name), ("value", "\(overflow.value)")],
          "this batch went over the limit; nothing of it was run")
      }
      return
    }
    session.task = Task(.end)
    session.activity = .deferred(Activity.Deferred(requests: .batch(batch), tag: end.tag))
    session.needsWorker = true
  }

  private func keep(_ line: Batch.Line, _ bytes: some Collection<UInt8>, _ session: inout Session) {
    guard var batch = session.batch.take() else { return }
    if batch.overflow == nil {
      if batch.lines.count >= limits.batch {
        batch.overflow = ("batch", limits.batch)
      } else if batch.bytes.count + bytes.count > limits.batchBytes {
        batch.overflow = ("batchBytes", limits.batchBytes)
      } else if batch.bytes.count + bytes.count > batch.bytes.capacity,
        !session.share.admits(batch.storageBytes + bytes.count, beside: batch.storageBytes)
      {
        // It is kept twice while it grows.
        batch.overflow = ("memory", session.share.budget.bytes)
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

  /// What an `end` carries.
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
  private func run(
    _ batch: Batch, _ tag: [UInt8], _ session: inout Session, _ realm: inout Realm, _ request: inout Request
  ) {
    var batch = batch
    session.isRunningBatch = true
    defer { session.isRunningBatch = false }
    var index = 0
    var done = 0
    var failed: Int?
    var interruption: Interruption?
    // Timers that are due expire before it, and are no part of it.
    fireDue(&session, &realm)
    realm.world.beginRequest()
    defer { realm.world.endRequest() }
    for line in batch.lines {
      let bytes = line.range
      batch.bytes.withUnsafeMutableBytes { all in
        let text = UnsafeMutableRawBufferPointer(rebasing: all[bytes])
        guard line.isTooLong || !isBlank(text) else { return }
        index += 1
        if interruption == nil { interruption = realm.slice.wait() }
        if failed != nil || interruption != nil {
          skip(text, index, &session, &request)
        } else {
          runBatchLine(line, text, &session, &realm, &request)
          if session.didFail { failed = index } else { done = index }
        }
      }
    }
    session.didFail = failed != nil
    tag.withUnsafeBytes { tag in
      if let interruption {
        failInterrupted(interruption, done: done, tag, &session, realm)
      } else if let failed {
        session.fail(tag, .batch, [("index", "\(failed)")], "line \(failed) failed; what was done before it stays")
      } else {
        session.outbox.buffer.begin(.success, tag: tag)
        session.outbox.buffer.key("batch", UInt64(index))
        session.outbox.buffer.endLine()
      }
    }
  }

  /// `- CANCELLED done=N t= seq=` and its like, of what was to be done as a whole; what was done stays.
  func failInterrupted(
    _ interruption: Interruption, done: Int, _ tag: UnsafeRawBufferPointer, _ session: inout Session,
    _ realm: borrowing Realm
  ) {
    session.fail(
      tag, interruption.code,
      [
        ("done", "\(done)"), ("t", TimeText.seconds(realm.world.now.nanoseconds)),
        ("seq", "\(realm.world.lastSequence)"),
      ],
      "\(interruption.text); what was done stays")
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
    guard session.outbox.replyBytes < limits.replyQueue else {
      parseTag(of: text, &request)
      failTooManyReplies(request.tag, &session)
      return
    }
    _ = take(InputBuffer.Line(unknown: text), inBatch: true, &session, &realm, &request)
    // A reply of many lines is written whole, since nobody may come in between.
    while !session.activity.isNone, !session.didFail {
      if let interruption = realm.slice.wait() {
        session.fail(request.tag, interruption.code, interruption.text)
        session.endActivity()
        return
      }
      guard session.outbox.replyBytes < limits.replyQueue else {
        failTooManyReplies(request.tag, &session)
        session.endActivity()
        return
      }
      _ = work(&session, &realm)
    }
  }

  private func failTooManyReplies(_ tag: UnsafeRawBufferPointer, _ session: inout Session) {
    session.fail(
      tag, .limit, [("name", "replyQueue"), ("value", "\(limits.replyQueue)")],
      "the replies of this batch are too long; send this request by itself")
  }

  /// Answers the lines of a batch that is not run.
  func skip(_ batch: Batch, _ session: inout Session, _ request: inout Request) {
    var batch = batch
    var index = 0
    for line in batch.lines {
      batch.bytes.withUnsafeMutableBytes { all in
        let text = UnsafeMutableRawBufferPointer(rebasing: all[line.range])
        guard line.isTooLong || !isBlank(text) else { return }
        index += 1
        skip(text, index, &session, &request)
      }
    }
  }

  /// `- BATCH index=K : not run`
  private func skip(
    _ text: UnsafeMutableRawBufferPointer, _ index: Int, _ session: inout Session, _ request: inout Request
  ) {
    parseTag(of: text, &request)
    session.fail(request.tag, .batch, [("index", "\(index)")], "not run")
  }

  /// Reads the tag of a line that is not run, as far as the line can be read.
  private func parseTag(of text: UnsafeMutableRawBufferPointer, _ request: inout Request) {
    do throws(Request.Failure) {
      try request.parse(text, isPlain: false)
    } catch {
      // The failure of a line that is not run does not matter.
    }
  }

  private func isBlank(_ text: UnsafeMutableRawBufferPointer) -> Bool {
    guard let first = text.first(where: { $0 != 0x20 && $0 != 0x09 }) else { return true }
    return first == UInt8(ascii: "#")
  }
}
