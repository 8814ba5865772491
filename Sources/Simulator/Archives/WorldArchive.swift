import StateMachines

/// A world as bytes: written by `ArchiveWriter`, read by `WorldCore.init(archive:kinds:limits:)`.
///
/// Numbers and texts are encoded by `ValueEncoder`. Entries of a kind's lists are written by word, so that a later
/// release finds them in reordered lists. In order:
///
/// | what | how |
/// | --- | --- |
/// | magic | eight bytes |
/// | format | a number; other formats are not read |
/// | firings | a number: a count that decides nothing |
/// | *the state* | everything that follows, except the seal |
/// | limits | those that shape the journal: `chain`, `keyedTimers`, `wireChain`, `wireDeliveries` |
/// | chance | seed and generator, eight bytes each |
/// | time | now, the last input and its moment, firings in the present chain |
/// | documents | of each kind from a document its first input, name, version, notation, bytes and resources, and whether it is in effect |
/// | kinds | in the world's order: name |
/// | numbers | for each ever given, from 0 on: vacant; or a dropped machine's kind and name; or a machine's kind, name, parameters and value; before the first of a kind its version, and whether it has parameters |
/// | timers | those that run, in the order in which they will fire: time since the one before, machine, timer, key |
/// | vacancies | the next numbers to be assigned, last first; dropped machines to which the journal may refer |
/// | wires | by the number of their source machine, then in the order of creation |
/// | compositions | by name: kind, first input, all members, those that are left |
/// | answers | to numbered requests, in their order: last input, client, number, lines |
/// | seal | a checksum of the part before the state and of the state's checksum |
///
/// The bytes do not depend on the process: not on addresses, hashing, or the position of machines in memory. Equal
/// states have equal bytes, so the checksum of the state's bytes is the hash of the state.
enum WorldArchive {
  static let magic = Array("fsmdwrld".utf8)
  /// Raised when the layout changes.
  static let format: UInt64 = 5
  static let sealBytes = 8

  static func seal(_ head: UnsafeRawBufferPointer, stateHash: UInt64) -> UInt64 {
    var seal = Checksum()
    seal.add(head)
    withUnsafeBytes(of: stateHash.littleEndian) { seal.add($0) }
    return seal.value
  }

  /// What is known of the timer that would exceed the limit of a chain.
  enum Stall: UInt8 {
    case none
    /// It is the first running timer.
    case first
    /// It no longer runs, which is noticed when time moves.
    case broken
  }
}

/// Why a world cannot be written, or bytes cannot be read as a world.
package enum ArchiveFailure: Error, Equatable {
  /// The bytes do not begin like an archive.
  case noArchive
  /// Written in a format that this version does not know.
  case format(UInt64)
  /// Bytes are changed, missing or invalid.
  case damaged(String)
  /// A kind, or a composed kind, that the catalogue does not have.
  case unknownKind(String)
  /// A kind has another version in the catalogue.
  case version(kind: String, written: Int, known: Int)
  /// A kind has changed: the catalogue's kind lacks something that was written.
  case changedKind(String, how: String)
  /// A machine's value cannot be written.
  case unwritable(kind: String, why: String)

  /// A line for people.
  package var text: String {
    switch self {
    case .noArchive: "this is no stored world"
    case .format(let format): "the stored world has format \(format), and only format \(WorldArchive.format) is known"
    case .damaged(let what): "the stored world is damaged: \(what)"
    case .unknownKind(let kind): "the stored world has machines of kind '\(kind)', which is not known"
    case .version(let kind, let written, let known):
      "the stored world has machines of version \(written) of kind '\(kind)', and version \(known) is known"
    case .changedKind(let kind, let how): "kind '\(kind)' has changed since the world was stored: \(how)"
    case .unwritable(let kind, let why): "a machine of kind '\(kind)' cannot be stored: \(why)"
    }
  }

  init(_ error: any Error) {
    switch error {
    case let failure as ArchiveFailure: self = failure
    case let failure as StorageFailure: self = .damaged(failure.text)
    case let error: self = .damaged("\(error)")
    }
  }
}

extension StorageFailure {
  var text: String {
    switch self {
    case .cutShort: "it ends too early"
    case .damaged(let what): what
    case .otherMember(let found, let expected): "its data have '\(found)' where this release has '\(expected)'"
    case .unknownWord(let word): "this release has no '\(word)'"
    case .tooDeep: "values are nested more than \(ValueEncoder.deepest) times"
    case .unsupported(let what): "not provided for: \(what)"
    }
  }
}

/// A kind's lists by word, as archives use them.
struct KindLists {
  let timers: NamedWords
  let outputs: NamedWords
  let events: NamedWords
  /// The indices of the parameters in the order of their names, which does not depend on the list's order.
  let parametersByName: [Int]

  init(_ kind: Kind) {
    timers = NamedWords(kind.timers.map(\.name))
    outputs = NamedWords(kind.outputs.map(\.name))
    events = NamedWords(kind.events.map(\.name))
    parametersByName = kind.parameters.indices.sorted {
      kind.parameters[$0].name.utf8.lexicographicallyPrecedes(kind.parameters[$1].name.utf8)
    }
  }
}
