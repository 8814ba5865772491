/// The habits that can be checked by reading: each is a function from one file to the places that break it.
///
/// Word boundaries in the patterns are simple ones: by default the period in `Task.run` is none, as between letters
/// in a text for people.
enum Habits {
  /// A test that waits for time to pass is slow on a good day and wrong on a bad one.
  static func sleeps(in file: ProjectFile) -> [Finding] {
    // A letter in brackets, or this file would find itself.
    let calls = #/\b(?:u|nano|clock_nano)?slee[p](?:ForTimeInterval)?\s*\(|\basyncAfte[r]\s*\(/#
      .wordBoundaryKind(.simple)
    return matches(of: calls, in: file, ifItMentions: ["sleep", "asyncAfter"]) { "waits for time to pass (\($0))" }
  }

  /// `#expect` where a function of `TestSupport` does the same, which the compiler is done with in a quarter of the time.
  static func macroExpectations(in file: ProjectFile) -> [Finding] {
    guard file.mentions(["#expect("]) else { return [] }
    let code = file.swift.code
    return code.indices.flatMap { index in
      code[index].ranges(of: "#expect(").compactMap { range in
        var depth = 0
        let rest = ([code[index][range.upperBound...]] + code[(index + 1)...].map { $0[...] }).joined(separator: "\n")
        let call = rest.prefix { character in
          if character == "(" { depth += 1 }
          if character == ")" { depth -= 1 }
          return depth >= 0
        }
        // What has no function.
        if ["throws:", "processExitsWith:", "sourceLocation:"].contains(where: { call.contains($0) }) { return nil }
        return Finding(path: file.path, line: index + 1, what: "#expect in place of expect or expectEqual")
      }
    }
  }

