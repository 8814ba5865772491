import StateMachines

/// A world as bytes: what `ArchiveWriter` writes and `WorldCore.init(archive:kinds:limits:)` reads.
///
/// Numbers and texts are written as by `ValueEncoder`. What a kind has in lists is written by word, so that a later release
/// finds it again in lists of another order. In their order:
///
/// | what | how |
/// | --- | --- |
/// | magic | eight bytes |
/// | format | a number; another one is not read |
/// | firings | a number: what is counted and decides nothing |
/// | *the state* | all that follows, but for the seal |
/// | limits | those that shape the journal: `chain`, `keyedTimers`, `wireChain`, `wireDeliveries` |
/// | chance | seed and generator, eight bytes each |
/// | time | now, the last input and its moment, firings in the present chain |
/// | kinds | in the world's order: name |
/// | numbers | for each ever given, from 0 on: nobody; or a dropped machine's kind and name; or a machine's kind, name, parameters and value; in front of the first of a kind its version, and whether it has parameters |
/// | timers | those that run, in the order in which they will fire: time since the one before, machine, timer, key |
/// | vacancies | the numbers that are given out next, last first; dropped machines that the journal may speak of |
/// | wires | by the number of the machine that they come from, then in the order in which they were made |
/// | compositions | by name: kind, first input, all members, those that are left |
/// | seal | a checksum of what is before the state and of the state's checksum |
///
/// Nothing in it depends on the process: not on addresses, hashing, or where machines stand in memory. The same state gives
/// the same bytes, and so the checksum of the state's bytes is the hash of the state.
enum WorldArchive {
  static let magic = Array("fsmdwrld".utf8)
  /// Raised when the layout changes.
  static let format: UInt64 = 3
  static let sealBytes = 8

  static func seal(_ head: UnsafeRawBufferPointer, stateHash: UInt64) -> UInt64 {
    var seal = Checksum()
    seal.add(head)
    withUnsafeBytes(of: stateHash.littleEndian) { seal.add($0) }
    return seal.value
  }

  /// What is known of a timer that would be one too many in a chain.
  enum Stall: UInt8 {
    case none
    /// It is the first of those that run.
    case first
    /// It runs no more, which is found out when time moves.
    case broken
  }
}

/// Why a world cannot be written, or bytes are no world.
package enum ArchiveFailure: Error, Equatable {
  /// The bytes do not begin as an archive does.
  case noArchive
  /// Written by another version of the program, in a format that this one does not know.
  case format(UInt64)
  /// Bytes were changed or lost, or never were what they should be.
  case damaged(String)
  /// A kind, or a composed kind, that the catalogue does not have.
  case unknownKind(String)
  /// A kind of the catalogue has another version than the one that was written.
  case version(kind: String, written: Int, known: Int)
  /// A kind of the catalogue is another than the one that was written: what was written is no part of it any more.
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
    case .tooDeep: "values are within values more than \(ValueEncoder.deepest) times"
    case .unsupported(let what): "not provided for: \(what)"
    }
  }
}

/// What an archive has of a kind's lists by their words.
struct KindLists {
  let timers: NamedWords
  let outputs: NamedWords
  let events: NamedWords
  /// The places of the parameters, in the order of their names, which stays whatever the list's order.
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
