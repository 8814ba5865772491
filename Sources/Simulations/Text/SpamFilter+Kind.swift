public import StateMachines

extension SpamFilter {
  public static let kind = Kind(
    SpamFilter.self, "spamFilter", "finds stop-words in messages that come in pieces, and masks, drops or flags them",
    form: .enumAndSwitch,
    origin: """
      the search of Knuth, Morris and Pratt, for several words at once that of Aho and Corasick; the machine around it \
      is our own
      """,
    example: [
      "new spamFilter s words=spam,ham wholeWord=on",
      "watch s",
      "send s text \"My SP\"",
      "send s text \"AM sham\"",
      "show s",
      "send s end",
    ],
    states: {
      switch $0 {
      case .clean: "no stop-word has been found in this message"
      case .dirty: "so many were found"
      }
    },
    events: [
      .event(
        Event.text, .text("chunk", bytes: 0...65_536, like: ["My spam ", "hello"]),
        about: "the message goes on with a piece of any length"),
      .event(
        Event.char, .character("c", like: [Character("s"), Character("m")]),
        about: "the message goes on with one character"),
      .event(.end, "the message ends, and the next one may begin"),
      .event(.reset, "forgets the message so far"),
    ],
    outputs: {
      switch $0 {
      case .match:
        .output(
          ("word", .text(bytes: 1...4_096)), ("start", .integer(0...Int.max)), ("end", .integer(0...Int.max)),
          about: "a stop-word was found, from one character of the message to before another")
      case .message: .output(("text", .text(bytes: 0...longestMessage)), about: "the message may be shown, like this")
      case .dropped: "the message is not to be shown"
      }
    },
    readings: [
      .reading("offset", .integer(0...Int.max), \.state.position.offset, "characters of the message so far"),
      .reading("matched", .integer(0...4_096), "characters of a stop-word that it ends with now") {
        machine, _, parameters in parameters.matcher.matched(at: machine.state.position)
      },
    ],
    parameters: [
      .required("words", \.words, .text(bytes: 1...4_096), example: "spam,ham", "the stop-words, with commas between"),
      .parameter("policy", \.policy, "what becomes of a message with stop-words"),
      .parameter("caseFold", \.caseFold, "on: capitals and small letters are the same"),
      .parameter("wholeWord", \.wholeWord, "on: a stop-word within a longer word does not count"),
    ])
}
