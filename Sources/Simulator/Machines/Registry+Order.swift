/// The machines in the order of their names, by bytes.
///
/// The order is made when it is first asked for, a bounded piece at a time, and kept up from then on: a machine that
/// goes leaves it at once, one that comes waits in `newcomers` until the order is next asked for. It stands in leaves,
/// so that coming and going moves one leaf and not a million numbers.
extension Registry {
  /// Numbers in a leaf, at most.
  private static let leafSize = 512
  /// Machines that are sorted together before they go into leaves, so that neighbours are looked for together.
  private static let batchSize = 1_024

  /// A machine's place in the order.
  struct OrderPlace {
    var leaf: Int
    var offset: Int
  }

  /// Goes on with making the order.
  ///
  /// - Parameter budget: The most machines to look at; lowered by those that were.
  /// - Returns: Whether the order has every machine now.
  /// - Complexity: O(*b* log *n*) for a budget of *b*, and O(1) when nothing came since.
  mutating func putInOrder(budget: inout Int) -> Bool {
    while scanned < locations.count || !newcomers.isEmpty {
      guard budget > 0 else { return false }
      putBatchInOrder(&budget)
    }
    return true
  }

  /// Makes the whole order.
  private mutating func putAllInOrder() {
    var budget = Int.max
    _ = putInOrder(budget: &budget)
  }

  private mutating func putBatchInOrder(_ budget: inout Int) {
    var batch = ContiguousArray<UInt32>()
    var room = min(budget, Registry.batchSize)
    budget -= room
    while room > 0, let number = newcomers.popLast() {
      room -= 1
      if isAlive(MachineID(number)) { batch.append(number) }
    }
    while room > 0, scanned < locations.count {
      room -= 1
      if isAlive(MachineID(UInt32(scanned))) { batch.append(UInt32(scanned)) }
      scanned += 1
    }
    budget += room
    sortByName(&batch)
    // In the order of names the next leaf is this one or one further on.
    var leaf = 0
    for number in batch {
      leaf = withName(of: MachineID(number)) { self.leaf(of: $0, from: leaf) }
      insert(number, into: leaf)
    }
  }

  /// The leaf in which a name stands or would stand.
  ///
  /// - Parameter start: A leaf whose first name is not after it, or 0.
  private func leaf(of name: UnsafeRawBufferPointer, from start: Int = 0) -> Int {
    // Nearly always it is the one where the name before it stood, or the last.
    if start + 1 >= leaves.count || compare(leaves[start + 1][0], name) > 0 { return start }
    var low = start + 1
    var high = leaves.count
    if compare(leaves[high - 1][0], name) <= 0 { return high - 1 }
    while high - low > 1 {
      let middle = (low + high) / 2
      if compare(leaves[middle][0], name) <= 0 { low = middle } else { high = middle }
    }
    return low
  }

