import LineProtocol

/// Words that people bring from other languages, and what they are here.
package enum MeantWords {
  /// What to write instead of a word that is no verb.
  ///
  /// - Parameters:
  ///   - word: The first word of a line.
  ///   - rest: The words after it.
  /// - Returns: `nil` for a word that is not known from elsewhere.
  package static func advice(_ word: String, _ rest: [String]) -> String? {
    switch word {
    case "wait", "sleep":
      let span = rest.first.flatMap { TimeText.duration($0) == nil ? TimeText.meant(by: $0) : $0 } ?? "5s"
      return "'advance \(span)' lets time pass where the clock stands still, 'await NAME STATE' waits for a state"
    case "assert":
      let claim = expectation(rest) ?? "expect NAME STATE"
      return "'\(claim)' fails unless a machine is in the state"
    case _ where word.hasSuffix(".fsm"): return "'run \(Word.written(word))' plays a script"
    case _ where (DocumentSource.documentEndings + DocumentSource.pageEndings).contains(where: word.hasSuffix):
      return "'load \(Word.written(word))' makes a kind from a diagram"
    case _: return elsewhere[word]
    }
  }

  private static let elsewhere: [String: String] = {
    let advice: [(words: String, text: String)] = [
      ("add create make spawn", "'new KIND NAME' makes a machine"),
      ("delete destroy kill remove rm", "'drop NAME' removes a machine, 'world drop W' a world"),
      ("dispatch emit event raise signal trigger", "'send NAME EVENT' sends an event to a machine"),
      ("get info inspect state status", "'show NAME' says which state a machine is in"),
      (
        "events states transitions",
        "'describe NAME' has the states and events of a machine, 'graph NAME' a table of all"
      ),
      ("ls machines", "'list' has the machines of this world, 'kinds' what can be made, 'worlds' all worlds"),
      ("history log trace", "'journal' says what happened, 'wave' draws it over time"),
      ("diagram draw plot", "'graph NAME' draws a machine, 'wave NAME' what it did over time"),
      ("branch clone copy fork", "'world fork NAME' makes a copy of this world"),
      ("skip tick", "'advance 5s' lets time pass where the clock stands still"),
      ("now time", "'clock' shows the time of this world"),
      ("back revert rollback", "'undo' takes the last input back, 'goto TIME' all after a time"),
      (
        "reset restart",
        "'goto 0' takes back all that happened in this world, 'drop NAME' and 'new KIND NAME' begin one machine anew"
      ),
      ("import open read source", "'load FILE' makes a kind from a diagram, 'run FILE' plays a script"),
      ("demo lesson lessons tutorial", "lessons begin in a shell: 'fsmrepl lesson'; 'help' lists the verbs"),
      ("browser page", "a page shows the worlds of a prompt that was begun with 'fsmrepl --page'"),
      ("man", "'help' lists the verbs, 'help VERB' explains one"), ("bye leave q", "'exit' or Ctrl-D leaves"),
    ]
    return Dictionary(
      uniqueKeysWithValues: advice.flatMap { words, text in words.split(separator: " ").map { (String($0), text) } })
  }()

  /// The line that is meant by one that compares with another sign: `send key tap -> on` by `send key tap => on`, and
  /// `expect key = on` by `expect key on`.
  ///
  /// - Parameter words: With the verb. A sign can also be data of an event: it is one for who knows that the line failed.
  /// - Returns: What to say; `nil` if there is no such sign.
  package static func comparison(in words: [String]) -> String? {
    guard let sign = words.dropFirst().dropLast().first(where: isSign) else { return nil }
    if words.first == Verb.expect.name {
      return expectation(Array(words.dropFirst())).map { "'\(sign)' is not needed: '\($0)'" }
    }
    let line = words.map { $0 == sign ? "=>" : $0 }.joined(separator: " ")
    return "'=>' compares an answer: '\(line)'"
  }

  /// Whether a word compares elsewhere.
  static func isSign(_ word: String) -> Bool { signs.contains(word) }

  private static let signs: Set = ["->", "-->", "→", "=", "==", "==="]

  /// `key == on` as `expect key on`; `nil` if it is not a name and a state.
  private static func expectation(_ words: [String]) -> String? {
    let plain = words.filter { !signs.contains($0) }
    return plain.count == 2 ? "\(Verb.expect.name) \(plain[0]) \(plain[1])" : nil
  }
}
