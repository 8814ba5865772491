internal import Glibc
internal import LineProtocol
internal import Scripts
internal import UnixHost

/// `load FILE [as KIND] [strict] [follow [anew]]`, and `define KIND format=F` with the lines of a document up to
/// `enddefine`: this program reads the document and sends its bytes.
enum DocumentCommand: Equatable {
  case load(String, as: String?, isStrict: Bool, Following?)
  /// The line without its tag; the document follows.
  case begin(String)
  case wrong(String)

  /// What is done whenever the file is saved: it is loaded again.
  enum Following {
    /// Machines that are there keep their version.
    case forNewMachines
    /// Those that are there are made again.
    case anew
  }

  /// - Returns: `nil` for another request.
  init?(_ text: String) {
    let request = RequestText(text)
    switch request.verb {
    case Verb.define.name where request.words.contains { $0.hasPrefix("bytes=") }:
      self = .wrong(
        Client.failure(
          "the bytes are counted here: write the document on the lines up to '\(DocumentSource.end)', or 'load FILE'"))
    case Verb.define.name: self = .begin(text)
    case LocalVerb.load.name:
      guard let words = request.plainWords, let file = words.first else {
        self = .wrong(LocalVerb.load.misuse)
        return
      }
      var rest = words.dropFirst()
      var kind: String?
      if rest.count > 1, rest.first == "as" {
        kind = rest.dropFirst().first
        rest = rest.dropFirst(2)
      }
      let isStrict = rest.first == "strict"
      if isStrict { rest.removeFirst() }
      var following: Following?
      if rest.first == "follow" {
        rest.removeFirst()
        following = .forNewMachines
        if rest.first == "anew" {
          rest.removeFirst()
          following = .anew
        }
      }
      guard rest.isEmpty else {
        self = .wrong(LocalVerb.load.misuse)
        return
      }
      self = .load(LocalVerb.path(file), as: kind, isStrict: isStrict, following)
    case _: return nil
    }
  }
}

extension Client {
  /// A document whose lines are being read.
  struct OpenDocument {
    let line: String
    let origin: String
    var lines = DocumentLines()

    /// The kind that it makes.
    var kind: String { RequestText(line).words.first ?? "" }
  }

  /// Takes a line of a document, or a request that brings one, and sends what it stands for.
  ///
  /// - Returns: The lines that this program answers itself, none as a rule; `nil` for any other request.
  func takeDocument(_ text: String, origin: String) -> [String]? {
    if var open = openDocument.take() {
      switch open.lines.take(text.utf8) {
      case .taken: openDocument = open
      case .tooLong:
        openDocument = open
        return [Self.failure("a document has at most \(DocumentSource.maxBytes) bytes; this one is skipped")]
      case .end where open.lines.isSkipped: break
      case .end: ask(open.line, document: open.lines.bytes, origin: open.origin)
      }
      return []
    }
    guard let command = DocumentCommand(text) else { return nil }
    switch command {
    case .wrong(let answer): return [answer]
    case _ where conversation.isCollecting:
      return [Self.failure("a document cannot stand between 'begin' and 'end'")]
    // In a script its document follows all the same, and is read.
    case .begin(let line) where isAtPrompt && LocalVerb.define.isMisused(line): return [LocalVerb.define.misuse]
    case .begin(let line):
      openDocument = OpenDocument(line: line, origin: origin)
      return []
    case .load(_, _, _, _?) where !isAtPrompt:
      return [Self.failure("'follow' is for the prompt, which is there when the file is saved")]
    case .load(let path, let kind, let isStrict, let following):
      let mistake = load(path, as: kind, isStrict: isStrict, origin: origin)
      guard mistake.isEmpty else { return mistake }
      for place in followed.indices where followed[place].path == path && followed[place].kind == kind {
        followed[place].isEnding = true
      }
      if let following {
        followed.removeAll { $0.path == path && $0.kind == kind }
        followed.append(
          FollowedDocument(path: path, kind: kind, isStrict: isStrict, world: conversation.place.world, following))
      }
      return []
    }
  }

