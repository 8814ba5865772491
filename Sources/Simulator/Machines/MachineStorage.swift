internal import CProcessor
import StateMachines

/// Where a machine's value stands: a block and a cell in it. Of a dropped machine, what kind it was.
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
  /// Numbers from here on stand for no block: they keep the kind of a machine that was dropped.
  private static let firstDropped: UInt32 = 0xFFF0_0000

  static func dropped(kind: Int) -> Location { Location(raw: firstDropped | UInt32(kind)) }

  /// Whether a value stands here.
  @inline(__always)
  var isSomewhere: Bool { raw < Location.firstDropped }

  /// The kind of a dropped machine.
  var kindOfDropped: Int { Int(raw & ~Location.firstDropped) }

  @inline(__always)
  var block: Int { Int(raw &>> Location.cellBits) }

  @inline(__always)
  var cell: Int { Int(raw & (1 &<< Location.cellBits &- 1)) }
}

/// A running timer as its machine's cell keeps it; `stamp` is 0 while it does not run.
struct RunningTimer {
  var due: Int64
  /// The world's arming counter when it was armed: its generation, and the tie-break between equal due times.
  var stamp: UInt64
}

/// The machines' values, those of a kind together and inline, in blocks that never move.
///
/// A cell holds a machine's running timers, its value, and the place of its parameters. Blocks grow in size from kind to
/// kind's need, so that a world of one machine is small and one of a million is a few hundred blocks: none is ever
/// copied to grow, and a block is what later can be shared by copies of a world.
struct MachineStorage: ~Copyable {
  /// What a step needs to know of a kind, without reference counting.
  struct Slot {
    let machine: any ErasedMachine.Type
    // Safety: owned by the kind, which `kinds` keeps alive.
    let plainEvents: UnsafeRawPointer
    let eventStride: Int
    let words: KindWords
    let timers: Int
    /// The timers of a machine of which none runs; what it points to is owned by the kind.
    let stillTimers: StepTimers
    let valueOffset: Int
    /// Where the place of the machine's parameters stands; negative for a kind that has none, which keeps no place.
    let parameterOffset: Int
    let cellStride: Int
    let parameterStride: Int
    /// Where a machine's ``Weight`` stands; negative for a kind whose values have no memory elsewhere.
    let weightOffset: Int
    // Safety: the parameter pool's storage; read anew whenever the pool may have grown.
    var parameterBase: UnsafeRawPointer

    /// The timers of a cell's machine as its step needs to know them.
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

    /// The parameters that a cell's machine was made with.
    @inline(__always)
    func parameters(of cell: UnsafeMutableRawPointer) -> UnsafeRawPointer {
      guard parameterOffset >= 0 else { return parameterBase }
      return parameterBase + Int((cell + parameterOffset).load(as: UInt32.self)) &* parameterStride
    }
  }

  /// What is known of the memory that a machine's value has elsewhere. It is found out by reflection, which is slow, and so
  /// only now and then: when the machine has been given a quarter as much as it had, and some bytes at least.
  struct Weight {
    /// Bytes, when it was last looked at, and the texts that it has been given since.
    var bytes: UInt32 = 0
    /// What it has been given since.
    var given: UInt32 = 0

    /// Bytes given before the first look, and at least between two.
    static let patience: UInt32 = 2_048
  }

  private struct Block {
    // Safety: room for `capacity` cells of the kind's stride, owned by the population.
    let base: UnsafeMutableRawPointer
    let kind: UInt32
    let capacity: UInt32
    var used: UInt32
  }

  /// The kinds that this world has made machines of, in the order of their first use.
  private(set) var kinds: ContiguousArray<Kind> = []
  private(set) var slots: ContiguousArray<Slot> = []
  private var pools: ContiguousArray<any ParameterPool> = []
  private var kindPlaces: [ObjectIdentifier: Int] = [:]
  private var blocks: ContiguousArray<Block> = []
  /// Per kind: cells that were given back, and the block that is being filled.
  private var vacancies: ContiguousArray<ContiguousArray<UInt32>> = []
  private var openBlock: ContiguousArray<Int?> = []
  /// The bytes of all cells that were ever used.
  private(set) var bytes = 0
  /// About how many bytes the machines' values have elsewhere.
  private(set) var ownedBytes = 0
  /// The bytes of all parameters and what was compiled of them.
  private(set) var parameterBytes = 0
  /// Whether any kind's values have memory elsewhere.
  private(set) var weighs = false

  /// Frees the blocks. The values must have been destroyed by then.
  deinit {
    for block in blocks { block.base.deallocate() }
  }

  /// Whether a kind has a number.
  func has(_ kind: Kind) -> Bool { kindPlaces[ObjectIdentifier(kind)] != nil }

  /// The world's number for a kind.
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

  /// A copy with values of its own.
  ///
  /// - Parameter registry: Says where values stand.
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
    copy.blocks.reserveCapacity(blocks.count)
    for block in blocks {
      let stride = slots[Int(block.kind)].cellStride
      let base = UnsafeMutableRawPointer.allocate(byteCount: Int(block.capacity) * stride, alignment: 64)
      // Timers and places of parameters are bytes; a value is one only in name until it is copied by its type.
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

  /// Gives kinds the numbers that another world has given them.
  ///
  /// - Precondition: The kinds that are here have the same numbers there.
  mutating func adoptKinds(of other: borrowing MachineStorage) {
    for place in kinds.count..<max(kinds.count, other.kinds.count) { _ = self.place(of: other.kinds[place]) }
  }

  // MARK: Access

  @inline(__always)
  func kind(at location: Location) -> Int { Int(blocks[location.block].kind) }

  /// The start of a cell, where its timers stand.
  @inline(__always)
  func cell(at location: Location) -> (cell: UnsafeMutableRawPointer, kind: Int) {
    let block = blocks[location.block]
    let kind = Int(block.kind)
    return (block.base + location.cell &* slots[kind].cellStride, kind)
  }

  /// Asks the memory for a cell. It may lie across two lines of the cache; the place of the parameters stands at its end.
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

  /// Where in its kind's pool a machine's parameters stand; nil if the kind has none.
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

  // MARK: Coming and going

  /// Finds a cell for a machine and gives it parameters; the value is not made yet.
  mutating func reserve(
    _ kind: Int, _ values: [(parameter: Int, value: Value)]
  ) throws(ParameterConflict) -> Location {
    cell(of: kind, parameters: try intern(values, of: kind))
  }

  /// Counts one more machine that has these parameters.
  ///
  /// - Returns: Where they stand.
  mutating func intern(
    _ values: [(parameter: Int, value: Value)], of kind: Int
  ) throws(ParameterConflict) -> UInt32 {
    let before = pools[kind].bytes
    let place = try pools[kind].intern(values)
    parameterBytes += pools[kind].bytes - before
    slots[kind].parameterBase = pools[kind].base
    return place
  }

  /// Counts one more machine that has parameters which another has.
  mutating func retainParameters(at place: UInt32, of kind: Int) {
    pools[kind].retain(place)
  }

  /// Finds a cell for a machine; the value is not made yet.
  ///
  /// - Parameter parameters: Where they stand, counted for this machine.
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

  /// Notes that a machine has been given so many bytes, and finds out what it has when that is worth it.
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
    (cell + slot.weightOffset).storeBytes(of: weight, as: Weight.self)
  }

  /// Destroys a machine's value and gives its cell back.
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
