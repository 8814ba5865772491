internal import LineProtocol

/// What the prompt says of itself: its own words, and topics that no verb explains.
enum PromptHelp {
  enum Topic: String, CaseIterable {
    case times, states, patterns, keys
  }

  /// What `help` can be about, besides verbs that the daemon knows.
  enum Subject: Equatable {
    case topic(Topic)
    /// A sign that only the prompt has.
    case sign(String)

    init?(_ word: String) {
      // 'help key' is about a machine of that name.
      if let topic = Topic(rawValue: word) ?? (word == "key" ? nil : Topic(rawValue: "\(word)s")) {
        self = .topic(topic)
      } else if !PromptHelp.rows(about: word).isEmpty {
        self = .sign(word)
      } else {
        return nil
      }
    }
  }

  /// The rows of `help` for words that only this program has, in the daemon's form.
  static let usageRows =
    LocalVerb.all.flatMap(\.rows) + [
      ". expect NAME timers none|TIMERS : fails unless exactly these timers run: a,b",
      ". expect NAME reading READING VALUE : fails unless a reading has a value; a tolerance may follow, as ±0.5",
      ". expect NAME no-errors : fails if an action or a guard of the machine has failed",
      ". help \(Topic.allCases.map(\.rawValue).joined(separator: "|")) : how these are written, and what the keys of the prompt do",
    ]

  /// Rows that are no words to complete.
  static let formRows = [
    ". LINE => OUTCOME : compares the answer with OUTCOME: ok, moved [[FROM] TO], stayed, ignored, refused [CODE], or a state",
    ". REQUEST | CMD : gives the listed rows to a shell command",
    ". REQUEST > FILE : writes them to a file, which is overwritten: 'graph key > key.svg'",
    ". ! CMD : runs a shell command",
    ". ? : as 'help'", ". \\q : as 'exit'",
  ]

  /// Words of scripts, which are not for the prompt.
  private static let scriptRows = LocalVerb.scriptWords.map {
    LocalVerb.runWords.contains($0)
      ? ". \($0) : a word of scripts in a world of their own, which 'fsmrepl run FILE' plays; no script at the prompt has it"
      : ". \($0) : a word of scripts, which 'run FILE' plays here and 'fsmrepl run FILE' in a world of its own"
  }

  /// The rows of a sign.
  fileprivate static func rows(about sign: String) -> [(String, String)] {
    (sign.first?.isLetter == true ? scriptRows : formRows).compactMap { row in
      guard let (form, text) = row.dropFirst(2).cut(at: " : ") else { return nil }
      return form.split(separator: " ").contains(sign[...]) ? (String(form), String(text)) : nil
    }
  }

  /// - Parameter style: For the screen; a table without wide characters fits any encoding.
  static func text(_ subject: Subject, width: Int?, style: Style) -> ScreenText {
    let rows =
      switch subject {
      case .topic(let topic): rows(topic)
      case .sign(let sign): rows(about: sign)
      }
    var table = Table()
    for (form, meaning) in rows { table.add([Table.Cell(form, .name), Table.Cell(meaning, isText: true)]) }
    return table.take(indent: "  ", width: width, style: style)
  }

  private static func rows(_ topic: Topic) -> [(String, String)] {
    switch topic {
    case .times:
      [
        ("250ms", "a DURATION: a number and one of ns us ms s m h d, without a blank between; one unit, up to 36500d"),
        ("1.5", "a bare number is seconds"),
        ("90s", "a TIME is written like a duration, up to 100000d, and counts from the beginning of the world"),
        ("advance 10m", "lets ten minutes pass, where the clock stands still: 'clock virtual', or 'pause'"),
        ("at 5s send key tap", "lets time pass up to second 5, then sends"),
        ("goto 5s", "back to second 5; 'undo' takes back the last request"),
        ("t=5.000", "the world's time in an answer, in seconds"),
      ]
    case .states:
      [
        ("on", "a STATE: a name from 'describe KIND'"),
        ("loaded(3)", "a state with its data; 'loaded' is the state with any data"),
        ("reading.q3", "a state within a state; 'reading' is any state in it"),
        ("foreground+idle", "states of regions, all of them at once; one alone is enough to ask for it"),
        ("expect key on", "fails unless the machine is in the state"),
        ("list state=on", "the machines that are"),
      ]
    case .patterns:
      [
        ("*", "a PATTERN: a name in which * stands for any run of characters"),
        ("k?y", "and ? for one"),
        ("call.*", "all members of a composed machine"),
        ("cast lamp-* buttonClick", "one event to all that match, in the order of their names"),
        ("watch *", "notices of all machines, also of those to come"),
      ]
    case .keys:
      [
        ("TAB", "completes what can stand here, and says what is expected where there is no list"),
        ("Ctrl-C", "ends the request whose answer is to come or is being shown, or drops what is being typed"),
        ("Ctrl-D", "on an empty line: leaves; in a document or a batch, the second time"),
        ("Up, Down", "earlier lines"), ("Ctrl-R", "searches them"),
        ("Ctrl-A, Ctrl-E", "to the beginning and the end of the line"),
        ("Ctrl-U, Ctrl-Y", "cuts what is before the cursor, and puts it back"),
        ("Ctrl-L", "an empty screen"), ("Ctrl-Z", "stops the program; 'fg' continues it"),
        ("~/.inputrc", "has settings of keys, those of this program between '$if fsmrepl' and '$endif'"),
      ]
    }
  }
}
