import LineProtocol

/// The one verb that is read out of turn.
extension Service {
  /// Looks for a `cancel` behind a request that takes its time: the one verb that is read out of turn.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func lookForCancel(_ client: Client) -> Bool {
    guard client.session.activity.isCancellable else { return false }
    var found: [UInt8]?
    // Between `begin` and `end` it is a line of a batch like any other, and a wrong one.
    var isInBatch = false
    client.session.input.waitingLines { line in
      guard line.count <= 64, let (verb, tag) = verbWithoutArguments(line) else { return false }
      if verb == .begin { isInBatch = true }
      if verb == .end { isInBatch = false }
      guard verb == .cancel, !isInBatch else { return false }
      found = tag
      // The line has been answered then; as a comment it is passed over when its turn comes.
      line.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "#"))
      return true
    }
    guard let cancelTag = found else { return false }
    if client.session.cursor != nil { engine.pump(&client.session, client.hosted.realm.world, mayDrop: true) }
    let cancelled = client.session.activity.tag
    client.session.activity = .none
    cancelled.withUnsafeBytes { client.session.fail($0, .cancelled, "cancelled by this connection") }
    cancelTag.withUnsafeBytes { tag in
      client.session.outbox.buffer.begin(.success, tag: tag)
      client.session.outbox.buffer.endLine()
    }
    return true
  }

  /// The verb and the tag of a line that has nothing else; nil if it has more, or is none.
  private func verbWithoutArguments(_ line: UnsafeMutableRawBufferPointer) -> (verb: Verb, tag: [UInt8])? {
    // In a copy, since parsing may rewrite a line.
    var copy = Array(line)
    if copy.last == 0x0D { copy.removeLast() }
    return copy.withUnsafeMutableBytes { bytes in
      do throws(Request.Failure) {
        try request.parse(bytes, isPlain: false)
      } catch {
        return nil
      }
      guard let verb = Verb(request.verb), request.words.isEmpty else { return nil }
      return (verb, Array(request.tag))
    }
  }
}
