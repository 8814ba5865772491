/// A document that defines a kind in a world: what a client gave, from which the kind can be made again.
package struct KindDocument: Hashable, Sendable {
  /// The name of the kind.
  package let name: String
  /// The notation by its name on the wire, and after it how it is read: stores keep both, so that a document is read
  /// again as it was. A document without a mark is read strictly, as all were at first.
  package let format: String
  package let bytes: [UInt8]
  /// The files that the document refers to, in the order of their paths.
  package let resources: [Resource]

  package struct Resource: Hashable, Sendable {
    package let path: String
    package let bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
      self.path = path
      self.bytes = bytes
    }
  }

  package init(name: String, format: String, bytes: [UInt8], resources: [Resource]) {
    self.name = name
    self.format = format
    self.bytes = bytes
    self.resources = resources.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// A document that a client gives.
  ///
  /// - Parameter isStrict: Whether a diagram is read by the formal notation alone.
  package init(name: String, notation: String, isStrict: Bool, bytes: [UInt8], resources: [Resource]) {
    let isFree = !isStrict && notation != "scxml"
    self.init(name: name, format: notation + (isFree ? Self.freely : ""), bytes: bytes, resources: resources)
  }

  private static let freely = ", freely"

  /// Whether a diagram is read as a person would; see ``format``.
  package var isReadFreely: Bool { format.hasSuffix(Self.freely) }

  /// The notation, by its name on the wire.
  package var notation: String { isReadFreely ? String(format.dropLast(Self.freely.count)) : format }

  /// All bytes.
  package var size: Int { resources.reduce(bytes.count) { $0 + $1.path.utf8.count + $1.bytes.count } }

  /// The name of a kind in stored bytes: that of its document, and the number of the input that defined it, since a
  /// document of the same name may come later.
  package static func key(of name: String, definedBy sequence: UInt64) -> String { "\(name);\(sequence)" }

  /// The input in a key; `nil` if it is the name of a kind of the catalogue.
  package static func sequence(inKey key: String) -> UInt64? {
    key.utf8.firstIndex(of: UInt8(ascii: ";")).flatMap { UInt64(key[key.utf8.index(after: $0)...]) }
  }

  /// The name in a key, without the input.
  package static func name(inKey key: String) -> String { String(key.prefix { $0 != ";" }) }
}

/// Makes kinds from documents.
package struct DocumentCompiler: Sendable {
  /// Makes the kind of a document that was compiled before.
  package let compile:
    @Sendable (_ document: KindDocument, _ version: Int, _ key: String) throws(DocumentFailure) -> Kind

  package init(
    _ compile:
      @escaping @Sendable (_ document: KindDocument, _ version: Int, _ key: String) throws(DocumentFailure) ->
      Kind
  ) {
    self.compile = compile
  }
}

/// Why a document does not make a kind.
package struct DocumentFailure: Error {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }
}
