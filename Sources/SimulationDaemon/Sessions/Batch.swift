import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Lines between `begin` and `end`.
struct Batch {
  /// The lines as received, concatenated, without line ends.
  var bytes: [UInt8] = []
  /// The range of each line in `bytes`; a line that was too long is empty and marked.
  var lines: [Line] = []
  /// The limit that the batch exceeded; nil if none. The lines are discarded then.
  var overflow: (name: String, value: Int)?
  /// The world that the batch was for, if it is gone. The batch must not run in another one.
  var lostWorld: String?
  /// How many lines came that are neither blank nor comments.
  private(set) var count = 0
  /// Checks each line when it comes; nil if only running tells.
  var check: BatchCheck?

  init(check: BatchCheck? = nil) {
    self.check = check
  }

  struct Line {
    let range: Range<Int>
    let isTooLong: Bool
  }

  var storageBytes: Int {
    bytes.capacity + lines.capacity * MemoryLayout<Line>.stride + (check?.storageBytes ?? 0)
  }

  /// Whether a line is answered: it is neither blank nor a comment.
  fileprivate static func isAnswered(_ text: UnsafeRawBufferPointer) -> Bool {
    let first = text.first { $0 != 0x20 && $0 != 0x09 }
    return first != nil && first != UInt8(ascii: "#")
  }

  fileprivate mutating func countLine(_ line: Line, _ text: UnsafeRawBufferPointer) {
    if line.isTooLong || Batch.isAnswered(text) { count += 1 }
  }
}

// MARK: Collecting

extension Session {
  mutating func takeTooLong() {
    guard batch != nil else { return failTooLong() }
    let isChecked = checksLines
    keep(Batch.Line(range: 0..<0, isTooLong: true), UnsafeRawBufferPointer(start: nil, count: 0))
    if isChecked {
      failTooLong()
      noteMistake()
    }
  }

  /// The world in use is gone: what was collected for it runs nowhere.
  mutating func loseCollected(with world: String) {
    batch?.lostWorld = world
    batch?.check = nil
    incoming?.drop(with: world)
    resources = []
  }

  /// Whether the next line of the batch is to be checked when it comes.
  var checksLines: Bool { batch.map { $0.check != nil && $0.overflow == nil } ?? false }

  /// Records that the last line of the batch is a mistake, which is answered.
  mutating func noteMistake() {
    guard let count = batch?.count else { return }
    batch?.check?.noteMistake(at: count)
  }

  fileprivate mutating func failTooLong() {
    fail(
      [UInt8](), .tooLong, [("limit", "\(environment.limits.line)")],
      "a line has at most \(environment.limits.line) bytes; this one was dropped")
  }

  /// Adds a line to the batch, or ends it: `discard` forgets it, and `end` makes the batch the session's activity, which a
  /// worker runs unless it is short.
  mutating func collect(_ line: InputBuffer.Line, _ request: inout Request) {
    if let end = BatchEnd(line, &request) { return close(end) }
    let start = batch?.bytes.count ?? 0
    keep(
      Batch.Line(range: start..<(start + line.bytes.count), isTooLong: false), UnsafeRawBufferPointer(line.bytes))
  }

  private mutating func close(_ end: BatchEnd) {
    guard let batch = batch.take() else { return }
    guard end.isBare else {
      let name = end.isDiscard ? Verb.discard.name : Verb.end.name
      return fail(end.tag, .usage, "\(name) is used as '\(name)'; nothing of the batch was run")
    }
    if end.isDiscard {
      outbox.beginReply(.discard)
      return succeed(end.tag) { line in
        line.word(literal: "discarded")
        line.word(UInt64(batch.count))
      }
    }
    if let world = batch.lostWorld {
      return fail(
        end.tag, .unknownWorld, [("world", world)],
        "the world '\(world)' that the batch was for is gone; nothing of it was run")
    }
    if let overflow = batch.overflow {
      return failLimit(
        end.tag, overflow.name, overflow.value, "this batch went over the limit; nothing of it was run")
    }
    if let mistake = batch.check?.firstMistake {
      return fail(
        end.tag, .batch, [("index", "\(mistake)")], "line \(mistake) is a mistake; nothing of the batch was run")
    }
    task = RequestUnderWay(.end)
    activity = .deferred(Activity.Deferred(requests: .batch(batch), tag: end.tag))
    needsWorker = true
  }

