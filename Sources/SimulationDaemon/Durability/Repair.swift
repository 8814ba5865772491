import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Finds what can be saved of a stored world that this program cannot restore, and saves it.
///
/// A repaired world ends with an earlier input. It is built as a second world from the stored data and is restored once
/// as a test, before it replaces anything.
struct Repair {
  /// The possible repairs of a world.
  struct Survey {
    let name: String
    let head: UInt64
    /// Why the world cannot be restored; nil if it can.
    let reason: String?
    /// The last input up to which the world can be replayed; nil if there is none.
    let playable: UInt64?
    /// Whether a timer ended the daemon, so that a repaired world's clock has to stand still until somebody looks.
    let endedByTimer: Bool
    /// The input of the latest readable checkpoint; nil if there is none.
    let checkpoint: UInt64?

    var lines: [String] {
      guard let reason else { return ["world \(name) is in order: \(head) inputs can be brought back"] }
      var lines = ["world \(name) has \(head) inputs, and cannot be brought back: \(reason)"]
      func line(_ option: String, _ end: UInt64?, _ keeps: String, _ nothing: String) {
        guard let end else { return lines.append("\(option) \(nothing)") }
        let clock = endedByTimer ? ", and pauses its clock" : ""
        lines.append("\(option) keeps \(keeps) input \(end)\(past(of: end)) and loses \(inputs(after: end))\(clock)")
      }
      line(
        playable.map { "--to \($0)" } ?? "--to SEQ", playable, "all up to", "saves nothing: no input can be played")
      line(
        "--to-checkpoint", checkpoint, "the state at", "saves nothing: there is no checkpoint that can be read")
      return lines
    }

    /// What a world that ends with this input lacks.
    func inputs(after end: UInt64) -> String {
      switch head - min(head, end) {
      case 0: "nothing"
      case 1: "input \(head)"
      case _: "inputs \(end + 1) to \(head)"
      }
    }

    /// What has to be said of the past of a world that ends with this input.
    func past(of end: UInt64) -> String {
      reason == nil || end <= playable ?? 0 ? "" : ", before which nothing can be undone,"
    }
  }

  private let store: any WorldStore
  private let persistence: Persistence
  private let name: String

  init(_ store: any WorldStore, _ catalogue: Catalogue, _ name: String, wallClock: @escaping () -> Int64) {
    self.store = store
    self.name = name
    persistence = Persistence(store, catalogue, Limits(), wallClock: wallClock)
  }

  // MARK: Survey

  /// - Complexity: O(inputs), since they are replayed as far as possible.
  static func survey(_ name: String, in store: any WorldReading, _ catalogue: Catalogue) throws -> Survey {
    let catalogue = catalogue.readingDocuments
    let world = try StoreAccess.world(name, in: store)
    var reason: String?
    var playable: UInt64?
    do throws(PersistenceFailure) {
      _ = try WorldLoader(store, catalogue, Limits()).load(name, host: 0)
    } catch .unreadable(_, let why, let input, _) {
      reason = why
      playable = input.flatMap { $0 > 1 ? $0 - 1 : nil }
    } catch {
      throw error
    }
    return Survey(
      name: name, head: world.head, reason: reason, playable: playable, endedByTimer: world.endedByTimer,
      checkpoint: try latestReadableCheckpoint(of: name, in: store, catalogue))
  }

  private static func latestReadableCheckpoint(
    of name: String, in store: any WorldReading, _ catalogue: Catalogue
  ) throws -> UInt64? {
    let stored = try StoreAccess.world(name, in: store)
    for mark in try store.checkpoints(of: name).reversed()
    where stored.obstacle(toReplayFrom: mark.sequence, to: mark.sequence) == nil {
      do {
        _ = try store.world(name, atCheckpoint: mark.sequence, catalogue)
        return mark.sequence
      } catch {
        // An earlier one may be good.
      }
    }
    return nil
  }

  // MARK: Repair

