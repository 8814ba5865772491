package import LineProtocol

/// A parsed script: the requests in order, and the expectation for each.
///
/// The requests are stored as one run of bytes in the form in which they are sent, so that many can be sent at once.
package struct Script: Sendable {
  /// A file of the script: the script itself first, then the files that it includes.
  package struct Source: Sendable {
    package let name: String
    package let bytes: [UInt8]
  }

  /// One thing to do.
  package struct Step: Sendable {
    /// Index of its file in ``Script/sources``.
    package let source: Int32
    /// Its line in the file, from 1.
    package let line: Int32
    package let action: Action
    fileprivate let start: Int
    fileprivate let length: Int32
  }

  package enum Action: Sendable {
    /// A request. `outcome` is an index in ``Script/outcomes``; if negative, the request only must not fail.
    case request(Verb?, outcome: Int32)
    /// Index in ``Script/checks``; the step carries the request that the check needs, if any.
    case check(Int32)
    /// Repeats the steps up to `past` so many times; the last of them is the matching ``again``.
    case repeats(Int32, past: Int32)
    case again(first: Int32)
  }

  /// An `expect` or `never` that is not a request of the protocol.
  package enum Check: Hashable, Sendable {
    /// Exactly these timers run, in any order. Its request is `show`.
    case timers(machine: String, names: [String])
    /// A reading has a value. Its request is `show`.
    case reading(machine: String, name: String, Reading)
    /// An output is emitted within so many nanoseconds; without `within`, at the current time. It has no request.
    case output(machine: String, name: String, within: Int64?)
    /// So many per cent of the transitions of the kinds of such machines have been made. Its request is `coverage`.
    case coverage(pattern: String, percent: Int)
    /// The state never occurs from here to the end. Its requests are `watch` and `expect`.
    case never(machine: String, StateText)
  }

  /// The expected value of a reading.
  package enum Reading: Hashable, Sendable {
    case number(Double, tolerance: Double)
    case text(String)
    /// The machine has no such reading now.
    case none
  }

  /// The seed of its world, if the script gives one.
  package internal(set) var seed: UInt64?
  package internal(set) var sources: [Source] = []
  package internal(set) var steps: [Step] = []
  package internal(set) var outcomes: [ScriptOutcome] = []
  package internal(set) var checks: [Check] = []
  /// The heading of a lesson; nil for any other script.
  package internal(set) var heading: Heading?
  /// What the script tells people, in the order of its lines.
  package internal(set) var narration: [Narration] = []
  private var text: [UInt8] = []
  /// Where the document of a step stands, by the step's index: its file, and how many lines of the file are before it.
  private var documents: [Int: (file: String, linesBefore: Int)] = [:]

  /// The name of the script's own file.
  package var name: String { sources[0].name }

  /// The bytes that a step sends, with line ends; empty if it sends nothing. Valid within the call.
  package func withRequest<R>(of step: Step, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[step.start..<(step.start + Int(step.length))])) }
  }

  /// The request of a step without the line end; of a document only the line before it.
  package func request(of step: Step) -> String {
    withRequest(of: step) { bytes in
      if case .request(.define, _) = step.action { return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self) }
      return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
  }

  /// `FILE:LINE` of a step.
  package func place(of step: Step) -> String { "\(sources[Int(step.source)].name):\(step.line)" }

  /// The line of a step as written in its file, without leading and trailing blanks.
  package func line(of step: Step) -> String {
    let lines = sources[Int(step.source)].bytes.split(
      separator: 0x0A, maxSplits: Int(step.line), omittingEmptySubsequences: false)
    let line = lines[Int(step.line) - 1].drop { $0 == 0x20 || $0 == 0x09 }
    let end = line.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? line.startIndex
    return String(decoding: line[..<end], as: UTF8.self)
  }

  /// What the daemon says of a document, `. LINE:COLUMN SEVERITY : TEXT`, with the place in the file that it stands in:
  /// `FILE:LINE:COLUMN: SEVERITY: TEXT`. Another row stays as it is.
  package func finding(_ row: String, atStep place: Int) -> String {
    guard let document = documents[place], let line = ServerLine(row), line.words.count > 1 else { return row }
    let numbers = line.words[0].split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 2 else { return row }
    return "\(document.file):\(numbers[0] + document.linesBefore):\(numbers[1]): \(line.words[1]): \(line.note ?? "")"
  }

  /// The script without all requests but those that bring documents.
  package var definitions: Script {
    var script = self
    script.steps = []
    script.documents = [:]
    script.checks = []
    script.narration = []
    for (place, step) in steps.enumerated() {
      guard case .request(.define, _) = step.action else { continue }
      script.documents[script.steps.count] = documents[place]
      script.steps.append(step)
    }
    return script
  }

  /// Says where the document of the last step stands.
  mutating func placeDocument(in file: String, linesBefore: Int) {
    documents[steps.count - 1] = (file, linesBefore)
  }

  /// Appends a step.
  mutating func append(_ action: Action, request: some Sequence<UInt8>, source: Int, line: Int) {
    let start = text.count
    text.append(contentsOf: request)
    append(action, from: start, source, line)
  }

  mutating func append(_ action: Action, request: UnsafeRawBufferPointer, before: StaticString, source: Int, line: Int)
  {
    let start = text.count
    before.withUTF8Buffer { text.append(contentsOf: $0) }
    text.append(contentsOf: request)
    text.append(0x0A)
    append(action, from: start, source, line)
  }

  private mutating func append(_ action: Action, from start: Int, _ source: Int, _ line: Int) {
    steps.append(
      Step(
        source: Int32(source), line: Int32(line), action: action, start: start, length: Int32(text.count - start)))
  }

  /// Sets the end of the `repeat` step at `place` to the next step.
  mutating func close(repeatAt place: Int) {
    guard case .repeats(let count, _) = steps[place].action else { return }
    let step = steps[place]
    steps[place] = Step(
      source: step.source, line: step.line, action: .repeats(count, past: Int32(steps.count)), start: step.start,
      length: step.length)
  }
}

/// Size limits of a script.
package enum ScriptLimits {
  /// Bytes of a line, without its end and with names replaced; the same as for a request.
  package static let line = 65_536
  /// Bytes of a script with all files that it includes, each file counted as often as it is included.
  package static let file = 256 << 20
  /// Depth of includes, the script itself counted.
  package static let includes = 16
  /// Count of one `repeat`.
  package static let times = 1_000_000
  /// Lines played, with every `repeat` expanded.
  package static let lines = 10_000_000
  /// Depth of blocks.
  package static let blocks = 32
  /// Names defined by `let`.
  package static let names = 10_000
  /// Bytes of the value of a name.
  package static let value = 4_096
  /// Bytes that the values of names add to all lines together.
  package static let expansion = 16 << 20
  /// The file name ending of an included file.
  package static let ending = ".fsm"
}

/// An error in a script, and its position.
package struct ScriptFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let file: String
  /// From 1.
  package let line: Int
  /// In characters, from 1.
  package let column: Int
  /// What was found and what is allowed.
  package let message: String

  package init(file: String, line: Int, column: Int, message: String) {
    self.file = file
    self.line = line
    self.column = column
    self.message = message
  }

  package var description: String { "\(file):\(line):\(column): \(message)" }
}
