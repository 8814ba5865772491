internal import CProcessor
import StateMachines

/// The position of a machine's value: a block and a cell in it. For a dropped machine, its kind.
struct Location: Equatable {
  let raw: UInt32

  @inline(__always)
  init(raw: UInt32) {
    self.raw = raw
  }

  init(block: Int, cell: Int) {
    raw = UInt32(block) << Location.cellBits | UInt32(cell)
  }

  static let cellBits: UInt32 = 12
  /// Values from here on are no blocks: they encode the kind of a dropped machine.
  private static let firstDropped: UInt32 = 0xFFF0_0000

  static func dropped(kind: Int) -> Location { Location(raw: firstDropped | UInt32(kind)) }

  /// Whether there is a value at this location.
  @inline(__always)
  var isSomewhere: Bool { raw < Location.firstDropped }

  /// The kind of a dropped machine.
  var kindOfDropped: Int { Int(raw & ~Location.firstDropped) }

  @inline(__always)
  var block: Int { Int(raw &>> Location.cellBits) }

  @inline(__always)
  var cell: Int { Int(raw & (1 &<< Location.cellBits &- 1)) }
}

/// A running timer in its machine's cell; `stamp` is 0 while it does not run.
struct RunningTimer {
  var due: Int64
  /// The world's arming counter when it was armed: distinguishes armings, and orders timers with equal due times.
  var stamp: UInt64
}

/// The machines' values, stored inline and grouped by kind, in blocks that never move.
///
/// A cell holds a machine's running timers, its value, and the index of its parameters. A kind's blocks grow in size,
/// so a world of one machine is small and one of a million has a few hundred blocks: growing never copies a block.
struct MachineStorage: ~Copyable {
  /// What a step needs of a kind, without reference counting.
  struct Slot {
    let machine: any ErasedMachine.Type
    // Safety: owned by the kind, which `kinds` keeps alive.
    let plainEvents: UnsafeRawPointer
    let eventStride: Int
    let words: KindWords
    let timers: Int
    /// The timers of a machine without running timers; the pointer is owned by the kind.
    let stillTimers: StepTimers
    let valueOffset: Int
    /// The offset of the machine's parameter index; negative for a kind without parameters.
    let parameterOffset: Int
    let cellStride: Int
    let parameterStride: Int
    /// The offset of a machine's ``Weight``; negative for a kind whose values have no memory elsewhere.
    let weightOffset: Int
    // Safety: the parameter pool's storage; updated whenever the pool may have grown.
    var parameterBase: UnsafeRawPointer

    /// The timers of a cell's machine in the form that a step takes.
    @inline(__always)
    func stepTimers(of cell: UnsafeMutableRawPointer) -> StepTimers {
      // Safety: a cell begins with its kind's timers.
      let timers = cell.assumingMemoryBound(to: RunningTimer.self)
      var running: UInt64 = 0
      var place = 0
      while place < self.timers {
        if timers[place].stamp != 0 { running |= 1 &<< UInt64(truncatingIfNeeded: place) }
        place &+= 1
      }
      return stillTimers.running(running)
    }

    /// The parameters of a cell's machine.
    @inline(__always)
    func parameters(of cell: UnsafeMutableRawPointer) -> UnsafeRawPointer {
      guard parameterOffset >= 0 else { return parameterBase }
      return parameterBase + Int((cell + parameterOffset).load(as: UInt32.self)) &* parameterStride
    }
  }

  /// The memory that a machine's value has outside its cell. It is measured by reflection, which is slow, so only when
  /// the machine has received at least a quarter of its known size, and a minimum.
  struct Weight {
    /// Bytes at the last measurement.
    var bytes: UInt32 = 0
    /// Bytes received since.
    var given: UInt32 = 0

    /// Bytes received before the first measurement, and at least between two.
    static let patience: UInt32 = 2_048
  }

