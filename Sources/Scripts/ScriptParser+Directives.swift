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
    guard script.steps.isEmpty, first == 0 else {
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
    guard words.words[first + 3].isPlain else { throw failure(word: first + 3, form) }
    let value = words.text(words.words[first + 3])
    guard value.utf8.count <= ScriptLimits.value else {
      throw failure(
        word: first + 3, "this value has \(value.utf8.count) bytes; at most \(ScriptLimits.value) are allowed")
    }
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

  /// `repeat N [as NAME]`.
  mutating func takeRepeat(_ first: Int) throws(ScriptFailure) {
    let form = "'repeat' is used as 'repeat N' or 'repeat N as NAME'"
    guard words.words.count > first + 1 else { throw failure(word: first + 1, form) }
    try checkFixed(first..<words.words.count)
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

  mutating func takeInclude(_ first: Int) throws(ScriptFailure) {
    guard words.words.count == first + 2, words.words[first + 1].isPlain else {
      throw failure(
        word: min(first + 2, words.words.count),
        "'include' is used as 'include FILE', with quotes around a name with blanks")
    }
    try checkFixed(first..<words.words.count)
    if isInBatch { throw failure(word: first, "'include' cannot stand between 'begin' and 'end'") }
    try include(words.text(words.words[first + 1]), word: first + 1)
  }

  mutating func takeEnd(_ place: Int) throws(ScriptFailure) {
    let isBatch = try endBlock(word: place)
    if isBatch { return try takeRequest(.end, from: 0, verb: place) }
    guard place + 1 == words.words.count else {
      throw failure(word: place + 1, "the 'end' of a 'repeat' or a 'try' stands alone")
    }
  }
}
