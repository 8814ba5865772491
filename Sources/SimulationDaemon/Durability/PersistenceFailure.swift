import JournalStore

/// Why a world could not be brought back.
enum PersistenceFailure: Error {
  case store(StoreFailure)
  /// What the store has does not make a world; with the first input that cannot be played, if it is one.
  case unreadable(world: String, reason: String, input: UInt64? = nil)
  /// The daemon is ending, and nobody waits for the world any more.
  case interrupted
}

extension PersistenceFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .store(let failure): "\(failure)"
    case .unreadable(let world, let reason, _):
      "world \(world) cannot be brought back: \(reason); nothing of it was changed: the release that wrote it has it still, and 'fsmd repair \(world)' says what this one can save"
    case .interrupted: "the daemon is ending"
    }
  }
}

extension PersistenceFailure {
  /// Whether the world is another daemon's: to take it again would shut that one out in turn.
  var isFinal: Bool { if case .store(let failure) = self { failure.isFinal } else { false } }

  /// Whether other worlds will hardly fare better.
  var isOfStore: Bool { if case .store(let failure) = self { failure.isOfStore } else { false } }

  /// Whether the world can still be written to after this has come of something that is done beside the rounds.
  var leavesLease: Bool { if case .store(let failure) = self { failure.leavesLease } else { true } }
}

extension StoreFailure {
  var isFinal: Bool { if case .fenced = self { true } else { false } }

  /// The one world that a failure is about, where the others are well.
  var world: String? {
    switch self {
    case .fenced(let world, _), .outOfStep(let world, _, _), .noSuchWorld(let world), .worldExists(let world): world
    case .unknown, .full, .readOnly, .locked, .damaged, .newer, .absent, .gone, .cannotOpen, .other: nil
    }
  }

  fileprivate var isOfStore: Bool {
    switch self {
    case .fenced, .outOfStep, .noSuchWorld, .worldExists, .damaged: false
    case .unknown, .full, .readOnly, .locked, .newer, .absent, .gone, .cannotOpen, .other: true
    }
  }

  fileprivate var leavesLease: Bool {
    switch self {
    case .fenced, .outOfStep, .noSuchWorld, .worldExists, .unknown, .gone: false
    case .full, .readOnly, .locked, .damaged, .newer, .absent, .cannotOpen, .other: true
    }
  }
}
