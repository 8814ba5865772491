import StateMachines

/// A stretch of a world's journal in the form in which it is kept elsewhere: some facts, the machines that it makes, then
/// the records as they are in memory.
///
/// A segment can be played without those before it: its first record's distance counts from a moment that stands in
/// front, and so do the limits that shape what follows from an input.
package struct JournalSegment {
  let facts: Facts
  package let creations: [Creation]
  // Safety: into the bytes that this was made of, which must outlive it.
  let records: UnsafeRawBufferPointer

  /// A machine, or a composed name, that an input of the segment has made.
  package struct Creation: Sendable {
    /// The input that made it; of a composed name, its first member.
    package let sequence: UInt64
    /// The machine's number; ``MachineID/nobody`` of a composed name.
    package let machine: MachineID
    /// The name of its kind, or of the composed kind.
    package let kind: String
    package let name: String
  }

  /// What stands in front of the records: numbers of eight bytes, low byte first.
  struct Facts: Equatable {
    /// The moments from which the first record's distance counts, and of the last record.
    var moment: Int64
    var lastMoment: Int64
    var chain: Int64
    var keyedTimers: Int64
    var wireChain: Int64
    var wireDeliveries: Int64
    /// How many machines and composed names the segment makes.
    var creations: Int64

    static let size = 56
  }

  /// Reads a segment.
  ///
  /// - Parameter bytes: As they were written, which whoever kept them has made sure of; they must outlive this value.
  /// - Returns: Nil if they are too few to be a segment.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard let facts = Facts(bytes) else { return nil }
    self.facts = facts
    var place = Facts.size
    func text() -> String? {
      guard place < bytes.count, place + 1 + Int(bytes[place]) <= bytes.count else { return nil }
      defer { place += 1 + Int(bytes[place]) }
      return String(decoding: bytes[(place + 1)..<(place + 1 + Int(bytes[place]))], as: UTF8.self)
    }
    var creations: [Creation] = []
    for _ in 0..<max(0, facts.creations) {
      guard place + 12 <= bytes.count else { return nil }
      let sequence = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      let number = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt32.self))
      place += 12
      guard let kind = text(), let name = text() else { return nil }
      creations.append(Creation(sequence: sequence, machine: MachineID(number), kind: kind, name: name))
    }
    self.creations = creations
    records = UnsafeRawBufferPointer(rebasing: bytes[place...])
  }
}

extension JournalSegment.Facts {
  init(from moment: Int64, to lastMoment: Int64, _ limits: WorldLimits, creations: Int) {
    self.moment = moment
    self.lastMoment = lastMoment
    chain = Int64(limits.chain)
    keyedTimers = Int64(limits.keyedTimers)
    wireChain = Int64(limits.wireChain)
    wireDeliveries = Int64(limits.wireDeliveries)
    self.creations = Int64(creations)
  }

  /// Reads what a segment begins with; nil if it is too short.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.size else { return nil }
    func number(_ place: Int) -> Int64 {
      Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place * 8, as: Int64.self))
    }
    moment = number(0)
    lastMoment = number(1)
    chain = number(2)
    keyedTimers = number(3)
    wireChain = number(4)
    wireDeliveries = number(5)
    creations = number(6)
  }

  func append(to bytes: inout [UInt8]) {
    for number in [moment, lastMoment, chain, keyedTimers, wireChain, wireDeliveries, creations] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
  }

  /// Lets a world's inputs have what followed from them when they were written down.
  func shape(_ limits: inout WorldLimits) {
    limits.chain = Int(chain)
    limits.keyedTimers = Int(keyedTimers)
    limits.wireChain = Int(wireChain)
    limits.wireDeliveries = Int(wireDeliveries)
  }
}

extension JournalSegment.Creation {
  func append(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: sequence.littleEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: machine.number.littleEndian) { bytes.append(contentsOf: $0) }
    // Names of machines and of kinds have 255 bytes at most.
    for text in [kind, name] {
      bytes.append(UInt8(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }
  }
}

/// What a world remembers of itself for the one who keeps its journal.
struct Unkept {
  /// Where the part begins that has not been handed out.
  var start: JournalReader
  /// Machines that were made in that part, with the inputs that made them.
  var machines: ContiguousArray<(sequence: UInt64, machine: MachineID)> = []
  /// Composed names that were made in it.
  var compositions: ContiguousArray<(sequence: UInt64, kind: String, name: String)> = []
  /// What was undone by inputs of it, each stretch with the input that undid it.
  var undone: [ClosedRange<UInt64>] = []
}

extension World {
  /// Begins to remember what of the journal was not handed out yet: all from the next input on.
  package mutating func beginKeeping() {
    journal.firstUnkept = journal.last + 1
    unkept = Unkept(start: journal.reader(from: journal.last + 1))
  }

  /// Whether there are inputs that have not been handed out.
  @inline(__always)
  package var hasUnkept: Bool { journal.firstUnkept <= journal.last }

  /// The numbers of the inputs that have not been handed out.
  ///
  /// - Precondition: There are some.
  package var unkeptNumbers: ClosedRange<UInt64> { journal.firstUnkept...journal.last }

  /// What was undone by inputs that have not been handed out: each stretch up to the input that undid it.
  package var unkeptUndone: [ClosedRange<UInt64>] { unkept?.undone ?? [] }

  /// Appends a segment of the inputs that have not been handed out.
  ///
  /// - Precondition: There are some.
  /// - Returns: What they have made, which the segment says too.
  /// - Complexity: O(bytes).
  package func appendUnkept(to bytes: inout [UInt8]) -> [JournalSegment.Creation] {
    guard let unkept, hasUnkept else { preconditionFailure("all inputs have been handed out") }
    let creations = creations(unkept)
    journal.withRecords(from: unkept.start) { moment, pieces in
      JournalSegment.Facts(from: moment, to: journal.lastMoment, limits, creations: creations.count).append(to: &bytes)
      for creation in creations { creation.append(to: &bytes) }
      for piece in pieces { bytes.append(contentsOf: piece) }
    }
    return creations
  }

  private func creations(_ unkept: Unkept) -> [JournalSegment.Creation] {
    if unkept.machines.isEmpty { return [] }
    let machines = unkept.machines.map { made in
      JournalSegment.Creation(
        sequence: made.sequence, machine: made.machine, kind: kind(of: made.machine).name, name: name(of: made.machine))
    }
    return machines
      + unkept.compositions.map {
        JournalSegment.Creation(sequence: $0.sequence, machine: .nobody, kind: $0.kind, name: $0.name)
      }
  }

  /// Says that all inputs are kept.
  package mutating func didKeep() {
    guard unkept != nil, hasUnkept else { return }
    beginKeeping()
  }
}

extension Journal {
  /// A journal that has only the inputs of a segment; nil if that is none.
  init?(segment bytes: UnsafeRawBufferPointer, _ numbers: ClosedRange<UInt64>) {
    guard let segment = JournalSegment(bytes) else { return nil }
    self.init(inputs: .max >> 1, bytes: .max, after: numbers.lowerBound - 1, at: segment.facts.moment)
    append(segment, numbers)
  }

  /// Appends the inputs of a segment. Those that are here already are passed over.
  mutating func append(_ segment: JournalSegment, _ numbers: ClosedRange<UInt64>) {
    append(records: segment.records, numbers, from: segment.facts.moment, to: segment.facts.lastMoment)
  }
}