  private mutating func keep(_ line: Batch.Line, _ bytes: UnsafeRawBufferPointer) {
    guard var batch = batch.take() else { return }
    batch.countLine(line, bytes)
    let limits = environment.limits
    if batch.overflow == nil {
      if batch.lines.count >= limits.batch {
        batch.overflow = ("batch", limits.batch)
      } else if batch.bytes.count + bytes.count > limits.batchBytes {
        batch.overflow = ("batchBytes", limits.batchBytes)
      } else if batch.check != nil || batch.bytes.count + bytes.count > batch.bytes.capacity,
        !share.admits(batch.storageBytes + bytes.count, beside: batch.storageBytes)
      {
        // The old and the new buffer exist together while the batch grows. What a check keeps grows with each line.
        batch.overflow = share.shortage(of: batch.storageBytes + bytes.count).limit
      } else {
        batch.lines.append(line)
        batch.bytes.append(contentsOf: bytes)
      }
      if batch.overflow != nil {
        batch.lines = []
        batch.bytes = []
        batch.check = nil
      }
    }
    self.batch = batch
  }
}

/// A parsed `end` or `discard`.
struct BatchEnd {
  let tag: [UInt8]
  let isDiscard: Bool
  /// Whether nothing follows it.
  let isBare: Bool

  /// Parses a line; nil if it ends no batch.
  init?(_ line: InputBuffer.Line, _ request: inout Request) {
    guard line.bytes.count <= 256 else { return nil }
    switch line.verb {
    case .end: isDiscard = false
    case .discard: isDiscard = true
    case _: return nil
    }
    let end = line.withParsedCopy(&request) { (tag: Array($0.tag), isBare: $0.words.isEmpty) }
    guard let (tag, isBare) = end else { return nil }
    self.tag = tag
    self.isBare = isBare
  }
}

// MARK: Running

extension RequestContext {
  /// The most lines of a batch that may run on the event loop.
  private static let shortBatch = 100

  /// Whether a batch may run on the event loop.
  func isShort(_ batch: Batch) -> Bool {
    guard batch.lines.count <= RequestContext.shortBatch, batch.bytes.count <= RequestContext.longLine else {
      return false
    }
    if live.mayStepLong || environment.library.hasLongSteps { return false }
    let mayHaveCharts = live.world.hasDocuments || !environment.library.entries.isEmpty
    if live.hasSlowCharts || mayHaveCharts && batch.lines.count > RequestContext.stepsOnEventLoop { return false }
    var batch = batch
    var effort = 0
    for line in batch.lines {
      let verb = batch.bytes.withUnsafeMutableBytes {
        InputBuffer.Line(unknown: UnsafeMutableRawBufferPointer(rebasing: $0[line.range])).verb
      }
      guard let row = verb?.row else { continue }
      switch row.cost {
      case .exploration, .coverage: return false
      case .none, .machine, .machines, .machinesAndBytes, .inputs, .wires:
        effort += row.effort(bytes: line.range.count, live)
      }
      if effort > RequestContext.effortOnEventLoop { return false }
    }
    return true
  }

