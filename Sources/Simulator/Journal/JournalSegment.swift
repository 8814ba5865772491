package import StateMachines

/// A part of a world's journal in its stored form: some facts, the machines that it creates, what the host's clock
/// showed, answers to numbered requests, then the records as in memory.
///
/// A segment can be replayed without earlier ones: its facts contain the moment to which its first record is relative,
/// and the limits that affect the effects of inputs.
package struct JournalSegment {
  let facts: Facts
  package let creations: [Creation]
  /// The first mark applies to the first input, unless that input has no time.
  let wallMarks: [WallMark]
  let answers: [NumberedAnswers.Answer]
  // Safety: points into the bytes that this was made from, which must outlive it.
  let records: UnsafeRawBufferPointer

  /// A machine, or a composed name, made by an input of the segment.
  package struct Creation: Sendable {
    /// The input that made it; for a composed name, that of its first member.
    package let sequence: UInt64
    /// The machine; `nil` for a composed name.
    package let machine: MachineID?
    /// The name of its kind, or of the composed kind.
    package let kind: String
    package let name: String

    /// The machine's number as in records; the absent number for a composed name.
    package var recordedNumber: UInt32 { machine?.number ?? MachineID.absentNumber }
  }

  /// The facts before the records: numbers of eight bytes, little-endian.
  struct Facts: Equatable {
    /// The moment to which the first record is relative, and that of the last record.
    var moment: Int64
    var lastMoment: Int64
    var chain: Int64
    var keyedTimers: Int64
    var wireChain: Int64
    var wireDeliveries: Int64
    /// How many machines and composed names the segment makes.
    var creations: Int64
    /// How many ``WallMark``s it has.
    var wallMarks: Int64
    /// How many answers it has.
    var answers: Int64

    static let size = 72
  }

  /// Reads the part before a segment's records.
  ///
  /// - Parameter bytes: They must outlive this value.
  /// - Returns: Nil if they are not a segment.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard let facts = Facts(bytes), facts.areSound else { return nil }
    self.facts = facts
    var place = Facts.size
    func text() -> String? {
      guard place < bytes.count, place + 1 + Int(bytes[place]) <= bytes.count else { return nil }
      defer { place += 1 + Int(bytes[place]) }
      return String(validating: bytes[(place + 1)..<(place + 1 + Int(bytes[place]))], as: UTF8.self)
    }
    var creations: [Creation] = []
    for _ in 0..<max(0, facts.creations) {
      guard place + 12 <= bytes.count else { return nil }
      let sequence = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      let number = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt32.self))
      place += 12
      guard number <= MachineID.absentNumber, let kind = text(), let name = text(), Registry.canBeName(name.utf8) else {
        return nil
      }
      creations.append(Creation(sequence: sequence, machine: MachineID(recorded: number), kind: kind, name: name))
    }
    self.creations = creations
    var wallMarks: [WallMark] = []
    for _ in 0..<facts.wallMarks {
      guard let mark = WallMark(bytes, at: place), mark.sequence > wallMarks.last?.sequence ?? 0 else { return nil }
      wallMarks.append(mark)
      place += WallMark.size
    }
    self.wallMarks = wallMarks
    var answers: [NumberedAnswers.Answer] = []
    for _ in 0..<facts.answers {
      guard let answer = NumberedAnswers.Answer(bytes, at: &place) else { return nil }
      answers.append(answer)
    }
    self.answers = answers
    records = UnsafeRawBufferPointer(rebasing: bytes[place...])
  }
}

extension JournalSegment {
  /// A segment cut after one of its inputs.
  ///
  /// - Returns: The cut segment, and the moment of that input.
  /// - Throws: ``SegmentFailure`` if the records up to it cannot be read.
  package static func prefix(
    of bytes: UnsafeRawBufferPointer, _ numbers: ClosedRange<UInt64>, to last: UInt64
  ) throws -> (bytes: [UInt8], moment: Instant) {
    guard let segment = JournalSegment(bytes) else { throw SegmentFailure.damaged("it is no segment") }
    var scanner = RecordScanner(segment, first: numbers.lowerBound)
    while scanner.next <= min(last, numbers.upperBound) { _ = try scanner.read() }
    let creations = segment.creations.filter { $0.sequence <= last }
    var facts = segment.facts
    facts.lastMoment = scanner.moment
    let marks = segment.wallMarks.filter { $0.sequence <= last }
    let answers = segment.answers.filter { $0.sequence <= last }
    facts.creations = Int64(creations.count)
    facts.wallMarks = Int64(marks.count)
    facts.answers = Int64(answers.count)
    var prefix: [UInt8] = []
    facts.append(to: &prefix)
    for creation in creations { creation.append(to: &prefix) }
    for mark in marks { mark.append(to: &prefix) }
    for answer in answers { answer.append(to: &prefix) }
    prefix.append(contentsOf: segment.records[..<scanner.offset])
    return (prefix, Instant(nanoseconds: scanner.moment))
  }
}

extension JournalSegment.Facts {
  init(
    from moment: Int64, to lastMoment: Int64, _ limits: WorldLimits, creations: Int, wallMarks: Int, answers: Int
  ) {
    self.moment = moment
    self.lastMoment = lastMoment
    chain = Int64(limits.chain)
    keyedTimers = Int64(limits.keyedTimers)
    wireChain = Int64(limits.wireChain)
    wireDeliveries = Int64(limits.wireDeliveries)
    self.creations = Int64(creations)
    self.wallMarks = Int64(wallMarks)
    self.answers = Int64(answers)
  }

