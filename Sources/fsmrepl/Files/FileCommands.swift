internal import LineProtocol
internal import UnixHost

/// Requests of this program that write files: `save FILE [replace]`, `export NAME FOLDER`, `record [FILE] [replace]`.
///
/// Each takes the words of its request, `nil` for words that break the rules of quotes, and returns the lines of the
/// answer that are known at once.
extension Client {
  /// Writes the present world as a script.
  func save(_ words: [String]?, _ text: String, origin: String) -> [String] {
    guard let words, words.count == 1 || words.count == 2 && words[1] == "replace" else {
      return [LocalVerb.save.misuse]
    }
    let path = LocalVerb.path(words[0])
    return begin(
      Inquiry(text, origin: origin, asking: [Verb.script.name]) { answers in
        if let failure = answers[0].failure { return .end([failure]) }
        let lines = answers[0].texts
        do throws(RegularFile.Problem) {
          try RegularFile.write(lines.map { "\($0)\n" }.joined(), to: path, replaces: words.count == 2)
        } catch {
          return .end([Self.failure("\(path): \(error.text)")])
        }
        return .end(["+ saved \(Word.written(path)) lines=\(lines.count)"])
      })
  }

  /// Writes a machine with its past into a folder, to be looked at without a daemon.
  func export(_ words: [String]?, _ text: String, origin: String) -> [String] {
    guard let words, words.count == 2 else { return [LocalVerb.export.misuse] }
    return begin(ReplayExport.inquiry(text, origin: origin, words[0], LocalVerb.path(words[1])))
  }

  /// Begins or ends a recording, or says whether there is one.
  func record(_ words: [String]?) -> [String] {
    func misplaced(_ text: String) -> [String] { ["- \(FailureCode.usage.word) : \(text)"] }
    guard let words, words.count < 2 || words.count == 2 && words[1] == "replace" else {
      return [LocalVerb.record.misuse]
    }
    guard let word = words.first else {
      return [recording.map { "+ recording \(Word.written($0.path)) requests=\($0.count)" } ?? "+ off"]
    }
    if words == ["off"] {
      guard let ended = endRecording() else { return misplaced("nothing is being recorded") }
      return ["+ recorded \(Word.written(ended.path)) requests=\(ended.count)"]
    }
    if let recording { return misplaced("\(recording.path) is being recorded; 'record off' ends it") }
    guard !conversation.isCollecting else { return misplaced("'record' cannot stand between 'begin' and 'end'") }
    let path = LocalVerb.path(word)
    do throws(Recording.Failure) {
      record(try Recording(path, replaces: words.count == 2))
      return ["+ recording \(Word.written(path))"]
    } catch {
      return [Self.failure("\(error)")]
    }
  }
}
