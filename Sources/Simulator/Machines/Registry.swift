internal import CProcessor

/// The number of a machine within its world. A number is reused only when no line of the journal refers to its earlier
/// machine.
package struct MachineID: Hashable, Sendable {
  package let number: UInt32

  @inline(__always)
  package init(_ number: UInt32) {
    self.number = number
  }

  @inline(__always)
  package var index: Int { Int(number) }

  /// Numbers have 24 bits in the agenda and the journal.
  package static let max = 1 << 24 - 1

  /// The number in records without a machine. Only the coding of records uses it: all other code sees `nil`.
  static let absentNumber: UInt32 = 0xFF_FFFF

  /// The machine that a record names; `nil` if it names none.
  init?(recorded number: UInt32) {
    if number == Self.absentNumber { return nil }
    self.number = number
  }
}

/// The machines of a world by name and by number.
///
/// Names are stored one after the other in one run of bytes; a hash table with linear probing (Knuth, vol. 3, 6.4,
/// algorithms L and R) maps names to numbers. A machine takes its name, one byte, and about sixteen more.
struct Registry: ~Copyable {
  var names = ContiguousArray<UInt8>()
  /// Bytes in `names` that are no longer used.
  private var wastedBytes = 0
  /// By number: the offset in `names` of a length byte and the name; `UInt32.max` for a number without a name.
  var nameOffsets = ContiguousArray<UInt32>()
  /// By number: the location of the machine's value, or its kind if dropped. Separate from the names, because a step
  /// needs only this.
  var locations = ContiguousArray<Location>()
  private var vacancies = ContiguousArray<UInt32>()
  /// Numbers plus one, 0 where empty; the size is a power of two, at most half full.
  private var table = ContiguousArray<UInt32>(repeating: 0, count: 64)
  private let hash: NameHash
  private(set) var count = 0
  /// Numbers in the order of their names, in leaves; see `putInOrder`.
  var leaves = ContiguousArray<ContiguousArray<UInt32>>()
  /// Numbers below this one are in the order or in `newcomers`; 0 until the order is first used.
  var scanned = 0
  /// Machines with numbers below `scanned` that are not ordered yet. Some may be gone, or listed twice.
  var newcomers = ContiguousArray<UInt32>()
  /// How often the order has changed: shows whether a saved position is still valid.
  var orderChanges: UInt64 = 0

  init(_ hash: NameHash = .ofThisProcess) {
    self.hash = hash
  }

  // MARK: By name

  @inline(__always)
  func find(_ name: UnsafeRawBufferPointer) -> MachineID? {
    let mask = table.count &- 1
    var place = Int(truncatingIfNeeded: hash.hash(name)) & mask
    while true {
      let found = table[place]
      if found == 0 { return nil }
      if isNamed(found &- 1, name) { return MachineID(found &- 1) }
      place = (place &+ 1) & mask
    }
  }

  @inline(__always)
  private func isNamed(_ number: UInt32, _ name: UnsafeRawBufferPointer) -> Bool {
    let offset = Int(nameOffsets[Int(number)])
    guard Int(names[offset]) == name.count else { return false }
    return names.withUnsafeBytes { NameHash.areEqual($0.baseAddress.unsafelyUnwrapped + offset + 1, name) }
  }

  // MARK: By number

  /// The location of a machine's value; of a dropped one, nowhere.
  @inline(__always)
  func location(of id: MachineID) -> Location { locations[id.index] }

  /// Prefetches the location of a machine.
  @inline(__always)
  func fetchLocation(of id: MachineID) {
    // Safety: only the address is used; nothing is read.
    locations.withUnsafeBufferPointer { fsm_fetch($0.baseAddress.unsafelyUnwrapped + id.index) }
  }

  func isAlive(_ id: MachineID) -> Bool { location(of: id).isSomewhere }