  /// The first place in a leaf whose name is `name` or sorts after it, or after it only.
  private func offset(of name: UnsafeRawBufferPointer, in leaf: Int, orAfter isAfter: Bool = false) -> Int {
    var low = 0
    var high = leaves[leaf].count
    while low < high {
      let middle = (low + high) / 2
      let comparison = compare(leaves[leaf][middle], name)
      if comparison < 0 || (isAfter && comparison == 0) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func insert(_ number: UInt32, into leaf: Int) {
    orderChanges &+= 1
    guard leaf < leaves.count else {
      leaves.append([number])
      return
    }
    let count = leaves[leaf].count
    let isLast = withName(of: MachineID(number)) { compare(leaves[leaf][count - 1], $0) < 0 }
    let place = isLast ? count : withName(of: MachineID(number)) { offset(of: $0, in: leaf) }
    // A number that was given out again while it waited is listed twice.
    if place < count, leaves[leaf][place] == number { return }
    if count < Registry.leafSize {
      leaves[leaf].insert(number, at: place)
    } else if isLast {
      // Names often come in order; leaves stay full then.
      leaves.insert([number], at: leaf + 1)
    } else {
      let half = count / 2
      leaves.insert(ContiguousArray(leaves[leaf][half...]), at: leaf + 1)
      leaves[leaf].removeSubrange(half...)
      if place <= half {
        leaves[leaf].insert(number, at: place)
      } else {
        leaves[leaf + 1].insert(number, at: place - half)
      }
    }
  }

  /// Takes a machine out that is about to lose its name; one that still waits is passed over when its turn comes.
  mutating func removeFromOrder(_ id: MachineID) {
    guard id.index < scanned, !leaves.isEmpty else { return }
    let (leaf, place) = withName(of: id) { name in
      let leaf = self.leaf(of: name)
      return (leaf, offset(of: name, in: leaf))
    }
    guard place < leaves[leaf].count, leaves[leaf][place] == id.number else { return }
    orderChanges &+= 1
    leaves[leaf].remove(at: place)
    if leaves[leaf].isEmpty { leaves.remove(at: leaf) }
  }

  /// Says that a machine has come, which waits until the order is next asked for.
  mutating func addToOrder(_ id: MachineID) {
    guard id.index < scanned else { return }
    newcomers.append(id.number)
    // Nobody has asked for long: most of them are gone, or are more than those in order.
    if newcomers.count > count + 1_024 { forgetOrder() }
  }

  mutating func forgetOrder() {
    leaves = []
    newcomers = []
    scanned = 0
    orderChanges &+= 1
  }

  // MARK: Reading

  /// The place of the first machine whose name is `name` or sorts after it, or after it only; the end if there is none.
  ///
  /// - Complexity: O(log *n*) when the order is made.
  mutating func place(of name: UnsafeRawBufferPointer, orAfter isAfter: Bool) -> OrderPlace {
    putAllInOrder()
    guard !leaves.isEmpty else { return OrderPlace(leaf: 0, offset: 0) }
    let leaf = leaf(of: name)
    return OrderPlace(leaf: leaf, offset: offset(of: name, in: leaf, orAfter: isAfter))
  }

  /// The machine at a place, which moves on to the next; nil at the end.
  func next(at place: inout OrderPlace) -> MachineID? {
    guard place.leaf < leaves.count else { return nil }
    if place.offset >= leaves[place.leaf].count {
      place = OrderPlace(leaf: place.leaf + 1, offset: 0)
      guard place.leaf < leaves.count else { return nil }
    }
    defer { place.offset += 1 }
    return MachineID(leaves[place.leaf][place.offset])
  }

  private func compare(_ number: UInt32, _ name: UnsafeRawBufferPointer) -> Int {
    withName(of: MachineID(number)) { NameHash.compare($0, name) }
  }

  private func sortByName(_ numbers: inout ContiguousArray<UInt32>) {
    names.withUnsafeBytes { names in
      nameOffsets.withUnsafeBufferPointer { offsets in
        func name(_ number: UInt32) -> UnsafeRawBufferPointer {
          let offset = Int(offsets[Int(number)])
          return UnsafeRawBufferPointer(rebasing: names[(offset + 1)..<(offset + 1 + Int(names[offset]))])
        }
        numbers.sort { NameHash.compare(name($0), name($1)) < 0 }
      }
    }
  }

  // MARK: Invariants

  /// What is wrong with the order, in words; empty if all is well.
  func orderViolations() -> [String] {
    var violations: [String] = []
    let listed = leaves.flatMap { $0 }
    if leaves.contains(where: { $0.isEmpty || $0.count > Registry.leafSize }) {
      violations.append("a leaf of the order is empty or too large")
    }
    if !listed.allSatisfy({ isAlive(MachineID($0)) }) { violations.append("the order lists a machine that is gone") }
    for (left, right) in zip(listed, listed.dropFirst())
    where withName(of: MachineID(right), { compare(left, $0) }) >= 0 {
      violations.append("machines \(left) and \(right) are not in order")
    }
    let known = Set(listed).union(newcomers)
    for number in 0..<scanned where isAlive(MachineID(UInt32(number))) && !known.contains(UInt32(number)) {
      violations.append("machine \(number) is missing in the order")
    }
    return violations
  }
}
