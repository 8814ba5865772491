/// The name of one taking of a world: 128 random bits, so that no two daemons ever draw the same.
struct Epoch: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    (self.high, self.low) = (high, low)
  }

  static func drawn(using generator: inout some RandomNumberGenerator) -> Epoch {
    Epoch(high: generator.next(), low: generator.next())
  }
}

/// A row of a world's log. Rows are inserted and never change; their numbers follow each other.
struct LogRow<Content> {
  let world: Int64
  let number: Int64
  /// Whoever took the world last when this row was written.
  let epoch: Epoch
  /// Whether this row begins its epoch.
  let isTaking: Bool
  var content: Content

  init(world: Int64, number: Int64, epoch: Epoch, isTaking: Bool, _ content: Content) {
    self.world = world
    self.number = number
    self.epoch = epoch
    self.isTaking = isTaking
    self.content = content
  }
}

/// A log with the one operation that fences: an insertion under the key (world, number), and only after a row of a known
/// epoch.
protocol FencedLog: AnyObject {
  associatedtype Content
  associatedtype Failure: LogFailure

  /// Inserts each row whose number is free and before which there is a row of the given epoch, in one transaction. A row
  /// that cannot be inserted does not keep out the others.
  ///
  /// - Returns: The worlds whose rows were inserted.
  /// - Throws: A failure that ``LogFailure/isUnknown``, or one after which no row was inserted.
  func insert(_ rows: [(row: LogRow<Content>, after: Epoch)]) throws(Failure) -> Set<Int64>

  /// The last row of each world that is not gone.
  func ends(of worlds: [Int64]) throws(Failure) -> [Int64: LogRow<Content>]

  /// The epoch of a row that is not the last one; nil if it is not there.
  func epoch(of world: Int64, at number: Int64) throws(Failure) -> Epoch?

  func drawEpoch() -> Epoch
}

extension FencedLog {
  /// The last row of a world; nil if the world is gone.
  func end(of world: Int64) throws(Failure) -> LogRow<Content>? { try ends(of: [world])[world] }
}

protocol LogFailure: Error {
  /// Whether the transaction may have been committed, or may be yet.
  var isUnknown: Bool { get }
}

/// Writes worlds to a log from which others may take them.
///
/// Only the insertion of a row decides who writes. The writer rests on no clock, no lock and no session of the database.
/// A reply that was lost is settled by taking the world again: once the row of that taking is there, the row before it
/// tells whether the lost one was stored, and a request that is still under way meets a conflict.
struct LogWriter<Log: FencedLog> {
  /// Why a world is not written any more.
  enum Refusal {
    /// Another writer has taken or removed it.
    case fenced(by: LogRow<Log.Content>?)
    /// The log ends before the last row that was stored: the database went back in time.
    case lost(end: LogRow<Log.Content>)
    /// The same, and another writer went on from there.
    case lostAndFenced(by: LogRow<Log.Content>?)
    /// The transaction failed. If that is unknown, the row may be stored; the world must be taken again.
    case failed(Log.Failure)
  }

  // The log is this writer's owner.
  private unowned let log: Log
  /// The last row that this writer stored in each world that it has.
  private(set) var held: [Int64: LogRow<Log.Content>] = [:]

  init(_ log: Log) {
    self.log = log
  }

  subscript(world: Int64) -> LogRow<Log.Content>? { held[world] }

  mutating func forget(_ world: Int64) { held[world] = nil }

  /// The row that comes next in a world that this writer has.
  func next(in world: Int64, _ content: Log.Content) -> (row: LogRow<Log.Content>, after: Epoch)? {
    held[world].map { last in
      (LogRow(world: world, number: last.number + 1, epoch: last.epoch, isTaking: false, content), last.epoch)
    }
  }

  /// Notes that a row of ``next(in:_:)`` is stored.
  mutating func didStore(_ row: LogRow<Log.Content>) { held[row.world] = row }

  /// What became of taking a world.
  enum Taking {
    /// The new row, and the content of the one before it.
    case taken(LogRow<Log.Content>, after: Log.Content)
    case gone
    /// It may not be taken from whoever has it.
    case refused(by: Log.Content)
  }

