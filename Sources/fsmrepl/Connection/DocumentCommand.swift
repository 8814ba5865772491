internal import LineProtocol
internal import Scripts
internal import UnixHost

/// `load FILE [as KIND]`, and `define KIND format=F` with the lines of a document up to `enddefine`: this program reads
/// the document and sends its bytes.
enum DocumentCommand: Equatable {
  case load(String, as: String?)
  /// The line without its tag; the document follows.
  case begin(String)
  case help
  case wrong(String)

  private static let verb = "load"
  private static let usages = [
    ("load FILE [as KIND]", "a kind from a document: a statechart in SCXML (.scxml) or Mermaid (.mmd)")
  ]

  /// The rows of `help` for it, in the daemon's form.
  static let usageRows = usages.map { ". \($0.0) : \($0.1)" }

  /// - Returns: `nil` for another request.
  init?(_ text: String) {
    let request = RequestText(text)
    switch request.verb {
    case Verb.help.name where request.words == [Self.verb]: self = .help
    case Verb.define.name where request.words.contains { $0.hasPrefix("bytes=") }:
      self = .wrong(
        "the bytes are counted here: write the document on the lines up to '\(DocumentSource.end)', or 'load FILE'")
    case Verb.define.name: self = .begin(text)
    case Self.verb:
      guard let line = ServerLine((["."] + request.words).joined(separator: " ")), line.fields.isEmpty,
        line.words.count == 1 || line.words.count == 3 && line.words[1] == "as"
      else {
        self = .wrong("load is used as '\(Self.usages[0].0)', with quotes around a name with blanks or '='")
        return
      }
      self = .load(RecordCommand.path(line.words[0]), as: line.words.count == 3 ? line.words[2] : nil)
    case _: return nil
    }
  }
}

extension Client {
  /// A document whose lines are being read.
  struct OpenDocument {
    let line: String
    let origin: String
    var bytes: [UInt8] = []
  }

  /// Takes a line of a document, or a request that brings one, and sends what it stands for.
  ///
  /// - Returns: The lines that this program answers itself, none as a rule; `nil` for any other request.
  func takeDocument(_ text: String, origin: String) -> [String]? {
    if var open = openDocument.take() {
      if text.trimmingPrefix(while: { $0 == " " || $0 == "\t" }) == DocumentSource.end {
        ask(open.line, document: open.bytes, origin: open.origin)
        return []
      }
      guard open.bytes.count + text.utf8.count < DocumentSource.mostBytes else {
        return [Self.failure("a document has at most \(DocumentSource.mostBytes) bytes; this one was dropped")]
      }
      open.bytes += text.utf8
      open.bytes.append(0x0A)
      openDocument = open
      return []
    }
    guard let command = DocumentCommand(text) else { return nil }
    switch command {
    case .help: return DocumentCommand.usageRows + ["+ \(DocumentCommand.usageRows.count)"]
    case .wrong(let text): return [Self.failure(text)]
    case _ where conversation.isCollecting:
      return [Self.failure("a document cannot stand between 'begin' and 'end'")]
    case .begin(let line):
      openDocument = OpenDocument(line: line, origin: origin)
      return []
    case .load(let path, let kind):
      do throws(DocumentSource.Failure) {
        let source = try DocumentSource(path, as: kind) { RunFiles.load($0, endings: DocumentSource.fileEndings) }
        for request in source.requests {
          ask(request.line, document: request.bytes, origin: origin, file: path)
        }
        return []
      } catch {
        return [Self.failure(error.message)]
      }
    }
  }

  private static func failure(_ text: String) -> String { "- \(FailureCode.badArgument.word) : \(text)" }
}
