package import StateMachines

/// A rewind, done in slices while the world stands still.
///
/// First it searches the journal backwards for the first input to undo. Then it rebuilds another world up to just
/// before that input. The world itself changes only when it is replaced by the rebuilt one.
package final class Rewinding {
  package enum Goal: Equatable, Sendable {
    /// Just before the last so many requests that had outside inputs.
    case requests(Int)
    /// After everything up to a moment, with the clock at that moment, which is not after now.
    case moment(Instant)
    /// Directly after an input that is in effect and the deliveries that follow from it, with the clock at its moment.
    /// Timers that are due at that moment and came later have not expired.
    case input(UInt64)
    /// Just before the last so many rewinds that were not taken back, if nothing has happened since.
    case undos(Int)
  }

  package enum Failure: Error, Equatable {
    /// There were only so many requests since the world began, or so many rewinds since anything else happened.
    case onlySoMany(Int)
    /// The journal has dropped inputs that are needed; the world can go back to just before any input from this one on.
    case forgotten(from: UInt64)
    /// The replay differs from the journal from this input on.
    case diverged(at: UInt64)
  }

  private enum Phase {
    /// All inputs from `upTo` on will be undone; `requests` is how many more to find, if requests are counted.
    case searching(upTo: UInt64, requests: Int)
    /// The rewinds after `upTo` are taken back; `undos` is how many more to find, and `first` the first input that comes
    /// back with those found.
    case unwinding(upTo: UInt64, undos: Int, first: UInt64)
    case building
    case arrived
  }

  private let goal: Goal
  /// The world's last input when this began.
  let end: UInt64
  private var phase: Phase
  private var replay: Replay
  /// The first input that will be undone; one more than the last if none will be.
  package private(set) var firstUndone: UInt64
  /// The checkpoint that the replay starts from; nil for the beginning of the world.
  private var base: Checkpoint?
  /// A checkpoint for the next rewind, if the last one is far back.
  private(set) var checkpoint: Checkpoint?
  /// The moment of the input to go back to, if one was named.
  private var stepMoment: Instant?
  /// What the redo brings back; nil for an undo.
  package private(set) var redo: Redo?

  /// What a redo brings back.
  package struct Redo {
    /// The first input that is in effect again, if any is: all from it to the first undone one.
    package let first: UInt64
    /// How many rewinds are taken back.
    package let undos: UInt64
    /// The moment at which the world was.
    let moment: Instant
  }

  package init(of world: borrowing WorldCore, to goal: Goal) {
    self.goal = goal
    end = world.lastSequence
    firstUndone = end + 1
    phase =
      switch goal {
      case .requests(let count): .searching(upTo: end + 1, requests: count)
      case .moment, .input: .searching(upTo: end + 1, requests: 0)
      case .undos(let count): .unwinding(upTo: end, undos: count, first: end + 1)
      }
    // Placeholder: nothing is replayed until the start is known.
    replay = Replay(of: world, from: nil, to: 0)
  }

  /// Whether timers that are due stay as they are until something happens.
  package var leavesDueTimers: Bool { if case .input = goal { true } else { false } }

  /// The input to go back to, or the last delivery that followed from it; nil if no input was named.
  package var lastInEffect: UInt64? { leavesDueTimers ? firstUndone - 1 : nil }

  /// Whether undos are taken back.
  package var isRedo: Bool { if case .undos = goal { true } else { false } }

  /// The first input that a later replay of this rewind needs.
  package var firstNeeded: UInt64 { redo?.first ?? firstUndone }

  /// Whether the rebuilt world can replace the world.
  package var hasArrived: Bool { if case .arrived = phase { true } else { false } }

  /// Does one slice.
  ///
  /// - Parameters:
  ///   - world: The world that this was made for, unchanged since.
  ///   - inputs: About how many inputs to search or replay at most. The journal is searched by blocks.
  ///   - goesOn: Asked from time to time. After it was false, the rest is left for the next slice.
  package func advance(
    through world: borrowing WorldCore, by inputs: Int, while goesOn: () -> Bool = { true }
  ) throws(Failure) {
    precondition(world.lastSequence == end, "a world stands still while it goes back")
    var left = inputs
    while left > 0 {
      switch phase {
      case .searching(let bound, let requests):
        left -= try search(world, upTo: bound, requests: requests)
      case .unwinding(let bound, let undos, let first):
        left -= try unwind(world, upTo: bound, undos: undos, first: first)
      case .building:
        do throws(Replay.Divergence) {
          guard try replay.advance(through: world, by: left, while: goesOn) else { return }
        } catch {
          throw .diverged(at: error.sequence)
        }
        arrive(world)
      case .arrived:
        return
      }
    }
  }

  /// Searches the inputs of a block before `bound`.
  ///
  /// - Returns: How many there were.
  private func search(_ world: borrowing WorldCore, upTo bound: UInt64, requests: Int) throws(Failure) -> Int {
    let first = world.firstSequence
    if case .input(let sequence) = goal {
      guard let step = world.step(of: sequence) else { throw .forgotten(from: oldestReachable(world)) }
      stepMoment = step.moment
      try build(world, from: step.last + 1)
      return 4_096
    }
    guard bound > first else {
      guard first == 1 else { throw .forgotten(from: oldestReachable(world)) }
      // For a moment, everything is undone: there is nothing before it.
      guard case .moment = goal else { throw .onlySoMany(requestsFound(requests)) }
      try build(world, from: firstUndone)
      return 1
    }
    let start = world.journal.startOfBlock(of: bound - 1)
    if let undone = world.past.rewinds.span(of: bound - 1) {
      phase = .searching(upTo: undone.from, requests: requests)
      return 1
    }
    var reader = world.journalReader(from: start)
    var found: [UInt64] = []
    var isBefore = false
    while reader.next < bound, let entry = world.read(&reader) {
      if world.hasUndone(entry.sequence) { continue }
      switch goal {
      case .requests:
        // Restarted timers are not a request.
        if entry.input.isFromOutside, entry.input != .renewed, !entry.continuesRequest { found.append(entry.sequence) }
      case .moment(let moment):
        if entry.moment > moment { found.append(entry.sequence) } else { isBefore = true }
      case .undos, .input: preconditionFailure("only requests and a moment are searched for")
      }
    }
    switch goal {
    case .requests:
      if found.count >= requests {
        try build(world, from: found[found.count - requests])
      } else {
        phase = .searching(upTo: start, requests: requests - found.count)
      }
    case .moment:
      // Inputs that were not undone happened in order, so those after the moment are the last ones.
      firstUndone = found.first ?? firstUndone
      if isBefore { try build(world, from: firstUndone) } else { phase = .searching(upTo: start, requests: 0) }
    case .undos, .input: preconditionFailure("only requests and a moment are searched for")
    }
    return Int(bound - start)
  }

  private func requestsFound(_ lacking: Int) -> Int {
    guard case .requests(let wanted) = goal else { return 0 }
    return wanted - lacking
  }

  /// Starts to rebuild the world up to just before an input.
  private func build(_ world: borrowing WorldCore, from sequence: UInt64) throws(Failure) {
    firstUndone = sequence
    base = world.past.checkpoint(before: redo?.first ?? sequence, firstKept: world.firstSequence)
    guard base != nil || world.firstSequence == 1 else { throw .forgotten(from: oldestReachable(world)) }
    replay = Replay(of: world, from: base, to: sequence - 1, undoneBefore: sequence)
    phase = .building
  }

  // MARK: Redo

  /// Looks at one rewind: an undo is taken back, and what a redo has taken back is passed over.
  ///
  /// - Returns: About what it costs, in inputs.
  private func unwind(
    _ world: borrowing WorldCore, upTo bound: UInt64, undos: Int, first: UInt64
  ) throws(Failure) -> Int {
    guard case .undos(let wanted) = goal else { preconditionFailure("only a redo unwinds") }
    guard bound >= world.firstSequence, bound > 0 else {
      guard world.firstSequence == 1 else { throw .forgotten(from: oldestReachable(world)) }
      throw .onlySoMany(wanted - undos)
    }
    guard let rewind = world.past.rewinds.rewind(bound) else { throw .onlySoMany(wanted - undos) }
    if rewind.isRedo {
      phase = .unwinding(upTo: rewind.undone.from - 1, undos: undos, first: first)
      return 1
    }
    let first = min(first, rewind.undone.from)
    if undos > 1 {
      phase = .unwinding(upTo: bound - 1, undos: undos - 1, first: first)
      return 1
    }
    guard first >= world.firstSequence else { throw .forgotten(from: oldestReachable(world)) }
    redo = Redo(first: first, undos: UInt64(wanted), moment: momentLeft(world, by: bound))
    try build(world, from: bound)
    // The reader has skipped a part of a block.
    return 4_096
  }

  /// The moment at which the world was when an undo came.
  private func momentLeft(_ world: borrowing WorldCore, by undo: UInt64) -> Instant {
    let before = max(undo - 1, world.firstSequence)
    var reader = world.journalReader(from: before)
    var moment = Instant.beginning
    while reader.next <= undo, let entry = world.read(&reader) {
      if entry.sequence == undo, let left = JournalInput(entry).due { return left }
      if entry.sequence == before { moment = entry.moment }
    }
    return moment
  }

  /// Finishes: everything is replayed, and the clock is set.
  private func arrive(_ world: borrowing WorldCore) {
    let sinceCheckpoint = end + 1 - (base?.sequence ?? 0)
    // After one long rewind another one is likely.
    if sinceCheckpoint >= world.past.wait(machines: replay.world.machineCount),
      world.past.hasRoom(for: replay.world.bytesOfACopy, isNeeded: true)
    {
      checkpoint = Checkpoint(of: replay.world, as: end + 1)
    }
    replay.world.move(to: moment(world))
    // After a rewind to an input due timers stay. Otherwise everything due has expired, except in an endless chain, which
    // is then detected again.
    if !leavesDueTimers { replay.world.fireDue() }
    phase = .arrived
  }

  private func oldestReachable(_ world: borrowing WorldCore) -> UInt64 {
    (world.past.oldestCheckpoint(firstKept: world.firstSequence)?.sequence ?? world.lastSequence) + 1
  }

  /// The moment to which the clock goes back.
  private func moment(_ world: borrowing WorldCore) -> Instant {
    if case .moment(let moment) = goal { return moment }
    if let stepMoment { return stepMoment }
    if let redo { return max(redo.moment, replay.world.now) }
    var reader = world.journalReader(from: firstUndone)
    return world.read(&reader)?.moment ?? world.now
  }

  /// Passes the rebuilt world to `body`.
  package func withWorld<R>(_ body: (inout WorldCore) -> R) -> R { body(&replay.world) }
}
