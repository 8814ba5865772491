internal import CProcessor

/// The running timers of a world in due order; timers with equal due times in the order of arming.
///
/// A 4-ary heap of sixteen-byte entries whose four children share a cache line. An entry is not removed when its timer
/// is disarmed or armed anew: it becomes dead and is skipped when it reaches the top. Dead entries are swept together
/// before they outnumber the living ones by more than a thousand.
struct Agenda: ~Copyable {
  struct Entry {
    let due: Int64
    /// The arming counter in the upper 40 bits, the machine in the lower 24.
    let key: UInt64

    @inline(__always)
    init(due: Int64, stamp: UInt64, machine: MachineID) {
      self.due = due
      key = stamp &<< 24 | UInt64(machine.number)
    }

    @inline(__always)
    var stamp: UInt64 { key &>> 24 }

    @inline(__always)
    var machine: MachineID { MachineID(UInt32(truncatingIfNeeded: key & 0xFF_FFFF)) }

    /// Both as one number, so that the compiler makes no branch: which of two entries comes first is unpredictable, and
    /// a misprediction costs more than the comparison.
    @inline(__always)
    private var rank: Int128 { Int128(due) &<< 64 | Int128(key) }

    @inline(__always)
    static func precedes(_ left: Entry, _ right: Entry) -> Bool { left.rank < right.rank }
  }

  /// The arming counter stays below this; a world restamps its timers before.
  static let lastStamp: UInt64 = 1 << 40 - 1

  // Safety: room for `capacity` entries. The root is at 3, so that the children of the entry at `place`, at 4 × (place
  // − 2) and the three after it, begin on a cache line of the 64-byte aligned storage.
  private var base: UnsafeMutablePointer<Entry>
  private var capacity: Int
  private var end = Agenda.root
  private static let root = 3
  /// Whether the first entry has been taken and its place is still free.
  private var hasHole = false
  /// How many entries belong to running timers.
  var living = 0
  /// The last entry that moved up to among about twenty that are due next. Its machine can be prefetched.
  private(set) var coming = Entry(due: 0, stamp: 0, machine: MachineID(MachineID.absentNumber))
  /// The same for about eighty entries.
  private(set) var approaching = Entry(due: 0, stamp: 0, machine: MachineID(MachineID.absentNumber))
  /// The places of the first three layers are below this.
  private static let near = 24
  /// The places of the first four layers are below this.
  private static let far = 88

  init() {
    capacity = 64
    base = Agenda.allocate(capacity)
  }

  deinit {
    base.deallocate()
  }

  /// An independent copy.
  ///
  /// - Precondition: `takeFirst` has left no hole.
  func copy() -> Agenda {
    precondition(!hasHole, "a timer is firing")
    var copy = Agenda()
    if end > copy.capacity {
      copy.base.deallocate()
      copy.capacity = capacity
      copy.base = Agenda.allocate(capacity)
    }
    // The places before the root are unused.
    (copy.base + Agenda.root).initialize(from: base + Agenda.root, count: end - Agenda.root)
    copy.end = end
    copy.living = living
    return copy
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
    UnsafeMutableRawPointer.allocate(byteCount: capacity * MemoryLayout<Entry>.stride, alignment: 64)
      .bindMemory(to: Entry.self, capacity: capacity)
  }

  /// The bytes of the entries at their highest number: allocated memory beyond that is never touched.
  var bytes: Int { max(end, capacity / 2) * MemoryLayout<Entry>.stride }

  /// The number of entries, dead ones included.
  var count: Int { end - Agenda.root }

  /// Whether it is time to sweep.
  @inline(__always)
  var hasTooManyDead: Bool { count &- living > living &+ 1_000 }

  /// The entry that is due first, alive or dead.
  @inline(__always)
  var first: Entry? { end > Agenda.root ? base[Agenda.root] : nil }

  @inline(__always)
  mutating func push(_ entry: Entry) {
    if hasHole {
      // A timer armed while another fires takes its place: one sift down instead of one down and one up.
      hasHole = false
      siftDown(entry, from: Agenda.root)
      return
    }
    if end == capacity { grow() }
    siftUp(entry, from: end)
    end &+= 1
  }

  /// Removes the first entry, but leaves its place to the next push; `closeHole` ends that.
  ///
  /// - Precondition: There is one.
  @inline(__always)
  mutating func takeFirst() {
    hasHole = true
  }

  /// Restores the heap if nothing was pushed since `takeFirst`.
  @inline(__always)
  mutating func closeHole() {
    guard hasHole else { return }
    hasHole = false
    pop()
  }

  /// Removes the first entry.
  ///
  /// - Precondition: There is one.
  @inline(__always)
  mutating func pop() {
    end &-= 1
    if end > Agenda.root { siftDown(base[end], from: Agenda.root) }
  }

