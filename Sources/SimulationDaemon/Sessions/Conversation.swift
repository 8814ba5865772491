import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Runs a session's lines in order, with the work before and after each request.
extension RequestContext {
  /// Runs lines until none is complete, the session is busy, its client has too much to read, or an effect is deferred.
  ///
  /// - Parameter end: The host time at which other clients get their turn.
  func converse(_ request: inout Request, until end: UInt64) {
    if session.isHeld(by: live.rewinding) {
      session.isHeldUp = true
      return
    }
    while session.life != .ended {
      if case .none = session.activity {
      } else {
        if session.endUnreadActivity() { continue }
        if session.activity.traits.isForWorkers { session.needsWorker = true }
        if case .await = session.activity, live.clock.mode == .real { session.needsWorker = false }
        // A first slice runs here, so that short work need not wait for a worker. A worker does the rest.
        if !session.needsWorker { _ = work() }
        if !session.activity.isNone {
          session.needsWorker = true
          return announceLivelock()
        }
        if live.unannounced != nil { return announceLivelock() }
      }
      session.isHeldUp = session.mustPause(until: end)
      if session.isHeldUp { return }
      if session.takePlainSends(in: &live) {
        if live.unannounced != nil { return announceLivelock() }
        continue
      }
      switch session.nextRequest(&request) {
      case .nothing: return
      case .kept:
        guard case .deferred(let deferred) = session.activity, isShort(deferred) else { continue }
        carryOut(deferred, &request)
      case .unchecked(let line): check(line, &request)
      case .resource(let line): takeResource(line, &request)
      case .request(let line):
        if line.bytes.count > RequestContext.longLine || !line.isPlainSend || live.mayStepLong,
          mayTakeLong(line),
          session.defer(line, &request)
        {
          continue
        }
        take(line, inBatch: false, &request)
        if session.deferredEffect != nil { return }
      }
      if live.unannounced != nil { return announceLivelock() }
    }
  }

  private func announceLivelock() {
    if live.unannounced != nil { self.defer(.announceLivelock) }
  }

  /// Runs lines that do not need the world while it is with a worker.
  func converseWithoutWorld(_ request: inout Request, until end: UInt64) {
    session.isHeldUp = true
    while session.life != .ended, session.activity.isNone, session.deferredEffect == nil {
      if session.mustPause(until: end) { return }
      // What a line of such a batch may name is in the world.
      if session.checksLines { return }
      switch session.nextRequest(&request) {
      case .nothing:
        session.isHeldUp = false
        return
      case .kept, .unchecked: continue
      case .resource(let line): takeResource(line, &request)
      case .request(let line):
        let isLongList = session.kindsOfLentWorld.count > RequestContext.kindsOnEventLoop
        if let verb = line.verb, verb.row.needsTheWorld || verb == .kinds && isLongList {
          session.input.putBack()
          return
        }
        takeWithoutWorld(line, &request)
      }
    }
  }

  // MARK: Work for workers

  /// Longer lines may be slow for a machine to handle, in bytes.
  static let longLine = 1_024
  /// A request that examines more machines or inputs than this runs on a worker.
  static let effortOnEventLoop = 5_000

  /// A request with more inputs than this runs on a worker, if they may be those of documents' machines.
  static let stepsOnEventLoop = 4

  /// Whether a line must not run on the event loop.
  private func mayTakeLong(_ line: InputBuffer.Line) -> Bool {
    if live.slice.isOnWorker || session.passesOver(line.verb) { return false }
    // Notices go before the answer.
    let isWorkers =
      line.bytes.count > RequestContext.longLine || live.mayStepLong || session.hasMuchToTell(live.world)
    guard isWorkers || live.isLarge || live.world.hasDocuments else { return false }
    guard let verb = line.verb, verb.row.needsTheWorld else { return false }
    let row = verb.row
    if case .none = row.cost { return false }
    if verb == .cast, live.world.hasDocuments, live.world.machineCount > RequestContext.stepsOnEventLoop { return true }
    return isWorkers || row.effort(bytes: line.bytes.count, live) > RequestContext.effortOnEventLoop
  }

