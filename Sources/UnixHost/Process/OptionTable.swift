internal import CSystem
internal import Glibc

/// The options of a program: spelling, value and help text, each given once.
///
/// glibc's `getopt_long` scans them, so the usual forms work: `-ffile`, `-f file`, `--file=file`, `--file file`, `-kr`,
/// unambiguous abbreviations, `--`, options after operands. `-h`/`--help` and `-V`/`--version` are always present.
package struct OptionTable<Name: Sendable>: Sendable {
  /// One option.
  package struct Option: Sendable {
    let name: Name
    let short: Character?
    let long: String
    let argument: Argument
    let values: [String]
    let summary: String

    /// - Parameters:
    ///   - short: An ASCII letter or digit.
    ///   - values: All that its value can be, for completion; empty if that is no list. The table does not check it.
    ///   - summary: What it does; a line break starts a new line in the usage text.
    package init(
      _ name: Name, short: Character? = nil, long: String, argument: Argument = .none, values: [String] = [],
      summary: String
    ) {
      self.name = name
      self.short = short
      self.long = long
      self.argument = argument
      self.values = values
      self.summary = summary
    }
  }

  /// Whether a value follows, and its name in the usage text.
  package enum Argument: Hashable, Sendable {
    case none
    case required(String)
    /// Only as `--long=VALUE` or `-sVALUE`.
    case optional(String)
  }

  /// An option as given on the command line.
  package struct Given {
    package let name: Name
    /// Its long name, without the dashes.
    package let long: String
    /// Empty when the option takes no value or an optional one was omitted.
    package let value: String
  }

  /// What the command line asks for.
  package enum Outcome {
    /// The options in order, and the operands.
    case run(options: [Given], operands: [String])
    case help
    case version
  }

  /// The name of the program, with the subcommand if there is one.
  package let program: String
  private let synopsis: String
  private let options: [Option]

  /// - Parameter synopsis: The text after the program's name in the first line of the usage text.
  package init(program: String, synopsis: String, options: [Option]) {
    self.program = program
    self.synopsis = synopsis
    self.options = options
  }

  /// Scans the words after the program's name.
  ///
  /// - Throws: A ``UsageFailure`` for the first wrong word.
  package func parse(_ words: [String]) throws(UsageFailure) -> Outcome {
    // glibc keeps its position in a global, so only one thread may scan at a time.
    try scanning.withLock { _ throws(UsageFailure) in try scan(words) }
  }

  private func scan(_ words: [String]) throws(UsageFailure) -> Outcome {
    // Safety: both vectors and their strings live until the end of this call.
    let strings = CStrings([program] + words)
    let names = CStrings(options.map(\.long) + ["help", "version"])
    defer {
      strings.free()
      names.free()
    }
    var long = zip(names.vector, options.map(\.argument) + [.none, .none]).enumerated().map { index, entry in
      option(name: entry.0, has_arg: entry.1.code, flag: nil, val: Self.longBase + Int32(index))
    }
    long.append(option())

    var given: [Given] = []
    fsm_getopt_restart()
    guard let start = strings.vector.baseAddress else { return .run(options: [], operands: []) }
    let vector = UnsafePointer(start)  // As the header declares it, although getopt_long reorders it.
    while true {
      let code = getopt_long(Int32(words.count + 1), vector, shortLetters, long, nil)
      switch code {
      case -1:
        return .run(options: given, operands: strings.texts(from: Int(fsm_getopt_index()), to: words.count + 1))
      case Self.unknown, Self.missing:
        throw failure(code, word: strings.texts(from: Int(fsm_getopt_index()) - 1, to: words.count + 1).first)
      default:
        guard let index = index(of: code) else { continue }
        if index == options.count { return .help }
        if index == options.count + 1 { return .version }
        let value = fsm_getopt_value().map { String(cString: $0) } ?? ""
        given.append(Given(name: options[index].name, long: options[index].long, value: value))
      }
    }
  }

  /// The synopsis, and all options with their summaries.
  package var usage: String { usage(synopsis) { _ in true } }

  /// Another synopsis, and some of the options.
  package func usage(_ synopsis: String, _ isShown: (Name) -> Bool) -> String {
    let rows =
      options.filter { isShown($0.name) }.map {
        (label(short: $0.short, long: $0.long, argument: $0.argument), $0.summary)
      }
      + [
        (label(short: "h", long: "help"), Self.helpSummary), (label(short: "V", long: "version"), Self.versionSummary),
      ]
    let width = rows.map(\.0.count).max() ?? 0
    var text = "usage: \(program) \(synopsis)\n\n"
    for (label, summary) in rows {
      let lines = summary.split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() {
        let left = number == 0 ? label : ""
        text += "  \(left)\(String(repeating: " ", count: width - left.count))  \(line)\n"
      }
    }
    return text
  }

  /// The options for the completion of a command, `--help` and `--version` included.
  ///
  /// A value named `FILE`, `PATH` or `PROGRAM` is a file, one named `DIR` or `FOLDER` a folder.
  package func completions(where isOffered: (Name) -> Bool = { _ in true }) -> [ShellCompletion.Option] {
    options.filter { isOffered($0.name) }.map { option in
      ShellCompletion.Option(
        short: option.short, long: option.long,
        summary: option.summary.split(separator: "\n").first.map(String.init) ?? "",
        value: option.argument.completion(of: option.values))
    } + [
      ShellCompletion.Option(
        short: "h", long: "help", summary: Self.helpSummary, value: Argument.none.completion(of: [])),
      ShellCompletion.Option(
        short: "V", long: "version", summary: Self.versionSummary, value: Argument.none.completion(of: [])),
    ]
  }

  private static var helpSummary: String { "show this text" }
  private static var versionSummary: String { "show the version" }

  private func label(short: Character?, long: String, argument: Argument = .none) -> String {
    let letter = short.map { "-\($0), " } ?? "    "
    return switch argument {
    case .none: "\(letter)--\(long)"
    case .required(let word): "\(letter)--\(long) \(word)"
    case .optional(let word): "\(letter)--\(long)[=\(word)]"
    }
  }

  // getopt_long returns a short letter or one of these.
  private static var longBase: Int32 { 0x1000 }
  private static var unknown: Int32 { Int32(UInt8(ascii: "?")) }
  private static var missing: Int32 { Int32(UInt8(ascii: ":")) }

  /// The leading colon requests a separate code for a missing value.
  private var shortLetters: String {
    options.reduce(into: ":hV") { letters, option in
      guard let short = option.short else { return }
      letters += "\(short)"
      switch option.argument {
      case .none: break
      case .required: letters += ":"
      case .optional: letters += "::"
      }
    }
  }

  private func index(of code: Int32) -> Int? {
    if code >= Self.longBase { return Int(code - Self.longBase) }
    let letter = Character(UnicodeScalar(UInt8(truncatingIfNeeded: code)))
    if letter == "h" { return options.count }
    if letter == "V" { return options.count + 1 }
    return options.firstIndex { $0.short == letter }
  }

  private var names: [String] { options.map { "--\($0.long)" } + ["--help", "--version"] }

  /// What is wrong, and which option is probably meant by an unknown one.
  ///
  /// - Parameter nearest: Finds the candidate that is nearest to a word, if one is near.
  package func text(of failure: UsageFailure, _ nearest: (String, [String]) -> String?) -> String {
    guard case .unknownOption(let word) = failure, let meant = nearest(word, names) else { return "\(failure)" }
    return "\(failure) (did you mean \(meant)?)"
  }

  private func failure(_ code: Int32, word: String?) -> UsageFailure {
    let culprit = fsm_getopt_culprit()
    let known = index(of: culprit).flatMap { options.indices.contains($0) ? options[$0] : nil }
    let written: String
    if let word, word.hasPrefix("--") {
      written = String(word.prefix { $0 != "=" })
    } else {
      written = "-\(Character(UnicodeScalar(UInt8(truncatingIfNeeded: culprit))))"
    }
    if code == Self.missing { return .missingValue(option: known.map { "--\($0.long)" } ?? written) }
    if culprit >= Self.longBase { return .unexpectedValue(option: written) }
    let meant = names.filter { written.hasPrefix("--") && $0.hasPrefix(written) }
    return meant.count > 1 ? .ambiguousOption(written, meant) : .unknownOption(written)
  }
}