  /// Builds a world from all inputs up to `end`.
  ///
  /// - Parameters:
  ///   - end: The last input to keep.
  ///   - other: The repaired world's name; nil to replace the broken world.
  /// - Throws: The first error. Nothing has changed then.
  func run(to end: UInt64, as other: String?) throws {
    let world = try StoreAccess.world(name, in: store)
    guard (world.first - 1...world.head).contains(end) else {
      throw HistoryFailure.unreadable(
        world: name, reason: "it has inputs \(world.first) to \(world.head), and none is numbered \(end)")
    }
    // A folder is locked, so no daemon has it. On a database one may have the world in good order.
    if other == nil, world.holder?.lease == .others { throw StoreFailure.fenced(world: name, by: world.holder) }
    // No request can give a world this name.
    let made = other ?? "\(name) repaired"
    if other == nil, try store.world(made) != nil { try store.remove(made) }
    var settings = world.settings
    if world.endedByTimer, var running = WorldSettings(settings) {
      // The timer is there again. Whoever repairs the world can now drop its machine, or undo what armed it.
      running.isPaused = true
      settings = running.bytes
    }
    try store.create(made, head: world.first - 1, moment: 0, settings: settings)
    do {
      let lease = try store.take(made).lease
      try copy(world, to: lease, end)
      _ = try persistence.load([made], host: 0)[0].get()
      if other == nil {
        // While it was copied, a daemon may have taken it.
        let present = try StoreAccess.world(name, in: store)
        guard present.head == world.head, present.holder?.lease != .others else {
          throw StoreFailure.fenced(world: name, by: present.holder)
        }
        try store.replace(name, by: lease)
      } else {
        try store.release(lease)
      }
      while try store.sweep() {}
    } catch {
      try? store.remove(made)
      throw error
    }
  }

  private func copy(_ world: StoredWorld, to lease: Lease, _ end: UInt64) throws {
    let kinds = try store.kinds(of: name).filter { $0.since <= end }
    var creations = try store.creations(of: name).filter { $0.sequence <= end }[...]
    var undone = world.first <= end ? try store.undone(in: name, world.first...end)[...] : []
    var head = world.first - 1
    var moment: Int64 = 0
    var rewinds = RewindList()
    func append(_ bytes: UnsafeRawBufferPointer, to last: UInt64) throws {
      let isFirst = head == world.first - 1
      let made = creations.prefix { $0.sequence <= last }
      creations = creations.dropFirst(made.count)
      // The table lacks what an undo after the end has absorbed; the records lack what is in a damaged segment.
      rewinds.look(through: bytes, head + 1...last)
      while let range = undone.first, range.upperBound <= last {
        undone.removeFirst()
        if range.upperBound > rewinds.last { rewinds.append(from: range.lowerBound, by: range.upperBound) }
      }
      try store.append(
        Append(
          lease, head: head, last: last, bytes, moment: moment, creations: Array(made),
          kinds: isFirst ? kinds : []))
      head = last
    }
    while head < end {
      // One segment at a time, since the store must not be written during a read.
      var found: (bytes: [UInt8], numbers: ClosedRange<UInt64>)?
      try store.readSegments(of: name, from: head + 1) { segment in
        found = (Array(segment.bytes), segment.first...segment.last)
        return false
      }
      guard let (bytes, numbers) = found else { break }
      let last = min(numbers.upperBound, end)
      let kept = try bytes.withUnsafeBytes { try JournalSegment.prefix(of: $0, numbers, to: last) }
      moment = kept.moment.nanoseconds
      try kept.bytes.withUnsafeBytes { try append($0, to: last) }
    }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    try store.append(Append(lease, head: head, last: head, nothing, moment: moment, undone: rewinds.ranges()))
    for mark in try store.checkpoints(of: name)
    where mark.sequence <= end && mark.sequence + 1 >= world.first
      && world.obstacle(toReplayFrom: mark.sequence, to: mark.sequence) == nil
    {
      // A damaged checkpoint is skipped.
      guard let found = try? store.checkpoint(of: name, atOrBefore: mark.sequence), found.mark == mark else { continue }
      try found.bytes.withUnsafeBytes {
        try store.putCheckpoint(lease, at: mark.sequence, hash: mark.hash, $0)
      }
    }
  }
}

extension StoredWorld {
  /// Whether a timer of the world ended the daemon.
  fileprivate var endedByTimer: Bool { fatal.contains { $0.work == .requests } }
}
