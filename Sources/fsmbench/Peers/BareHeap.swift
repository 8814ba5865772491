/// The least that a timer firing can cost: a 4-ary heap of 16-byte entries. The earliest is taken and put back later.
/// No machine, no journal, no cancelling.
///
/// Safety: the buffer is owned by this value, allocated for its capacity and freed with it; every index stays below
/// `count`.
struct BareHeap: ~Copyable {
  struct Entry {
    var due: UInt64
    var id: UInt64
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let capacity: Int
  private var count = 0

  init(capacity: Int) {
    entries = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { entries.deallocate() }

  mutating func push(_ entry: Entry) {
    precondition(count < capacity, "a bare heap does not grow")
    var index = count
    count += 1
    while index > 0 {
      let parent = (index - 1) >> 2
      if entries[parent].due <= entry.due { break }
      entries[index] = entries[parent]
      index = parent
    }
    entries[index] = entry
  }

  /// - Precondition: It is not empty.
  mutating func pop() -> Entry {
    precondition(count > 0, "nothing to take")
    count -= 1
    let top = entries[0]
    let last = entries[count]
    var index = 0
    while true {
      let first = 4 * index + 1
      guard first < count else { break }
      var least = first
      if first + 3 < count {
        let left = entries[first + 1].due < entries[first].due ? first + 1 : first
        let right = entries[first + 3].due < entries[first + 2].due ? first + 3 : first + 2
        least = entries[right].due < entries[left].due ? right : left
      } else {
        for child in first..<count where entries[child].due < entries[least].due { least = child }
      }
      if entries[least].due >= last.due { break }
      entries[index] = entries[least]
      index = least
    }
    entries[index] = last
    return top
  }
}