  private struct Block {
    // Safety: room for `capacity` cells of the kind's stride, owned by the storage.
    let base: UnsafeMutableRawPointer
    let kind: UInt32
    let capacity: UInt32
    var used: UInt32
  }

  /// The kinds of this world's machines, in the order of their first use.
  private(set) var kinds: ContiguousArray<Kind> = []
  private(set) var slots: ContiguousArray<Slot> = []
  private var pools: ContiguousArray<any ParameterPool> = []
  private var kindPlaces: [ObjectIdentifier: Int] = [:]
  private var blocks: ContiguousArray<Block> = []
  /// By kind: free cells, and the block that is being filled.
  private var vacancies: ContiguousArray<ContiguousArray<UInt32>> = []
  private var openBlock: ContiguousArray<Int?> = []
  /// The bytes of all cells ever used.
  private(set) var bytes = 0
  /// The approximate bytes that the machines' values have outside their cells.
  private(set) var ownedBytes = 0
  /// The bytes by which ``ownedBytes`` has ever grown.
  private(set) var gainedBytes = 0
  /// The bytes of all parameters and of what was compiled from them.
  private(set) var parameterBytes = 0
  /// Whether any kind's values have memory outside their cells.
  private(set) var weighs = false
  /// Whether any kind is a document's.
  private(set) var hasDocuments = false
  /// Whether any kind has long steps.
  private(set) var hasLongSteps = false

  /// Frees the blocks. The values must have been destroyed before.
  deinit {
    for block in blocks { block.base.deallocate() }
  }

  /// Whether a kind has an index in this world.
  func has(_ kind: Kind) -> Bool { kindPlaces[ObjectIdentifier(kind)] != nil }

  /// The world's index of a kind; assigns one if necessary.
  mutating func place(of kind: Kind) -> Int {
    if let place = kindPlaces[ObjectIdentifier(kind)] { return place }
    let layout = kind.layout
    precondition(layout.valueAlignment <= 16, "a machine's value is aligned to 16 bytes at most")
    func rounded(_ size: Int, to alignment: Int) -> Int { (size + alignment - 1) / alignment * alignment }
    let timers = kind.timers.count
    let valueOffset = rounded(timers * MemoryLayout<RunningTimer>.stride, to: layout.valueAlignment)
    let hasParameters = !kind.parameters.isEmpty
    let endOfValue = valueOffset + layout.valueSize
    let parameterOffset = rounded(endOfValue, to: 4)
    let endOfParameters = hasParameters ? parameterOffset + 4 : endOfValue
    let weightOffset = kind.machine.ownsMemory ? rounded(endOfParameters, to: 4) : -1
    let end = kind.machine.ownsMemory ? weightOffset + MemoryLayout<Weight>.size : endOfParameters
    let alignment = max(layout.valueAlignment, timers > 0 ? 8 : 1, hasParameters || kind.machine.ownsMemory ? 4 : 1)
    if kind.machine.ownsMemory { weighs = true }
    if kind.isOfDocument { hasDocuments = true }
    if kind.hasLongSteps { hasLongSteps = true }
    let pool = kind.makeParameterPool()
    let place = kinds.count
    kindPlaces[ObjectIdentifier(kind)] = place
    kinds.append(kind)
    pools.append(pool)
    vacancies.append([])
    openBlock.append(nil)
    slots.append(
      Slot(
        machine: kind.machine, plainEvents: kind.plainEvents, eventStride: kind.layout.eventStride,
        words: kind.words, timers: timers, stillTimers: kind.stepTimers(running: 0),
        valueOffset: valueOffset, parameterOffset: hasParameters ? parameterOffset : -1,
        cellStride: max(1, rounded(end, to: alignment)),
        parameterStride: layout.parameterStride, weightOffset: weightOffset, parameterBase: pool.base))
    return place
  }

  // MARK: Copies

