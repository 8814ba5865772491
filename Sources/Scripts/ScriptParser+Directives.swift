import LineProtocol

/// Lines for the player only: the seed, names, repeats, included files.
extension ScriptParser {
  /// `seed N`. The world is made with it, so it must come before any request.
  mutating func takeSeed(_ first: Int) throws(ScriptFailure) {
    guard words.words.count > first + 1 else { throw failure(word: first + 1, "'seed' is used as 'seed N'") }
    try checkFixed(first..<words.words.count)
    let found = words.text(words.words[first + 1])
    guard words.words[first + 1].isPlain, found.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let seed = UInt64(found)
    else {
      throw failure(word: first + 1, "'\(found)' is no seed; it is a whole number from 0 to \(UInt64.max)")
    }
    try exactly(2, first, "seed N")
    guard !isIncluded else {
      throw failure(word: first, "'seed' belongs in the script itself, not in an included file")
    }
    guard script.seed == nil else { throw failure(word: first, "a script has one seed") }
    guard script.steps.isEmpty, script.cases.isEmpty, first == 0 else {
      throw failure(word: first, "'seed' must come first, because the world is made with it")
    }
    script.seed = seed
  }

  mutating func takeLet(_ first: Int) throws(ScriptFailure) {
    let form = "'let' is used as 'let NAME = VALUE', with quotes around a value of several words"
    guard words.words.count == first + 4, words.isWord(first + 2, "=") else {
      let wrong = words.isWord(first + 2, "=") ? first + 4 : first + 2
      throw failure(word: min(wrong, words.words.count), form)
    }
    try checkFixed(first..<words.words.count)
    let name = try name(first + 1)
    if names[name]?.isFromOutside == true {
      words.used.insert(name)
      return
    }
    guard words.words[first + 3].isPlain else { throw failure(word: first + 3, form) }
    let value = try value(first + 3)
    switch names[name]?.meaning {
    case .value(let known) where known != value:
      throw failure(word: first + 1, "'\(name)' is '\(known)' since \(since(name)); a name keeps its value")
    case .counter: throw failure(word: first + 1, "'\(name)' counts since \(since(name))")
    case .value, .mistaken, nil: break
    }
    guard names[name] != nil || names.count < ScriptLimits.names else {
      throw failure(word: first + 1, "a script has at most \(ScriptLimits.names) names")
    }
    names[name] =
      names[name] ?? ScriptName(meaning: .value(value), place: "\(script.sources[source].name):\(line)")
  }

  private func since(_ name: String) -> String { names[name]?.place ?? "?" }

  /// The word at an index, which `$` will stand before.
  private func name(_ place: Int) throws(ScriptFailure) -> String {
    let name = words.text(words.words[place])
    guard words.words[place].isPlain, ScriptName.isName(name) else {
      throw failure(word: place, "'\(name)' is no name; it is a letter, then letters, digits and '_'")
    }
    return name
  }

  /// `case TITLE`. Its world is a new one, in which the lines before the first case are played.
  mutating func takeCase(_ first: Int) throws(ScriptFailure) {
    if isInSession {
      throw fatal(
        failure(
          word: first,
          "a case begins in a fresh world, and 'run' plays in the world in use; 'fsmrepl run FILE' plays cases"))
    }
    guard first == 0 else { throw failure(word: first, "'case' has no time; times are those of its lines") }
    guard words.words.count == 2, words.words[1].isPlain else {
      throw failure(
        word: min(2, words.words.count), "'case' is used as 'case TITLE', with quotes around a title with blanks")
    }
    try checkFixed(0..<2)
    guard !isIncluded else {
      throw failure(word: 0, "'case' belongs in the script itself, not in an included file")
    }
    guard script.heading == nil else { throw failure(word: 0, "a lesson is told in one world, so it has no cases") }
    if let open = blocks.last {
      throw failure(word: 0, "a case cannot stand in a block; the one of line \(open.start.line) has no 'end' yet")
    }
    let title = words.text(words.words[1])
    guard !title.isEmpty else { throw failure(word: 1, "a title has one character at least") }
    guard titles.insert(title).inserted else { throw failure(word: 1, "there is a case '\(title)' already") }
    guard script.cases.count < ScriptLimits.cases else {
      throw fatal(failure(word: 0, "a script has at most \(ScriptLimits.cases) cases"))
    }
    beginCase(title)
  }

  /// Begins a case, also one with a mistake in its first line, so that its lines are not taken for those of the case
  /// before it.
  mutating func beginCase(_ title: String) {
    if let setUp {
      names = setUp.names
      linesPlayed += setUp.lines
    } else {
      setUp = (linesPlayed, names)
    }
    script.cases.append((title, script.steps.count))
  }

