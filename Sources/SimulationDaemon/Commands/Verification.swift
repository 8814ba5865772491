import JournalStore
import Simulator
import StateMachines

/// Replays a stored world in the stretches between its checkpoints and compares the state hashes.
struct Verification {
  /// The result of one stretch; its description is a line for people.
  struct Stretch: Equatable, CustomStringConvertible {
    let world: String
    /// Nil if there are no inputs.
    let inputs: ClosedRange<UInt64>?
    let finding: Finding

    enum Finding: Equatable {
      /// The hash of the final state.
      case good(hash: UInt64)
      /// There are no inputs.
      case empty
      /// All bytes are intact, but earlier inputs are no longer kept, so no replay is possible.
      case notPlayed
      case bad(String)
    }

    var isGood: Bool {
      switch finding {
      case .good, .empty, .notPlayed: true
      case .bad: false
      }
    }

    var description: String {
      let place = inputs.map { "\(world) inputs \($0.lowerBound)..\($0.upperBound)" } ?? world
      switch finding {
      case .good(let hash):
        let digits = String(hash, radix: 16)
        return "\(place) good hash=\(String(repeating: "0", count: 16 - digits.count))\(digits)"
      case .empty: return "\(place) good, without inputs"
      case .notPlayed: return "\(place) good, but not played: the inputs before it are no longer stored"
      case .bad(let what): return "\(place) bad: \(what)"
      }
    }
  }

  private let history: StoredHistory

  init(_ history: StoredHistory) {
    self.history = history
  }

  /// Checks each stretch, oldest first, and reports its result.
  func run(_ tell: (Stretch) -> Void) {
    func look(at inputs: ClosedRange<UInt64>?, _ body: () throws -> Stretch.Finding) {
      let finding: Stretch.Finding
      do {
        finding = try body()
      } catch {
        finding = .bad("\(error)")
      }
      tell(Stretch(world: history.name, inputs: inputs, finding: finding))
    }
    for fatal in history.world.fatal where !fatal.isPassable { look(at: nil) { .bad(fatal.reason) } }
    let (first, head) = (history.world.first, history.world.head)
    guard first <= head else { return look(at: nil) { .empty } }
    let marks: [CheckpointMark]
    do throws(StoreFailure) {
      marks = try history.store.checkpoints(of: history.name)
    } catch {
      return look(at: first...head) { throw error }
    }
    var last: CheckpointMark?
    var next = first
    for mark in marks {
      if next <= mark.sequence {
        let (range, base) = (next...mark.sequence, last)
        look(at: range) { try play(range, from: base, to: mark) }
        next = mark.sequence + 1
      }
      last = mark
    }
    if next <= head {
      let base = last
      look(at: next...head) { try play(next...head, from: base, to: nil) }
    }
  }

  /// Replays a stretch.
  ///
  /// - Parameters:
  ///   - base: The checkpoint before it; nil for the beginning of the world.
  ///   - mark: The checkpoint at its end; nil for the end of the journal.
  private func play(
    _ inputs: ClosedRange<UInt64>, from base: CheckpointMark?, to mark: CheckpointMark?
  ) throws -> Stretch.Finding {
    let wanted = try mark.map { try archived($0) }
    try compareNames(inputs)
    guard base != nil || history.world.first == 1 else { return .notPlayed }
    let played: WorldCore
    do {
      played = try history.played(
        from: base?.sequence ?? 0, to: inputs.upperBound, at: wanted?.moment ?? history.moment,
        wanted?.limits ?? WorldLimits())
    } catch HistoryFailure.forgotten where mark != nil {
      // An undo in it reaches back further than the store keeps. A restart uses the checkpoint at its end.
      return .notPlayed
    }
    guard played.lastSequence == inputs.upperBound else { return .bad("it ends with input \(played.lastSequence)") }
    let hash = try played.presentHash
    if let wanted, hash != wanted.hash {
      return .bad("a replay of its inputs gives another state than the checkpoint at its end has")
    }
    return .good(hash: hash)
  }

  /// The moment, limits and hash of a checkpoint's world. Checks the hash against the stored one.
  private func archived(_ mark: CheckpointMark) throws -> (moment: Instant, limits: WorldLimits, hash: UInt64) {
    let world = try history.world(atCheckpoint: mark.sequence)
    let hash = try world.presentHash
    // Another release may hash differently; then only the result of the replay is compared.
    guard hash == mark.hash || !history.isOfThisRelease else {
      throw HistoryFailure.unreadable(
        world: history.name, reason: "its checkpoint at input \(mark.sequence) has another hash than was noted")
    }
    return (world.now, world.limits, hash)
  }

  /// Compares the machine names in the store with those in the journal.
  private func compareNames(_ inputs: ClosedRange<UInt64>) throws {
    try history.readSegments(from: inputs.lowerBound) { segment in
      guard let stretch = JournalSegment(segment.bytes) else {
        throw HistoryFailure.unreadable(world: history.name, reason: "a segment with input \(segment.first) is none")
      }
      for creation in stretch.creations {
        guard let machine = creation.machine else { continue }
        let noted = try history.store.creation(
          of: machine.number, in: history.name, at: creation.sequence)
        guard noted?.sequence == creation.sequence, noted?.name == creation.name, noted?.kind == creation.kind else {
          throw HistoryFailure.unreadable(
            world: history.name,
            reason: "the store has another name for the machine that input \(creation.sequence) made")
        }
      }
      return segment.last < inputs.upperBound
    }
  }
}
