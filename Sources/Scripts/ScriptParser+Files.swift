import LineProtocol

/// The script itself, the files that it includes, and documents.
extension ScriptParser {
  mutating func read(_ file: String, _ bytes: [UInt8]) {
    source = script.sources.count
    script.sources.append(Script.Source(name: file, bytes: bytes))
    files.append(file)
    let outer = blocks.count
    line = 0
    bytesRead += bytes.count
    guard bytesRead <= ScriptLimits.file else {
      return note(
        fatal(
          failure(at: 0, "with this file the script has \(bytesRead) bytes; at most \(ScriptLimits.file) are read")))
    }
    bytes.withUnsafeBytes { readLines($0) }
    if !hasEnded, let missing = missingNarration() { note(missing) }
    files.removeLast()
    if !hasEnded {
      if let document, !document.lines.isSkipped {
        note(document.start)
        script.mayMakeOthers.kinds = true
      }
      document = nil
    }
    while blocks.count > outer, let open = blocks.popLast() {
      if !hasEnded { note(open.start) }
      leave(open.block)
      // The steps around it are tried although the script is not played.
      if case .repeats(let first?, _, _) = open.block {
        script.append(.again(first: Int32(first + 1)), request: EmptyCollection(), origin(0))
        script.close(repeatAt: first)
      }
    }
  }

  mutating func readLines(_ bytes: UnsafeRawBufferPointer) {
    // Some editors write a byte order mark before the first line.
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count, !hasEnded {
      let lineFeed = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      var end = lineFeed
      if end > start, bytes[end - 1] == 0x0D { end -= 1 }
      raw = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      line += 1
      if script.sources[source].starts.count < line { script.sources[source].starts.append(Int32(start)) }
      start = lineFeed + 1
      following = start
      let open = (blocks.count, document != nil)
      do throws(ScriptFailure) {
        if document != nil {
          try takeDocumentLine()
        } else if let first = raw.first(where: { $0 != 0x20 && $0 != 0x09 }) {
          try checkBytes()
          if first == WordScanner.hash {
            takeRemark()
            continue
          }
          if try takeNarration() { continue }
          try takeWords()
          try finishLine()
        }
      } catch {
        note(error)
        recover(blocksBefore: open.0, wasInDocument: open.1)
      }
      if let each = again.take(), goBack(to: each, past: start) { start = each.start }
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
    inclusions += 1
    guard inclusions <= ScriptLimits.inclusions else {
      if inclusions > ScriptLimits.inclusions + 1 { return }
      throw failure(
        word: place,
        "a script includes at most \(ScriptLimits.inclusions) files, each counted as often as it is included")
    }
    let bytes: [UInt8]
    switch load(file) {
    case .bytes(let found): bytes = found
    case .failed(let why): throw failure(word: place, "cannot read '\(file)': \(why)")
    }
    let (source, line, raw) = (source, line, raw)
    let place = script.sources.count
    read(file, bytes)
    script.sources[place].includedBy = (Int32(source), Int32(line))
    (self.source, self.line, self.raw) = (source, line, raw)
  }

  /// Resolves a path relative to the including file: without `.` and, where possible, without `..`.
  package static func path(_ path: String, beside file: String) -> String {
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

  /// Begins a document, which ends with `enddefine`.
  mutating func beginDocument(_ line: String, outcome: Int32, word place: Int) {
    document = OpenDocument(
      line: line, outcome: outcome, start: failure(word: place, "this 'define' has no '\(DocumentSource.end)'"))
  }

  mutating func takeDocumentLine() throws(ScriptFailure) {
    guard var open = document.take() else { return }
    switch open.lines.take(raw) {
    case .taken: document = open
    case .tooLong:
      document = open
      throw failure(at: 0, "a document has at most \(DocumentSource.maxBytes) bytes")
    case .end where open.lines.isSkipped: break
    case .end:
      let request = DocumentSource.Request(line: open.line, bytes: open.lines.bytes)
      // Failures of the request are about its first line.
      let end = line
      line = open.start.line
      try append(.request(.define, outcome: open.outcome), request)
      script.placeDocument(in: script.sources[source].name, linesBefore: line)
      line = end
    }
  }

  /// Appends the requests that bring a document; the last of them has the outcome.
  mutating func load(
    _ path: String, as kind: String?, isStrict: Bool, outcome: Int32, word place: Int
  ) throws(ScriptFailure) {
    let file = Self.path(path, beside: script.sources[source].name)
    let requests: [DocumentSource.Request]
    do throws(DocumentSource.Failure) {
      requests = try DocumentSource(file, as: kind, isStrict: isStrict, load: load).requests
    } catch {
      throw failure(word: place, error.message)
    }
    for request in requests.dropLast() { try append(.request(.define, outcome: -1), request) }
    if let last = requests.last { try append(.request(.define, outcome: outcome), last) }
    script.placeDocument(in: file, linesBefore: 0)
  }

  mutating func append(_ action: Script.Action, _ request: DocumentSource.Request) throws(ScriptFailure) {
    try count()
    bytesRead += request.sent.count
    guard bytesRead <= ScriptLimits.file else {
      throw fatal(failure(at: 0, "with its documents the script has more than \(ScriptLimits.file) bytes"))
    }
    script.append(action, request: request.sent, origin(0))
  }
}