  /// Keeps the entries for which `isAlive` is true, and restores the heap.
  ///
  /// Memory latency dominates the cost, since each entry belongs to another machine. So what `isAlive` needs for some
  /// entries is prefetched together, before the first of them is checked.
  ///
  /// - Parameter fetch: Prefetches what `isAlive` reads.
  /// - Complexity: O(*n*).
  @inline(__always)
  mutating func sweep(fetching fetch: (Entry) -> Void = { _ in }, _ isAlive: (Entry) -> Bool) {
    var kept = Agenda.root
    var first = Agenda.root
    while first < end {
      let next = min(first &+ 32, end)
      for place in first..<next { fetch(base[place]) }
      for place in first..<next where isAlive(base[place]) {
        base[kept] = base[place]
        kept &+= 1
      }
      first = next
    }
    end = kept
    restore()
  }

  /// Replaces every entry by the result of `change`.
  mutating func rewrite(_ change: (Entry) -> Entry) {
    for place in Agenda.root..<end { base[place] = change(base[place]) }
    restore()
  }

  /// All entries, unordered.
  func forEach(_ body: (Entry) -> Void) {
    for place in Agenda.root..<end { body(base[place]) }
  }

  /// Passes entries to `body` in order, including dead ones, until it returns false.
  ///
  /// - Complexity: O(*k* log *k*) for *k* entries.
  func forEachInOrder(_ body: (Entry) -> Bool) {
    guard end > Agenda.root else { return }
    // The places that may be next: those whose parents have been passed. Also a heap.
    var candidates = ContiguousArray([Agenda.root])
    while let place = candidates.first {
      guard body(base[place]) else { return }
      let child = firstChild(of: place)
      if child < end {
        // The first child takes its parent's place.
        replaceFirst(of: &candidates, by: child)
        for other in (child + 1)..<max(child + 1, min(child + 4, end)) { insert(other, into: &candidates) }
      } else {
        let last = candidates.removeLast()
        if !candidates.isEmpty { replaceFirst(of: &candidates, by: last) }
      }
    }
  }

  private func insert(_ place: Int, into candidates: inout ContiguousArray<Int>) {
    candidates.append(place)
    var hole = candidates.count - 1
    while hole > 0, Entry.precedes(base[place], base[candidates[(hole - 1) / 2]]) {
      candidates[hole] = candidates[(hole - 1) / 2]
      hole = (hole - 1) / 2
    }
    candidates[hole] = place
  }

  private func replaceFirst(of candidates: inout ContiguousArray<Int>, by place: Int) {
    var hole = 0
    while true {
      var child = hole * 2 + 1
      if child >= candidates.count { break }
      if child + 1 < candidates.count, Entry.precedes(base[candidates[child + 1]], base[candidates[child]]) {
        child += 1
      }
      if !Entry.precedes(base[candidates[child]], base[place]) { break }
      candidates[hole] = candidates[child]
      hole = child
    }
    candidates[hole] = place
  }

  private mutating func restore() {
    guard end > Agenda.root + 1 else { return }
    for place in stride(from: parent(of: end - 1), through: Agenda.root, by: -1) { siftDown(base[place], from: place) }
  }

  private mutating func grow() {
    let larger = Agenda.allocate(capacity * 2)
    larger.moveInitialize(from: base, count: end)
    base.deallocate()
    base = larger
    capacity *= 2
  }

  @inline(__always)
  private func parent(of place: Int) -> Int { place &>> 2 &+ 2 }

  @inline(__always)
  private func firstChild(of place: Int) -> Int { (place &- 2) &<< 2 }

  /// Prefetches the children of the four entries from a place on: sixteen entries in four cache lines.
  @inline(__always)
  private func fetchChildren(from place: Int) {
    // Safety: only addresses are used, possibly beyond the end; nothing is read.
    let children = base + firstChild(of: place)
    fsm_fetch(children)
    fsm_fetch(children + 4)
    fsm_fetch(children + 8)
    fsm_fetch(children + 12)
  }

  @inline(__always)
  private func siftUp(_ entry: Entry, from start: Int) {
    var place = start
    while place > Agenda.root {
      let above = parent(of: place)
      if Entry.precedes(base[above], entry) { break }
      base[place] = base[above]
      place = above
    }
    base[place] = entry
  }

  @inline(__always)
  private mutating func siftDown(_ entry: Entry, from start: Int) {
    var place = start
    while true {
      let child = firstChild(of: place)
      if child >= end { break }
      var least = child
      if child &+ 3 < end {
        fetchChildren(from: child)
        // All four exist: two comparisons of pairs and a final one.
        let left = Entry.precedes(base[child &+ 1], base[child]) ? child &+ 1 : child
        let right = Entry.precedes(base[child &+ 3], base[child &+ 2]) ? child &+ 3 : child &+ 2
        least = Entry.precedes(base[right], base[left]) ? right : left
      } else {
        for other in (child &+ 1)..<end where Entry.precedes(base[other], base[least]) { least = other }
      }
      if !Entry.precedes(base[least], entry) { break }
      base[place] = base[least]
      if place < Agenda.far {
        if place < Agenda.near { coming = base[least] } else { approaching = base[least] }
      }
      place = least
    }
    base[place] = entry
  }
}
