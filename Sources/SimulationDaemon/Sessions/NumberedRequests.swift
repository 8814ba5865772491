import LineProtocol
import Simulator

/// Requests that a client numbers, so that it can repeat one whose answer was lost.
extension RequestContext {
  /// `client NAME`: from now on `id=` numbers this connection's requests.
  func client() {
    guard let name = newName(words.plain[0]) else { return }
    // A user's number is another one on another host, to which the world may move.
    let user = session.terms.user
    session.client = user == .owner ? name : "\(environment.names.name(of: user))/\(name)"
    succeed { line in
      line.word(literal: "client")
      line.word(name)
      line.key("last", live.world.answers.last(of: session.client ?? name))
    }
  }

  /// Runs a request with `id=N` of a client with a name once; if it is repeated, answers as before. Other requests it just
  /// runs.
  ///
  /// A request that brings no input is not kept: it has changed nothing, and may be tried again.
  @inline(never)
  func once(_ verb: Verb, _ run: (borrowing RequestContext) -> Void) {
    guard let client = session.client, verb.entry.isPlainInput, let text = words["id"] else { return run(self) }
    guard let id = number(text, "id", in: 1...UInt64(Int64.max), otherwise: 0) else { return }
    guard !session.isRunningBatch else {
      return fail(.usage, "'id=' cannot stand between 'begin' and 'end'")
    }
    switch live.world.answers.find(id, of: client) {
    case .answered(let text): return answer(text)
    case .expired(let kept):
      return fail(
        .expiredID, [("id", "\(id)"), ("first", "\(kept.lowerBound)"), ("last", "\(kept.upperBound)")],
        "numbers only grow: the last is \(kept.upperBound), and no answer to \(id) is kept, so it is not run")
    case .new: break
    }
    guard live.world.answers.admits(client) else {
      return failLimit(
        "clientNames", NumberedAnswers.maxClients,
        "this world keeps the answers of as many clients as it may; take the name of one of them")
    }
    let (mark, before, isQuiet) = (session.outbox.buffer.count, live.world.lastSequence, session.isQuiet)
    (session.number, session.isQuiet) = (id, false)
    without("id", run)
    (session.number, session.isQuiet) = (nil, isQuiet)
    guard live.world.lastSequence > before else { return }
    var start = mark
    if live.world.livelock != nil {
      answerLivelock(from: mark)
      start += session.noticeScratch.count
    }
    let lines = session.outbox.untagged(from: start, tagLength: tag.count)
    live.world.keepAnswer(Array("\(verb.name)\n".utf8) + lines, to: id, of: client)
  }

  /// Writes an answer that was given before, with this request's tag. Its first line is the verb that it answers, whatever
  /// this request says: objects have their members by it.
  private func answer(_ text: [UInt8]) {
    let lines = text.split(separator: UInt8(ascii: "\n"))
    session.outbox.beginReply(lines.first?.withUnsafeBytes { Verb($0) } ?? .send)
    for line in lines.dropFirst() {
      guard let mark = LineClass(rawValue: line[line.startIndex]) else { continue }
      session.didFail = mark == .failure
      write(mark) { buffer in line.dropFirst().withUnsafeBytes { buffer.append($0) } }
    }
  }
}

extension Outbox {
  /// The reply that begins at a place, without its tag.
  fileprivate func untagged(from place: Int, tagLength: Int) -> [UInt8] {
    let reply = buffer.bytes[place...]
    guard tagLength > 0 else { return Array(reply) }
    return reply.split(separator: UInt8(ascii: "\n"))
      .flatMap { Array($0.prefix(1) + $0.dropFirst(1 + " @".utf8.count + tagLength)) + [UInt8(ascii: "\n")] }
  }
}