  /// Leaves the request that is being handled to a worker, unless it is with one, or in a batch.
  ///
  /// - Returns: Whether the request was left. Its handler is called again then.
  func deferToWorker() -> Bool {
    guard !live.slice.isOnWorker, !session.isRunningBatch, let verb = session.task?.verb else { return false }
    let line =
      (tag.isEmpty ? [] : ["@\(String(decoding: tag, as: UTF8.self))"]) + [verb.name] + words.plain.map(Word.written)
      + words.keyed.map { "\($0.key)=\(Word.quoted($0.value))" } + (session.number.map { ["id=\($0)"] } ?? [])
    session.activity = .deferred(
      Activity.Deferred(requests: .line(Array(line.joined(separator: " ").utf8)), tag: Array(tag)))
    return true
  }

  /// Runs the requests that were deferred to a worker.
  func carryOut(_ deferred: Activity.Deferred, _ request: inout Request) {
    session.endActivity()
    switch deferred.requests {
    case .line(var bytes):
      bytes.withUnsafeMutableBytes { bytes in
        take(InputBuffer.Line(unknown: bytes), inBatch: false, &request)
        live.note?.keep(UnsafeRawBufferPointer(bytes))
      }
    case .batch(let batch):
      deferred.tag.withUnsafeBytes { tag in answering(tag) { $0.run(batch, &request) } }
    case .definition(var line, let document):
      session.document = document
      line.withUnsafeMutableBytes {
        take(InputBuffer.Line(unknown: $0), inBatch: false, &request)
        live.note?.keep(UnsafeRawBufferPointer($0))
      }
      session.document = nil
    }
  }

  /// Whether deferred requests may run on the event loop.
  private func isShort(_ deferred: Activity.Deferred) -> Bool {
    switch deferred.requests {
    case .line: false
    case .batch(let batch): isShort(batch)
    case .definition(_, let document): !document.isUnread && !live.mayStepLong
    }
  }

  /// Keeps a file that a later document of this connection may refer to.
  private func takeResource(_ line: [UInt8], _ request: inout Request) {
    var line = line
    line.withUnsafeMutableBytes { takeWithoutWorld(InputBuffer.Line(unknown: $0), &request) }
    session.document = nil
  }

  // MARK: One line

  /// Runs one line. Notices about its inputs go before its reply.
  @inline(__always)
  func take(_ line: InputBuffer.Line, inBatch: Bool, _ request: inout Request) {
    do throws(Request.Failure) {
      try request.parse(line)
    } catch {
      switch error {
      case .blank: break
      case .syntax(let text): session.fail(request.tag, .syntax, [], text)
      }
      return
    }
    environment.counters.requests &+= 1
    live.note?.take(UnsafeRawBufferPointer(line.bytes))
    if !session.mayChange, session.refusesChange(request) { return }
    // In a batch later lines may depend on one that only reads.
    if !inBatch, session.passesOver(Verb(request.verb)) { return }
    if inBatch, let verb = Verb(request.verb), !verb.entry.inBatch {
      return session.fail(request.tag, .usage, [], "'\(verb.name)' cannot stand between 'begin' and 'end'")
    }
    let mark = session.outbox.buffer.count
    run(request)
    if live.world.livelock != nil { answering(request.tag) { $0.answerLivelock(from: mark) } }
    if session.isQuiet, live.stored != nil, session.outbox.buffer.count == mark, session.deferredEffect == nil,
      session.activity.isNone
    {
      session.outbox.withhold(request.tag)
    }
    let end = session.outbox.buffer.count
    if session.cursor != nil { session.insertNotices(at: mark, live.world, mayDrop: true) }
    if session.survivesRollback {
      session.outbox.keepOnRollback(from: mark + session.outbox.buffer.count - end)
      session.survivesRollback = false
    }
  }

  /// Runs one line that does not need the world.
  private func takeWithoutWorld(_ line: InputBuffer.Line, _ request: inout Request) {
    do throws(Request.Failure) {
      try request.parse(line)
    } catch {
      if case .syntax(let text) = error { session.fail(request.tag, .syntax, [], text) }
      return
    }
    environment.counters.requests &+= 1
    if session.passesOver(Verb(request.verb)) { return }
    if !session.mayChange, session.refusesChange(request) { return }
    let mark = session.outbox.buffer.count
    runWithoutWorld(request)
    session.outbox.keepOnRollback(from: mark)
  }
}

extension Session {
  /// The result of reading a session's next line.
  enum Next {
    /// No line is complete. If the client sends no more, its session has ended.
    case nothing
    /// The line was added to a batch, or was too long and was answered.
    case kept
    /// The line was added to a batch that checks its lines.
    case unchecked(InputBuffer.Line)
    case request(InputBuffer.Line)
    /// A `define` line with `resource=`, whose bytes are there.
    case resource([UInt8])
  }

