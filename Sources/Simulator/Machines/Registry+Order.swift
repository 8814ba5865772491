/// The machines ordered by name, by bytes.
///
/// The order is built on first use, in slices, and maintained from then on: a removed machine leaves it at once, a new
/// one waits in `newcomers` until the next use. It is stored in leaves, so that an insertion moves one leaf and not a
/// million numbers.
extension Registry {
  /// Numbers in a leaf, at most.
  private static let leafSize = 512
  /// Machines sorted together before they are inserted, so that neighbours are searched together.
  private static let batchSize = 1_024

  /// A machine's position in the order.
  struct OrderPlace {
    var leaf: Int
    var offset: Int
  }

  /// Continues building the order.
  ///
  /// - Parameter budget: The most machines to process; lowered by those processed.
  /// - Returns: Whether the order is complete.
  /// - Complexity: O(*b* log *n*) for a budget of *b*, and O(1) when no machine is new.
  mutating func putInOrder(budget: inout Int) -> Bool {
    while scanned < locations.count || !newcomers.isEmpty {
      guard budget > 0 else { return false }
      putBatchInOrder(&budget)
    }
    return true
  }

  /// Builds the whole order.
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
    // Names are sorted, so the next leaf is this one or a later one.
    var leaf = 0
    for number in batch {
      leaf = withName(of: MachineID(number)) { self.leaf(of: $0, from: leaf) }
      insert(number, into: leaf)
    }
  }

  /// The leaf of a name, whether or not the name is in it.
  ///
  /// - Parameter start: A leaf whose first name is not after it, or 0.
  private func leaf(of name: UnsafeRawBufferPointer, from start: Int = 0) -> Int {
    // Nearly always it is the leaf of the previous name, or the last.
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

  /// The first position in a leaf whose name is at or after `name`; with `isAfter`, strictly after it.
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
    // A number that was reused while it waited is listed twice.
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

  /// Removes a machine before it loses its name; one that still waits is skipped later.
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

  /// Adds a new machine, which waits until the order is next used.
  mutating func addToOrder(_ id: MachineID) {
    guard id.index < scanned else { return }
    newcomers.append(id.number)
    // Not used for long: most newcomers are gone, or they outnumber the ordered machines.
    if newcomers.count > count + 1_024 { forgetOrder() }
  }

  mutating func forgetOrder() {
    leaves = []
    newcomers = []
    scanned = 0
    orderChanges &+= 1
  }

  // MARK: Reading

  /// The position of the first machine whose name is at or after `name`; with `isAfter`, strictly after it. The end if
  /// there is none.
  ///
  /// - Complexity: O(log *n*) when the order is built.
  mutating func place(of name: UnsafeRawBufferPointer, orAfter isAfter: Bool) -> OrderPlace {
    putAllInOrder()
    guard !leaves.isEmpty else { return OrderPlace(leaf: 0, offset: 0) }
    let leaf = leaf(of: name)
    return OrderPlace(leaf: leaf, offset: offset(of: name, in: leaf, orAfter: isAfter))
  }

  /// The machine at a position, which advances; nil at the end.
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

  /// Violated invariants of the order, in words; empty if there are none.
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
