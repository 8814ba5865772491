internal import LineProtocol

/// An `await` on a real clock that time alone does not end. The daemon waits there, since other clients may do so.
extension Client {
  /// Looks at the world before such a request is sent.
  ///
  /// - Parameter proceed: Gets what is to be said first: `nil` if the state is there, a timer may bring it, or it waits
  ///   for a while only.
  /// - Returns: False for any other request, which needs no look.
  func looksAhead(of text: String, origin: String = "", _ proceed: @escaping (String?) -> Void) -> Bool {
    let request = RequestText(text)
    guard request.verb == Verb.await.name, !conversation.isCollecting, conversation.place.clock != "virtual" else {
      return false
    }
    let wanted = request.words.filter { !CompletionContext.isKeyed($0) }
    let isBounded = wanted.count < request.words.count
    let questions = [
      "\(Verb.expect.name) \(wanted.joined(separator: " "))", Verb.clock.name, "\(Verb.agenda.name) limit=1",
    ]
    _ = begin(
      Inquiry(origin: origin, asking: questions) { [unowned self] answers in
        let isAbsent = answers[0].failure.flatMap { ServerLine($0) }?.code == FailureCode.expected.word
        let place = conversation.place
        let why: String? =
          if !isAbsent || place.clock == "virtual" {
            nil
          } else if place.isPaused {
            "the clock is paused, and moves when another client sends 'resume' or 'advance'"
          } else {
            answers[2].rows.isEmpty && !isBounded ? "no timer runs, so nothing comes by itself" : nil
          }
        proceed(why.map { "\($0); Ctrl-C ends the waiting" })
        return .end([])
      })
    return true
  }
}
