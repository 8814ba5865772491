import StateMachines
import Statecharts

/// Reads the documents that clients and stores have.
enum DocumentReading {
  case program(ChartProgram, warnings: [Finding])
  case mistakes([Finding], missing: [String])
  /// It has too many names.
  case exceeds(ExceededLimit)
  /// Its notation cannot be read.
  case unsupported

  /// - Parameter goesOn: Asked from time to time. After it was false, what is returned means nothing.
  static func compile(_ document: KindDocument, while goesOn: @escaping () -> Bool = { true }) -> DocumentReading {
    let compilation: Definition.Compilation
    switch document.notation {
    case "scxml":
      let resources = Dictionary(document.resources.map { ($0.path, $0.bytes) }) { $1 }
      compilation = Definition.compile(document.bytes, resources: resources, while: goesOn)
    case let notation:
      guard let notation = DiagramNotation(rawValue: notation) else { return .unsupported }
      compilation = Definition.compile(
        diagram: document.bytes, notation, reading: document.isReadFreely ? .free : .strict, while: goesOn)
    }
    switch compilation {
    case .mistakes(let findings, let missing): return .mistakes(findings, missing: missing)
    case .definition(let definition, let warnings):
      do throws(ExceededLimit) {
        return .program(try ChartProgram(definition), warnings: warnings)
      } catch {
        return .exceeds(error)
      }
    }
  }
}

extension KindDocument {
  /// What `describe` says of where a kind comes from.
  var origin: String { "a document in \(notation)" }
}

extension Catalogue {
  /// The same kinds, for worlds that have documents, too.
  var readingDocuments: Catalogue {
    var catalogue = self
    catalogue.compiler = DocumentCompiler { document, version, key throws(DocumentFailure) in
      switch DocumentReading.compile(document) {
      case .program(let program, _):
        return Kind(document.name, key: key, version: version, origin: document.origin, program)
      case .mistakes(let findings, let missing):
        throw DocumentFailure(
          findings.first { $0.severity == .error }?.description ?? "it refers to \(missing.joined(separator: ", "))")
      case .exceeds(let limit): throw DocumentFailure("it has more than \(limit.value) names")
      case .unsupported: throw DocumentFailure("documents in \(document.notation) cannot be read")
      }
    }
    return catalogue
  }
}
