public import StateMachines

extension SpamFilter {
  public static let kind = Kind(
    SpamFilter.self, "spamFilter",
    "finds stop-words in messages that arrive in pieces, and masks, drops or flags the messages",
    form: .enumAndSwitch,
    origin: "the searches of Knuth, Morris and Pratt and of Aho and Corasick; the machine is designed here",
    source: "talk",
    example: [
      "new spamFilter s words=spam,ham wholeWord=on", "watch s", "send s text \"My SP\"", "send s text \"AM sham\"",
      "show s", "send s end",
    ],
    states: {
      switch $0 {
      case .clean: "no stop-word was found in this message"
      case .dirty: "this many stop-words were found in this message"
      }
    },
    events: [
      .event(
        Event.text, .text("chunk", bytes: 0...65_536, suchAs: ["My spam ", "hello"]),
        about: "appends a piece of any length"),
      .event(Event.char, .character("c", suchAs: [Character("s"), Character("m")]), about: "appends one character"),
      .event(.end, "ends the message"),
      .event(.reset, "discards the message"),
    ],
    outputs: {
      switch $0 {
      case .match:
        .output(
          ("word", .text(bytes: 1...4_096)), ("start", .count), ("end", .count),
          about: "a stop-word was found from start up to, but not including, end")
      case .message: .output(("text", .text(bytes: 0...longestMessage)), about: "the message to show")
      case .dropped: "the message was dropped"
      }
    },
    readings: [
      .reading("offset", .count, \.state.position.offset, "the number of characters so far"),
      .reading("matched", .integer(0...4_096), "the number of characters of a stop-word matched so far") {
        machine, _, parameters in parameters.matcher.matched(at: machine.state.position)
      },
    ],
    parameters: [
      .required("words", \.words, .text(bytes: 1...4_096), example: "spam,ham", "the stop-words, separated by commas"),
      .parameter("policy", \.policy, "what to do with a message that has stop-words"),
      .parameter("caseFold", \.caseFold, "on: upper and lower case are the same"),
      .parameter("wholeWord", \.wholeWord, "on: a stop-word inside a longer word does not count"),
    ],
    samples: { parameters in
      // The first words, their beginnings, a character that is in none of them, and their letters.
      let words = parameters.matcher.words.prefix(6).map { $0.unicodeScalars.prefix(256) }
      let other: Character = " "
      let texts = words.flatMap { [$0, $0.prefix($0.count / 2)] }.map { String($0) } + [String(other)]
      var letters: [Character] = []
      for letter in words.joined().lazy.map({ Character($0) }) where !letters.contains(letter) && letters.count < 12 {
        letters.append(letter)
      }
      return EventSamples(texts.map(Event.text) + (letters + [other]).map(Event.char))
    })
}