  @inline(__always)
  mutating func nextRequest(_ request: inout Request) -> Next {
    if incoming != nil, let next = takeIncoming(&request) { return next }
    switch incoming == nil ? input.nextLine() : .incomplete {
    case .incomplete:
      if life == .inputEnded { sayGoodbye(nil) }
      return .nothing
    case .tooLong:
      takeTooLong()
      return .kept
    case .line(let line):
      if line.announcesBytes {
        announce(line, &request)
        if batch == nil || life == .ended { return .kept }
      }
      if batch == nil { return .request(line) }
      collect(line, &request)
      return checksLines ? .unchecked(line) : .kept
    }
  }

  /// Runs plain `send` lines while no option or activity needs more, up to ``effortBetweenLooks``. It makes the checks of
  /// ``take`` once for all of them; the results are the same.
  ///
  /// - Returns: Whether there was one.
  @inline(__always)
  fileprivate mutating func takePlainSends(in live: inout LiveWorld) -> Bool {
    guard batch == nil, incoming == nil, cursor == nil, !isQuiet, !survivesRollback, live.outage == nil,
      !live.mayStepLong, mayChange
    else { return false }
    guard var line = input.nextPlainSend() else { return false }
    // No send leaves a timer due, so timers are checked only once.
    fireDue(in: &live)
    let (counters, replyQueue) = (environment.counters, environment.limits.replyQueue)
    var machine = live.world.expectSend(toNamed: line.name)
    var hasTaken = false
    var effort = 0
    while true {
      // The next machine is looked up before this send, so that both wait for memory at the same time.
      let next = input.nextPlainSend()
      let nextMachine = next.flatMap { live.world.expectSend(toNamed: $0.name) }
      let mark = outbox.buffer.count
      let (before, steps) = (live.world.journal.last, live.world.chartSteps)
      live.note?.take(line.words)
      guard effort < Session.effortBetweenLooks, outbox.replyBytes < replyQueue,
        live.hasRoomForInputs, live.unannounced == nil, let addressee = machine,
        let words = live.world.send(plain: line.event, to: addressee)
      else {
        input.putBack(line)
        return hasTaken
      }
      hasTaken = true
      counters.requests &+= 1
      didFail = false
      answerSend(of: line.event, to: line.name, words, RequestContext.noTag, in: &live)
      effort &+= Session.effortOfAChartStep &* (live.world.chartSteps &- steps)
      effort &+=
        line.length &+ Session.effortOfAnInput &* Int(truncatingIfNeeded: live.world.journal.last &- before &+ 1)
      if live.world.livelock != nil { answerLivelock(from: mark, in: &live) }
      guard let next else { return true }
      line = next
      machine = nextMachine
    }
  }

  /// Whether to skip a request because its client is gone, and the reply would be its only effect.
  @inline(__always)
  func passesOver(_ verb: Verb?) -> Bool { !hasReader && verb?.row.onlyReads ?? true }

  @inline(never)
  private mutating func answerLivelock(from mark: Int, in live: inout LiveWorld) {
    use(&live) { $0.answerLivelock(from: mark) }
  }

  /// Refuses a request that changes what this session may not change: anything, or the present world.
  ///
  /// - Returns: Whether it was refused, which is answered.
  @inline(never)
  mutating func refusesChange(_ request: borrowing Request) -> Bool {
    guard let verb = Verb(request.verb), !mayRun(verb, hasArguments: !request.words.isEmpty) else { return false }
    failReadOnly(request.tag, verb)
    return true
  }

  /// Whether the session may run a verb, as far as it may change anything, and the present world.
  func mayRun(_ verb: Verb, hasArguments: Bool) -> Bool {
    mayChange || verb.row.mayRunWithoutChange(hasArguments: hasArguments)
      || (terms.mayChange && !verb.row.concernsContents)
  }

  /// `- READ-ONLY verb=`
  mutating func failReadOnly(_ tag: some Collection<UInt8>, _ verb: Verb) {
    let place = outbox.buffer.count
    fail(
      tag, .readOnly, [("verb", verb.name)],
      terms.mayChange
        ? "you may look at this world and change nothing; 'world fork W' makes a copy of your own"
        : "this connection may look at worlds and change nothing")
    outbox.keepOnRollback(from: place)
  }

