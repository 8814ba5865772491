import LineProtocol
import Simulator
import StateMachines

/// Kinds from documents.
extension RequestContext {
  /// The notation of a document.
  enum DocumentFormat: String, CaseIterable {
    case scxml, mermaid
  }

  /// `define`. The session has received the bytes; with `resource=` they are a file that a later document refers to.
  func define() {
    guard let document = session.document else {
      return failUsage(Verb.define.entry)  // Only in a batch, which has refused it.
    }
    guard let kind = newName(words.plain[0]) else { return }
    let formats = DocumentFormat.allCases.map(\.rawValue)
    guard let format = words["format"].flatMap(DocumentFormat.init) else {
      return fail(
        .badArgument,
        [("argument", "format"), ("got", words["format"] ?? ""), ("allowed", formats.joined(separator: ","))],
        "define needs format=\(formats.joined(separator: "|"))")
    }
    if let path = words["resource"] { return keep(document.bytes, of: kind, as: path) }
    define(kind, format, document)
  }

  private func keep(_ bytes: [UInt8], of kind: String, as path: String) {
    // As a document writes it: "file:a.scxml" is "a.scxml".
    let path = path.hasPrefix("file:") ? String(path.dropFirst("file:".count)) : path
    guard !path.isEmpty else {
      return fail(.badArgument, [("argument", "resource"), ("got", "")], "a path is needed, as the document has it")
    }
    session.resources.removeAll { $0.kind == kind && $0.path == path }
    session.resources.append(DocumentResource(kind: kind, path: path, bytes: bytes))
    succeed {
      $0.word("resource"); $0.word(path)
    }
  }

  /// Compiles a document and adds its kind to the world.
  private func define(_ kind: String, _ format: DocumentFormat, _ document: ReceivedDocument) {
    fail(.badDefinition, [("kind", kind)], "kinds from documents cannot be made yet")
  }

  func undefine() {
    let kind = words.plain[0]
    if catalogue[kind] != nil {
      return fail(.badArgument, [("argument", "KIND"), ("got", kind)], "this kind is part of the program")
    }
    fail(.unknownKind, [("kind", kind)], "this world has defined no such kind")
  }
}
