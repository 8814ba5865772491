internal import LineProtocol

/// A document that a kind is made from: its notation, its bytes, and the files that it refers to.
///
/// Scripts hold documents between `define KIND format=F` and `enddefine`, or name a file with `load`. Either way the
/// daemon gets the bytes: it opens no file that a client names.
package struct DocumentSource: Sendable {
  /// The requests that bring the document to the daemon, in order: the files first, then the document itself.
  package struct Request: Sendable, Equatable {
    /// Without `bytes=`: `define KIND format=F [resource=PATH]`.
    package let line: String
    package let bytes: [UInt8]

    /// The line with `bytes=`.
    package var announcement: String { "\(line) bytes=\(bytes.count)" }

    /// As it is sent.
    package var sent: [UInt8] { Array("\(announcement)\n".utf8) + bytes }

    package init(line: String, bytes: [UInt8]) {
      self.line = line
      self.bytes = bytes
    }

    /// The lines of a script for it, from `define` to `enddefine`; nil if the document is no text, or has a line that
    /// would end it.
    package var lines: [String]? {
      var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      if lines.last?.isEmpty == true { lines.removeLast() }
      let texts = lines.compactMap { DocumentSource.isEnd($0) ? nil : String(validating: $0, as: UTF8.self) }
      return texts.count == lines.count ? [line] + texts + [DocumentSource.end] : nil
    }
  }

  package let kind: String
  package let format: String
  /// Whether a diagram is read by the formal notation alone.
  package let isStrict: Bool
  package let bytes: [UInt8]
  package let resources: [(path: String, bytes: [UInt8])]

  /// A document that is at hand.
  package init(
    kind: String, format: String, isStrict: Bool, bytes: [UInt8], resources: [(path: String, bytes: [UInt8])]
  ) {
    self.kind = kind
    self.format = format
    self.isStrict = isStrict
    self.bytes = bytes
    self.resources = resources
  }

  package var requests: [Request] {
    let line = "define \(Word.written(kind)) format=\(format)"
    return resources.map { Request(line: "\(line) resource=\(Word.written($0.path))", bytes: $0.bytes) }
      + [Request(line: line + (isStrict ? " strict=yes" : ""), bytes: bytes)]
  }

  /// The end of a document in a script.
  package static let end = "enddefine"

  /// Whether a line ends a document in a script. Blanks can stand around the word, and a remark after it.
  package static func isEnd(_ line: some Collection<UInt8>) -> Bool {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let word = line.drop(while: isBlank)
    guard word.starts(with: end.utf8) else { return false }
    let rest = word.dropFirst(end.utf8.count)
    let last = rest.drop(while: isBlank)
    return last.isEmpty || rest.first.map(isBlank) == true && last.first == WordScanner.hash
  }
  /// The most bytes of a document that are read from a file; the daemon's limit may be lower.
  package static let maxBytes = 4 << 20
  /// The longest name of a kind, in bytes.
  private static let longestName = 64

  /// The notations by the endings of file names.
  private static let formats = [
    ".scxml": "scxml", ".xml": "scxml", ".mmd": "mermaid", ".mermaid": "mermaid", ".puml": "plantuml",
    ".plantuml": "plantuml", ".pu": "plantuml", ".iuml": "plantuml", ".wsd": "plantuml", ".json": "xstate",
  ]
  /// The endings of the names of files that a document may refer to. An error quotes the words around it, so other
  /// files are not read.
  private static let resourceEndings = [".scxml", ".xml", ".js", ".json", ".txt"]

  /// Whether a file is a document, by its name.
  package static func isDocument(_ file: String) -> Bool { formats.keys.contains { file.hasSuffix($0) } }

  package static func isDocumentOrPage(_ file: String) -> Bool {
    isDocument(file) || pageEndings.contains { file.hasSuffix($0) }
  }

  /// The state diagrams of a page of Markdown or HTML, each as `load` names it, with its heading; `nil` if the file is no
  /// page.
  package static func diagrams(ofPage file: String, _ bytes: [UInt8]) -> [(name: String, heading: String)]? {
    guard DocumentPage.isPage(file) else { return nil }
    return DocumentPage(bytes).diagrams.enumerated().map { ("\(file)#\($0 + 1)", $1.heading) }
  }

  /// The endings of the names of pages that can have diagrams.
  package static var pageEndings: [String] { DocumentPage.endings }

  /// What a JSON file beside machines of XState in a folder is, by a first look.
  package enum FolderJSON {
    case machine
    /// It has a member of a machine, but no states.
    case doubtful
    case other

    package init(_ bytes: [UInt8]) {
      self = Self.has("states", bytes) ? .machine : Self.has("initial", bytes) ? .doubtful : .other
    }

    /// Whether a text has the name of a member: a word in quotes with a colon after it.
    private static func has(_ name: String, _ bytes: [UInt8]) -> Bool {
      let quoted = Array("\"\(name)\"".utf8)
      var rest = bytes[...]
      while let found = rest.find(quoted) {
        rest = rest[found.upperBound...]
        let next = rest.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        if next == UInt8(ascii: ":") { return true }
      }
      return false
    }
  }

  /// What to say of a doubtful one that is left out.
  package static let doubt = "it has \"initial\" as a machine of XState, and no \"states\"; it is left out"

  /// What the JSON file is; nil for other notations.
  package var folderJSON: FolderJSON? { format == "xstate" ? FolderJSON(bytes) : nil }

  /// The endings of the names of documents.
  package static var documentEndings: [String] { formats.keys.sorted() }

  /// The endings of all files that a document may need.
  package static var fileEndings: [String] { formats.keys + resourceEndings + DocumentPage.endings }

  /// Why a document cannot be read, and from which file.
  package struct Failure: Error, Hashable {
    package let message: String
    /// The diagrams of a page, of which one is meant: each as it would be named, with its line and its heading.
    package var diagrams: [(name: String, line: Int, heading: String)] = []

    package static func == (left: Self, right: Self) -> Bool { left.message == right.message }
    package func hash(into hasher: inout Hasher) { hasher.combine(message) }
  }

  /// Reads a document and the files beside it that it refers to by `src="…"`. A file that is not there is left out: the
  /// daemon says what it misses.
  ///
  /// - Parameters:
  ///   - file: Its path; after that of a page of Markdown or HTML `#2` or `#HEADING` for one of its diagrams.
  ///   - kind: The name of the kind; nil for the name of the file without its ending.
  ///   - isStrict: Whether a diagram is read by the formal notation alone.
  ///   - load: Reads a file.
  package init(
    _ file: String, as kind: String?, isStrict: Bool = false, load: (String) -> ScriptParser.Loaded
  ) throws(Failure) {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    let mark = file.lastIndex(of: "#")
    let path = mark.map { String(file[..<$0]) } ?? file
    if DocumentPage.isPage(file) || DocumentPage.isPage(path) {
      let isWhole = DocumentPage.isPage(file)
      let part = isWhole ? "" : mark.map { String(file[file.index(after: $0)...]) } ?? ""
      (self.kind, format, bytes) = try Self.diagram(ofPage: isWhole ? file : path, part, as: kind, load)
      (self.isStrict, resources) = (isStrict, [])
      return
    }
    guard let (ending, format) = Self.formats.first(where: { name.hasSuffix($0.key) }) else {
      let hint = file.hasPrefix("'") ? #"; the quotes around a name are ""# : ""
      throw Failure(
        message: "'\(file)' is no document: the name of one ends with "
          + (Self.formats.keys + Self.pageEndings).sorted().joined(separator: ", ") + Self.hint(insteadOf: name) + hint)
    }
    self.kind = try Self.kind(kind, orNamed: String(name.dropLast(ending.count)), of: file)
    self.format = format
    self.isStrict = isStrict && format != "scxml"
    bytes = try Self.bytes(of: file, load)
    guard format == "scxml" else {
      resources = []
      return
    }
    var resources: [(path: String, bytes: [UInt8])] = []
    var room = Self.maxBytes - bytes.count
    var unread = Self.references(in: bytes)[...]
    while let path = unread.popFirst() {
      guard !resources.contains(where: { $0.path == path }), Self.isBeside(path),
        case .bytes(let found) = load(ScriptParser.path(path, beside: file)), found.count <= room
      else { continue }
      room -= found.count
      resources.append((path, found))
      if path.hasSuffix(".scxml") { unread += Self.references(in: found) }
    }
    self.resources = resources
  }

  private static func hint(insteadOf name: String) -> String {
    if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
      return "; YAML is none of these: write the machine as JSON"
    }
    if [".js", ".ts", ".mjs", ".tsx"].contains(where: name.hasSuffix) {
      return "; a machine of XState is read from JSON, as JSON.stringify(machine.config) gives it"
    }
    return ""
  }

  private static func bytes(of file: String, _ load: (String) -> ScriptParser.Loaded) throws(Failure) -> [UInt8] {
    switch load(file) {
    case .bytes(let bytes):
      guard bytes.count <= maxBytes else {
        throw Failure(message: "'\(file)' has \(bytes.count) bytes; a document has at most \(maxBytes)")
      }
      return bytes
    case .failed(let why): throw Failure(message: "cannot read '\(file)': \(why)")
    }
  }

  /// A diagram of a page, and the name of its kind: that of the heading or the page.
  private static func diagram(
    ofPage file: String, _ part: String, as kind: String?, _ load: (String) -> ScriptParser.Loaded
  ) throws(Failure) -> (kind: String, format: String, bytes: [UInt8]) {
    let page = DocumentPage(try bytes(of: file, load))
    let found = part.isEmpty ? Array(page.diagrams.indices) : page.diagrams(named: part)
    guard let index = found.first, found.count == 1 else {
      let listed = found.isEmpty ? Array(page.diagrams.indices) : found
      throw Failure(
        message: page.diagrams.isEmpty
          ? "'\(file)' has no state diagram of Mermaid or PlantUML"
          : part.isEmpty
            ? "'\(file)' has \(listed.count) state diagrams; name one, as in '\(file)#1'"
            : found.isEmpty
              ? "'\(file)' has no state diagram '\(part)', but \(listed.count); name one, as in '\(file)#1'"
              : "'\(file)' has \(found.count) state diagrams under '\(part)'; name one, as in '\(file)#1'",
        diagrams: listed.map { ("\(file)#\($0 + 1)", page.diagrams[$0].line, page.diagrams[$0].heading) })
    }
    let stem = (file.split(separator: "/").last ?? "").split(separator: ".").first.map(String.init) ?? ""
    let suffix = part.isEmpty ? "" : Int(part).map { "-\($0)" } ?? ""
    let heading = part.isEmpty || Int(part) != nil ? stem : page.diagrams[index].heading
    let letters = heading.unicodeScalars.map { scalar in
      scalar.isASCII && scalar.properties.isXIDContinue || scalar == "." ? Character(scalar) : "-"
    }
    let own = String(letters.drop { !$0.isLetter }.prefix(longestName - suffix.count)) + suffix
    let name = try Self.kind(kind, orNamed: own, of: "\(file)#\(index + 1)")
    return (name, page.diagrams[index].format, page.diagrams[index].bytes)
  }

  private static func kind(_ given: String?, orNamed name: String, of file: String) throws(Failure) -> String {
    if let given { return given }
    guard Array(name.utf8).withUnsafeBytes({ TextRules.isName($0, longest: longestName) }) else {
      throw Failure(
        message: "'\(name)' cannot name a kind: give it a name of letters, digits, '.', '_' and '-', "
          + "as in 'load \(Word.written(file)) as machine'")
    }
    return name
  }

  /// Whether a path leads to a file below the document's folder.
  private static func isBeside(_ path: String) -> Bool {
    !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
      && resourceEndings.contains { path.hasSuffix($0) }
  }

  /// The values of all `src="…"`, without a leading `file:`.
  ///
  /// - Complexity: O(*n*).
  private static func references(in bytes: [UInt8]) -> [String] {
    var found: [String] = []
    var index = 0
    while let next = bytes[index...].firstIndex(of: UInt8(ascii: "s")) {
      index = next + 1
      var rest = bytes[next...]
      guard rest.starts(with: "src".utf8), next == 0 || bytes[next - 1] <= 0x20 else { continue }
      rest = rest.dropFirst(3).drop { $0 <= 0x20 }
      guard rest.popFirst() == UInt8(ascii: "=") else { continue }
      rest = rest.drop { $0 <= 0x20 }
      guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { continue }
      let path = String(decoding: rest.prefix(longestPath).prefix { $0 != quote }, as: UTF8.self)
      found.append(path.hasPrefix("file:") ? String(path.dropFirst("file:".count)) : path)
    }
    return found + namedFiles(in: bytes)
  }

  /// The names of files in expressions, `'file:…'`, which `srcexpr` takes.
  ///
  /// - Complexity: O(*n*).
  private static func namedFiles(in bytes: [UInt8]) -> [String] {
    guard String(decoding: bytes, as: UTF8.self).includes("srcexpr") else { return [] }
    let scheme = Array("file:".utf8)
    return bytes.indices.dropFirst().compactMap { index in
      let quote = bytes[index - 1]
      guard bytes[index] == scheme[0], quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""),
        bytes[index...].starts(with: scheme)
      else { return nil }
      let path = bytes[index...].dropFirst(scheme.count).prefix(longestPath).prefix { $0 != quote }
      return String(decoding: path, as: UTF8.self)
    }
  }

  private static let longestPath = 4_096
}

/// A document whose lines are being read, up to its end.
package struct DocumentLines: Sendable {
  package enum Line: Sendable {
    case taken, end
    /// The document has too many bytes. This is said once; the other lines are skipped.
    case tooLong
  }

  package private(set) var bytes: [UInt8] = []
  /// Whether its lines are only read up to its end, because it cannot be sent.
  package private(set) var isSkipped: Bool

  package init(isSkipped: Bool = false) {
    self.isSkipped = isSkipped
  }

  package mutating func take(_ line: some Collection<UInt8>) -> Line {
    if DocumentSource.isEnd(line) { return .end }
    if isSkipped { return .taken }
    guard bytes.count + line.count < DocumentSource.maxBytes else {
      isSkipped = true
      bytes = []
      return .tooLong
    }
    bytes.append(contentsOf: line)
    bytes.append(0x0A)
    return .taken
  }
}
