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
    client.session.input.waitingLines { line in
      guard line.count <= 64, let tag = cancelTag(line) else { return false }
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

  /// The tag of a line that is `cancel`; nil if it is anything else.
  private func cancelTag(_ line: UnsafeMutableRawBufferPointer) -> [UInt8]? {
    // In a copy, since parsing may rewrite a line.
    var copy = Array(line)
    if copy.last == 0x0D { copy.removeLast() }
    return copy.withUnsafeMutableBytes { bytes in
      do throws(Request.Failure) {
        try request.parse(bytes, isPlain: false)
      } catch {
        return nil
      }
      return Verb(request.verb) == .cancel && request.words.isEmpty ? Array(request.tag) : nil
    }
  }
}