  /// `repeat N [as NAME]`, `repeat NAME in WORD…`.
  mutating func takeRepeat(_ first: Int) throws(ScriptFailure) {
    let form = "'repeat' is used as 'repeat N', 'repeat N as NAME' or 'repeat NAME in WORD…'"
    guard words.words.count > first + 1 else { throw failure(word: first + 1, form) }
    try checkFixed(first..<words.words.count)
    if words.isWord(first + 2, "in") { return try takeEach(first, form) }
    let found = words.text(words.words[first + 1])
    guard words.words[first + 1].isPlain, found.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(found),
      count <= ScriptLimits.times
    else {
      throw failure(word: first + 1, "'\(found)' is no number of times; it is 0 to \(ScriptLimits.times)")
    }
    guard words.words.count > first + 2 else { return try beginRepeat(count, as: nil, word: first) }
    guard words.isWord(first + 2, "as"), words.words.count > first + 3 else {
      guard !words.isWord(first + 2, "as") else { throw failure(word: first + 3, form) }
      throw failure(word: first + 2, "'\(words.text(words.words[first + 2]))' is not 'as'; \(form)")
    }
    let name = try name(first + 3)
    guard words.words.count == first + 4 else {
      throw failure(
        word: first + 4, "'\(words.text(words.words[first + 4]))' is one word too many; \(form)")
    }
    switch names[name]?.meaning {
    case .value(let known):
      throw failure(word: first + 3, "'\(name)' is '\(known)' since \(since(name)); take another name")
    case .counter: throw failure(word: first + 3, "'\(name)' counts since \(since(name)); take another name")
    case .mistaken, nil: break
    }
    try beginRepeat(count, as: name, word: first)
  }

  private mutating func takeEach(_ first: Int, _ form: String) throws(ScriptFailure) {
    guard first == 0 else {
      throw failure(word: first, "'repeat' with words has no time; times are those of its lines")
    }
    let name = try name(1)
    if let known = names[name]?.meaning, known != .mistaken {
      throw failure(word: 1, "'\(name)' has a value since \(since(name)); take another name")
    }
    guard words.words.count > 3 else { throw failure(word: 3, "a word is missing; \(form)") }
    var values: [String] = []
    for place in 3..<words.words.count {
      guard words.words[place].isPlain else {
        throw failure(word: place, "write a word with '=' in quotes; \(form)")
      }
      values.append(try value(place))
    }
    try beginEach(name, in: values, word: 0)
  }

  /// The word at an index, or the value of `key=value`, as the value of a name.
  private func value(_ place: Int) throws(ScriptFailure) -> String {
    let value = words.text(words.words[place])
    guard value.utf8.count <= ScriptLimits.value else {
      throw failure(
        word: place, "this value has \(value.utf8.count) bytes; at most \(ScriptLimits.value) are allowed")
    }
    return value
  }

  /// `include FILE NAME=VALUE…`. With values, the names that the file sets end with it.
  mutating func takeInclude(_ first: Int) throws(ScriptFailure) {
    let form = "'include' is used as 'include FILE' or 'include FILE NAME=VALUE…', with quotes around what has blanks"
    guard words.words.count > first + 1, words.words[first + 1].isPlain else { throw failure(word: first + 1, form) }
    try checkFixed(first..<words.words.count)
    var values: [String: ScriptName] = [:]
    var uses: [(name: String, unused: ScriptFailure)] = []
    for place in (first + 2)..<words.words.count {
      guard !words.words[place].isPlain else { throw failure(word: place, form) }
      let name = words.key(words.words[place])
      guard ScriptName.isName(name) else {
        throw failure(word: place, "'\(name)' is no name; it is a letter, then letters, digits and '_'")
      }
      guard values[name] == nil else { throw failure(word: place, "'\(name)' is given twice") }
      values[name] = ScriptName(
        meaning: .value(try value(place)), place: "\(script.sources[source].name):\(line)", isFromOutside: true)
      uses.append((name, failure(word: place, "the file does not use '$\(name)'")))
    }
    if isInBatch { throw failure(word: first, "'include' cannot stand between 'begin' and 'end'") }
    let file = words.text(words.words[first + 1])
    guard !values.isEmpty else { return try include(file, word: first + 1) }
    let (outer, used, mistaken) = (names, words.used, knownMistakes.count)
    names.merge(values) { $1 }
    guard names.count <= ScriptLimits.names else {
      names = outer
      throw failure(word: first + 2, "a script has at most \(ScriptLimits.names) names")
    }
    words.used = []
    defer {
      names = outer
      words.used.formUnion(used)
    }
    try include(file, word: first + 1)
    guard mistaken == knownMistakes.count else { return }
    for (name, unused) in uses where !words.used.contains(name) { throw unused }
  }

  mutating func takeEnd(_ place: Int) throws(ScriptFailure) {
    let isBatch = try endBlock(word: place)
    if isBatch { return try takeRequest(.end, from: 0, verb: place) }
    guard place + 1 == words.words.count else {
      throw failure(word: place + 1, "the 'end' of a 'repeat' or a 'try' stands alone")
    }
  }
}
