package import StateMachines

/// The kind descriptions with which a journal's segments were written, each with its first input. A later release adds
/// another description when its lists differ.
package struct StoredWords: Sendable {
  /// By kind name, in the order of the inputs.
  private var descriptions: [String: [(since: UInt64, kind: KindSchema)]] = [:]

  package init() {}

  /// The current descriptions, for a journal written by this program.
  package init(_ catalogue: Catalogue) {
    for case .machine(let kind) in catalogue.entries { add(kind.schema, since: 1) }
  }

  /// Adds a description from an input on, later than those already known for its kind.
  package mutating func add(_ kind: KindSchema, since sequence: UInt64) {
    descriptions[kind.key, default: []].append((sequence, kind))
  }

  /// The description of a kind at an input; nil if unknown.
  package func description(of kind: String, at sequence: UInt64) -> KindSchema? {
    descriptions[kind]?.last { $0.since <= sequence }?.kind
  }

  /// The first input after another from which on another description applies; the highest number if there is none.
  package func firstChange(after sequence: UInt64) -> UInt64 {
    descriptions.values.joined().map(\.since).filter { $0 > sequence }.min() ?? .max
  }

  /// The latest description of each kind.
  package var latest: [KindSchema] { descriptions.values.compactMap { $0.last?.kind } }
}

/// Why a record of a stored journal cannot be read or replayed.
package enum SegmentFailure: Error, Equatable {
  /// It is not in the form that worlds write.
  case damaged(String)
  /// A kind that the catalogue does not have.
  case unknownKind(String)
  /// The description of a kind's indices is missing.
  case unknownWords(kind: String)
  /// A kind no longer has a word; with the word, such as `event 'open'`.
  case gone(kind: String, word: String)
  /// The data that belong to a word of a kind have changed.
  case changed(kind: String, word: String, how: String)
}

extension SegmentFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damaged(let what): "is damaged: \(what)"
    case .unknownKind(let kind): "makes '\(kind)', a kind that this release lacks"
    case .unknownWords(let kind): "is about kind '\(kind)', whose words were not stored with it"
    case .gone(let kind, let word): "has \(word) of kind '\(kind)', which this release does not have"
    case .changed(let kind, let word, let how):
      "has \(word) of kind '\(kind)', which differs in this release: \(how)"
    }
  }
}
