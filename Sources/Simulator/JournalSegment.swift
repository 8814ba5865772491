import StateMachines

/// A stretch of a world's journal in the form in which it is kept elsewhere: some facts, then the records as they are in
/// memory.
///
/// A segment can be read without those before it: its first record's distance counts from a moment that stands in front,
/// and so do the limits that shape what follows from an input. The names and kinds of machines do not: they are handed
/// out beside it, as ``Creation``s.
package enum JournalSegment {
  /// A machine, or a composed name, that an input of the segment has made.
  package struct Creation: Sendable {
    /// The input that made it; of a composed name, its first member.
    package let sequence: UInt64
    /// The machine's number; ``MachineID/nobody`` of a composed name.
    package let machine: MachineID
    /// The name of its kind, or of the composed kind.
    package let kind: String
    package let name: String

    package init(sequence: UInt64, machine: MachineID, kind: String, name: String) {
      self.sequence = sequence
      self.machine = machine
      self.kind = kind
      self.name = name
    }
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

    static let size = 48

    init(from moment: Int64, to lastMoment: Int64, _ limits: WorldLimits) {
      self.moment = moment
      self.lastMoment = lastMoment
      chain = Int64(limits.chain)
      keyedTimers = Int64(limits.keyedTimers)
      wireChain = Int64(limits.wireChain)
      wireDeliveries = Int64(limits.wireDeliveries)
    }

    /// Reads what a segment begins with; nil if it is too short.
    init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count >= Facts.size else { return nil }
      func number(_ place: Int) -> Int64 {
        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place * 8, as: Int64.self))
      }
      moment = number(0)
      lastMoment = number(1)
      chain = number(2)
      keyedTimers = number(3)
      wireChain = number(4)
      wireDeliveries = number(5)
    }

    func append(to bytes: inout [UInt8]) {
      for number in [moment, lastMoment, chain, keyedTimers, wireChain, wireDeliveries] {
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
}

/// What a world remembers of itself for the one who keeps its journal.
struct Unkept {
  /// Where the part begins that has not been handed out.
  var start: JournalReader
  /// Machines that were made in that part, with the inputs that made them.
  var machines: ContiguousArray<(sequence: UInt64, machine: MachineID)> = []
  /// Composed names that were made in it.
  var compositions: ContiguousArray<(sequence: UInt64, kind: String, name: String)> = []
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

  /// Appends a segment of the inputs that have not been handed out.
  ///
  /// - Precondition: There are some.
  /// - Returns: What they have made.
  /// - Complexity: O(bytes).
  package func appendUnkept(to bytes: inout [UInt8]) -> [JournalSegment.Creation] {
    guard let unkept, hasUnkept else { preconditionFailure("all inputs have been handed out") }
    journal.withRecords(from: unkept.start) { moment, pieces in
      JournalSegment.Facts(from: moment, to: journal.lastMoment, limits).append(to: &bytes)
      for piece in pieces { bytes.append(contentsOf: piece) }
    }
    if unkept.machines.isEmpty, unkept.compositions.isEmpty { return [] }
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
  /// A journal that has only the inputs of a segment; nil if that is too short to be one.
  init?(segment bytes: UnsafeRawBufferPointer, _ numbers: ClosedRange<UInt64>) {
    guard let facts = JournalSegment.Facts(bytes) else { return nil }
    self.init(inputs: .max >> 1, bytes: .max, after: numbers.lowerBound - 1, at: facts.moment)
    append(
      records: UnsafeRawBufferPointer(rebasing: bytes[JournalSegment.Facts.size...]), numbers, from: facts.moment,
      to: facts.lastMoment)
  }
}
