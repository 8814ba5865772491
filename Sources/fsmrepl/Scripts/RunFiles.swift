internal import Scripts
import Glibc
internal import LineProtocol
internal import UnixHost

/// Finds and reads the files that a command line names: scripts or transcripts.
enum RunFiles {
  /// A file, or the reasons why it cannot be used, one line each.
  struct Reading<Item> {
    let name: String
    let item: Item?
    let mistakes: [String]
    /// What could be read of a file with mistakes.
    var rest: Item?

    /// What is known of it as long as it is not played.
    var result: RunResult {
      RunResult(name: name, ending: mistakes.isEmpty ? .skipped : .unreadable(mistakes))
    }
  }

  /// Names the wanted files in messages.
  private static let transcript = "transcript (*.transcript, or *.md with a block that is marked 'fsmd')"
  /// How many folder levels are searched.
  private static let deepest = 64

  /// Reads all scripts, in the order of `paths`; from a folder all files below it that end in `.fsm`, in byte order.
  /// A document becomes a script that loads it; those of a folder are taken if scripts are only checked.
  ///
  /// - Parameter documents: How documents are checked; `nil` if scripts are played.
  /// - Returns: One reading for each file; for a folder without scripts one that says so.
  static func scripts(
    _ paths: [String], checking documents: DocumentCheck? = nil, values: [String: String] = [:]
  ) -> [Reading<Script>] {
    let endings =
      [ScriptLimits.ending]
      + (documents == nil ? [] : DocumentSource.documentEndings + DocumentSource.pageEndings)
    return read(
      paths, as: endings.map { "*\($0)" }.joined(separator: " or "), endings: endings,
      without: { $0.hasPrefix("_") && $0.hasSuffix(ScriptLimits.ending) }, pick: withoutIncluded
    ) { path, bytes, isNamed in
      // A page without diagrams is no document, and a folder has other JSON, too.
      if documents != nil, DocumentSource.diagrams(ofPage: path, bytes)?.isEmpty == true { return nil }
      if !isNamed, path.hasSuffix(".json") {
        switch DocumentSource.FolderJSON(bytes) {
        case .machine: break
        case .doubtful:
          Program.complain("\(path): \(DocumentSource.doubt)")
          return nil
        case .other: return nil
        }
      }
      return script(path, bytes, checking: documents, values: values)
    }
  }

  /// The scripts of a folder without those that another of them includes.
  private static func withoutIncluded(_ readings: [Reading<Script>]) -> [Reading<Script>] {
    func path(_ name: String) -> String { ScriptParser.path(name, beside: "") }
    // By included file: the scripts that include it.
    var users: [String: Set<String>] = [:]
    for reading in readings {
      for file in (reading.item ?? reading.rest)?.sources.dropFirst() ?? [] {
        users[path(file.name), default: []].insert(path(reading.name))
      }
    }
    // Of files that include each other none is left out; each has that mistake.
    return readings.filter { reading in
      let own = path(reading.name)
      return !(users[own] ?? []).contains { $0 != own && users[$0]?.contains(own) != true }
    }
  }

  enum DocumentCheck {
    /// As `load` reads them.
    case asLoaded
    /// By the formal notation alone.
    case strict
  }

  /// - Parameter isInSession: Whether it is played in a session, and not in a world of its own.
  static func script(
    _ path: String, _ bytes: [UInt8], isInSession: Bool = false, checking documents: DocumentCheck? = nil,
    values: [String: String] = [:]
  ) -> Reading<Script> {
    // A document is checked as a script that loads it. What its kind is called does not matter then.
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let kind = documents == nil ? "" : " as document"
    let diagrams =
      DocumentSource.isDocument(path)
      ? [name] : documents == nil ? nil : DocumentSource.diagrams(ofPage: name, bytes)?.map(\.name)
    let loads = diagrams?.map { "load \(Word.written($0))\(kind)\(documents == .strict ? " strict" : "")\n" }
    let script = loads.map { Array($0.joined().utf8) } ?? bytes
    let (item, mistakes) = ScriptParser.read(path, script, isInSession: isInSession, values: values) {
      Self.load($0, endings: $0.hasSuffix(ScriptLimits.ending) ? [ScriptLimits.ending] : DocumentSource.fileEndings)
    }
    guard let mistakes else { return Reading(name: path, item: item, mistakes: []) }
    return Reading(name: path, item: nil, mistakes: mistakes.lines, rest: item)
  }

