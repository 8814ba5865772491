import LineProtocol
import Simulator
import StateMachines

/// What is under way, and how it is ended: `cancel` is the one verb that is read out of turn.
extension Service {
  /// Looks for a `cancel` behind a request that takes its time.
  ///
  /// - Returns: Whether there was one, and the activity is over.
  @discardableResult
  func lookForCancel(_ client: Client) -> Bool {
    guard client.session.activity.isCancellable, let tag = findCancel(client) else { return false }
    markDirty(client)
    client.cancels.append(tag)
    guard !client.isAway else {
      interrupt(client)
      return false
    }
    client.isCancelled = true
    answerCancels(client)
    return true
  }

  /// Ends what a worker does for a client, as soon as it can be.
  private func interrupt(_ client: Client) {
    client.isCancelled = true
    client.slot?.interrupt(.cancelled)
  }

  /// Answers those who have cancelled what a client had under way, now that it is here.
  func answerCancels(_ client: Client) {
    if client.isCancelled, client.session.activity.isCancellable {
      end(client, .cancelled, "cancelled by \(client.cancels.isEmpty ? "another" : "this") connection")
    }
    client.isCancelled = false
    // That the activity has ended holds, whatever becomes of the commit.
    let place = client.session.outbox.buffer.count
    for tag in client.cancels { client.session.succeed(tag) }
    client.session.outbox.stand(from: place)
    client.cancels = []
  }

  /// Ends what a client has under way with a failure that says how far it came.
  ///
  /// - Parameter keys: What the failure says instead.
  /// - Precondition: It is not with a worker.
  func end(_ client: Client, _ code: FailureCode, _ text: String, _ keys: [(String, String)]? = nil) {
    if client.session.cursor != nil, let home = client.hosted.home {
      client.session.flushNotices(home.realm.world, mayDrop: true)
    }
    let activity = client.session.activity
    let verb = client.session.task?.verb
    if case .rewind = activity { client.hosted.home?.realm.rewinding = nil }
    if case .deferred(let deferred) = activity, case .batch(let batch) = deferred.requests {
      client.session.skip(batch, &request)
    }
    let facts = keys ?? progress(of: activity, verb, client.hosted.presentStatus)
    client.session.fail(activity.tag, code, facts, text)
    // Notices that were kept back come behind the last line.
    client.session.endActivity()
    // What waits behind it is taken in its turn.
    client.session.isHeldUp = true
    list(client)
  }

  /// `done= t= seq= fired=`, as far as they say something of an activity.
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
      case .undo, .goto: place
      case _: [("done", "0")] + place
      }
    case .none, .compare, .fork, .reply, .away: []
    }
  }

  /// The tag of the first `cancel` among the lines that wait.
  private func findCancel(_ client: Client) -> [UInt8]? {
    // Between `begin` and `end` it is a line of a batch like any other, and a wrong one.
    if client.session.input.isUnseen { client.isWithinBatchAhead = false }
    var found: [UInt8]?
    client.session.input.waitingLines { line in
      guard line.count <= 64, let (verb, tag) = verbWithoutArguments(line) else { return false }
      if verb == .begin { client.isWithinBatchAhead = true }
      if verb == .end { client.isWithinBatchAhead = false }
      guard verb == .cancel, !client.isWithinBatchAhead else { return false }
      found = tag
      // The line is answered elsewhere; as a comment it is passed over when its turn comes.
      line.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "#"))
      return true
    }
    return found
  }

  /// The verb and the tag of a line that has nothing else; nil if it has more, or is none.
  private func verbWithoutArguments(_ line: UnsafeMutableRawBufferPointer) -> (verb: Verb, tag: [UInt8])? {
    let parsed = InputBuffer.Line(unknown: line).withParsedCopy(&request) { request in
      request.words.isEmpty ? Verb(request.verb).map { (verb: $0, tag: Array(request.tag)) } : nil
    }
    return parsed ?? nil
  }

  // MARK: Those of all clients

  /// `. N world= client= verb= since= t=`
  func listActivities(_ tag: [UInt8], _ client: Client) {
    let all = everybody.compactMap { other in
      other.activity.map { (number: $0, client: other, task: other.session.task) }
    }
    for (number, other, task) in all.sorted(by: { $0.number < $1.number }) {
      client.session.line(tag) { line in
        line.word(number)
        line.key("world", other.hosted.name)
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

  /// Ends an activity by its number, whosever it is.
  func cancel(_ number: UInt64, _ tag: [UInt8], _ client: Client) {
    let other = everybody.first { $0.activity == number }
    guard let other else {
      client.session.fail(
        tag, .badArgument, [("argument", "activity"), ("got", "\(number)")],
        "nothing with this number is under way; 'activities' lists what is")
      return
    }
    if other.isAway {
      interrupt(other)
    } else {
      markDirty(other)
      end(other, .cancelled, "cancelled by another connection")
    }
    client.session.succeed(tag)
  }
}
