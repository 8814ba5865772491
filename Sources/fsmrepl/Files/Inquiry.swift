internal import LineProtocol
internal import UnixHost

/// Questions of this program to the daemon, and what it does with the answers: it writes files, or says something.
struct Inquiry {
  /// As the user wrote it.
  let text: String
  /// Its position in a script, for messages.
  let origin: String
  fileprivate var questions: [String]
  fileprivate var proceed: ([Answer]) -> Outcome
  fileprivate var answers: [Answer] = []
  fileprivate var current = Answer()

  /// - Parameter proceed: Takes the answers to the questions.
  init(
    _ text: String = "", origin: String = "", asking questions: [String],
    _ proceed: @escaping ([Answer]) -> Outcome
  ) {
    self.text = text
    self.origin = origin
    self.questions = questions
    self.proceed = proceed
  }

  /// What an inquiry does with answers.
  enum Outcome {
    /// It asks more.
    case ask([String], then: ([Answer]) -> Outcome)
    /// It is over: the lines of its own answer, in the daemon's form.
    case end([String])
  }

  /// The answer to a question.
  struct Answer: Equatable {
    /// The lines of data, without class and tag.
    var texts: [String] = []
    /// All lines as objects, without our tag.
    var objects: [String] = []
    /// The last line, if it is a failure.
    var failure: String?

    /// The lines of data, parsed; in a session with `mode json` they are objects.
    var rows: [ServerLine] {
      texts.compactMap { $0.hasPrefix("{") ? ServerLine(json: $0) : ServerLine(". \($0)") }
    }
  }
}

extension Client {
  /// Sends the questions of an inquiry.
  ///
  /// - Returns: What this program answers at once; nothing, since the answers come later.
  func begin(_ inquiry: Inquiry) -> [String] {
    guard !conversation.isCollecting else {
      return ["- \(FailureCode.usage.word) : a file cannot be written between 'begin' and 'end'"]
    }
    inquiries.append(inquiry)
    for question in inquiry.questions { ask(question, by: .inquiry, origin: inquiry.origin) }
    return []
  }

  /// Takes a line that answers a question of an inquiry.
  ///
  /// - Returns: The answer of the inquiry, if this was its last line.
  func takeInquiryLine(
    _ received: Conversation.Received, raw: RawLine
  ) -> [(received: Conversation.Received, raw: RawLine)] {
    // Answers come in the order of the requests.
    guard let question = received.asked?.text,
      let index = inquiries.firstIndex(where: {
        $0.answers.count < $0.questions.count && $0.questions[$0.answers.count] == question
      })
    else { return [] }
    var inquiry = inquiries.remove(at: index)
    inquiry.current.take(received, raw)
    if received.line.lineClass != .data {
      inquiry.answers.append(inquiry.current)
      inquiry.current = Inquiry.Answer()
    }
    guard inquiry.answers.count == inquiry.questions.count else {
      inquiries.insert(inquiry, at: index)
      return []
    }
    switch inquiry.proceed(inquiry.answers) {
    case .end(let lines): return localAnswer(lines, to: inquiry.text, origin: inquiry.origin)
    case .ask(let questions, let proceed):
      _ = begin(Inquiry(inquiry.text, origin: inquiry.origin, asking: questions, proceed))
      return []
    }
  }
}

extension Inquiry.Answer {
  fileprivate mutating func take(_ received: Conversation.Received, _ raw: RawLine) {
    let (line, text) = (received.line, received.dataText(raw))
    let raw = received.withoutOurTag(raw)
    let isObject = raw.text.hasPrefix("{")
    if line.lineClass == .data { texts.append(text) }
    if line.lineClass == .failure { failure = isObject ? "- \(line.code) : \(line.note ?? "")" : raw.text }
    objects.append(
      isObject
        ? raw.text
        : received.isWhole && line.lineClass == .data
          ? #"{"class":"data","text":\#(JSONWriter.quoted(text))}"#
          : JSONWriter.object(of: raw.text, answering: received.asked?.verb))
  }
}

extension Verb {
  /// Verbs whose lines of data are text, not words.
  static let wholeLines: Set<Verb> = [.graph, .wave, .script]
}
