package import StateMachines

/// The words by whose places the segments of a journal were written: of each kind its description, and from which input
/// on it holds. A later release writes another description down where its lists are others.
package struct StoredWords: Sendable {
  /// By the kind's name, in the order of the inputs.
  private var descriptions: [String: [(since: UInt64, kind: KindDescription)]] = [:]

  package init() {}

  /// The words of today, for a journal that this program has written.
  package init(_ catalogue: Catalogue) {
    for case .machine(let kind) in catalogue.entries { add(KindDescription(kind), since: 1) }
  }

  /// Takes a description in that holds from an input on, later than those that are known of its kind.
  package mutating func add(_ kind: KindDescription, since sequence: UInt64) {
    descriptions[kind.name, default: []].append((sequence, kind))
  }

  /// How a kind was described when an input was written; nil if that is not known.
  package func description(of kind: String, at sequence: UInt64) -> KindDescription? {
    descriptions[kind]?.last { $0.since <= sequence }?.kind
  }

  /// The first input behind another from which on a description holds that did not before; more than any if there is none.
  package func firstChange(after sequence: UInt64) -> UInt64 {
    descriptions.values.joined().map(\.since).filter { $0 > sequence }.min() ?? .max
  }

  /// The latest description of each kind.
  package var latest: [KindDescription] { descriptions.values.compactMap { $0.last?.kind } }
}

/// Why a record of a stored journal cannot be read, or not be played.
package enum SegmentFailure: Error, Equatable {
  /// It is not what a world writes.
  case damaged(String)
  /// A kind that the catalogue does not have.
  case unknownKind(String)
  /// It is not known what the places in records of a kind stood for.
  case unknownWords(kind: String)
  /// A kind does not have a word any more; with what it was, such as `event 'open'`.
  case gone(kind: String, word: String)
  /// What goes with a word of a kind is another by now.
  case changed(kind: String, word: String, how: String)
}

extension SegmentFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damaged(let what): "is damaged: \(what)"
    case .unknownKind(let kind): "makes '\(kind)', which is no kind of this release"
    case .unknownWords(let kind): "is about kind '\(kind)', whose words were not stored with it"
    case .gone(let kind, let word): "has \(word) of kind '\(kind)', which this release does not have"
    case .changed(let kind, let word, let how):
      "has \(word) of kind '\(kind)', which is another in this release: \(how)"
    }
  }
}
