import JournalStore

/// Why a world could not be restored.
enum PersistenceFailure: Error {
  case store(StoreFailure)
  /// The stored data is not a valid world. `input` is the first one that cannot be replayed, if the failure has one;
  /// `isDamage` says that the bytes are not those that were written, so that no release can read them.
  case unreadable(world: String, reason: String, input: UInt64? = nil, isDamage: Bool = false)
  /// Another daemon has the world, and its lease is good.
  case elsewhere(StoredWorld)
  /// The daemon is ending, so the load was abandoned.
  case interrupted
}

extension PersistenceFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .store(let failure): "\(failure)"
    case .unreadable(let world, let reason, _, let isDamage):
      "world \(world) cannot be brought back: \(reason); nothing of it was changed: "
        + (isDamage ? "" : "the release that wrote it can still read it, and ")
        + "'\(ProgramName.current) repair \(world)' says what \(isDamage ? "can be saved" : "this one can save")"
    case .elsewhere(let world): "\(StoreFailure.fenced(world: world.name, by: world.holder))"
    case .interrupted: "the daemon is ending"
    }
  }
}

extension PersistenceFailure {
  /// Whether another daemon has the lease. Acquiring it again would fence off that daemon.
  var isFinal: Bool { if case .store(let failure) = self { failure.isFinal } else { false } }

  /// The daemon that has the world, if another one has it and has a name.
  var host: String? { if case .store(let failure) = self { failure.host } else { nil } }

  /// Whether the failure probably affects other worlds too.
  var isOfStore: Bool { if case .store(let failure) = self { failure.isOfStore } else { false } }
}

extension StoreFailure {
  var isFinal: Bool {
    switch self {
    case .fenced, .lost(_, from: nil): true
    case .outOfStep, .lost, .noSuchWorld, .worldExists, .unknown, .full, .readOnly, .locked, .damaged, .otherSchema,
      .absent,
      .gone, .cannotOpen, .other:
      false
    }
  }

  /// The daemon that has the world, if another one has it and has a name.
  var host: String? { if case .fenced(_, let holder) = self { holder?.writer.name } else { nil } }

  /// The only world that a failure affects; nil if it affects the whole store.
  var world: String? {
    switch self {
    case .fenced(let world, _), .outOfStep(let world, _, _), .lost(let world, _), .noSuchWorld(let world),
      .worldExists(let world):
      world
    case .unknown, .full, .readOnly, .locked, .damaged, .otherSchema, .absent, .gone, .cannotOpen, .other: nil
    }
  }

  fileprivate var isOfStore: Bool {
    switch self {
    case .fenced, .outOfStep, .lost, .noSuchWorld, .worldExists, .damaged: false
    case .unknown, .full, .readOnly, .locked, .otherSchema, .absent, .gone, .cannotOpen, .other: true
    }
  }

  /// Whether the world stays writable after a failure outside a round.
  var keepsLease: Bool {
    switch self {
    case .fenced, .outOfStep, .lost, .noSuchWorld, .worldExists, .unknown, .gone: false
    case .full, .readOnly, .locked, .damaged, .otherSchema, .absent, .cannotOpen, .other: true
    }
  }
}

/// Runs `body` and wraps a failure of the store.
func withStore<R>(_ body: () throws(StoreFailure) -> R) throws(PersistenceFailure) -> R {
  do throws(StoreFailure) {
    return try body()
  } catch {
    throw .store(error)
  }
}
