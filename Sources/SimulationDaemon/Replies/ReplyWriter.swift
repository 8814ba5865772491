import LineProtocol
import Simulator
import StateMachines

/// Writes replies: `. …` for each line of data, and `+ …` or `- CODE …` at the end.
extension RequestContext {
  /// Writes a line. `body` has exclusive access to the session's outbox, and uses nothing of the session but its line.
  func write(_ lineClass: LineClass, _ body: (inout ByteBuffer) -> Void) {
    session.outbox.buffer.begin(lineClass, tag: tag)
    body(&session.outbox.buffer)
    session.outbox.buffer.endLine()
  }

  /// `. …`
  func line(_ body: (inout ByteBuffer) -> Void) {
    write(.data, body)
    session.replyLines += 1
  }

  /// `+ …`, or a bare `+`.
  func succeed(_ body: (inout ByteBuffer) -> Void = { _ in }) { write(.success, body) }

  /// `+ … t= seq=`, by default with the present moment and the last input.
  func succeedStamped(
    _ sequence: UInt64? = nil, at moment: Instant? = nil, _ write: (inout ByteBuffer) -> Void = { _ in }
  ) {
    session.outbox.buffer.begin(.success, tag: tag)
    write(&session.outbox.buffer)
    session.endLine(moment ?? live.world.now, sequence ?? live.world.lastSequence)
  }

  /// `+ N`, after the N lines of this reply.
  func succeedWithLines() {
    let lines = session.replyLines
    succeed { $0.word(UInt64(lines)) }
  }

  func fail(_ code: FailureCode, _ keys: [(String, String)], _ text: String) { session.fail(tag, code, keys, text) }

  func fail(_ code: FailureCode, _ text: String) { session.fail(tag, code, [], text) }

  func failArgument(_ argument: String, _ got: String, allowed: String? = nil, _ why: String) {
    session.failArgument(tag, argument, got, allowed: allowed, why)
  }

  /// The same of a word that is none of a few, with the nearest of them, or of some others, as a suggestion.
  func failArgument(
    _ argument: String, _ got: String, among allowed: [String], near others: [String]? = nil, _ why: String
  ) {
    fail(
      .badArgument,
      [("argument", argument), ("got", got), ("allowed", allowed.joined(separator: ","))]
        + suggestion(got, among: others ?? allowed), why)
  }

  func failLimit(
    _ name: String, _ value: some CustomStringConvertible, with keys: [(String, String)] = [], _ why: String
  ) {
    session.failLimit(tag, name, value, with: keys, why)
  }

  /// `- USAGE`, with the forms of a verb.
  func failUsage(_ entry: VerbEntry) {
    fail(.usage, usageText(entry))
  }

  /// The forms of a verb, in words.
  func usageText(_ entry: VerbEntry) -> String {
    "\(entry.verb.name) is used as \(entry.usages.map { "'\($0)'" }.joined(separator: " or "))"
  }

  /// Starts a long reply.
  func begin(_ reply: any LongReply) { session.activity = .reply(reply, tag: Array(tag)) }

  /// Defers an effect beyond the session and its world to the service.
  func `defer`(_ effect: DeferredEffect) { session.deferredEffect = (effect, Array(tag)) }
}

/// The same for callers with a tag but no request; the bytes of a tag are contiguous.
extension Session {
  private mutating func begin(_ lineClass: LineClass, _ tag: some Collection<UInt8>) {
    let begun: Void? = tag.withContiguousStorageIfAvailable { tag in
      outbox.buffer.begin(lineClass, tag: UnsafeRawBufferPointer(tag))
    }
    precondition(begun != nil, "the tag has no bytes of its own")
  }

  mutating func succeed(_ tag: some Collection<UInt8>, _ write: (inout ByteBuffer) -> Void = { _ in }) {
    begin(.success, tag)
    write(&outbox.buffer)
    outbox.buffer.endLine()
  }

  mutating func line(_ tag: some Collection<UInt8>, _ write: (inout ByteBuffer) -> Void) {
    begin(.data, tag)
    write(&outbox.buffer)
    outbox.buffer.endLine()
  }

  /// Writes a failure and records that the request failed: `- CODE key=value … : text`.
  mutating func fail(
    _ tag: some Collection<UInt8>, _ code: FailureCode, _ keys: [(String, String)], _ text: String
  ) {
    didFail = true
    begin(.failure, tag)
    outbox.buffer.word(code.word)
    for (key, value) in keys { outbox.buffer.word(key: key, value) }
    outbox.buffer.note(text)
    outbox.buffer.endLine()
  }

  mutating func fail(_ tag: some Collection<UInt8>, _ code: FailureCode, _ text: String) { fail(tag, code, [], text) }

  /// `- BAD-ARGUMENT argument= got= [allowed=] : why`
  mutating func failArgument(
    _ tag: some Collection<UInt8>, _ argument: String, _ got: String, allowed: String? = nil, _ why: String
  ) {
    fail(tag, .badArgument, [("argument", argument), ("got", got)] + (allowed.map { [("allowed", $0)] } ?? []), why)
  }

  /// `- LIMIT name= value= … : why`
  mutating func failLimit(
    _ tag: some Collection<UInt8>, _ name: String, _ value: some CustomStringConvertible,
    with keys: [(String, String)] = [], _ why: String
  ) {
    fail(tag, .limit, [("name", name), ("value", "\(value)")] + keys, why)
  }

  /// `- STORAGE world=… : reason`
  mutating func failStorage(_ tag: some Collection<UInt8>, world: String, _ reason: String) {
    fail(tag, .storage, [("world", world)], reason)
  }

  /// `- MOVED world=… host=… : reason` for a world that another daemon has, or `- STORAGE world=… : reason`.
  mutating func fail(_ tag: some Collection<UInt8>, world: String, _ outage: LiveWorld.Outage) {
    failServing(tag, world: world, outage.host, outage.reason)
  }

  /// The same, with the name of the daemon that has the world.
  mutating func failServing(_ tag: some Collection<UInt8>, world: String, _ host: String?, _ reason: String) {
    guard let host else { return failStorage(tag, world: world, reason) }
    fail(tag, .moved, [("world", world), ("host", host)], reason)
  }

  /// Ends a line with `t=` and `seq=`.
  @inline(__always)
  mutating func endLine(_ moment: Instant, _ sequence: UInt64) {
    stamp.append(moment, sequence, to: &outbox.buffer)
    outbox.buffer.endLine()
  }

  /// Ends a line about a client's world: ` t= seq=`, and ` service=out` if it is out of service or read-only.
  mutating func endLine(_ status: HostedWorld.Status) {
    stamp.append(status.now, status.lastSequence, to: &outbox.buffer)
    if let outage = status.outage, outage.host == nil { outbox.buffer.key("service", "out") }
    outbox.buffer.endLine()
  }
}

extension ByteCursor {
  /// ` moved FROM TO`, ` stayed TO` and the like, for states without data.
  ///
  /// - Precondition: The line has room for both words and 32 bytes.
  @inline(__always)
  mutating func put(_ verdict: Verdict, from: UnsafeRawBufferPointer, to: UnsafeRawBufferPointer) {
    switch verdict {
    case .moved:
      put(literal: " moved ")
      put(padded: from)
      put(byte: 0x20)
    case .stayed: put(literal: " stayed ")
    case .ignored: put(literal: " ignored ")
    case .refused: put(literal: " refused ")
    }
    put(padded: to)
  }
}
