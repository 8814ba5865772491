import LineProtocol

/// Parses scripts: requests as at the prompt, with times, expectations, names, repeats and included files.
///
/// Docs/Scripts.md has the grammar. It checks everything that can be checked without a daemon, and stops at the first
/// error.
package struct ScriptParser: ~Copyable {
  /// The result of reading a file.
  package enum Loaded {
    case bytes([UInt8])
    /// Why it cannot be read.
    case failed(String)
  }

  private enum Block {
    /// The index of its step, and how often the lines around it are played.
    case repeats(step: Int, within: Int)
    case batch
    /// Free play; its lines are a solution.
    case attempt
  }

  private struct OpenDocument {
    let line: String
    let outcome: Int32
    let start: ScriptFailure
    var bytes: [UInt8] = []
  }

  private let load: (String) -> Loaded
  var script = Script()
  var words = ScriptWords()
  var names: [String: ScriptName] = [:]
  var outcomes: [String: Int32] = [:]
  private var blocks: [(block: Block, start: ScriptFailure)] = []
  /// A document whose lines are being read, between `define` and `enddefine`.
  private var document: OpenDocument?
  /// The files being read, each included by the one before it.
  private var files: [String] = []
  /// How often the current line is played.
  private var times = 1
  private var linesPlayed = 0
  private var bytesRead = 0
  /// How many bytes the values of names have added so far.
  private var expansion = 0
  var source = 0
  var line = 0
  // Safety: the current line in the bytes of its file, which `read` keeps alive while this is used.
  private(set) var raw = UnsafeRawBufferPointer(start: nil, count: 0)
  var narrator = Narrator()

  private init(load: @escaping (String) -> Loaded) {
    self.load = load
  }

  /// Parses a script with all files that it includes.
  ///
  /// - Parameters:
  ///   - name: The path of the file, for messages; included files are searched relative to it.
  ///   - load: Reads an included file.
  /// - Throws: The first error.
  /// - Complexity: O(*n*) in the bytes of all files.
  package static func parse(
    _ name: String, _ bytes: [UInt8], load: (String) -> Loaded
  ) throws(ScriptFailure) -> Script {
    let result = withoutActuallyEscaping(load) { load in
      Result { () throws(ScriptFailure) in
        var parser = ScriptParser(load: load)
        try parser.read(name, bytes)
        return parser.script
      }
    }
    return try result.get()
  }

  // MARK: Files and lines

  private mutating func read(_ file: String, _ bytes: [UInt8]) throws(ScriptFailure) {
    source = script.sources.count
    script.sources.append(Script.Source(name: file, bytes: bytes))
    files.append(file)
    let outer = blocks.count
    line = 0
    bytesRead += bytes.count
    guard bytesRead <= ScriptLimits.file else {
      throw failure(
        at: 0, "with this file the script has \(bytesRead) bytes; at most \(ScriptLimits.file) are read")
    }
    let failed = bytes.withUnsafeBytes { buffer -> ScriptFailure? in
      do throws(ScriptFailure) {
        try readLines(buffer)
      } catch {
        return error
      }
      return nil
    }
    if let failed { throw failed }
    if let document { throw document.start }
    if blocks.count > outer, let open = blocks.last { throw open.start }
    try finishNarration()
    files.removeLast()
  }

  private mutating func readLines(_ bytes: UnsafeRawBufferPointer) throws(ScriptFailure) {
    // Some editors write a byte order mark before the first line.
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count {
      let lineFeed = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      var end = lineFeed
      if end > start, bytes[end - 1] == 0x0D { end -= 1 }
      raw = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      start = lineFeed + 1
      line += 1
      if document != nil {
        try takeDocumentLine()
        continue
      }
      guard let first = raw.first(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
      try checkBytes()
      if first == UInt8(ascii: "#") { continue }
      if try takeNarration() { continue }
      do throws(ScriptWords.Problem) {
        try words.read(raw, names: names)
      } catch {
        throw failure(at: error.start, error.message)
      }
      expansion += max(0, words.written.count - raw.count)
      guard expansion <= ScriptLimits.expansion else {
        throw failure(
          at: 0, "the values of names make this script longer by more than \(ScriptLimits.expansion) bytes")
      }
      try takeLine()
      try finishLine()
    }
  }

  /// Parses a text as a line in the place of the current one.
  mutating func takePart(_ text: String) throws(ScriptFailure) {
    let whole = raw
    defer { raw = whole }
    let failed = Array(text.utf8).withUnsafeBytes { bytes -> ScriptFailure? in
      raw = bytes
      do throws(ScriptWords.Problem) {
        try words.read(bytes, names: names)
      } catch {
        return failure(at: error.start, error.message)
      }
      do throws(ScriptFailure) {
        try takeLine()
      } catch {
        return error
      }
      return nil
    }
    if let failed { throw failed }
  }

  private func checkBytes() throws(ScriptFailure) {
    guard raw.count <= ScriptLimits.line else {
      throw failure(at: 0, "this line has \(raw.count) bytes; at most \(ScriptLimits.line) are allowed")
    }
    guard !TextRules.isPlain(raw) else { return }
    var before = ""
    var decoder = Unicode.UTF8()
    var bytes = raw.makeIterator()
    while true {
      switch decoder.decode(&bytes) {
      case .emptyInput: return
      case .error: throw failure(behind: before, "this is not valid UTF-8")
      case .scalarValue(let scalar):
        if scalar.value < 0x20 && scalar != "\t" || (0x7F...0x9F).contains(scalar.value) {
          throw failure(behind: before, "a control character is not allowed; of these only tab is")
        }
        before.unicodeScalars.append(scalar)
      }
    }
  }

  /// An error at a byte offset of the current line.
  func failure(at start: Int, _ message: String) -> ScriptFailure {
    failure(behind: String(decoding: raw.prefix(start), as: UTF8.self), message)
  }

  private func failure(behind text: String, _ message: String) -> ScriptFailure {
    ScriptFailure(file: script.sources[source].name, line: max(1, line), column: text.count + 1, message: message)
  }

  /// An error at a word; after the last word if there is none at this index.
  func failure(word place: Int, _ message: String) -> ScriptFailure {
    guard words.words.indices.contains(place) else {
      return failure(at: raw.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0, message)
    }
    return failure(at: words.words[place].start, message)
  }

  // MARK: Steps

  /// Whether the current line is in an included file.
  var isIncluded: Bool { files.count > 1 }

  var isInBatch: Bool {
    blocks.contains { if case .batch = $0.block { true } else { false } }
  }

  var isInRepeat: Bool {
    blocks.contains { if case .repeats = $0.block { true } else { false } }
  }

  /// Whether the innermost block is one of free play.
  var isInAttempt: Bool {
    if case .attempt? = blocks.last?.block { true } else { false }
  }

  /// Appends a step that sends some words of the current line.
  ///
  /// - Parameter before: Text to send before them.
  mutating func append(
    _ action: Script.Action, words range: Range<Int>, before: StaticString = ""
  ) throws(ScriptFailure) {
    try count()
    script.append(action, request: words.written(range), before: before, source: source, line: line)
  }

  /// Appends a step that sends a text, or nothing.
  mutating func append(_ action: Script.Action, request: String = "") throws(ScriptFailure) {
    try count()
    script.append(action, request: request.utf8, source: source, line: line)
  }

  private mutating func count() throws(ScriptFailure) {
    linesPlayed += times
    guard linesPlayed <= ScriptLimits.lines else {
      throw failure(at: 0, "with all its repetitions this script has more than \(ScriptLimits.lines) lines")
    }
  }

  // MARK: Blocks and other files

  mutating func beginRepeat(_ count: Int, word place: Int) throws(ScriptFailure) {
    try open(.repeats(step: script.steps.count, within: times), "this 'repeat' has no 'end'", word: place)
    try append(.repeats(Int32(count), past: 0))
    // Past the limit the exact number no longer matters.
    times = min(times * count, ScriptLimits.lines + 1)
  }

  /// Begins a document, which ends with `enddefine`.
  mutating func beginDocument(_ line: String, outcome: Int32, word place: Int) {
    document = OpenDocument(
      line: line, outcome: outcome, start: failure(word: place, "this 'define' has no '\(DocumentSource.end)'"))
  }

  private mutating func takeDocumentLine() throws(ScriptFailure) {
    guard var open = document.take() else { return }
    let text = raw.drop { $0 == 0x20 || $0 == 0x09 }
    guard !text.elementsEqual(DocumentSource.end.utf8) else {
      let request = DocumentSource.Request(line: open.line, bytes: open.bytes)
      // Failures of the request are about its first line.
      let end = line
      line = open.start.line
      try append(.request(.define, outcome: open.outcome), request)
      script.placeDocument(in: script.sources[source].name, linesBefore: line)
      line = end
      return
    }
    guard open.bytes.count + raw.count < DocumentSource.mostBytes else {
      throw failure(at: 0, "a document has at most \(DocumentSource.mostBytes) bytes")
    }
    open.bytes.append(contentsOf: raw)
    open.bytes.append(0x0A)
    document = open
  }

  /// Appends the requests that bring a document; the last of them has the outcome.
  mutating func load(_ path: String, as kind: String?, outcome: Int32, word place: Int) throws(ScriptFailure) {
    let file = Self.path(path, beside: script.sources[source].name)
    let requests: [DocumentSource.Request]
    do throws(DocumentSource.Failure) {
      requests = try DocumentSource(file, as: kind, load: load).requests
    } catch {
      throw failure(word: place, error.message)
    }
    for request in requests.dropLast() { try append(.request(.define, outcome: -1), request) }
    if let last = requests.last { try append(.request(.define, outcome: outcome), last) }
    script.placeDocument(in: file, linesBefore: 0)
  }

  private mutating func append(_ action: Script.Action, _ request: DocumentSource.Request) throws(ScriptFailure) {
    try count()
    script.append(action, request: request.sent, source: source, line: line)
  }

  mutating func beginBatch(word place: Int) throws(ScriptFailure) {
    if isInBatch { throw failure(word: place, "a batch cannot stand in a batch") }
    try open(.batch, "this 'begin' has no 'end'", word: place)
  }

  mutating func openAttempt(_ unclosed: ScriptFailure) throws(ScriptFailure) {
    guard blocks.count < ScriptLimits.blocks else { throw unclosed }
    blocks.append((.attempt, unclosed))
  }

  private mutating func open(_ block: Block, _ unclosed: String, word place: Int) throws(ScriptFailure) {
    guard blocks.count < ScriptLimits.blocks else {
      throw failure(word: place, "blocks may be nested at most \(ScriptLimits.blocks) deep")
    }
    blocks.append((block, failure(word: place, unclosed)))
  }

  /// Ends the innermost block that began in this file.
  ///
  /// - Returns: Whether it was a batch, whose `end` is a request.
  mutating func endBlock(word place: Int) throws(ScriptFailure) -> Bool {
    guard let open = blocks.last, open.start.file == script.sources[source].name else {
      throw failure(word: place, "there is no 'repeat', 'begin' or 'try' before this 'end'")
    }
    blocks.removeLast()
    switch open.block {
    case .batch: return true
    case .attempt:
      endAttempt()
      return false
    case .repeats(let step, let within):
      times = within
      try append(.again(first: Int32(step + 1)))
      script.close(repeatAt: step)
      return false
    }
  }

  mutating func include(_ path: String, word place: Int) throws(ScriptFailure) {
    let file = Self.path(path, beside: script.sources[source].name)
    // An error quotes the words around it, so files that are not scripts must not be read.
    guard file.hasSuffix(ScriptLimits.ending) else {
      throw failure(word: place, "'\(path)' is not a script: a script's name ends with '\(ScriptLimits.ending)'")
    }
    if let first = files.firstIndex(of: file) {
      let circle = (files[first...] + [file]).joined(separator: " includes ")
      throw failure(word: place, "files include each other: \(circle)")
    }
    guard files.count < ScriptLimits.includes else {
      throw failure(word: place, "files may include each other at most \(ScriptLimits.includes) deep")
    }
    let bytes: [UInt8]
    switch load(file) {
    case .bytes(let found): bytes = found
    case .failed(let why): throw failure(word: place, "cannot read '\(file)': \(why)")
    }
    let (source, line, raw) = (source, line, raw)
    try read(file, bytes)
    (self.source, self.line, self.raw) = (source, line, raw)
  }

  /// Resolves a path relative to the including file: without `.` and, where possible, without `..`.
  static func path(_ path: String, beside file: String) -> String {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let whole = path.hasPrefix("/") ? path : folder + path
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return (whole.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
