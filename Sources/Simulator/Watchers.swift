/// Somebody who wants to be told what happens in a world. The number is the caller's.
package struct WatcherID: Hashable, Sendable {
  package let number: UInt32

  package init(_ number: UInt32) {
    self.number = number
  }
}

/// How much of what happens a watch wants to hear of.
package enum WatchScope: UInt8, Comparable, Sendable {
  /// Creations, transitions, outputs and removals.
  case moves
  /// Every input, with its timers.
  case all

  package static func < (left: WatchScope, right: WatchScope) -> Bool { left.rawValue < right.rawValue }
}

/// Which machines each watcher follows.
///
/// Patterns are matched when a watch or a machine is made, never per input: what remains per input is one bit.
struct Watchers {
  private struct Watcher {
    var patterns: [(pattern: Pattern, scope: WatchScope)] = []
    /// One bit a machine: followed at all, and followed in full.
    var moves = BitSet()
    var all = BitSet()

    func scope(of name: UnsafeRawBufferPointer) -> WatchScope? {
      patterns.lazy.filter { $0.pattern.matches(name) }.map(\.scope).max()
    }

    mutating func set(_ machine: MachineID, _ scope: WatchScope?) {
      moves.set(machine.index, scope != nil)
      all.set(machine.index, scope == .all)
    }
  }

  private var watchers: [WatcherID: Watcher] = [:]

  var isEmpty: Bool { watchers.isEmpty }

  /// How many patterns a watcher follows.
  func count(of watcher: WatcherID) -> Int { watchers[watcher]?.patterns.count ?? 0 }

  func patterns(of watcher: WatcherID) -> [Pattern] { watchers[watcher]?.patterns.map(\.pattern) ?? [] }

  /// All watches there are.
  var all: [(watcher: WatcherID, pattern: Pattern, scope: WatchScope)] {
    watchers.flatMap { watcher, followed in followed.patterns.map { (watcher, $0.pattern, $0.scope) } }
  }

  /// Whether a watcher follows anything in full, and so hears of the clock.
  func hearsOfTheClock(_ watcher: WatcherID) -> Bool {
    watchers[watcher]?.patterns.contains { $0.scope == .all } ?? false
  }

  /// What a watcher follows at this moment, to be asked many times.
  func view(of watcher: WatcherID) -> WatchView? {
    watchers[watcher].map { WatchView(moves: $0.moves, all: $0.all) }
  }

  /// Begins a watch, or changes the scope of one that is there. The bits of the machines that match are then to be set.
  mutating func add(_ pattern: Pattern, _ scope: WatchScope, for watcher: WatcherID) {
    var changed = watchers[watcher] ?? Watcher()
    if let place = changed.patterns.firstIndex(where: { $0.pattern == pattern }) {
      changed.patterns[place].scope = scope
    } else {
      changed.patterns.append((pattern, scope))
    }
    watchers[watcher] = changed
  }

  /// Ends a watch; false if there is none. The bits of the machines that matched are then to be set anew.
  mutating func remove(_ pattern: Pattern, of watcher: WatcherID) -> Bool {
    guard let place = watchers[watcher]?.patterns.firstIndex(where: { $0.pattern == pattern }) else { return false }
    watchers[watcher]?.patterns.remove(at: place)
    if watchers[watcher]?.patterns.isEmpty == true { watchers[watcher] = nil }
    return true
  }

  mutating func removeAll(of watcher: WatcherID) {
    watchers[watcher] = nil
  }

  /// Sets the bits of a machine for one watcher.
  mutating func match(_ machine: MachineID, named name: UnsafeRawBufferPointer, for watcher: WatcherID) {
    guard let scope = watchers[watcher]?.scope(of: name) else {
      watchers[watcher]?.set(machine, nil)
      return
    }
    watchers[watcher]?.set(machine, scope)
  }

  /// Sets the bits of a new machine for every watcher.
  mutating func enter(_ machine: MachineID, named name: UnsafeRawBufferPointer) {
    if watchers.isEmpty { return }
    for watcher in watchers.keys { match(machine, named: name, for: watcher) }
  }
}

/// What one watcher follows, looked up once and asked per input.
package struct WatchView {
  fileprivate let moves: BitSet
  fileprivate let all: BitSet

  /// How much the watcher wants to hear of a machine; nil for nothing.
  @inline(__always)
  package func scope(for machine: MachineID) -> WatchScope? {
    guard moves.contains(machine.index) else { return nil }
    return all.contains(machine.index) ? .all : .moves
  }
}

/// A set of small numbers, one bit each.
struct BitSet {
  private var words: ContiguousArray<UInt64> = []

  @inline(__always)
  func contains(_ number: Int) -> Bool {
    let word = number &>> 6
    return word < words.count && words[word] & (1 &<< UInt64(number & 63)) != 0
  }

  mutating func set(_ number: Int, _ isMember: Bool) {
    let word = number >> 6
    if word >= words.count {
      guard isMember else { return }
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    if isMember { words[word] |= 1 << UInt64(number & 63) } else { words[word] &= ~(1 << UInt64(number & 63)) }
  }
}
