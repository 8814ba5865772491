/// The position of a search in the order of names. It stays valid when machines come and go: each machine that exists
/// all the time is found once, none twice.
package struct NameCursor: Sendable {
  fileprivate let pattern: NamePattern
  /// The last name processed; the search continues after it.
  fileprivate var last: [UInt8]?
  /// The position of `last`, valid while the order has not changed.
  fileprivate var place = Registry.OrderPlace(leaf: 0, offset: 0)
  fileprivate var changes: UInt64 = 0

  /// - Parameter pattern: Which names are searched.
  package init(_ pattern: NamePattern) {
    self.pattern = pattern
  }
}

/// The result of a search step with a budget.
package enum MachineSearch: Equatable, Sendable {
  case found(MachineID)
  /// The budget is used up; there may be more.
  case more
  /// There is none left.
  case done
}

extension WorldCore {
  /// Continues to order the machines by name, so that later searches find them at once.
  ///
  /// - Parameter budget: The most machines to process; lowered by those processed.
  /// - Returns: Whether all are in order. Machines made later have to be added.
  package mutating func putNamesInOrder(budget: inout Int) -> Bool { registry.putInOrder(budget: &budget) }

  /// The next machine, in the order of names by bytes, whose name matches.
  ///
  /// - Parameter budget: The most machines to look at or to order; lowered by those processed.
  package mutating func next(_ cursor: inout NameCursor, budget: inout Int) -> MachineSearch {
    guard registry.putInOrder(budget: &budget) else { return .more }
    if cursor.last == nil || cursor.changes != registry.orderChanges {
      cursor.place = (cursor.last ?? cursor.pattern.prefix).withUnsafeBytes {
        registry.place(of: $0, orAfter: cursor.last != nil)
      }
      cursor.changes = registry.orderChanges
    }
    var seen: MachineID?
    defer {
      if let seen { cursor.last = registry.withName(of: seen) { Array($0) } }
    }
    while budget > 0 {
      guard let machine = registry.next(at: &cursor.place) else { return .done }
      let (matches, isPast) = registry.withName(of: machine) { name in
        (cursor.pattern.matches(name), !name.starts(with: cursor.pattern.prefix))
      }
      if isPast { return .done }
      budget -= 1
      seen = machine
      if matches { return .found(machine) }
    }
    return .more
  }

  /// The first machine, in the order of names by bytes, at or after `name`.
  ///
  /// - Complexity: O(log *n*); O(*n* log *n*) the first time.
  package mutating func machine(atOrAfter name: UnsafeRawBufferPointer) -> MachineID? {
    var place = registry.place(of: name, orAfter: false)
    return registry.next(at: &place)
  }

  /// The first machine, in the order of names by bytes, after `name`.
  package mutating func machine(after name: UnsafeRawBufferPointer) -> MachineID? {
    var place = registry.place(of: name, orAfter: true)
    return registry.next(at: &place)
  }

  /// All machines whose names match, in the order of names by bytes.
  package mutating func machines(matching pattern: NamePattern) -> [MachineID] {
    var found: [MachineID] = []
    var budget = Int.max
    var cursor = NameCursor(pattern)
    while case .found(let machine) = next(&cursor, budget: &budget) { found.append(machine) }
    return found
  }
}