  /// Runs the lines at one moment, unless another daemon has the world. The first failure ends the batch.
  func run(_ batch: Batch, _ request: inout Request) {
    // Its client sends all of it again, so no line is answered.
    if let outage = live.outage, outage.host != nil {
      return session.fail(tag, world: session.shown(live.name), outage)
    }
    session.isRunningBatch = true
    defer { session.isRunningBatch = false }
    var done = 0
    var failed: Int?
    var interruption: Interruption?
    // Timers that are due expire before the batch and are not part of it.
    guard fireDue() else { return failInterrupted(live.slice.wait() ?? .cancelled, done: 0) }
    live.world.beginRequest()
    defer { live.world.endRequest() }
    // Replies to earlier requests are not the batch's.
    let mostReplyBytes = session.outbox.replyBytes + limits.replyQueue
    let count = batch.forEachLine { line, text, index in
      if interruption == nil { interruption = live.slice.wait() }
      if failed != nil || interruption != nil {
        session.skip(text, index, &request)
      } else {
        run(line, text, mostReplyBytes: mostReplyBytes, &request)
        if session.didFail { failed = index } else { done = index }
      }
    }
    live.note?.forget()
    session.didFail = failed != nil
    if let interruption {
      failInterrupted(interruption, done: done)
    } else if let failed {
      fail(.batch, [("index", "\(failed)")], "line \(failed) failed; what was done before it stays")
    } else {
      succeed { $0.key("batch", UInt64(count)) }
    }
  }

  /// `- CANCELLED done=N t= seq=` and the like, for a request with several inputs. Inputs that are done stay.
  func failInterrupted(_ interruption: Interruption, done: Int) {
    fail(interruption.code, [("done", "\(done)")] + place, "\(interruption.text); what was done stays")
  }

  /// `t= seq=` for a failure.
  var place: [(String, String)] {
    [("t", TimeText.seconds(live.world.now.nanoseconds)), ("seq", "\(live.world.lastSequence)")]
  }

  private func run(
    _ line: Batch.Line, _ text: UnsafeMutableRawBufferPointer, mostReplyBytes: Int, _ request: inout Request
  ) {
    session.didFail = false
    if line.isTooLong { return session.failTooLong() }
    // A line that changes something runs whether or not its client reads.
    if session.outbox.replyBytes >= mostReplyBytes, InputBuffer.Line(unknown: text).verb?.row.onlyReads ?? false {
      request.parseTag(of: text)
      return failTooManyReplies(request.tag)
    }
    take(InputBuffer.Line(unknown: text), inBatch: true, &request)
    // A long reply is written whole, since nothing may run between two lines of a batch.
    while !session.activity.isNone, !session.didFail {
      if let interruption = live.slice.wait() {
        session.fail(request.tag, interruption.code, [], interruption.text)
        return session.endActivity()
      }
      guard session.outbox.replyBytes < mostReplyBytes else {
        failTooManyReplies(request.tag)
        return session.endActivity()
      }
      _ = work()
    }
  }

  private func failTooManyReplies(_ tag: UnsafeRawBufferPointer) {
    session.failLimit(
      tag, "replyQueue", limits.replyQueue,
      "the replies of this batch are too long; send this request by itself")
  }
}

extension Session {
  /// Answers the lines of a batch that is not run.
  mutating func skip(_ batch: Batch, _ request: inout Request) {
    batch.forEachLine { _, text, index in skip(text, index, &request) }
  }

  /// `- BATCH index=K : not run`
  fileprivate mutating func skip(_ text: UnsafeMutableRawBufferPointer, _ index: Int, _ request: inout Request) {
    request.parseTag(of: text)
    fail(request.tag, .batch, [("index", "\(index)")], "not run")
  }
}

extension Request {
  /// Parses the tag of a line that is not run, as far as possible.
  fileprivate mutating func parseTag(of text: UnsafeMutableRawBufferPointer) {
    do throws(Request.Failure) {
      try parse(text, isPlain: false)
    } catch {
      // The syntax error of a line that is not run does not matter.
    }
  }
}

extension Batch {
  /// Passes each line that is neither blank nor a comment to `body`, numbered from 1.
  ///
  /// - Returns: The number of such lines.
  @discardableResult
  fileprivate func forEachLine(_ body: (Line, UnsafeMutableRawBufferPointer, Int) -> Void) -> Int {
    var bytes = bytes
    var index = 0
    for line in lines {
      bytes.withUnsafeMutableBytes { all in
        let text = UnsafeMutableRawBufferPointer(rebasing: all[line.range])
        guard line.isTooLong || Batch.isAnswered(UnsafeRawBufferPointer(text)) else { return }
        index += 1
        body(line, text, index)
      }
    }
    return index
  }
}