  /// Whether the next line must wait for the client to read replies, or for other clients.
  ///
  /// It looks at the clock, which costs less than any request but a plain `send`.
  mutating func mustPause(until end: UInt64) -> Bool {
    if outbox.replyBytes >= environment.limits.replyQueue { return true }
    // A recorder asks for the moment right before its request. Both must run at the same moment.
    (keepsMoment, keptMoment) = (false, keepsMoment && !keptMoment)
    isUnserved = !keptMoment && HostClock.now() >= end
    return isUnserved
  }

  /// Whether the session must wait for another client's rewind.
  func isHeld(by rewinding: Rewinding?) -> Bool {
    guard let rewinding else { return false }
    if case .rewind(let own) = activity { return own.rewinding !== rewinding }
    return true
  }

  /// The effort of plain sends between two looks at the clock, in bytes of their lines. This many take some hundredths
  /// of a millisecond.
  fileprivate static let effortBetweenLooks = 4_000
  /// The effort of a send, and of each input that it causes.
  fileprivate static let effortOfAnInput = 8
  /// The effort of a step of a document's machine, such as a node of an expression.
  fileprivate static let effortOfAChartStep = 3

  /// Defers a line to a worker.
  ///
  /// - Returns: False if the line cannot be parsed.
  mutating func `defer`(_ line: InputBuffer.Line, _ request: inout Request) -> Bool {
    let parsed = line.withParsedCopy(&request) { (task: Verb($0.verb).map { RequestUnderWay($0) }, tag: Array($0.tag)) }
    guard let parsed else { return false }
    task = parsed.task
    activity = .deferred(Activity.Deferred(requests: .line(Array(line.bytes)), tag: parsed.tag))
    return true
  }
}

extension InputBuffer.Line {
  /// The verb of an unparsed line; nil if there is none.
  var verb: Verb? {
    let bytes = UnsafeRawBufferPointer(bytes)
    var (start, end) = (0, 0)
    repeat {
      start = end
      while start < bytes.count, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
      end = start
      while end < bytes.count, bytes[end] != 0x20, bytes[end] != 0x09 {
        if bytes[end] == UInt8(ascii: "\"") || bytes[end] == UInt8(ascii: "\\") { return quotedVerb }
        end += 1
      }
    } while start < end && bytes[start] == UInt8(ascii: "@")
    return Verb(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
  }

  /// Whether the line is a `define`, after which bytes follow that are no lines. For nearly all lines its first byte
  /// decides.
  @inline(__always)
  var announcesBytes: Bool {
    switch bytes.first {
    case UInt8(ascii: "d"), UInt8(ascii: "\""): verb == .define
    case UInt8(ascii: "@"), UInt8(ascii: " "), UInt8(ascii: "\t"): announcesBytesBehindTag
    default: false
    }
  }

  private var announcesBytesBehindTag: Bool {
    let verbOrTag = bytes.drop { $0 == 0x20 || $0 == 0x09 }
    guard verbOrTag.first == UInt8(ascii: "@") else { return verb == .define }
    // Most tagged lines are no `define`, and are parsed once.
    let rest = verbOrTag.drop { $0 != 0x20 && $0 != 0x09 }.drop { $0 == 0x20 || $0 == 0x09 }
    switch rest.first {
    case UInt8(ascii: "d"), UInt8(ascii: "\""), UInt8(ascii: "@"): return verb == .define
    default: return false
    }
  }

  /// The verb of a line with quotes in its verb or tag, which is rare.
  private var quotedVerb: Verb? {
    var request = Request()
    return withParsedCopy(&request) { Verb($0.verb) } ?? nil
  }

  /// Parses a copy of the line, since parsing may rewrite it; nil if it cannot be parsed.
  func withParsedCopy<Result>(_ request: inout Request, _ body: (borrowing Request) -> Result) -> Result? {
    var copy = Array(bytes)
    return copy.withUnsafeMutableBytes { bytes in
      do throws(Request.Failure) {
        try request.parse(bytes, isPlain: false)
      } catch {
        return nil
      }
      return body(request)
    }
  }

  private static let packedSend: UInt32 = 0x646E_6573  // "send", first byte lowest

  /// Whether the line is a `send` without a tag. Most lines are, and this check is cheap.
  @inline(__always)
  var isPlainSend: Bool {
    bytes.count > 4 && bytes.loadUnaligned(as: UInt32.self) == InputBuffer.Line.packedSend
  }
}
