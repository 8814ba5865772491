import LineProtocol
import Simulator
import StateMachines

/// Lists activities and cancels them. `cancel` is the only verb that is read ahead of its turn.
extension Service {
  /// Looks for a `cancel` that the client sent after its running request.
  ///
  /// - Returns: Whether one was found and has ended the activity.
  @discardableResult
  func lookForCancel(_ client: Client) -> Bool {
    guard client.session.activity.traits.isCancellable, let tag = findCancel(client) else { return false }
    markDirty(client)
    client.cancels.append(tag)
    guard !client.isAway else {
      interrupt(client)
      return false
    }
    client.isCancelled = true
    endAwaitIfReached(client)
    answerCancels(client)
    return true
  }

  /// Answers an `await` on a real clock as usual if it is over by now: no round has checked it since.
  private func endAwaitIfReached(_ client: Client) {
    guard case .await(let wait) = client.session.activity, let home = client.hosted.home,
      home.live.clock.mode == .real
    else { return }
    catchUp(client.hosted)
    guard !isFarBehind(wait, home), case .over = client.session.use(&home.live, { $0.attend() }) else { return }
    client.session.isHeldUp = true
    list(client)
  }

  /// Asks the worker to end a client's activity as soon as it can.
  private func interrupt(_ client: Client) {
    client.isCancelled = true
    client.slot?.interrupt(.cancelled)
  }

  /// Answers the pending `cancel` requests when the client's activity is back from its worker.
  func answerCancels(_ client: Client) {
    if client.isCancelled, client.session.activity.traits.isCancellable {
      end(client, .cancelled, "cancelled by \(client.cancels.isEmpty ? "another" : "this") connection")
    }
    client.isCancelled = false
    // The activity stays cancelled even if the commit fails, so a rollback keeps these answers.
    let place = client.session.outbox.buffer.count
    for tag in client.cancels { client.session.succeed(tag) }
    client.session.outbox.keepOnRollback(from: place)
    client.cancels = []
  }

  /// Ends a client's activity with a failure that states its progress, and the present time.
  ///
  /// - Parameter keys: Replaces the progress in the failure.
  /// - Precondition: The activity is not with a worker.
  func end(_ client: Client, _ code: FailureCode, _ text: String, _ keys: [(String, String)]? = nil) {
    if keys == nil { catchUp(client.hosted) }
    if client.session.cursor != nil, let home = client.hosted.home {
      client.session.flushNotices(home.live.world, mayDrop: true)
    }
    let activity = client.session.activity
    let verb = client.session.task?.verb
    if case .rewind = activity { client.hosted.home?.live.rewinding = nil }
    if case .deferred(let deferred) = activity, case .batch(let batch) = deferred.requests {
      client.session.skip(batch, &request)
    }
    let facts = keys ?? progress(of: activity, verb, client.hosted.presentStatus)
    client.session.fail(activity.tag, code, facts, text)
    // Notices that were held back follow the last line.
    client.session.endActivity()
    // The client's next lines wait for their turn.
    client.session.isHeldUp = true
    list(client)
  }

  /// `done= t= seq= fired=`, as far as they apply to the activity.
  private func progress(
    of activity: Activity, _ verb: Verb?, _ status: HostedWorld.Status
  ) -> [(String, String)] {
    let place = [("t", TimeText.seconds(status.now.nanoseconds)), ("seq", "\(status.lastSequence)")]
    return switch activity {
    case .advance(let advance): place + [("fired", "\(advance.fired)")]
    case .step(let step): place + [("fired", "\(step.fired)")]
    case .await(let wait): place + [("fired", "\(wait.fired)")]
    case .rewind: place
    case .deferred:
      switch verb {
      case .advance, .step, .await: place + [("fired", "0")]
      case .undo, .redo, .goto: place
      case _: [("done", "0")] + place
      }
    case .none, .compare, .fork, .reply, .away: []
    }
  }

  /// The tag of the first `cancel` among the unread lines.
  private func findCancel(_ client: Client) -> [UInt8]? {
    // Between `begin` and `end`, `cancel` is an invalid line of the batch.
    if client.session.input.isUnseen { client.isScanInBatch = false }
    var found: [UInt8]?
    client.session.input.waitingLines { bytes in
      let line = InputBuffer.Line(unknown: bytes)
      if line.announcesBytes {
        if case .bytes(let count) = Announcement(line, &request) { return .skip(count) }
        return .stop  // This line will end the session.
      }
      let verb = line.verb
      switch verb {
      case .end, .discard:
        if BatchEnd(line, &request) != nil { client.isScanInBatch = false }
        return .goOn
      case .begin where !client.isScanInBatch, .cancel where !client.isScanInBatch: break
      case _: return .goOn
      }
      guard bytes.count <= 256, let (words, tag) = words(of: line) else { return .goOn }
      guard verb == .cancel else {
        client.isScanInBatch = words.isEmpty || words == ["strict"]
        return .goOn
      }
      guard words.isEmpty else { return .goOn }
      found = tag
      // This function's caller answers the line. As a comment it is skipped later.
      bytes.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "#"))
      return .stop
    }
    return found
  }

  /// The words of a line and its tag; nil if it cannot be parsed, or has words with a key.
  private func words(of line: InputBuffer.Line) -> (words: [String], tag: [UInt8])? {
    let parsed = line.withParsedCopy(&request) { request in
      let words = Words(request)
      return words.keyed.isEmpty ? (words: words.plain, tag: Array(request.tag)) : nil
    }
    return parsed ?? nil
  }

  // MARK: Activities of all clients

  /// `. N world= client= verb= since= t=`
  func listActivities(_ tag: [UInt8], _ client: Client) {
    let all = everybody.compactMap { other in
      mayManage(other, client) ? other.activity.map { (number: $0, client: other, task: other.session.task) } : nil
    }
    for (number, other, task) in all.sorted(by: { $0.number < $1.number }) {
      let world = client.session.shown(other.hosted.name)
      client.session.line(tag) { line in
        line.word(number)
        line.key("world", world)
        line.key("client", UInt64(other.number))
        if let task {
          line.key("verb", task.verb.name)
          line.key("since", seconds: Int64(clamping: host &- min(host, task.since)))
        }
        line.key("t", seconds: other.hosted.presentStatus.now.nanoseconds)
      }
    }
    client.session.succeed(tag) { $0.word(UInt64(all.count)) }
  }

  /// Whether a client may know of another's activity and end it: the same user's, one in a world of that user, and
  /// any for the daemon's owner.
  private func mayManage(_ other: Client, _ client: Client) -> Bool {
    let user = client.user.id
    return user == .owner || other.user.id == user || other.hosted.owner == user
  }

  /// Ends another client's activity by its number.
  func cancel(_ number: UInt64, _ tag: [UInt8], _ client: Client) {
    let other = everybody.first { $0.activity == number && mayManage($0, client) }
    guard let other else {
      client.session.failArgument(
        tag, "activity", "\(number)",
        "nothing with this number is under way; 'activities' lists what is")
      return
    }
    // Its client is gone, so only this `cancel` can end the requests that have not begun.
    if other.backlog != nil { other.session.discardUnread() }
    if other.isAway {
      interrupt(other)
    } else if !other.session.activity.isNone {
      markDirty(other)
      endAwaitIfReached(other)
      if !other.session.activity.isNone { end(other, .cancelled, "cancelled by another connection") }
    }
    client.session.succeed(tag)
  }
}