  /// Takes worlds from any earlier writer.
  ///
  /// - Parameters:
  ///   - mayWait: Asked after each attempt whose result is unknown or that another writer has forestalled.
  ///   - content: Of the new row, from the last one; nil if the world may not be taken.
  /// - Returns: What became of each.
  /// - Throws: What the log throws. The worlds may have been taken.
  mutating func take(
    _ worlds: [Int64], while mayWait: () -> Bool, _ content: (Log.Content) -> Log.Content?
  ) throws(Log.Failure) -> [Int64: Taking] {
    for world in worlds { held[world] = nil }
    let epoch = log.drawEpoch()
    var before: [Int64: Log.Content] = [:]
    var takings: [Int64: Taking] = [:]
    var left = worlds
    while !left.isEmpty {
      do throws(Log.Failure) {
        let ends = try log.ends(of: left)
        var rows: [(row: LogRow<Log.Content>, after: Epoch)] = []
        for world in left {
          guard let end = ends[world] else {
            takings[world] = .gone
            continue
          }
          // An earlier attempt, whose reply was lost.
          if end.epoch == epoch, let before = before[world] {
            held[world] = end
            takings[world] = .taken(end, after: before)
            continue
          }
          before[world] = end.content
          guard let content = content(end.content) else {
            takings[world] = .refused(by: end.content)
            continue
          }
          rows.append(
            (LogRow(world: world, number: end.number + 1, epoch: epoch, isTaking: true, content), end.epoch))
        }
        left = rows.map(\.row.world)
        let inserted = try log.insert(rows)
        for (row, _) in rows where inserted.contains(row.world) {
          held[row.world] = row
          takings[row.world] = before[row.world].map { .taken(row, after: $0) }
        }
        left.removeAll(where: inserted.contains)
      } catch {
        if error.isUnknown, mayWait() { continue }
        // The caller does not learn which of them were taken, and must not write to any.
        for world in worlds { held[world] = nil }
        throw error
      }
      // Another row was inserted meanwhile.
      if !left.isEmpty { _ = mayWait() }
    }
    return takings
  }

  /// Appends a row to each of some worlds that this writer has, and settles whatever reply is lost.
  ///
  /// - Parameter mayWait: Asked before each attempt to settle.
  /// - Returns: The worlds whose row is not stored, and why. They are forgotten, unless they failed with the transaction
  ///   and nothing is unknown. All other rows are stored.
  mutating func append(
    _ contents: [(world: Int64, Log.Content)], while mayWait: () -> Bool
  ) -> [Int64: Refusal] {
    var refused: [Int64: Refusal] = [:]
    var left = contents
    while !left.isEmpty {
      let rows = left.compactMap { next(in: $0.world, $0.1) }
      precondition(rows.count == left.count, "a writer appends to worlds that it has")
      do throws(Log.Failure) {
        let inserted = try log.insert(rows)
        for (row, _) in rows {
          if inserted.contains(row.world) { didStore(row) } else { refused[row.world] = refusal(of: row) }
        }
        left = []
      } catch {
        guard error.isUnknown else {
          for (row, _) in rows { refused[row.world] = .failed(error) }
          return refused
        }
        left.removeAll { content in
          guard let row = rows.first(where: { $0.row.world == content.world })?.row else { return true }
          switch settle(row, after: error, while: mayWait) {
          case .stored: return true
          case .notStored: return false
          case .refused(let refusal):
            refused[row.world] = refusal
            return true
          }
        }
      }
      for world in refused.keys { forget(world) }
    }
    return refused
  }

  private enum Settled {
    case stored
    /// It is not, and never will be.
    case notStored
    case refused(Refusal)
  }

  /// Finds out what became of a row whose insertion was not answered. The world is taken anew.
  private mutating func settle(
    _ lost: LogRow<Log.Content>, after failure: Log.Failure, while mayWait: () -> Bool
  ) -> Settled {
    let world = lost.world
    guard let last = held[world] else { return .refused(.failed(failure)) }
    let epoch = log.drawEpoch()
    while mayWait() {
      do throws(Log.Failure) {
        guard let end = try log.end(of: world) else { return .refused(.fenced(by: nil)) }
        var taken: LogRow<Log.Content>?
        if end.epoch == epoch {
          // An earlier attempt, whose reply was lost.
          taken = end
        } else if end.epoch == last.epoch {
          if end.number < last.number { return .refused(.lost(end: end)) }
          let row = LogRow(world: world, number: end.number + 1, epoch: epoch, isTaking: true, end.content)
          if try log.insert([(row, end.epoch)]).contains(world) { taken = row }
        } else if try log.epoch(of: world, at: lost.number) == lost.epoch {
          // Another writer has the world by now, as the next append finds out.
          held[world] = lost
          return .stored
        } else {
          return .refused(refusal(of: lost))
        }
        guard let taken else { continue }
        held[world] = taken
        return taken.number == lost.number + 1 ? .stored : .notStored
      } catch {
        // The server may be restarting.
        continue
      }
    }
    return .refused(.failed(failure))
  }

  /// Why a row could not be inserted.
  private func refusal(of row: LogRow<Log.Content>) -> Refusal {
    do throws(Log.Failure) {
      guard let last = held[row.world], let end = try log.end(of: row.world) else { return .fenced(by: nil) }
      if end.epoch == last.epoch { return .lost(end: end) }
      let isThere = try log.epoch(of: row.world, at: last.number) == last.epoch
      return isThere ? .fenced(by: end) : .lostAndFenced(by: end)
    } catch {
      return .failed(error)
    }
  }
}