  /// Takes note of what has become of a document from a file. One that was loaded without `follow` is not followed any
  /// more, unless it was refused.
  func settle(_ path: String, isLoaded: Bool) {
    if isLoaded { followed.removeAll { $0.path == path && $0.isEnding } }
    for place in followed.indices where followed[place].path == path { followed[place].isEnding = false }
  }

  /// Drops a document whose end has not come.
  ///
  /// - Returns: False if there is none.
  func dropDocument() -> Bool { openDocument.take() != nil }

  private func load(_ path: String, as kind: String?, isStrict: Bool, origin: String) -> [String] {
    do throws(DocumentSource.Failure) {
      let source = try DocumentSource(path, as: kind, isStrict: isStrict) {
        RunFiles.load($0, endings: DocumentSource.fileEndings)
      }
      for request in source.requests {
        ask(request.line, document: request.bytes, origin: origin, file: path)
      }
      return []
    } catch {
      guard !error.diagrams.isEmpty else { return [Self.failure(error.message)] }
      return error.diagrams.map { ". \(Word.written($0.name)) line=\($0.line) : \($0.heading)" }
        + ["- \(FailureCode.badDefinition.word) diagrams=\(error.diagrams.count) : \(error.message)"]
    }
  }

  /// Loads the followed files again that were saved since the last look, those of other worlds when they are in use again.
  ///
  /// - Returns: The paths of those that have changed, each with the lines that this program answers itself; `nil` for one
  ///   that is gone.
  func loadSavedDocuments() -> [(path: String, answer: [String]?)] {
    guard isReady, !conversation.isCollecting, openDocument == nil else { return [] }
    return followed.indices.compactMap { index in
      guard followed[index].world == conversation.place.world else { return nil }
      let change = followed[index].change()
      let document = followed[index]
      switch change {
      case nil: return nil
      case .gone: return (document.path, nil)
      case .saved:
        return (document.path, load(document.path, as: document.kind, isStrict: document.isStrict, origin: ""))
      }
    }
  }

  static func failure(_ text: String) -> String { "- \(FailureCode.badArgument.word) : \(text)" }
}

/// A file that is loaded again whenever it is saved.
struct FollowedDocument {
  let path: String
  let kind: String?
  let isStrict: Bool
  /// The world that it is loaded into.
  let world: String
  let following: DocumentCommand.Following
  /// Whether it is loaded once more without `follow`, and not answered yet.
  var isEnding = false
  /// Whether the file was saved since it is followed.
  private(set) var isSavedAgain = false
  /// That of the last look; `nil` if the file has not been there since.
  private var version: Version?
  /// How often it was missing since.
  private var misses = 0

  enum Change {
    case saved
    /// It is no longer there.
    case gone
  }

  /// An editor that puts another file in its place may take so many looks less one.
  private static let patience = 4

  /// What changes when a file is saved, also by editors that put another file in its place.
  private struct Version: Equatable {
    let file: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  init(path: String, kind: String?, isStrict: Bool, world: String, _ following: DocumentCommand.Following) {
    self.path = path
    self.kind = kind
    self.isStrict = isStrict
    self.world = world
    self.following = following
    version = Self.version(of: path)
  }

  /// What has become of the file since the last call. One that is not there for a moment, or empty, is being saved.
  mutating func change() -> Change? {
    guard let present = Self.version(of: path) else {
      misses += 1
      guard misses >= Self.patience, version != nil else { return nil }
      version = nil
      return .gone
    }
    misses = 0
    guard present.size > 0, present != version else { return nil }
    version = present
    isSavedAgain = true
    return .saved
  }

  private static func version(of path: String) -> Version? {
    var found = stat()
    // Of a page with several diagrams one is chosen by what stands after a '#'.
    let page = path.lastIndex(of: "#").map { String(path[..<$0]) }
    guard stat(path, &found) == 0 || page.map({ stat($0, &found) == 0 }) == true else { return nil }
    return Version(
      file: UInt(found.st_ino), size: Int(found.st_size), seconds: Int(found.st_mtim.tv_sec),
      nanoseconds: Int(found.st_mtim.tv_nsec))
  }
}