  /// Passes a machine's name to `body`, also that of a dropped machine that the journal still refers to.
  @inline(__always)
  func withName<R>(of id: MachineID, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    let offset = Int(nameOffsets[id.index])
    return names.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[(offset + 1)..<(offset + 1 + Int($0[offset]))]))
    }
  }

  /// Whether a number has a machine, alive or dropped but still referred to.
  func isKnown(_ id: MachineID) -> Bool { nameOffsets[id.index] != .max }

  /// One more than the highest number ever assigned.
  var capacity: Int { locations.count }

  /// Numbers below `capacity` that are free.
  var vacantNumbers: Int { vacancies.count }

  // MARK: Insertion and removal

  /// Inserts a machine. The caller has checked that the name is free.
  mutating func insert(_ name: UnsafeRawBufferPointer, at location: Location) -> MachineID {
    let id = MachineID(vacancies.popLast() ?? UInt32(locations.count))
    insert(name, at: location, as: id)
    return id
  }

  /// Inserts a machine with a given number.
  ///
  /// - Precondition: No living machine has this number or this name.
  mutating func insert(_ name: UnsafeRawBufferPointer, at location: Location, as id: MachineID) {
    if wastedBytes > 64 << 10, wastedBytes > names.count / 2 { compactNames() }
    if (count + 1) * 2 > table.count { resizeTable(to: table.count * 2) }
    let offset = UInt32(names.count)
    names.append(UInt8(name.count))
    names.append(contentsOf: name)
    while locations.count <= id.index {
      nameOffsets.append(.max)
      locations.append(.dropped(kind: 0))
    }
    nameOffsets[id.index] = offset
    locations[id.index] = location
    enterIntoTable(id.number)
    count += 1
    addToOrder(id)
  }

  /// Removes a machine: its name is free at once, its number only later (see `recycle`).
  ///
  /// - Parameter kind: The world's index of its kind, which lines of the journal still need.
  mutating func remove(_ id: MachineID, kind: Int) {
    removeFromOrder(id)
    let mask = table.count - 1
    var hole = withName(of: id) { Int(truncatingIfNeeded: hash.hash($0)) & mask }
    while table[hole] != id.number + 1 { hole = (hole + 1) & mask }
    // Fills the hole with later entries that may be there (Knuth's algorithm R).
    var place = hole
    while true {
      place = (place + 1) & mask
      if table[place] == 0 { break }
      let home = withName(of: MachineID(table[place] - 1)) { Int(truncatingIfNeeded: hash.hash($0)) & mask }
      if (place - home) & mask >= (place - hole) & mask {
        table[hole] = table[place]
        hole = place
      }
    }
    table[hole] = 0
    locations[id.index] = .dropped(kind: kind)
    count -= 1
  }

  /// Frees the number of a dropped machine that the journal no longer refers to.
  mutating func recycle(_ id: MachineID) {
    wastedBytes += 1 + withName(of: id) { $0.count }
    nameOffsets[id.index] = .max
    vacancies.append(id.number)
  }

  /// A copy, which shares storage until either changes.
  func copy() -> Registry {
    var copy = Registry(hash)
    copy.names = names
    copy.wastedBytes = wastedBytes
    copy.nameOffsets = nameOffsets
    copy.locations = locations
    copy.vacancies = vacancies
    copy.table = table
    copy.count = count
    copy.leaves = leaves
    copy.scanned = scanned
    copy.newcomers = newcomers
    copy.orderChanges = orderChanges
    return copy
  }

  // MARK: Loading from an archive

  /// Reserves room for living machines.
  mutating func reserve(_ machines: Int) {
    var size = table.count
    while size < machines * 2 { size *= 2 }
    if size > table.count { resizeTable(to: size) }
  }

  /// Appends the next machine number: for a dropped machine that journal lines still refer to, or, without a name, for
  /// none.
  mutating func append(dropped name: UnsafeRawBufferPointer?, kind: Int) {
    nameOffsets.append(name == nil ? .max : UInt32(names.count))
    locations.append(.dropped(kind: kind))
    guard let name else { return }
    names.append(UInt8(name.count))
    names.append(contentsOf: name)
  }

  /// Passes the free numbers to `body`; the next to be assigned comes last.
  func forEachVacancy(_ body: (UInt32) -> Void) {
    for number in vacancies { body(number) }
  }

  /// Frees a number, which is assigned before all numbers freed earlier.
  ///
  /// - Precondition: No machine has it.
  mutating func appendVacancy(_ id: MachineID) {
    vacancies.append(id.number)
  }

  /// Makes exactly the machines alive that are alive in another registry, at its locations, and keeps the names of all
  /// others as dropped.
  ///
  /// - Parameters:
  ///   - other: A registry that has no number unknown here, and the same machine for each number.
  ///   - population: The storage of the machines until now.
  /// - Returns: The machines that are no longer alive, and those alive again.
  /// - Complexity: O(numbers).
  mutating func align(
    with other: borrowing Registry, _ population: borrowing MachineStorage
  ) -> (gone: [MachineID], back: [MachineID]) {
    var gone: [MachineID] = []
    var back: [MachineID] = []
    for number in locations.indices {
      let machine = MachineID(UInt32(number))
      let isThere = number < other.capacity && other.isAlive(machine)
      switch (isAlive(machine), isThere) {
      case (true, true): locations[number] = other.location(of: machine)
      case (true, false): gone.append(machine)
      case (false, true): back.append(machine)
      case (false, false): break
      }
    }
    guard !gone.isEmpty || !back.isEmpty else { return (gone, back) }
    // A name may pass from one to the other.
    for machine in gone { remove(machine, kind: population.kind(at: location(of: machine))) }
    for machine in back {
      locations[machine.index] = other.location(of: machine)
      if (count + 1) * 2 > table.count { resizeTable(to: table.count * 2) }
      enterIntoTable(machine.number)
      count += 1
      addToOrder(machine)
    }
    return (gone, back)
  }

  // MARK: Names of dropped machines

  /// Whether stored bytes can be the name of a machine.
  static func canBeName(_ bytes: some Collection<UInt8>) -> Bool {
    (1...Int(UInt8.max)).contains(bytes.count) && bytes.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  /// Whether a number belongs to a machine with another name.
  func speaks(of id: MachineID, otherThan name: String) -> Bool {
    guard id.index < nameOffsets.count, nameOffsets[id.index] != .max else { return false }
    var name = name
    return name.withUTF8 { !isNamed(id.number, UnsafeRawBufferPointer($0)) }
  }

  /// Records a number for a dropped machine that journal lines refer to.
  mutating func note(_ name: String, kind: Int, as id: MachineID, _ population: borrowing MachineStorage) {
    while locations.count <= id.index {
      nameOffsets.append(.max)
      locations.append(.dropped(kind: 0))
    }
    if isAlive(id) { remove(id, kind: population.kind(at: location(of: id))) }
    if nameOffsets[id.index] != .max { wastedBytes += 1 + withName(of: id) { $0.count } }
    nameOffsets[id.index] = UInt32(names.count)
    names.append(UInt8(name.utf8.count))
    names.append(contentsOf: name.utf8)
    locations[id.index] = .dropped(kind: kind)
  }

  /// Makes exactly the numbers without a name free.
  mutating func renewVacancies() {
    vacancies = ContiguousArray(nameOffsets.indices.reversed().filter { nameOffsets[$0] == .max }.map { UInt32($0) })
  }

  /// The numbers of dropped machines with a name.
  func dropped() -> [MachineID] {
    locations.indices.map { MachineID(UInt32($0)) }.filter { nameOffsets[$0.index] != .max && !isAlive($0) }
  }

  /// The bytes of the names and of the tables.
  var bytes: Int { names.count + locations.count * 8 + table.count * 4 + vacancies.count * 4 }

  /// The bytes of the order, which can be rebuilt.
  var orderBytes: Int { leaves.reduce(newcomers.count * 4) { $0 + 32 + $1.capacity * 4 } }

  private mutating func enterIntoTable(_ number: UInt32) {
    let mask = table.count - 1
    var place = withName(of: MachineID(number)) { Int(truncatingIfNeeded: hash.hash($0)) & mask }
    while table[place] != 0 { place = (place + 1) & mask }
    table[place] = number + 1
  }

  private mutating func resizeTable(to size: Int) {
    let old = table
    table = ContiguousArray(repeating: 0, count: size)
    for number in old where number != 0 { enterIntoTable(number - 1) }
  }

  private mutating func compactNames() {
    var kept = ContiguousArray<UInt8>()
    kept.reserveCapacity(names.count - wastedBytes)
    for number in nameOffsets.indices where nameOffsets[number] != .max {
      let offset = Int(nameOffsets[number])
      nameOffsets[number] = UInt32(kept.count)
      kept.append(contentsOf: names[offset...(offset + Int(names[offset]))])
    }
    names = kept
    wastedBytes = 0
  }

  // MARK: Invariants

  /// Violated invariants, in words; empty if there are none.
  func invariantViolations() -> [String] {
    var violations: [String] = []
    var alive = 0
    for number in locations.indices where isAlive(MachineID(UInt32(number))) {
      alive += 1
      let id = MachineID(UInt32(number))
      if withName(of: id, { find($0) }) != id { violations.append("machine \(number) is not found by its name") }
    }
    violations += orderViolations()
    if alive != count { violations.append("\(alive) machines are alive, \(count) are counted") }
    if table.count(where: { $0 != 0 }) != count {
      violations.append("the table of names does not have one place for each")
    }
    return violations
  }
}