  /// A copy with its own values.
  ///
  /// - Parameter registry: Gives the locations of the values.
  /// - Complexity: O(machines).
  func copy(as registry: borrowing Registry) -> MachineStorage {
    var copy = MachineStorage()
    copy.kinds = kinds
    copy.kindPlaces = kindPlaces
    copy.pools = ContiguousArray(pools.map { $0.copy() })
    copy.slots = slots
    for kind in slots.indices { copy.slots[kind].parameterBase = copy.pools[kind].base }
    copy.vacancies = vacancies
    copy.openBlock = openBlock
    copy.bytes = bytes
    copy.ownedBytes = ownedBytes
    copy.parameterBytes = parameterBytes
    copy.weighs = weighs
    copy.hasDocuments = hasDocuments
    copy.hasLongSteps = hasLongSteps
    copy.blocks.reserveCapacity(blocks.count)
    for block in blocks {
      let stride = slots[Int(block.kind)].cellStride
      let base = UnsafeMutableRawPointer.allocate(byteCount: Int(block.capacity) * stride, alignment: 64)
      // Timers and parameter indices are plain bytes; values become valid when copied by their type below.
      base.copyMemory(from: block.base, byteCount: Int(block.used) * stride)
      copy.blocks.append(Block(base: base, kind: block.kind, capacity: block.capacity, used: block.used))
    }
    for number in 0..<registry.capacity {
      let location = registry.location(of: MachineID(UInt32(number)))
      guard location.isSomewhere else { continue }
      slots[kind(at: location)].machine.copy(value(at: location), to: copy.value(at: location))
    }
    return copy
  }

  /// Gives kinds the same indices as in another world.
  ///
  /// - Precondition: The kinds of this world have the same indices there.
  mutating func adoptKinds(of other: borrowing MachineStorage) {
    for place in kinds.count..<max(kinds.count, other.kinds.count) { _ = self.place(of: other.kinds[place]) }
  }

  // MARK: Access

  @inline(__always)
  func kind(at location: Location) -> Int { Int(blocks[location.block].kind) }

  /// The start of a cell, where its timers are.
  @inline(__always)
  func cell(at location: Location) -> (cell: UnsafeMutableRawPointer, kind: Int) {
    let block = blocks[location.block]
    let kind = Int(block.kind)
    return (block.base + location.cell &* slots[kind].cellStride, kind)
  }

  /// Prefetches a cell. It may span two cache lines; the parameter index is at its end.
  @inline(__always)
  func fetchCell(at location: Location) {
    let (cell, kind) = cell(at: location)
    fsm_fetch(cell)
    fsm_fetch(cell + max(0, slots[kind].parameterOffset))
  }

  func value(at location: Location) -> UnsafeMutableRawPointer {
    let (cell, kind) = cell(at: location)
    return cell + slots[kind].valueOffset
  }

  func parameters(at location: Location) -> UnsafeRawPointer {
    let (cell, kind) = cell(at: location)
    return slots[kind].parameters(of: cell)
  }

  /// The index of a machine's parameters in its kind's pool; nil if the kind has none.
  func parameterPlace(at location: Location) -> UInt32? {
    let (cell, kind) = cell(at: location)
    let offset = slots[kind].parameterOffset
    return offset >= 0 ? (cell + offset).load(as: UInt32.self) : nil
  }

  /// A machine's timers in the kind's order.
  func timers(at location: Location) -> UnsafeMutableBufferPointer<RunningTimer> {
    let (cell, kind) = cell(at: location)
    return UnsafeMutableBufferPointer(
      start: cell.assumingMemoryBound(to: RunningTimer.self), count: slots[kind].timers)
  }

  // MARK: Insertion and removal

  /// Allocates a cell for a machine and sets its parameters; the value is not initialized yet.
  mutating func reserve(
    _ kind: Int, _ values: [(parameter: Int, value: Value)]
  ) throws(ParameterConflict) -> Location {
    cell(of: kind, parameters: try intern(values, of: kind))
  }