  /// Work that was put off: it is done, or it is an issue, or it is nothing.
  static func leftovers(in file: ProjectFile) -> [Finding] {
    // Each in two halves, or this file would find itself.
    let markers = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "not implemented" + " yet"]
    guard file.mentions(markers) else { return [] }
    return lines(of: file) { line in
      markers.first { marker in contains(line, word: marker) }.map { "left behind: \($0)" }
    }
  }

  /// A path that exists on one machine only.
  static func machinePaths(in file: ProjectFile) -> [Finding] {
    // In halves, for the same reason.
    let roots = ["/wo" + "rk/", "/fa" + "rm/", "/ro" + "ot/", "/o" + "pt/", "/ho" + "me/"]
    guard file.mentions(roots) else { return [] }
    return lines(of: file) { line in
      roots.first { root in
        line.ranges(of: root).contains { range in
          guard range.lowerBound > line.startIndex else { return true }
          let before = line[line.index(before: range.lowerBound)]
          return !(before.isLetter || before.isNumber || "._-/})".contains(before))
        }
      }.map { "names a folder of one machine: \($0)" }
    }
  }

  /// A type that is about users and with whom they share worlds, of which few files of the daemon know.
  static func users(in file: ProjectFile) -> [Finding] {
    let types = ["User", "UserID", "UserNames", "UserDirectory", "UserQuota", "Sharing"]
    guard file.mentions(["User", "Sharing"]) else { return [] }
    return zip(1..., file.swift.code).compactMap { number, line in
      types.first { contains(line, word: $0) }.map { Finding(path: file.path, line: number, what: "knows \($0)") }
    }
  }

  /// `default:` in a `switch`. Over our own enums it hides the decision that a new case asks for.
  ///
  /// An argument label `default:` is none: its innermost bracket is no brace.
  static func catchAlls(in file: ProjectFile) -> [Finding] {
    var findings: [Finding] = []
    var brackets: [UInt8] = []
    for (index, line) in file.swift.code.enumerated() {
      let line = Array(line.utf8)
      var at = 0
      while at < line.count {
        let begin = at
        while at < line.count, isWordByte(line[at]) { at += 1 }
        if at > begin {
          let colon = line[at...].first { $0 != UInt8(ascii: " ") } == UInt8(ascii: ":")
          if colon, brackets.last == UInt8(ascii: "{"), line[begin..<at].elementsEqual("default".utf8) {
            findings.append(Finding(path: file.path, line: index + 1, what: "a switch with a default"))
          }
          continue
        }
        if "({[".utf8.contains(line[at]) { brackets.append(line[at]) }
        if ")}]".utf8.contains(line[at]) { _ = brackets.popLast() }
        at += 1
      }
    }
    return findings
  }

  /// The standard library's draws: what they give may change with the compiler.
  static func foreignDraws(in file: ProjectFile) -> [Finding] {
    let draws =
      #/\.random\s*\(|\brandomElement\s*\(|\bshuffle(?:d)?\s*\(|\b(?:System)?RandomNumberGenerator\b/#.wordBoundaryKind(
        .simple)
    let words = [".random", "randomElement", "shuffle", "RandomNumberGenerator"]
    return matches(of: draws, in: file, ifItMentions: words) { "draws as the standard library does (\($0))" }
  }

  /// What the standard library has only since macOS 26 and iOS 26: an app that names it does not run on a system that
  /// `Package.swift` promises. The compiler on Linux does not see it.
  static func youngNames(in file: ProjectFile) -> [Finding] {
    let names =
      #/\b(?:InlineArray|UTF8Span|OutputSpan|OutputRawSpan|MutableSpan|MutableRawSpan)\b|\.(?:utf8Span|span|mutableSpan)\b(?!\()/#
      .wordBoundaryKind(.simple)
    return matches(of: names, in: file, ifItMentions: ["InlineArray", "Span", ".span"]) {
      "needs a newer system than the package (\($0))"
    }
  }

  /// What switches a check of the compiler off needs its reason in sight: in a comment on the same line or on those
  /// directly before (attributes may stand between).
  static func unexplained(in file: ProjectFile) -> [Finding] {
    guard
      file.mentions(["@unchecked", "nonisolated(unsafe)", "try!", "as!", "fatalError", "@preconcurrency"])
    else { return [] }
    let swift = file.swift
    let escapes = #/@unchecked\s+Sendable|nonisolated\(unsafe\)|\btry!|\bas!|\bfatalError\s*\(|@preconcurrenc[y]/#
      .wordBoundaryKind(.simple)
    return swift.code.enumerated().compactMap { index, line in
      guard let match = line.firstMatch(of: escapes) else { return nil }
      var explained = !isBlank(swift.comments[index])
      var above = index - 1
      while !explained, above >= 0, swift.code[above].trimmingPrefix(while: \.isWhitespace).first == "@" {
        explained = !isBlank(swift.comments[above])
        above -= 1
      }
      if !explained, above >= 0 { explained = isBlank(swift.code[above]) && !isBlank(swift.comments[above]) }
      return explained
        ? nil : Finding(path: file.path, line: index + 1, what: "\(match.output) without a comment that says why")
    }
  }

  /// A file that keeps an unsafe pointer, allocates, or takes memory for another type than it was, says in a comment,
  /// after the word `Safety:`, why that is right: who owns the memory, how long it lives, what keeps the bounds.
  ///
  /// A buffer that is lent for the length of a call, as a parameter or to a closure, needs no more words.
  static func unsafeMemory(in file: ProjectFile) -> [Finding] {
    let kept = #/^\s*(?:@\w+\s+)?(?:\w+(?:\(set\))?\s+)*(?:let|var)\s+\w+\s*:[^={]*\bUnsafe\w*Pointer\b/#
      .wordBoundaryKind(.simple)
    let taken =
      #/\.allocate\s*\(|\bassumingMemoryBound\b|\bbindMemory\b|\bOpaquePointer\b|\bUnmanaged\b|\bunsafeBitCast\b/#
      .wordBoundaryKind(.simple)
    let words = [
      "Unsafe", ".allocate", "assumingMemoryBound", "bindMemory", "OpaquePointer", "Unmanaged", "unsafeBitCast",
    ]
    guard file.mentions(words), !file.swift.comments.contains(where: { $0.contains("Safety:") }),
      let line = file.swift.code.firstIndex(where: {
        $0.firstMatch(of: kept) != nil || $0.firstMatch(of: taken) != nil
      })
    else { return [] }
    return [Finding(path: file.path, line: line + 1, what: "unsafe memory in a file without a comment `Safety: …`")]
  }

  /// `Int(…)` around a floating-point number: it ends the program at a number that does not fit.
  ///
  /// What is floating is told by a literal or an operation in the parentheses, and by how their names were declared last.
  static func floatingConversions(in file: ProjectFile) -> [Finding] {
    let conversion = #/\bU?Int(?:8|16|32|64|128)?\((?!\w+:)/#.wordBoundaryKind(.simple)
    let operation = #/\b\d[\d_]*(?:\.\d|e-?\d)|\bDouble\b|\.(?:rounded|squareRoot)\b|\basNumber\b/#.wordBoundaryKind(
      .simple)
    let name = #/(?:\.|: )?\b[a-z]\w*\b(?!\.(?!magnitude\b(?!\.)))/#.wordBoundaryKind(.simple)
    let typed = #/\b(\w+): (?:inout )?(\w+)/#.wordBoundaryKind(.simple)
    let bound = #/(\.number\()?\b(?:let|var) (\w+)\b(?!\s*:)(?:\s*=\s*([^,{]*))?/#.wordBoundaryKind(.simple)
    var floating: Set<Substring> = []
    func isFloating(_ text: Substring) -> Bool {
      text.contains(operation) || text.matches(of: name).contains { floating.contains($0.output) }
    }
    return file.swift.code.enumerated().flatMap { index, line in
      for match in line.matches(of: typed) {
        if match.2 == "Double" { floating.insert(match.1) } else { floating.remove(match.1) }
      }
      // What is converted under its own name was floating before.
      var converted: Set<Substring> = []
      for match in line.matches(of: bound) {
        let value = match.3 ?? ""
        if value.prefixMatch(of: conversion) != nil {
          converted.insert(match.2)
        } else if match.1 != nil || isFloating(value) {
          floating.insert(match.2)
        } else {
          floating.remove(match.2)
        }
      }
      let found = line.matches(of: conversion).filter { match in
        var depth = 1
        return isFloating(
          line[match.range.upperBound...].prefix { character in
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            return depth > 0
          })
      }
      floating.subtract(converted)
      return found.map { match in
        Finding(
          path: file.path, line: index + 1, what: "\(match.output)…) of a floating-point number: write Int(clamping:)")
      }
    }
  }

  /// - Parameter words: One of them is in whatever the pattern matches.
  private static func matches(
    of pattern: Regex<Substring>, in file: ProjectFile, ifItMentions words: [String], what: (Substring) -> String
  ) -> [Finding] {
    guard file.mentions(words) else { return [] }
    return file.swift.code.enumerated().compactMap { index, line in
      line.firstMatch(of: pattern).map { Finding(path: file.path, line: index + 1, what: what($0.output)) }
    }
  }

  private static func lines(of file: ProjectFile, what: (String) -> String?) -> [Finding] {
    file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      what(String(line)).map { Finding(path: file.path, line: index + 1, what: $0) }
    }
  }

  private static func contains(_ line: String, word: String) -> Bool {
    line.ranges(of: word).contains { range in
      let before = line[..<range.lowerBound].last
      let after = line[range.upperBound...].first
      return ![before, after].contains { $0.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }
    }
  }

  /// Whether a byte can be part of an identifier; a backtick is taken for one, as it makes a word a name.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...: true
    default: false
    }
  }

  private static func isBlank(_ line: String) -> Bool {
    line.allSatisfy(\.isWhitespace)
  }
}
