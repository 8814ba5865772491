import LineProtocol

/// Parses transcripts: plain files, and blocks in Markdown files.
package struct TranscriptParser {
  private let name: String
  private let bytes: [UInt8]
  private let lines: [Range<Int>]
  private var exchanges: [Transcript.Exchange] = []
  /// The `begin` whose lines are being parsed.
  private var batch: ScriptFailure?
  private var hasQuit = false

  private init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    var lines: [Range<Int>] = []
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count {
      let lineFeed = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      let end = lineFeed > start && lineFeed < bytes.count && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
      lines.append(start..<end)
      start = lineFeed + 1
    }
    self.lines = lines
  }

  /// Parses a transcript.
  ///
  /// - Parameter name: The path of the file, for messages.
  /// - Throws: The first error. A file without a request is an error.
  /// - Complexity: O(*n*) in the bytes of the file.
  package static func parse(_ name: String, _ bytes: [UInt8]) throws(ScriptFailure) -> Transcript {
    guard bytes.count <= ScriptLimits.file else {
      throw ScriptFailure(
        file: name, line: 1, column: 1,
        message: "this file has \(bytes.count) bytes; at most \(ScriptLimits.file) are read")
    }
    var parser = TranscriptParser(name: name, bytes: bytes)
    let blocks = parser.blocks()
    for place in blocks.isEmpty ? [parser.lines.indices] : blocks { try parser.read(place) }
    if let open = parser.batch { throw open }
    guard !parser.exchanges.isEmpty else {
      throw ScriptFailure(
        file: name, line: 1, column: 1, message: "there is no request in this file; requests begin with '> '")
    }
    return Transcript(name: name, bytes: parser.bytes, lines: parser.lines, exchanges: parser.exchanges)
  }

  /// Whether a Markdown file contains transcripts.
  package static func hasBlocks(_ bytes: [UInt8]) -> Bool {
    !TranscriptParser(name: "", bytes: bytes).blocks().isEmpty
  }

  // MARK: Blocks

  /// The lines of each block marked `fsmd`. An unclosed block extends to the end of the file.
  private func blocks() -> [Range<Int>] {
    var blocks: [Range<Int>] = []
    var open: (fence: ArraySlice<UInt8>, start: Int, isOurs: Bool)?
    for (place, range) in lines.enumerated() {
      let line = bytes[range]
      guard let mark = line.first, mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else { continue }
      let fence = line.prefix { $0 == mark }
      guard fence.count >= 3 else { continue }
      let info = line.dropFirst(fence.count).filter { $0 != 0x20 && $0 != 0x09 }
      if let block = open {
        guard info.isEmpty, block.fence.first == mark, fence.count >= block.fence.count else { continue }
        if block.isOurs { blocks.append(block.start..<place) }
        open = nil
      } else {
        open = (fence, place + 1, info.elementsEqual("fsmd".utf8))
      }
    }
    if let block = open, block.isOurs { blocks.append(block.start..<lines.count) }
    return blocks
  }

  // MARK: Lines

  private mutating func read(_ block: Range<Int>) throws(ScriptFailure) {
    for place in block {
      let line = bytes[lines[place]]
      guard String(validating: line, as: UTF8.self) != nil else {
        throw failure(place, in: line, at: line.startIndex, "this line is not valid UTF-8")
      }
      guard let first = line.first(where: { !Self.isBlank($0) }), first != UInt8(ascii: "#") else { continue }
      let isWord = line.count == 1 || Self.isBlank(line[line.startIndex + 1])
      if line.first == UInt8(ascii: ">"), isWord {
        try takeRequest(place, line)
      } else if line.first == UInt8(ascii: "{") || isWord && line.first.flatMap(LineClass.init) != nil {
        guard !exchanges.isEmpty else {
          throw failure(place, in: line, at: line.startIndex, "an answer stands before the first request")
        }
        exchanges[exchanges.count - 1].answers.append(place)
      } else {
        throw failure(
          place, in: line, at: line.startIndex,
          "this is neither a request ('> …'), nor a line of the daemon ('+ …', '- …', '. …', '* …', '! …'), nor a "
            + "remark ('# …')")
      }
    }
  }

  private mutating func takeRequest(_ place: Int, _ line: ArraySlice<UInt8>) throws(ScriptFailure) {
    var rest = Self.dropBlanks(line.dropFirst())
    if hasQuit {
      throw failure(place, in: line, at: line.startIndex, "the connection is closed by 'quit'; nothing can follow")
    }
    guard let first = rest.first else {
      throw failure(place, in: line, at: line.endIndex, "a request or a time must follow '>'")
    }
    if first == UInt8(ascii: "#") {
      throw failure(place, in: line, at: rest.startIndex, "a remark stands on a line of its own, without '>'")
    }
    if first == UInt8(ascii: "|") {
      guard let last = exchanges.last, last.verb == .define, last.answers.isEmpty else {
        throw failure(
          place, in: line, at: rest.startIndex, "'> |' is a line of a document, which follows '> define KIND format=F'")
      }
      exchanges[exchanges.count - 1].document.append(place)
      return
    }
    let time = try takeTime(place, line, &rest)
    let words = rest.split { Self.isBlank($0) }.drop { $0.first == UInt8(ascii: "@") }
    let verb = words.first.flatMap { word in word.withUnsafeBytes { Verb($0) } }
    let start = words.first?.startIndex ?? line.startIndex
    if batch != nil {
      if time != nil {
        throw failure(place, in: line, at: line.startIndex + 2, "no time passes between 'begin' and 'end'")
      }
      if verb == .end || verb == .discard { batch = nil }
    } else if verb == .begin {
      batch = failure(place, in: line, at: start, "this 'begin' has no 'end'")
    } else if let why = Self.barred(verb, words.dropFirst()) {
      throw failure(place, in: line, at: start, why)
    } else if verb == .quit {
      hasQuit = true
    }
    exchanges.append(
      Transcript.Exchange(
        place: place, time: time, request: String(decoding: rest, as: UTF8.self), verb: rest.isEmpty ? nil : verb))
  }

  /// Parses and removes a leading `at TIME` or `after DURATION`.
  private func takeTime(
    _ place: Int, _ line: ArraySlice<UInt8>, _ rest: inout ArraySlice<UInt8>
  ) throws(ScriptFailure) -> Transcript.Time? {
    let word = rest.prefix { !Self.isBlank($0) }
    guard let kind = ScriptTime(String(decoding: word, as: UTF8.self)) else { return nil }
    let tail = Self.dropBlanks(rest.dropFirst(word.count))
    let text = tail.prefix { !Self.isBlank($0) }
    let written = String(decoding: text, as: UTF8.self)
    if let mistake = kind.mistake(in: text.isEmpty ? nil : written) {
      throw failure(place, in: line, at: text.isEmpty ? line.endIndex : text.startIndex, mistake)
    }
    rest = Self.dropBlanks(tail.dropFirst(text.count))
    return switch kind {
    case .at: TimeText.time(written).map { .at($0) }
    case .after: TimeText.duration(written).map { .after($0) }
    }
  }

  /// Why a request is not allowed in a transcript; `nil` if it is.
  private static func barred(_ verb: Verb?, _ words: ArraySlice<ArraySlice<UInt8>>) -> String? {
    func has(_ word: StaticString) -> Bool { words.contains { word.withUTF8Buffer($0.elementsEqual) } }
    return switch verb {
    case .shutdown: "a check does not end the daemon, so 'shutdown' has no place here"
    case .clock where has("real"), .world where has("clock=real"):
      "a check has virtual clocks only; 'at' and 'after' let time pass"
    default: nil
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func dropBlanks(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> { bytes.drop(while: isBlank) }

  private func failure(
    _ place: Int, in line: ArraySlice<UInt8>, at index: Int, _ message: String
  ) -> ScriptFailure {
    let before = String(decoding: line[line.startIndex..<index], as: UTF8.self)
    return ScriptFailure(file: name, line: place + 1, column: before.count + 1, message: message)
  }
}
