package import LineProtocol

/// The expected outcome of a request, written after `=>`.
package struct ScriptOutcome: Hashable, Sendable {
  package enum Result: Hashable, Sendable {
    /// Any success.
    case success
    /// `moved`, `moved TO`, `moved FROM TO`.
    case moved(from: StateText?, to: StateText?)
    case stayed(StateText?)
    case ignored(StateText?)
    /// A failure with this code; nil for a refusal by the machine, `REFUSED`.
    case refused(FailureCode?)
    /// A success whose last word is this: the machine's state afterwards, a number, or `yes`.
    case state(StateText)
  }

  package let result: Result
  /// The `key=value` words of the reply that are compared.
  package let fields: [ServerLine.Field]

  package init(_ result: Result, fields: [ServerLine.Field] = []) {
    self.result = result
    self.fields = fields
  }

  /// The words with which outcomes other than states begin.
  package static let words = ["ok", "moved", "stayed", "ignored", "refused"]

  /// The forms of an outcome, for messages.
  package static let form = "ok, moved [[FROM] TO], stayed [STATE], ignored [STATE], refused [CODE] or a state"

  /// Parses the words after the arrow.
  ///
  /// - Throws: The index of the wrong word; those of fields are after those of words.
  package init(words: [String], fields: [ServerLine.Field]) throws(WrongWord) {
    func state(_ index: Int) throws(WrongWord) -> StateText? {
      guard words.indices.contains(index) else { return nil }
      guard let state = StateText(words[index]) else {
        throw WrongWord(word: index, message: "'\(words[index])' can be no state")
      }
      return state
    }
    func atMost(_ count: Int, _ form: String) throws(WrongWord) {
      guard words.count > count + 1 else { return }
      throw WrongWord(
        word: count + 1, message: "'\(words[count + 1])' is one word too many; the form is '\(form)'")
    }
    for (index, field) in fields.enumerated() where !ReplyShape.endKeys.contains(field.key) {
      throw WrongWord(
        word: words.count + index,
        message: "no reply has a key '\(field.key)'\(Self.keyMeant(by: field.key, ReplyShape.endKeys))")
    }
    self.fields = fields
    switch words.first {
    case nil:
      throw WrongWord(word: 0, message: "an outcome must follow '=>': \(ScriptOutcome.form)")
    case "ok":
      try atMost(0, "ok")
      result = .success
    case "moved":
      try atMost(2, "moved [[FROM] TO]")
      let first = try state(1)
      let second = try state(2)
      result = second == nil ? .moved(from: nil, to: first) : .moved(from: first, to: second)
    case "stayed":
      try atMost(1, "stayed [STATE]")
      result = .stayed(try state(1))
    case "ignored":
      try atMost(1, "ignored [STATE]")
      result = .ignored(try state(1))
    case "refused":
      try atMost(1, "refused [CODE]")
      guard words.count > 1 else {
        result = .refused(nil)
        return
      }
      guard let code = FailureCode(rawValue: words[1]) else {
        let codes = FailureCode.allCases.map(\.word)
        let hint = Nearest.match(words[1], among: codes).map { "did you mean \($0)?" } ?? codes.joined(separator: " ")
        throw WrongWord(word: 1, message: "'\(words[1])' is no code of a failure; \(hint)")
      }
      result = .refused(code)
    case let word?:
      if words.count == 1, let code = FailureCode(rawValue: word) {
        result = .refused(code)
        return
      }
      if words.count == 1, word.contains("-"), word.utf8.allSatisfy({ $0 == 0x2D || (0x41...0x5A).contains($0) }),
        let code = Nearest.match(word, among: FailureCode.allCases.map(\.word))
      {
        throw WrongWord(word: 0, message: "'\(word)' is no code of a failure; did you mean \(code)?")
      }
      guard words.count == 1, let state = try state(0) else {
        let hint =
          Nearest.match(word, among: Self.words.dropFirst()).map { "did you mean '\($0)'?" }
          ?? "there is \(ScriptOutcome.form)"
        throw WrongWord(word: 0, message: "'\(word)' is no outcome; \(hint)")
      }
      result = .state(state)
    }
  }

  /// The key that may be meant. By a single letter any could be.
  private static func keyMeant(by key: String, _ keys: [String]) -> String {
    guard key.utf8.count > 1 else { return "" }
    return Nearest.match(key, among: keys).map { "; did you mean '\($0)='?" } ?? ""
  }

  /// The first key that no success of a verb has, if a success is expected. Its empty value would always hold.
  func wrongKey(of verb: Verb) -> WrongWord? {
    if case .refused = result { return nil }
    guard let keys = verb.successKeys, let index = fields.firstIndex(where: { !keys.contains($0.key) }) else {
      return nil
    }
    let key = fields[index].key
    return WrongWord(
      word: wordCount + index,
      message: "a success of '\(verb.name)' has no key '\(key)'\(Self.keyMeant(by: key, keys)); it has "
        + keys.joined(separator: ", "))
  }

  /// The state in which the machine is afterwards, if the outcome names it.
  package var state: StateText? {
    switch result {
    case .success, .refused: nil
    case .moved(_, let state), .stayed(let state), .ignored(let state): state
    case .state(let state): state
    }
  }

  /// The outcome as a script writes it.
  package var text: String {
    var words: [String?]
    switch result {
    case .success: words = ["ok"]
    case .moved(let from, let to): words = ["moved", from?.word, to?.word]
    case .stayed(let state): words = ["stayed", state?.word]
    case .ignored(let state): words = ["ignored", state?.word]
    case .refused(let code): words = ["refused", code?.word]
    case .state(let state): words = [state.word]
    }
    words = words.map { $0.map(Word.written) }
    words += fields.map { ScriptOutcome.written($0.key, $0.value) }
    return words.compactMap(\.self).joined(separator: " ")
  }

  /// Whether a reply matches.
  package func matches(_ reply: ServerLine) -> Bool {
    let isSuccess = reply.lineClass == .success
    let fits =
      switch result {
      case .success: isSuccess
      case .moved(let from, let to):
        isSuccess && reply.code == "moved" && from?.matches(reply.word(1)) != false
          && to?.matches(reply.word(2)) != false
      case .stayed(let state): isSuccess && reply.code == "stayed" && state?.matches(reply.word(1)) != false
      case .ignored(let state): isSuccess && reply.code == "ignored" && state?.matches(reply.word(1)) != false
      case .refused(let code): !isSuccess && reply.code == (code ?? .refused).word
      case .state(let state): isSuccess && reply.words.last.map { state.matches($0) } ?? false
      }
    guard fits, !fields.isEmpty else { return fits }
    return fields.allSatisfy { ScriptOutcome.equal($0.value, reply[$0.key] ?? "", key: $0.key) }
  }

  /// The index of the first word of the outcome, as ``text`` writes it, that a reply does not match.
  package func wrongWord(_ reply: ServerLine) -> Int {
    let isSuccess = reply.lineClass == .success
    switch result {
    case .moved(let from, let to):
      guard isSuccess, reply.code == "moved" else { return 0 }
      if let from, !from.matches(reply.word(1)) { return 1 }
      if let to, !to.matches(reply.word(2)) { return wordCount - 1 }
    case .stayed(let state), .ignored(let state):
      let word = if case .stayed = result { "stayed" } else { "ignored" }
      guard isSuccess, reply.code == word else { return 0 }
      if let state, !state.matches(reply.word(1)) { return 1 }
    case .success: if !isSuccess { return 0 }
    case .refused(let code):
      // The code can stand alone.
      if isSuccess || reply.code != (code ?? .refused).word { return 0 }
    case .state(let state):
      guard isSuccess, let last = reply.words.last, state.matches(last) else { return 0 }
    }
    let field = fields.firstIndex { !ScriptOutcome.equal($0.value, reply[$0.key] ?? "", key: $0.key) }
    return wordCount + (field ?? 0)
  }

  /// How many words stand before the fields, as ``text`` writes it.
  package var wordCount: Int {
    switch result {
    case .success, .state, .refused(nil): 1
    case .moved(let from, let to): 1 + (from == nil ? 0 : 1) + (to == nil ? 0 : 1)
    case .stayed(let state), .ignored(let state): state == nil ? 1 : 2
    case .refused: 2
    }
  }

  /// The state that is expected by a word of the outcome, as ``text`` writes it.
  package func state(at word: Int) -> String? {
    switch result {
    case .moved(let from, let to):
      word > 0 ? [from, to].compactMap(\.self).dropFirst(word - 1).first?.word : nil
    case .stayed(let state), .ignored(let state): word == 1 ? state?.word : nil
    case .state(let state): word == 0 ? state.word : nil
    case .success, .refused: nil
    }
  }

  /// The actual reply in the form of an outcome, with the expected fields.
  package func found(_ reply: ServerLine) -> String {
    ScriptOutcome.found(reply, with: fields.map { ScriptOutcome.written($0.key, reply[$0.key] ?? "") })
  }

  private static func written(_ key: String, _ value: String) -> String {
    "\(key)=" + (Word.needsQuotes(value, asValue: true) && !value.isEmpty ? Word.quoted(value) : value)
  }

  /// A reply in the form of an outcome, with the reason of a failure.
  ///
  /// - Parameter fields: What stands before the reason.
  package static func found(_ reply: ServerLine, with fields: [String] = []) -> String {
    let words = reply.words
    guard reply.lineClass == .failure else {
      return ((words.isEmpty ? ["ok"] : words.map(Word.written)) + fields).joined(separator: " ")
    }
    let code = words.first ?? "?"
    let note = reply.note.map { " : \($0)" } ?? ""
    return ((code == FailureCode.refused.word ? ["refused"] : ["refused", code]) + fields).joined(separator: " ") + note
  }

  /// Whether a field has the expected value; times may be written in any unit.
  private static func equal(_ wanted: String, _ got: String, key: String) -> Bool {
    if wanted == got { return true }
    guard key == "t", let first = TimeText.time(wanted), let second = TimeText.time(got) else { return false }
    return first == second
  }
}

extension ServerLine {
  /// A plain word; empty if there is none at this index.
  fileprivate func word(_ index: Int) -> String { words.indices.contains(index) ? words[index] : "" }
}
