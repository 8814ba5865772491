import StateMachines

/// All inputs of a world in order, with their effects.
///
/// Records are stored one after the other in blocks of 64 KiB: seven bytes for machine, input, verdict and states, one
/// to ten for the time since the previous record, four for the high bytes of event and states if one of them is above
/// 0xFF, then any details. A toggle takes eight to twelve bytes. Memory is limited by a number of inputs and a number of
/// bytes; the oldest inputs are dropped first, and `first` is the oldest one left.
package struct Journal: ~Copyable {
  private struct Block {
    // Safety: room for `capacity` bytes, of which `count` are written once it is full; `storage` keeps it.
    let base: UnsafeMutableRawPointer
    let capacity: Int
    var count: Int
    let firstSequence: UInt64
    /// The moment to which the first record's time is relative.
    let firstMoment: Int64
    /// Shared with copies of the journal; nil once this journal has dropped the block.
    var storage: JournalStorage?

    init(capacity: Int, firstSequence: UInt64, firstMoment: Int64) {
      let storage = JournalStorage(capacity)
      base = storage.base
      self.capacity = capacity
      count = 0
      self.firstSequence = firstSequence
      self.firstMoment = firstMoment
      self.storage = storage
    }
  }

  package static let blockSize = 64 << 10
  /// The longest record without details, with room to copy short details in one move.
  private static let plainRecord = 40

  private var blocks: ContiguousArray<Block> = []
  // Safety: the storage of the last of `blocks`, which is being written; its `count` is kept here until it is full.
  private var openBase = UnsafeMutableRawPointer(bitPattern: 1).unsafelyUnwrapped
  private var openCount = 0
  private var openCapacity = 0
  /// The index in `blocks` of the oldest one kept; earlier ones are freed.
  private var oldestBlock = 0
  /// The number of the last input; 0 before the first.
  package private(set) var last: UInt64 = 0
  /// The bytes of its blocks.
  private(set) var bytes = 0
  /// Beside the inputs.
  var wallTimes = WallTimes()
  /// How many blocks were ever opened. A change means that the journal takes more memory.
  package private(set) var openings = 0
  /// The blocks shared with copies; a box, since a borrowed journal can be copied.
  private let shared = SharedStretch()
  private let maxInputs: UInt64
  private let maxBytes: Int
  /// The first input that is not flushed to the store: it and later ones are not dropped.
  var firstUnflushed: UInt64 = .max
  /// Inputs before this one may refer to machines whose numbers have been reused.
  private var floor: UInt64 = 0
  /// The moment of the last input.
  private(set) var lastMoment: Int64 = 0
  /// The number of the first input of the current request; later inputs belong to the same request. Only requests that
  /// may have several inputs set it.
  var requestStart: UInt64 = .max

  /// - Parameters:
  ///   - sequence: The number of an earlier input; the journal begins with the next.
  ///   - moment: The moment of that input.
  init(inputs: Int, bytes: Int, after sequence: UInt64 = 0, at moment: Int64 = 0) {
    maxInputs = UInt64(inputs)
    maxBytes = bytes
    last = sequence
    lastMoment = moment
  }

  deinit { for block in blocks[oldestBlock...] { block.storage?.leave() } }

  /// Its bytes, with its share of blocks that copies have too; O(blocks) if a copy was made.
  var heldBytes: Int {
    blocks[min(oldestBlock, shared.end)..<shared.end].reduce(bytes + wallTimes.bytes) { held, block in
      block.storage.map { held - block.capacity + block.capacity / $0.owners } ?? held
    }
  }

  /// An independent copy. Full blocks are shared.
  func copy() -> Journal {
    var copy = Journal(inputs: Int(maxInputs), bytes: maxBytes, after: last, at: lastMoment)
    copy.blocks = blocks
    copy.oldestBlock = oldestBlock
    for block in blocks[oldestBlock...] { block.storage?.join() }
    shared.end = max(oldestBlock, blocks.count - 1)
    copy.shared.end = shared.end
    copy.floor = floor
    copy.bytes = bytes
    copy.wallTimes = wallTimes
    guard let open = blocks.last else { return copy }
    let own = Block(capacity: open.capacity, firstSequence: open.firstSequence, firstMoment: open.firstMoment)
    own.base.copyMemory(from: openBase, byteCount: openCount)
    open.storage?.leave()
    copy.blocks[blocks.count - 1] = own
    copy.openBase = own.base
    copy.openCount = openCount
    copy.openCapacity = openCapacity
    return copy
  }

  /// Gives the next input the number after `sequence`.
  mutating func skip(to sequence: UInt64) {
    guard sequence > last else { return }
    last = sequence
    openCapacity = openCount
  }

  /// The oldest input available; `last + 1` if there is none.
  var first: UInt64 {
    guard oldestBlock < blocks.count else { return last + 1 }
    let byBlocks = max(floor, blocks[oldestBlock].firstSequence)
    return last > maxInputs ? max(byBlocks, last - maxInputs + 1) : byBlocks
  }

  /// The oldest input within the limit of inputs, ignoring the limit of bytes.
  var firstByNumber: UInt64 { last > maxInputs ? last - maxInputs + 1 : 1 }

  /// Appends an input without a machine: a rewind, restarted timers, a kind that was defined or taken back.
  ///
  /// - Parameters:
  ///   - details: Say which, and how far, which timers or which kind.
  ///   - isFromOutside: As for other inputs.
  mutating func append(
    worldwide details: borrowing DetailWriter, at moment: Instant, isFromOutside: Bool = false
  ) -> UInt64 {
    append(
      .event, MachineID(MachineID.absentNumber), index: 0, StepResult(verdict: .moved, from: 0, to: 0), at: moment,
      details, isFromOutside: isFromOutside)
  }

  /// Appends an input.
  ///
  /// - Parameter isFromOutside: Whether it is an input of which a request may have several.
  /// - Returns: Its number.
  @inline(__always)
  mutating func append(
    _ input: InputClass, _ machine: MachineID, index: UInt16, _ result: StepResult, at moment: Instant,
    _ details: borrowing DetailWriter, isFromOutside: Bool = false
  ) -> UInt64 {
    last &+= 1
    let detailCount = details.count
    let need = Journal.plainRecord &+ detailCount
    if openCount &+ need > openCapacity { open(blockFor: need) }
    let start = openBase + openCount
    let elapsed = UInt64(bitPattern: moment.nanoseconds &- lastMoment)
    lastMoment = moment.nanoseconds
    var head =
      UInt64(input.rawValue) | UInt64(result.verdict.rawValue) &<< 3 | (detailCount > 0 ? 0x20 : 0)
      | (elapsed == 0 ? 0x40 : 0)
    if isFromOutside, last > requestStart { head |= 0x80 }
    start.storeBytes(
      of: (head | UInt64(machine.number) &<< 8 | UInt64(index & 0xFF) &<< 32 | UInt64(result.from & 0xFF) &<< 40
        | UInt64(result.to & 0xFF) &<< 48).littleEndian,
      as: UInt64.self)
    var length = 7
    if elapsed != 0 {
      var rest = elapsed
      while rest >= 0x80 {
        start.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: length, as: UInt8.self)
        rest &>>= 7
        length &+= 1
      }
      start.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: length, as: UInt8.self)
      length &+= 1
    }
    if index | result.from | result.to > 0xFF {
      length = Journal.widen(start, length, index, result, hasDetails: detailCount > 0)
    }
    if detailCount > 0 {
      details.copy(to: start + length)
      length &+= detailCount
      start.storeBytes(of: DetailTag.end.rawValue, toByteOffset: length, as: UInt8.self)
      length &+= 1
    }
    openCount &+= length
    return last
  }

  /// Adds the high bytes of the places to a record without details.
  ///
  /// - Parameter length: The length of the record so far.
  /// - Returns: Its length with the high bytes.
  @inline(never)
  private static func widen(
    _ start: UnsafeMutableRawPointer, _ length: Int, _ index: UInt16, _ result: StepResult, hasDetails: Bool
  ) -> Int {
    start.storeBytes(of: start.load(as: UInt8.self) | 0x20, as: UInt8.self)
    var length = length
    func append(_ byte: UInt8) {
      start.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
      length += 1
    }
    append(DetailTag.wide.rawValue)
    for place in [index, result.from, result.to] { append(UInt8(place >> 8)) }
    if !hasDetails { append(DetailTag.end.rawValue) }
    return length
  }

  @inline(never)
  private mutating func open(blockFor need: Int) {
    if !blocks.isEmpty { blocks[blocks.count - 1].count = openCount }
    let capacity = max(Journal.blockSize, need)
    blocks.append(Block(capacity: capacity, firstSequence: last, firstMoment: lastMoment))
    openBase = blocks[blocks.count - 1].base
    openCount = 0
    openCapacity = capacity
    bytes += capacity
    openings &+= 1
    forgetTheOldest()
  }

  private mutating func forgetTheOldest() {
    while oldestBlock + 1 < blocks.count, blocks[oldestBlock + 1].firstSequence <= firstUnflushed,
      bytes + wallTimes.bytes > maxBytes || blocks[oldestBlock + 1].firstSequence + maxInputs <= last + 1
    {
      blocks[oldestBlock].storage?.leave()
      blocks[oldestBlock].storage = nil
      bytes -= blocks[oldestBlock].capacity
      oldestBlock += 1
      wallTimes.forget(before: min(blocks[oldestBlock].firstSequence, firstUnflushed))
    }
    // Entries of freed blocks are removed in groups, so that dropping a block costs O(1).
    if oldestBlock > 64, oldestBlock > blocks.count / 2 {
      blocks.removeFirst(oldestBlock)
      shared.end = max(0, shared.end - oldestBlock)
      oldestBlock = 0
    }
  }

  // MARK: Records as bytes

  /// Passes the records from a reader's position on as they are in memory, one piece per block, with the moment to
  /// which the first one's time is relative.
  ///
  /// - Precondition: Nothing of that part is dropped.
  func withRecords(from reader: JournalReader, _ body: (Int64, [UnsafeRawBufferPointer]) -> Void) {
    var reader = reader
    let first = blockPlace(of: reader) ?? seek(&reader)
    var pieces: [UnsafeRawBufferPointer] = []
    for place in first..<blocks.count {
      let block = blocks[place]
      let bytes = UnsafeRawBufferPointer(
        start: block.base, count: place == blocks.count - 1 ? openCount : block.count)
      pieces.append(place == first ? UnsafeRawBufferPointer(rebasing: bytes[reader.offset...]) : bytes)
    }
    body(reader.moment, pieces)
  }

  /// Appends records written by another journal.
  ///
  /// - Parameters:
  ///   - numbers: Their sequence numbers. Those already present are skipped.
  ///   - moment: The moment to which the first one's time is relative.
  ///   - lastMoment: The moment of the last one.
  /// - Precondition: They are unchanged, and there is no gap before them.
  mutating func append(
    records: UnsafeRawBufferPointer, _ numbers: ClosedRange<UInt64>, from moment: Int64, to lastMoment: Int64
  ) {
    guard numbers.upperBound > last else { return }
    precondition(numbers.lowerBound <= last + 1, "a journal has no holes")
    guard numbers.lowerBound == last + 1 else {
      var whole = Journal(inputs: .max >> 1, bytes: .max, after: numbers.lowerBound - 1, at: moment)
      whole.append(records: records, numbers, from: moment, to: lastMoment)
      let rest = whole.reader(from: last + 1)
      append(
        records: UnsafeRawBufferPointer(rebasing: records[rest.offset...]), (last + 1)...numbers.upperBound,
        from: rest.moment, to: lastMoment)
      return
    }
    if moment != self.lastMoment || openCount + records.count + Journal.plainRecord > openCapacity {
      last += 1
      self.lastMoment = moment
      // Reading the head of a short record may read beyond its end.
      open(blockFor: records.count + Journal.plainRecord)
    }
    UnsafeMutableRawBufferPointer(start: openBase + openCount, count: records.count).copyMemory(from: records)
    openCount += records.count
    last = numbers.upperBound
    self.lastMoment = lastMoment
  }

  /// Drops the inputs before `sequence`.
  mutating func forget(before sequence: UInt64) {
    floor = max(floor, min(sequence, last + 1))
  }

  // MARK: Reading

  /// A reader that starts at `sequence`.
  ///
  /// - Precondition: `sequence` is at most `last + 1`, and not before `first` unless it is unflushed: unflushed inputs
  ///   stay whatever the limits.
  /// - Complexity: O(1) at the end; otherwise O(log *blocks*), then the records of one block are skipped.
  func reader(from sequence: UInt64) -> JournalReader {
    precondition(sequence >= min(first, firstUnflushed) && sequence <= last + 1, "the journal does not have this input")
    var reader = JournalReader(next: sequence)
    if sequence <= last {
      _ = seek(&reader)
    } else if let open = blocks.last {
      // At the end nothing has to be skipped: readers that dropped inputs restart here repeatedly.
      reader.block = open.firstSequence
      reader.blockPlace = blocks.count - 1
      reader.offset = openCount
      reader.moment = lastMoment
    }
    return reader
  }

  /// The index of the block with the reader's next input; moves the reader to the start of the block.
  private func seekBlock(of reader: inout JournalReader) -> Int {
    let sequence = reader.next
    var low = oldestBlock
    var high = blocks.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if blocks[middle].firstSequence <= sequence { low = middle } else { high = middle }
    }
    enter(block: low, &reader)
    return low
  }

  /// Moves a reader to its next input; returns the index of the block.
  private func seek(_ reader: inout JournalReader) -> Int {
    let sequence = reader.next
    let low = seekBlock(of: &reader)
    while reader.next < sequence { _ = decode(&reader, in: low) }
    return low
  }

  /// The first available input in the block of this one; reading from there needs no skipping.
  ///
  /// - Precondition: The journal has the input.
  func startOfBlock(of sequence: UInt64) -> UInt64 {
    var reader = JournalReader(next: sequence)
    return max(first, blocks[seekBlock(of: &reader)].firstSequence)
  }

  private func enter(block: Int, _ reader: inout JournalReader) {
    reader.blockPlace = block
    reader.block = blocks[block].firstSequence
    reader.next = blocks[block].firstSequence
    reader.offset = 0
    reader.moment = blocks[block].firstMoment
  }

  /// The next entry of a reader, which advances; nil at the end, and when the journal has dropped that part. A reader
  /// can continue later.
  func read(_ reader: inout JournalReader) -> JournalEntry? {
    // Dropped inputs may still be in a block, but their machines' numbers may have been reused.
    guard reader.next <= last, last - reader.next < maxInputs || reader.next >= firstUnflushed, reader.next >= floor
    else { return nil }
    if let place = blockPlace(of: reader) { return decode(&reader, in: place) }
    // Its block was not searched yet, or was dropped after all of it was read.
    guard reader.next >= min(first, firstUnflushed) else { return nil }
    let place = seek(&reader)
    return decode(&reader, in: place)
  }

  private func decode(_ reader: inout JournalReader, in block: Int) -> JournalEntry {
    var place = block
    if reader.offset == (place == blocks.count - 1 ? openCount : blocks[place].count) {
      place += 1
      enter(block: place, &reader)
    }
    let start = UnsafeRawPointer(blocks[place].base + reader.offset)
    let word = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    let machine = MachineID(recorded: UInt32(truncatingIfNeeded: word >> 8) & 0xFF_FFFF)
    guard let input = machine == nil ? worldwideInput(word, start) : InputClass(rawValue: UInt8(word & 7)),
      let verdict = Verdict(rawValue: UInt8((word >> 3) & 3))
    else { preconditionFailure("the journal has no such input") }
    var length = 7
    if word & 0x40 == 0 {
      var elapsed: UInt64 = 0
      var shift: UInt64 = 0
      while true {
        let byte = start.load(fromByteOffset: length, as: UInt8.self)
        length += 1
        elapsed |= UInt64(byte & 0x7F) &<< shift
        shift += 7
        if byte < 0x80 { break }
      }
      reader.moment &+= Int64(bitPattern: elapsed)
    }
    var (index, from, to) = (UInt16(word >> 32 & 0xFF), UInt16(word >> 40 & 0xFF), UInt16(word >> 48 & 0xFF))
    if word & 0x20 != 0, start.load(fromByteOffset: length, as: UInt8.self) == DetailTag.wide.rawValue {
      index |= UInt16(start.load(fromByteOffset: length + 1, as: UInt8.self)) << 8
      from |= UInt16(start.load(fromByteOffset: length + 2, as: UInt8.self)) << 8
      to |= UInt16(start.load(fromByteOffset: length + 3, as: UInt8.self)) << 8
      length += 4
    }
    let entry = JournalEntry(
      sequence: reader.next, moment: Instant(nanoseconds: reader.moment),
      machine: machine, input: input, verdict: verdict, continuesRequest: word & 0x80 != 0,
      index: index, from: from, to: to, hasDetails: word & 0x20 != 0, details: start + length)
    if entry.hasDetails { length += DetailReader.length(of: entry) }
    reader.offset += length
    reader.next += 1
    return entry
  }

  /// The class of an input without a machine, from its first detail.
  private func worldwideInput(_ head: UInt64, _ start: UnsafeRawPointer) -> InputClass {
    var place = 7
    if head & 0x40 == 0 {
      while start.load(fromByteOffset: place, as: UInt8.self) >= 0x80 { place += 1 }
      place += 1
    }
    return DetailTag(rawValue: start.load(fromByteOffset: place, as: UInt8.self))?.worldwideInput ?? .rewound
  }

  /// The index of a reader's block; blocks before it may have been dropped.
  private func blockPlace(of reader: JournalReader) -> Int? {
    guard let block = reader.block else { return nil }
    // Nearly always it is where it was, or the newest.
    let before = reader.blockPlace
    if before >= oldestBlock, before < blocks.count, blocks[before].firstSequence == block { return before }
    var low = oldestBlock
    var high = blocks.count
    if high > low, blocks[high - 1].firstSequence == block { return high - 1 }
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].firstSequence < block { low = middle + 1 } else { high = middle }
    }
    return low < blocks.count && blocks[low].firstSequence == block ? low : nil
  }
}

/// A position in a journal.
package struct JournalReader: Sendable {
  /// The number of the next input.
  package fileprivate(set) var next: UInt64
  /// The first input of its block; nil until the block has been searched.
  fileprivate var block: UInt64?
  /// Where the block was found last.
  fileprivate var blockPlace = 0
  fileprivate var offset = 0
  fileprivate var moment: Int64 = 0

  fileprivate init(next: UInt64) {
    self.next = next
  }
}