  /// Reads the facts at the start of a segment; nil if it is too short.
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
    wallMarks = number(7)
    answers = number(8)
  }

  func append(to bytes: inout [UInt8]) {
    for number in [
      moment, lastMoment, chain, keyedTimers, wireChain, wireDeliveries, creations, wallMarks, answers,
    ] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
  }

  /// Whether each value is possible for a world.
  fileprivate var areSound: Bool {
    let time = 0...Instant.end.nanoseconds
    // Beyond the daemon's limits.
    let most: ClosedRange<Int64> = 0...1 << 32
    return time.contains(moment) && time.contains(lastMoment)
      && [chain, keyedTimers, wireChain, wireDeliveries, creations, wallMarks, answers].allSatisfy(most.contains)
  }

  /// Sets the limits under which the inputs were recorded.
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
    withUnsafeBytes(of: recordedNumber.littleEndian) { bytes.append(contentsOf: $0) }
    // Names of machines and of kinds have at most 255 bytes.
    for text in [kind, name] {
      bytes.append(UInt8(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }
  }
}

/// What a world records for its persistence.
struct Unflushed {
  /// The start of the unflushed part.
  var start: JournalReader
  /// Machines made in that part, with the inputs that made them.
  var machines: ContiguousArray<(sequence: UInt64, machine: MachineID)> = []
  /// Composed names made in that part.
  var compositions: ContiguousArray<(sequence: UInt64, kind: String, name: String)> = []
  /// Answers to numbered requests of that part.
  var answers: [NumberedAnswers.Answer] = []
  /// The inputs undone by that part: each range up to the input that undid it, and the rewind that says so. A redo
  /// has ranges that count again, before its own.
  var undone: [(range: ClosedRange<UInt64>, by: UInt64)] = []
}

extension WorldCore {
  /// Starts to record what is unflushed: everything from the next input on.
  package mutating func beginKeeping() {
    journal.firstUnflushed = journal.last + 1
    unflushed = Unflushed(start: journal.reader(from: journal.last + 1))
  }

  /// Whether there are unflushed inputs.
  @inline(__always)
  package var hasUnflushed: Bool { journal.firstUnflushed <= journal.last }

  /// The numbers of the unflushed inputs, for tests.
  ///
  /// - Precondition: There are some.
  package var unkeptNumbers: ClosedRange<UInt64> { journal.firstUnflushed...journal.last }

  /// What unflushed inputs have undone: each range up to the input that undid it.
  package var unkeptUndone: [ClosedRange<UInt64>] { unflushed?.undone.map(\.range) ?? [] }

  /// Appends a segment of the unflushed inputs.
  ///
  /// - Precondition: There are some.
  /// - Returns: The machines and composed names made in it, which the segment contains too.
  /// - Complexity: O(bytes).
  package func appendUnflushed(to bytes: inout [UInt8]) -> [JournalSegment.Creation] {
    guard let unflushed, hasUnflushed else { preconditionFailure("all inputs have been handed out") }
    let creations = creations(unflushed)
    let marks = journal.wallTimes.marks(from: journal.firstUnflushed).prefix { $0.sequence <= journal.last }
    journal.withRecords(from: unflushed.start) { moment, pieces in
      JournalSegment.Facts(
        from: moment, to: journal.lastMoment, limits, creations: creations.count, wallMarks: marks.count,
        answers: unflushed.answers.count
      ).append(to: &bytes)
      for creation in creations { creation.append(to: &bytes) }
      for mark in marks { mark.append(to: &bytes) }
      for answer in unflushed.answers { answer.append(to: &bytes) }
      for piece in pieces { bytes.append(contentsOf: piece) }
    }
    return creations
  }

  private func creations(_ unflushed: Unflushed) -> [JournalSegment.Creation] {
    if unflushed.machines.isEmpty { return [] }
    let machines = unflushed.machines.map { made in
      JournalSegment.Creation(
        sequence: made.sequence, machine: made.machine, kind: kind(of: made.machine).key, name: name(of: made.machine))
    }
    return machines
      + unflushed.compositions.map {
        JournalSegment.Creation(sequence: $0.sequence, machine: nil, kind: $0.kind, name: $0.name)
      }
  }

  /// Marks inputs up to `last` as flushed.
  ///
  /// - Complexity: O(creations and undos since then), usually none.
  package mutating func didKeep(upTo last: UInt64) {
    guard var rest = unflushed, hasUnflushed, last >= journal.firstUnflushed else { return }
    if last >= journal.last { return beginKeeping() }
    journal.firstUnflushed = last + 1
    rest.start = journal.reader(from: last + 1)
    rest.machines.removeAll { $0.sequence <= last }
    rest.compositions.removeAll { $0.sequence <= last }
    rest.undone.removeAll { $0.by <= last }
    rest.answers.removeAll { $0.sequence <= last }
    unflushed = rest
  }
}

extension Journal {
  /// Appends the inputs of a checked segment. Those already present are skipped.
  mutating func append(_ segment: JournalSegment, _ numbers: ClosedRange<UInt64>) {
    append(records: segment.records, numbers, from: segment.facts.moment, to: segment.facts.lastMoment)
    wallTimes.adopt(segment.wallMarks)
  }
}
