/// The machines in the order of their names, by bytes. The order is made when it is first asked for, and kept up from then
/// on.
extension Registry {
  /// The first machine whose name is `name` or sorts after it, or after it only; as a place in the order.
  ///
  /// - Complexity: O(log *n*), and O(*n* log *n*) when the order must be made.
  mutating func place(of name: UnsafeRawBufferPointer, orAfter isAfter: Bool) -> Int {
    makeOrder()
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      let comparison = withName(of: MachineID(order[middle])) { NameHash.compare($0, name) }
      if comparison < 0 || (isAfter && comparison == 0) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The machine at a place in the order of names, by bytes.
  mutating func inOrder(_ place: Int) -> MachineID? {
    makeOrder()
    return place < order.count ? MachineID(order[place]) : nil
  }

  mutating func forgetOrder() {
    order = []
    newcomers = []
    isOrdered = false
    orderHasDropped = false
  }

  private mutating func makeOrder() {
    if !isOrdered {
      newcomers = []
      newcomers.reserveCapacity(count)
      for number in locations.indices where isAlive(MachineID(UInt32(number))) { newcomers.append(UInt32(number)) }
      order = []
      isOrdered = true
      orderHasDropped = false
    }
    if orderHasDropped {
      order.removeAll { !locations[Int($0)].isSomewhere }
      newcomers.removeAll { !locations[Int($0)].isSomewhere }
      orderHasDropped = false
    }
    guard !newcomers.isEmpty else { return }
    var fresh = newcomers
    newcomers = []
    sortByName(&fresh)
    var merged = ContiguousArray<UInt32>()
    merged.reserveCapacity(order.count + fresh.count)
    var old = 0
    for number in fresh {
      while old < order.count, precedes(order[old], number) {
        merged.append(order[old])
        old += 1
      }
      merged.append(number)
    }
    merged.append(contentsOf: order[old...])
    order = merged
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

  private func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
    withName(of: MachineID(left)) { left in
      withName(of: MachineID(right)) { NameHash.compare(left, $0) < 0 }
    }
  }
}