  /// Adds a reference to these parameters for one more machine.
  ///
  /// - Returns: Their index.
  mutating func intern(
    _ values: [(parameter: Int, value: Value)], of kind: Int
  ) throws(ParameterConflict) -> UInt32 {
    let before = pools[kind].bytes
    let place = try pools[kind].intern(values)
    parameterBytes += pools[kind].bytes - before
    slots[kind].parameterBase = pools[kind].base
    return place
  }

  /// Adds a reference to parameters that another machine has.
  mutating func retainParameters(at place: UInt32, of kind: Int) {
    pools[kind].retain(place)
  }

  /// Allocates a cell for a machine; the value is not initialized yet.
  ///
  /// - Parameter parameters: Their index, already referenced for this machine.
  mutating func cell(of kind: Int, parameters: UInt32) -> Location {
    let location = vacantCell(of: kind)
    let slot = slots[kind]
    let cell = cell(at: location).cell
    let timers = cell.bindMemory(to: RunningTimer.self, capacity: slot.timers)
    for timer in 0..<slot.timers { (timers + timer).initialize(to: RunningTimer(due: 0, stamp: 0)) }
    if slot.parameterOffset >= 0 { (cell + slot.parameterOffset).storeBytes(of: parameters, as: UInt32.self) }
    if slot.weightOffset >= 0 { (cell + slot.weightOffset).storeBytes(of: Weight(), as: Weight.self) }
    return location
  }

  /// Records that a machine has received bytes, and measures its memory when that is due.
  ///
  /// - Parameter isKept: Whether it may have kept them.
  mutating func weigh(_ cell: UnsafeMutableRawPointer, of kind: Int, given: Int, isKept: Bool) {
    let slot = slots[kind]
    guard slot.weightOffset >= 0 else { return }
    var weight = (cell + slot.weightOffset).load(as: Weight.self)
    weight.given = UInt32(clamping: Int(weight.given) + given)
    let before = weight.bytes
    if weight.given >= max(Weight.patience, weight.bytes / 4) {
      weight = Weight(bytes: UInt32(clamping: slot.machine.ownedBytes(cell + slot.valueOffset)))
    } else if isKept {
      weight.bytes = UInt32(clamping: Int(weight.bytes) + given)
    }
    ownedBytes += Int(weight.bytes) - Int(before)
    gainedBytes &+= max(0, Int(weight.bytes) - Int(before))
    (cell + slot.weightOffset).storeBytes(of: weight, as: Weight.self)
  }

  /// Destroys a machine's value and frees its cell.
  mutating func release(_ location: Location) {
    let (cell, kind) = cell(at: location)
    let slot = slots[kind]
    slot.machine.destroy(cell + slot.valueOffset)
    if slot.parameterOffset >= 0 {
      let before = pools[kind].bytes
      pools[kind].release((cell + slot.parameterOffset).load(as: UInt32.self))
      parameterBytes += pools[kind].bytes - before
    }
    if slot.weightOffset >= 0 { ownedBytes -= Int((cell + slot.weightOffset).load(as: Weight.self).bytes) }
    vacancies[kind].append(location.raw)
  }

  private mutating func vacantCell(of kind: Int) -> Location {
    if let vacancy = vacancies[kind].popLast() { return Location(raw: vacancy) }
    if let open = openBlock[kind], blocks[open].used < blocks[open].capacity {
      blocks[open].used += 1
      bytes += slots[kind].cellStride
      return Location(block: open, cell: Int(blocks[open].used) - 1)
    }
    let before = openBlock[kind].map { Int(blocks[$0].capacity) } ?? 1
    let capacity = min(before * 16, 1 << Location.cellBits)
    blocks.append(
      Block(
        base: .allocate(byteCount: capacity * slots[kind].cellStride, alignment: 64), kind: UInt32(kind),
        capacity: UInt32(capacity), used: 1))
    openBlock[kind] = blocks.count - 1
    bytes += slots[kind].cellStride
    return Location(block: blocks.count - 1, cell: 0)
  }
}