  /// Reads all transcripts in the same way; from a folder those that end in `.transcript` or `.md`.
  ///
  /// A Markdown file without a transcript is skipped, so that `Docs/*.md` works.
  static func transcripts(_ paths: [String]) -> [Reading<Transcript>] {
    read(paths, as: Self.transcript, endings: [".transcript", ".md"]) { path, bytes, _ in
      if path.hasSuffix(".md"), !TranscriptParser.hasBlocks(bytes) { return nil }
      do throws(ScriptFailure) {
        return Reading(name: path, item: try TranscriptParser.parse(path, bytes), mistakes: [])
      } catch {
        return Reading(name: path, item: nil, mistakes: ["\(error)"])
      }
    }
  }

  /// - Parameters:
  ///   - what: Names the wanted files in messages.
  ///   - endings: File name endings that are picked from folders.
  ///   - isHidden: Whether a file of a folder is left out, by its name.
  ///   - pick: Picks those of a folder that are wanted.
  ///   - parse: Gets a file and whether it was named itself; returns `nil` for one to skip.
  private static func read<Item>(
    _ paths: [String], as what: String, endings: [String], without isHidden: (String) -> Bool = { _ in false },
    pick: ([Reading<Item>]) -> [Reading<Item>] = { $0 }, parse: (String, [UInt8], Bool) -> Reading<Item>?
  ) -> [Reading<Item>] {
    var readings: [Reading<Item>] = []
    func fail(_ name: String, _ why: String) {
      readings.append(Reading(name: name, item: nil, mistakes: ["fsmrepl: \(why)"]))
    }
    func read(_ path: String, endings: [String]? = nil) {
      switch load(path, endings: endings) {
      case .failed(let why):
        // What is no UTF-8 in the names of a folder was replaced, so nothing has this name.
        fail(path, "cannot read \(path): \(path.contains("\u{FFFD}") ? "its name is not UTF-8" : why)")
      case .bytes(let bytes):
        if let reading = parse(path, bytes, endings == nil) { readings.append(reading) }
      }
    }
    for path in paths {
      guard isFolder(path) else {
        read(path)
        continue
      }
      let known = readings.count
      for file in files(below: path, endings, deepest).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
      where !isHidden(String(file[(file.lastIndex(of: "/").map(file.index(after:)) ?? file.startIndex)...])) {
        read(file, endings: endings)
      }
      readings[known...] = pick(Array(readings[known...]))[...]
      if known == readings.count { fail(path, "there is no \(what) below \(path)") }
    }
    if readings.isEmpty {
      fail(paths.joined(separator: ", "), "there is no \(what) in \(paths.joined(separator: ", "))")
    }
    return readings
  }

  /// The bytes of a file, or of standard input.
  ///
  /// - Parameter endings: For a file that the user has not named: it must be a regular file with one of these endings.
  static func load(_ path: String, endings: [String]? = nil) -> ScriptParser.Loaded {
    if let endings {
      do throws(RegularFile.Problem) {
        return .bytes(try RegularFile.read(path, endings: endings, atMost: ScriptLimits.file))
      } catch {
        return .failed(error.text)
      }
    }
    let isInput = path == "-"
    let file = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return .failed("\(SystemError.last)") }
    let descriptor = Descriptor(rawValue: file)
    defer { if !isInput { descriptor.close() } }
    do throws(SystemError) {
      return .bytes(
        try descriptor.readToEnd(atMost: ScriptLimits.file) { _ = Readiness([.init(descriptor: descriptor)]) })
    } catch {
      return .failed("\(error)")
    }
  }

  /// Makes a folder, unless it is there.
  ///
  /// - Returns: Why it cannot be made.
  static func makeFolder(_ path: String) -> String? {
    if mkdir(path, 0o777) == 0 || isFolder(path) { return nil }
    return "cannot make the folder \(path): \(SystemError.last)"
  }

  static func isFolder(_ path: String) -> Bool {
    var found = stat()
    return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
  }

  /// The files below a folder with one of these endings. Links to folders are not followed: they may form a cycle.
  private static func files(below folder: String, _ endings: [String], _ depth: Int) -> [String] {
    guard depth > 0, let names = try? Folder.names(in: folder) else { return [] }
    var files: [String] = []
    for name in names {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      var found = stat()
      guard lstat(path, &found) == 0 else {
        if name.contains("\u{FFFD}"), endings.contains(where: { name.hasSuffix($0) }) { files.append(path) }
        continue
      }
      if found.st_mode & S_IFMT == S_IFDIR {
        files += Self.files(below: path, endings, depth - 1)
      } else if endings.contains(where: { name.hasSuffix($0) }), !isFolder(path) {
        files.append(path)
      }
    }
    return files
  }
}
