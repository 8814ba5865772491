import Glibc
import Scripts
import StateMachines
import Statecharts
import UnixHost

/// Kinds from the documents of a folder, which is read once, when the daemon starts.
///
/// All worlds can make machines of them. With the first one the document becomes an input of the world, so that the world
/// does not depend on the folder.
struct KindLibrary: Sendable {
  struct Entry: Sendable {
    let document: KindDocument
    let program: ChartProgram
    /// The kind before a world has it.
    let kind: Kind
  }

  /// In the order of the files' names.
  private(set) var entries: [Entry] = []
  /// The places of the entries, by their kinds and by their names.
  private var places: [ObjectIdentifier: Int] = [:]
  private var names: Set<String> = []

  init() {}

  /// The entry of a kind that no world has defined; `nil` for any other kind.
  subscript(_ kind: Kind) -> Entry? { places[ObjectIdentifier(kind)].map { entries[$0] } }

  /// Whether machines of some of the kinds have long steps.
  private(set) var hasLongSteps = false

  func has(_ name: String) -> Bool { names.contains(name) }

  private mutating func add(_ entry: Entry) {
    places[ObjectIdentifier(entry.kind)] = entries.count
    names.insert(entry.document.name)
    if entry.kind.hasLongSteps { hasLongSteps = true }
    entries.append(entry)
  }

  // MARK: Reading

  /// Why the documents of a folder make no library.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads all documents of a folder, without those in folders within it and those whose names begin with a dot.
  ///
  /// - Parameters:
  ///   - catalogue: The kinds of the program, whose names are taken.
  ///   - tell: Takes each mistake and each warning, with its place.
  /// - Throws: ``Failure`` if the folder cannot be read or a document has a mistake.
  init(
    folder: String, _ catalogue: Catalogue, _ limits: Limits, tell: (Finding.Severity, String) -> Void
  ) throws(Failure) {
    var mistakes = 0
    for name in try Self.documents(in: folder) {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      do throws(Failure) {
        let source = try Self.source(path, catalogue, limits)
        switch source.folderJSON {
        case .machine, nil: break
        case .doubtful:
          tell(.warning, "\(path): \(DocumentSource.doubt)")
          continue
        case .other: continue
        }
        if has(source.kind) { throw Failure(description: "another file has a kind '\(source.kind)' already") }
        let document = KindDocument(
          name: source.kind, notation: source.format, isStrict: source.isStrict, bytes: source.bytes,
          resources: source.resources.map { KindDocument.Resource(path: $0.path, bytes: $0.bytes) })
        let reading = DocumentReading.compile(document)
        for finding in reading.findings { tell(finding.severity, "\(Self.place(of: finding, in: path))") }
        if let problem = reading.problem { throw Failure(description: problem) }
        guard case .program(let program, _) = reading else {
          mistakes += 1
          continue
        }
        let kind = Kind(document.name, version: 1, origin: document.origin, program)
        add(Entry(document: document, program: program, kind: kind))
      } catch {
        tell(.error, "\(path): \(error)")
        mistakes += 1
      }
    }
    if mistakes > 0 {
      throw Failure(description: "\(mistakes) of the documents in \(folder) cannot be used; see above")
    }
  }

  /// A file and the files beside it that it refers to.
  private static func source(
    _ path: String, _ catalogue: Catalogue, _ limits: Limits
  ) throws(Failure) -> DocumentSource {
    let source: DocumentSource
    do throws(DocumentSource.Failure) {
      source = try DocumentSource(path, as: nil) { path in
        do throws(RegularFile.Problem) {
          return .bytes(
            try RegularFile.read(path, endings: DocumentSource.fileEndings, atMost: DocumentSource.maxBytes))
        } catch {
          return .failed(error.text)
        }
      }
    } catch {
      throw Failure(description: error.message)
    }
    let name = source.kind
    if catalogue[name] != nil { throw Failure(description: "'\(name)' is a kind of the program; rename the file") }
    let bytes = source.resources.reduce(source.bytes.count) { $0 + $1.bytes.count }
    guard bytes <= limits.definitionBytes else {
      throw Failure(description: "it has \(bytes) bytes; the limit definitionBytes is \(limits.definitionBytes)")
    }
    return source
  }

  /// The names of the documents in a folder, in byte order.
  private static func documents(in folder: String) throws(Failure) -> [String] {
    do throws(SystemError) {
      return try Folder.names(in: folder).filter { !$0.hasPrefix(".") && DocumentSource.isDocument($0) }
    } catch {
      throw Failure(description: "cannot read the folder of kinds, \(folder): \(error)")
    }
  }

  /// FILE:LINE:COLUMN and the message, as compilers write it.
  private static func place(of finding: Finding, in path: String) -> String {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return "\(finding.resource.map { folder + $0 } ?? path):\(finding.line):\(finding.column): \(finding.message)"
  }
}

extension DocumentReading {
  fileprivate var findings: [Finding] {
    switch self {
    case .program(_, let warnings): warnings
    case .mistakes(let findings, _): findings
    case .exceeds, .unsupported: []
    }
  }

  /// A mistake that has no place in the document.
  fileprivate var problem: String? {
    switch self {
    case .program: nil
    case .mistakes(_, let missing):
      missing.isEmpty ? nil : "it refers to \(missing.joined(separator: ", ")), which cannot be read"
    case .exceeds(let limit):
      "it has more than \(limit.value) \(limit.name == "documentStates" ? "states" : "events or outputs")"
    case .unsupported: "its notation cannot be read"
    }
  }
}
