import LineProtocol
import Simulator

/// Looks for where the last so many inputs begin that a pattern and a scope ask for: backwards, a stretch at a time.
final class JournalSearch {
  private let pattern: Pattern
  private let scope: WatchScope
  /// How many are still to be found.
  private var missing: Int
  /// Behind the inputs that have not been looked at.
  private var end: UInt64
  /// The first input that is looked at.
  private let floor: UInt64
  /// The first that was found.
  private var found: UInt64
  private var printer = JournalPrinter()
  private var sink = ByteBuffer()

  /// Inputs that are looked at in one go.
  private static let stretch: UInt64 = 10_000
  /// Inputs that the store is asked for at most: those before are not looked at without `since=`.
  private static let mostOfTheStore: UInt64 = 200_000

  /// - Parameter count: How many inputs are looked for; where there are fewer, all that there are.
  init(for count: Int, _ pattern: Pattern, _ scope: WatchScope, in realm: borrowing Realm) {
    self.pattern = pattern
    self.scope = scope
    missing = count
    end = realm.world.lastSequence + 1
    found = end
    let inMemory = realm.world.firstSequence
    let inReach = inMemory > JournalSearch.mostOfTheStore ? inMemory - JournalSearch.mostOfTheStore : 1
    floor = min(inMemory, max(realm.firstSequence, inReach))
  }

  /// Looks at the next stretch.
  ///
  /// - Returns: The first input that was looked for, when that is known; one more than the last if there is none.
  /// - Throws: What the store throws.
  /// - Complexity: O(inputs of a stretch).
  func goOn(_ realm: borrowing Realm) throws(PersistenceFailure) -> UInt64? {
    // Every input of the whole world is one of them.
    if pattern.matchesAll, scope == .all {
      return max(realm.firstSequence, end > UInt64(missing) ? end - UInt64(missing) : 1)
    }
    // What memory has forgotten meanwhile is in the store, if there is one.
    let first = max(floor, realm.firstSequence)
    guard missing > 0, end > first else { return found }
    var start = max(first, end > JournalSearch.stretch ? end - JournalSearch.stretch : 1)
    if end > realm.world.firstSequence { start = max(start, realm.world.firstSequence) }
    let numbers = try wanted(start...(end - 1), realm)
    guard numbers.count < missing else { return numbers[numbers.count - missing] }
    missing -= numbers.count
    found = numbers.first ?? found
    end = start
    return nil
  }

  /// Those inputs of a stretch that are asked for. All of it is in memory, or nothing.
  private func wanted(_ numbers: ClosedRange<UInt64>, _ realm: borrowing Realm) throws(PersistenceFailure) -> [UInt64] {
    var wanted: [UInt64] = []
    if numbers.lowerBound >= realm.world.firstSequence {
      var reader = realm.world.journalReader(from: numbers.lowerBound)
      while reader.next <= numbers.upperBound, let entry = realm.world.read(&reader) {
        if isWanted(entry, of: realm.world) { wanted.append(entry.sequence) }
      }
    } else if let stored = realm.stored {
      _ = try stored.read(numbers, in: realm.world) { world, entry in
        if isWanted(entry, of: world) { wanted.append(entry.sequence) }
        return true
      }
    }
    return wanted
  }

  private func isWanted(_ entry: JournalEntry, of world: borrowing WorldCore) -> Bool {
    guard world.concerns(entry, pattern) else { return false }
    guard scope == .moves else { return true }
    sink.removeAll()
    let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
    return printer.print(entry, of: world, scope, .data, tag: noTag, to: &sink) > 0
  }
}
