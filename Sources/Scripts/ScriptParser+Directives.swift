import LineProtocol

/// Lines for the player only: the seed, names, repeats, included files.
extension ScriptParser {
  /// `seed N`. The world is made with it, so it must come before any request.
  mutating func takeSeed(_ first: Int) throws(ScriptFailure) {
    guard words.words.count > first + 1 else { throw failure(word: first + 1, "'seed' is used as 'seed N'") }
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
    let name = words.text(words.words[first + 1])
    guard words.words[first + 1].isPlain, let letter = name.first, letter.isASCII, letter.isLetter,
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    else {
      throw failure(word: first + 1, "'\(name)' is no name; it is a letter, then letters, digits and '_'")
    }
    guard words.words[first + 3].isPlain else { throw failure(word: first + 3, form) }
    let value = words.text(words.words[first + 3])
    guard value.utf8.count <= ScriptLimits.value else {
      throw failure(
        word: first + 3, "this value has \(value.utf8.count) bytes; at most \(ScriptLimits.value) are allowed")
    }
    if let known = names[name], known.value != value {
      throw failure(word: first + 1, "'\(name)' is '\(known.value)' since \(known.place); a name keeps its value")
    }
    guard names[name] != nil || names.count < ScriptLimits.names else {
      throw failure(word: first + 1, "a script has at most \(ScriptLimits.names) names")
    }
    names[name] = names[name] ?? ScriptName(value: value, place: "\(script.sources[source].name):\(line)")
  }

  mutating func takeRepeat(_ first: Int) throws(ScriptFailure) {
    guard words.words.count > first + 1 else { throw failure(word: first + 1, "'repeat' is used as 'repeat N'") }
    let found = words.text(words.words[first + 1])
    guard words.words[first + 1].isPlain, found.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(found),
      count <= ScriptLimits.times
    else {
      throw failure(word: first + 1, "'\(found)' is no number of times; it is 0 to \(ScriptLimits.times)")
    }
    guard words.words.count == first + 2 else {
      let found = words.text(words.words[first + 2])
      throw failure(word: first + 2, "'\(found)' is one word too many; 'repeat' is used as 'repeat N'")
    }
    try beginRepeat(count, word: first)
  }

  mutating func takeInclude(_ first: Int) throws(ScriptFailure) {
    guard words.words.count == first + 2, words.words[first + 1].isPlain else {
      throw failure(
        word: min(first + 2, words.words.count),
        "'include' is used as 'include FILE', with quotes around a name with blanks")
    }
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