extension OptionTable.Argument {
  fileprivate var code: Int32 {
    switch self {
    case .none: no_argument
    case .required: required_argument
    case .optional: optional_argument
    }
  }

  fileprivate func completion(of values: [String]) -> ShellCompletion.Value {
    let (name, isOptional): (String?, Bool) =
      switch self {
      case .none: (nil, false)
      case .required(let name): (name, false)
      case .optional(let name): (name, true)
      }
    let words: ShellCompletion.Value.Words =
      switch name {
      case _ where !values.isEmpty: .choice(values)
      case "FILE", "PATH", "PROGRAM": .files
      case "DIR", "FOLDER": .folders
      case _: .free
      }
    return ShellCompletion.Value(words: words, name: name, isOptional: isOptional)
  }
}

/// What is wrong with a command line.
package enum UsageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownOption(String)
  case ambiguousOption(String, [String])
  case missingValue(option: String)
  case unexpectedValue(option: String)
  /// A value or operand that the program rejected.
  case wrong(String)

  package var description: String {
    switch self {
    case .unknownOption(let word): "unknown option \(word)"
    case .ambiguousOption(let word, let meant): "\(word) could mean \(meant.joined(separator: " or "))"
    case .missingValue(let option): "\(option) needs a value"
    case .unexpectedValue(let option): "\(option) takes no value"
    case .wrong(let text): text
    }
  }
}

/// Held while a command line is scanned.
private let scanning = Locked(())

/// Copies of strings for the C library, terminated by a null pointer. Allocated in C memory, because getopt_long
/// reorders its vector and keeps pointers into it between calls.
private struct CStrings {
  let vector: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

  init(_ texts: [String]) {
    vector = .allocate(capacity: texts.count + 1)
    _ = vector.initialize(from: texts.map { strdup($0) } + [nil])
  }

  func texts(from start: Int, to end: Int) -> [String] {
    guard start >= 0, start < end else { return [] }
    return vector[start..<end].compactMap { $0.map { String(cString: $0) } }
  }

  func free() {
    for pointer in vector { Glibc.free(pointer) }
    vector.deallocate()
  }
}
