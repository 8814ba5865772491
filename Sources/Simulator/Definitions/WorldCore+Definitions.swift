package import StateMachines

/// A kind that a world has from a document.
package struct DefinedKind: Sendable {
  package let kind: Kind
  package let document: KindDocument
  /// The input that defined it.
  package let sequence: UInt64
  /// The memory of the document and of what is made of it, roughly.
  let bytes: Int

  /// The memory of a document and of what will be made of it, roughly; more if it has thousands of names.
  package static func bytes(ofDocument size: Int) -> Int { size * 16 + 32_768 }

  init(_ kind: Kind, _ document: KindDocument, _ sequence: UInt64) {
    // A state may take as little as six bytes of a document, an event three. What each of them comes to was measured.
    let names = kind.events.count + kind.outputs.count + kind.timers.count + kind.readings.count
    bytes = Self.bytes(ofDocument: document.size) + kind.states.count * 288 + names * 512
    self.kind = kind
    self.document = document
    self.sequence = sequence
  }

  /// Makes the kind of a stored document again.
  init(
    _ document: KindDocument, version: Int, definedBy sequence: UInt64, _ compiler: DocumentCompiler?
  ) throws(DocumentFailure) {
    guard let compiler else { throw DocumentFailure("this program makes no kinds from documents") }
    let key = KindDocument.key(of: document.name, definedBy: sequence)
    self.init(try compiler.compile(document, version, key), document, sequence)
  }

}

extension WorldCore {
  /// The kind of a name that the world has from a document, in its latest version.
  package func definition(named name: String) -> DefinedKind? { definitions.first { $0.document.name == name } }

  /// The document that a kind of this world was made from; `nil` for a kind of the program.
  package func document(of kind: Kind) -> KindDocument? {
    KindDocument.sequence(inKey: kind.key).flatMap { past.defined[$0]?.document }
  }

  /// The version and the key of a kind that is defined next.
  package func next(_ name: String) -> (version: Int, key: String) {
    ((definition(named: name)?.kind.version ?? 0) + 1, KindDocument.key(of: name, definedBy: journal.last + 1))
  }

  /// Adds a kind, as an input of its own. Machines of an earlier version keep theirs.
  ///
  /// - Parameter kind: Made of the document, with the version and the key of `next(_:)`.
  package mutating func define(_ document: KindDocument, as kind: Kind) {
    details.document(document, version: kind.version)
    appendWorldwide()
    let defined = DefinedKind(kind, document, journal.last)
    definitions.removeAll { $0.document.name == document.name }
    definitions.append(defined)
    past.add(defined)
    forgetDefinitions()
    // A large document would leave its memory with the writer.
    if document.size > 1 << 16 { details = DetailWriter() }
  }

  /// Takes a kind back in all its versions, as an input of its own.
  ///
  /// - Precondition: The world has it, and no machine of it.
  package mutating func undefine(_ name: String) {
    details.tag(.undefined, text: name)
    appendWorldwide()
    definitions.removeAll { $0.document.name == name }
  }

  private mutating func appendWorldwide() {
    beginAnswer()
    answer = Answer(
      sequence: journal.append(worldwide: details, at: now, isFromOutside: true), verdict: .stayed, from: 0, to: 0,
      hasDetails: false)
    details.clear()
  }

  /// How many machines there are of a kind from a document, in any version, and the first of them by number.
  package func machines(ofDefined name: String) -> (count: Int, first: MachineID?) {
    let places = population.kinds.indices.filter {
      population.kinds[$0].name == name && population.kinds[$0].key != name
    }
    if places.isEmpty { return (0, nil) }
    var count = 0
    var first: MachineID?
    for number in 0..<registry.capacity {
      let machine = MachineID(UInt32(number))
      let location = registry.location(of: machine)
      guard location.isSomewhere, places.contains(population.kind(at: location)) else { continue }
      count += 1
      first = first ?? machine
    }
    return (count, first)
  }

  /// Forgets documents that nothing can refer to any more: not in effect, without machines, and defined before the
  /// journal begins.
  ///
  /// - Complexity: amortised O(1) definitions, and now and then O(machines).
  private mutating func forgetDefinitions() {
    guard past.hasManyDefined else { return }
    let used = Set(storedDefinitions.map(\.sequence))
    let first = journal.first
    past.keepDefined { $0 >= first || used.contains($0) }
  }

  /// The documents in effect, and those of which there are machines, in the order in which they were defined.
  var storedDefinitions: [DefinedKind] {
    if past.defined.isEmpty { return [] }
    var kinds = Set(definitions.map { ObjectIdentifier($0.kind) })
    for number in 0..<registry.capacity {
      let location = registry.location(of: MachineID(UInt32(number)))
      if location.isSomewhere { kinds.insert(ObjectIdentifier(population.kinds[population.kind(at: location)])) }
    }
    return past.defined.values.filter { kinds.contains(ObjectIdentifier($0.kind)) }.sorted { $0.sequence < $1.sequence }
  }
}
