import LineProtocol
import Simulator
import StateMachines
import Statecharts

/// Kinds from documents.
extension RequestContext {
  /// The notation of a document.
  enum DocumentFormat: String, CaseIterable {
    case scxml, mermaid, plantuml, xstate
  }

  /// `define`. The session has received the bytes; with `resource=` they are a file that a later document refers to.
  func define() {
    guard let document = session.document else {
      return failUsage(Verb.define.entry)  // Only in a batch, which has refused it.
    }
    guard let kind = newName(words.plain[0]) else { return }
    let formats = DocumentFormat.allCases.map(\.rawValue)
    guard let format = words["format"].flatMap(DocumentFormat.init) else {
      return failArgument(
        "format", words["format"] ?? "", allowed: formats.joined(separator: ","),
        "define needs format=\(formats.joined(separator: "|"))")
    }
    if let path = words["resource"] { return keep(document.bytes, of: kind, as: path) }
    guard let isStrict = choice(words["strict"], "strict", ["yes": true, "no": false], otherwise: false) else { return }
    define(kind, format, isStrict, document)
  }

  private func keep(_ bytes: [UInt8], of kind: String, as path: String) {
    // As a document writes it: "file:a.scxml" is "a.scxml".
    let path = path.hasPrefix("file:") ? String(path.dropFirst("file:".count)) : path
    guard !path.isEmpty else {
      return failArgument("resource", "", "a path is needed, as the document has it")
    }
    session.resources.removeAll { $0.kind == kind && $0.path == path }
    session.resources.append(DocumentResource(kind: kind, path: path, bytes: bytes))
    succeed {
      $0.word("resource"); $0.word(path)
    }
  }

  /// Compiles a document and adds its kind to the world.
  private func define(_ name: String, _ format: DocumentFormat, _ isStrict: Bool, _ received: ReceivedDocument) {
    if environment.catalogue[name] != nil {
      return fail(.nameTaken, [("kind", name)], "'\(name)' is a kind of the program; choose another name")
    }
    let document = KindDocument(
      name: name, notation: format.rawValue, isStrict: isStrict, bytes: received.bytes,
      resources: received.resources.map { KindDocument.Resource(path: $0.key, bytes: $0.value) })
    let program: ChartProgram
    let warnings: [Finding]
    switch received.reading ?? DocumentReading.compile(document) {
    case .program(let made, let found): (program, warnings) = (made, found)
    case .exceeds(let limit):
      return failLimit(
        limit.name, limit.value,
        "the document has more than \(limit.value) \(limit.name == "documentStates" ? "states" : "events or outputs")")
    case .unsupported:
      return fail(.badDefinition, [("kind", name)], "documents in \(format.rawValue) cannot be read yet")
    case .mistakes(let findings, let missing):
      for finding in findings { line(of: finding) }
      let first = findings.first { $0.severity == .error }
      return fail(
        .badDefinition,
        first.map { [("line", "\($0.line)"), ("column", "\($0.column)")] }
          ?? [("missing", missing.joined(separator: ","))],
        first.map { Self.summary($0, of: findings) } ?? "the document refers to \(missing.joined(separator: ", "))")
    }
    for warning in warnings { line(of: warning) }
    let (version, key) = live.world.next(name)
    let kind = Kind(name, key: key, version: version, origin: document.origin, program)
    live.world.define(document, as: kind)
    succeedStamped { line in
      line.word(literal: "defined")
      line.word(name)
      line.key("version", UInt64(version))
      line.key("states", UInt64(kind.states.count))
      line.key("events", UInt64(kind.namedEvents))
    }
  }

  /// How many mistakes a document has: each is reported in a line of its own.
  private static func summary(_ first: Finding, of findings: [Finding]) -> String {
    let count = findings.count { $0.severity == .error }
    return count == 1
      ? "the document has a mistake" : "the document has \(count) mistakes, the first in line \(first.line)"
  }

  /// `. LINE:COLUMN error : …`, also `warning` and `note`; before it the path of a resource.
  private func line(of finding: Finding) {
    line { line in
      line.word((finding.resource.map { "\($0):" } ?? "") + "\(finding.line):\(finding.column)")
      line.word(finding.severity.rawValue)
      if let write = finding.write { line.key("write", write) }
      line.note(finding.message)
    }
  }

  func undefine() {
    let kind = words.plain[0]
    guard live.world.definition(named: kind) != nil else {
      if environment.catalogue[kind] != nil {
        return failArgument("KIND", kind, "'\(kind)' is part of the program; only what 'define' made is forgotten")
      }
      if environment.library.has(kind) {
        return failArgument(
          "KIND", kind,
          "'\(kind)' is in the folder of kinds that the daemon was started with; only what 'define' made is forgotten")
      }
      return fail(
        .unknownKind, [("kind", kind)] + suggestion(kind, among: live.world.ownKinds.map(\.name)),
        "this world has defined no kind '\(kind)'; 'kinds group=documents' lists those from documents")
    }
    let machines = live.world.machines(ofDefined: kind)
    if let first = machines.first {
      let name = live.world.name(of: first)
      return fail(
        .inUse, [("kind", kind), ("machine", name), ("count", "\(machines.count)")],
        "\(name) is a machine of it; drop its machines first")
    }
    live.world.undefine(kind)
    succeedStamped { _ in }
  }
}
