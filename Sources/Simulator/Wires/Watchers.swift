/// A client that watches a world. The caller chooses the number.
package struct WatcherID: Hashable, Sendable {
  package let number: UInt32

  package init(_ number: UInt32) {
    self.number = number
  }
}

/// Which inputs a watch reports.
package enum WatchScope: UInt8, Comparable, Sendable {
  /// Creations, transitions, outputs and removals.
  case moves
  /// Every input, with its timers.
  case all

  package static func < (left: WatchScope, right: WatchScope) -> Bool { left.rawValue < right.rawValue }
}

/// Which machines each watcher follows.
///
/// A name is matched when its machine is first looked up, and the result cached: so neither a new watch nor a new
/// machine causes a search, and each input costs one bit test.
struct Watchers {
  private var views: [WatcherID: WatchView] = [:]

  var isEmpty: Bool { views.isEmpty }

  /// The approximate memory, in bytes.
  ///
  /// - Complexity: O(watchers).
  var bytes: Int { views.values.reduce(0) { $0 + $1.bytes } }

  /// How many patterns a watcher follows.
  func count(of watcher: WatcherID) -> Int { views[watcher]?.patterns.count ?? 0 }

  func patterns(of watcher: WatcherID) -> [NamePattern] { views[watcher]?.patterns.map(\.pattern) ?? [] }

  /// All watches.
  var all: [(watcher: WatcherID, pattern: NamePattern, scope: WatchScope)] {
    views.flatMap { watcher, view in view.patterns.map { (watcher, $0.pattern, $0.scope) } }
  }

  /// Whether a watcher follows anything in full, and so gets clock notices.
  func hearsOfTheClock(_ watcher: WatcherID) -> Bool {
    views[watcher]?.patterns.contains { $0.scope == .all } ?? false
  }

  /// A watcher's view, for repeated lookups; nil if it follows nothing.
  func view(of watcher: WatcherID) -> WatchView? { views[watcher] }

  /// Adds a watch, or changes the scope of an existing one.
  mutating func add(_ pattern: NamePattern, _ scope: WatchScope, for watcher: WatcherID) {
    let view = views[watcher] ?? WatchView()
    views[watcher] = view
    view.follow(pattern, scope)
  }

  /// Ends a watch; false if there is none.
  mutating func remove(_ pattern: NamePattern, of watcher: WatcherID) -> Bool {
    guard let view = views[watcher], view.unfollow(pattern) else { return false }
    if view.patterns.isEmpty { views[watcher] = nil }
    return true
  }

  mutating func removeAll(of watcher: WatcherID) {
    views[watcher] = nil
  }

  /// Forgets the cached results for a new machine, whose number may have belonged to another.
  func enter(_ machine: MachineID) {
    for view in views.values { view.forget(machine) }
  }
}

/// What one watcher follows in a world. It belongs to the world, and is used only where the world is used.
package final class WatchView {
  fileprivate private(set) var patterns: [(pattern: NamePattern, scope: WatchScope)] = []
  /// The scope of every machine, if no name needs matching: all patterns match all names, or one that does has the
  /// widest scope.
  private var everything: WatchScope?
  /// One bit per machine: whether its name has been matched, whether it is followed, and whether in full.
  private var known = BitSet()
  private var moves = BitSet()
  private var all = BitSet()
  private var patternBytes = 0

  /// The approximate memory, in bytes.
  fileprivate var bytes: Int { 160 + patternBytes + known.bytes + moves.bytes + all.bytes }

  private static func bytes(of pattern: NamePattern) -> Int { 96 + pattern.bytes.count + pattern.prefix.count }

  /// The scope in which the watcher follows a machine; nil if it does not.
  ///
  /// - Parameter world: The world of this view.
  /// - Complexity: O(1); O(patterns) the first time.
  @inline(__always)
  package func scope(for machine: MachineID, in world: borrowing WorldCore) -> WatchScope? {
    if let everything { return everything }
    if !known.contains(machine.index) { look(at: machine, world) }
    guard moves.contains(machine.index) else { return nil }
    return all.contains(machine.index) ? .all : .moves
  }

  @inline(never)
  private func look(at machine: MachineID, _ world: borrowing WorldCore) {
    let scope = world.withName(of: machine) { name in
      patterns.lazy.filter { $0.pattern.matches(name) }.map(\.scope).max()
    }
    known.set(machine.index, true)
    moves.set(machine.index, scope != nil)
    all.set(machine.index, scope == .all)
  }

  fileprivate func follow(_ pattern: NamePattern, _ scope: WatchScope) {
    if let place = patterns.firstIndex(where: { $0.pattern == pattern }) {
      patterns[place].scope = scope
    } else {
      patterns.append((pattern, scope))
      patternBytes += WatchView.bytes(of: pattern)
    }
    begin()
  }

  fileprivate func unfollow(_ pattern: NamePattern) -> Bool {
    guard let place = patterns.firstIndex(where: { $0.pattern == pattern }) else { return false }
    patterns.remove(at: place)
    patternBytes -= WatchView.bytes(of: pattern)
    begin()
    return true
  }

  /// How many machines' names are cached, for tests.
  package var namesLookedAt: Int { known.count }

  fileprivate func forget(_ machine: MachineID) { known.set(machine.index, false) }

  /// Clears the cache after a change of patterns.
  private func begin() {
    let widest = patterns.lazy.filter(\.pattern.matchesAll).map(\.scope).max()
    everything = widest == .all || patterns.allSatisfy(\.pattern.matchesAll) ? widest : nil
    known = BitSet()
  }
}

/// A set of small numbers, one bit each.
struct BitSet {
  private var words: ContiguousArray<UInt64> = []

  var bytes: Int { words.count * 8 }

  @inline(__always)
  func contains(_ number: Int) -> Bool {
    let word = number &>> 6
    return word < words.count && words[word] & (1 &<< UInt64(number & 63)) != 0
  }

  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  mutating func set(_ number: Int, _ isMember: Bool) {
    let word = number >> 6
    if word >= words.count {
      guard isMember else { return }
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    if isMember { words[word] |= 1 << UInt64(number & 63) } else { words[word] &= ~(1 << UInt64(number & 63)) }
  }
}
