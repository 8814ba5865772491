import TestSupport
@testable import Simulator
import StateMachines
import Testing

@Suite("The journal gives back what was written")
struct JournalTests {
  /// A record in the test's form: all that the journal stores, with the details as the bytes of their text.
  private struct Record: Equatable {
    var sequence: UInt64
    var moment: Int64
    var machine: UInt32
    var input: UInt8
    var verdict: UInt8
    var index: UInt16
    var from: UInt16
    var to: UInt16
    var text: String?

    init(sequence: UInt64, dice: inout Dice, after moment: Int64) {
      self.sequence = sequence
      // Distances of every length in bytes, and zero.
      self.moment = moment + (dice.once(in: 3) ? 0 : Int64(dice.next() >> UInt64(dice.number(12...63))))
      machine = UInt32(dice.number(0...(MachineID.max - 1)))
      input = UInt8(dice.number(0...7))
      verdict = UInt8(dice.number(0...3))
      // Of both widths, in every combination, and at their limits.
      func place() -> UInt16 {
        dice.one(of: [UInt16(dice.number(0...255)), UInt16(dice.number(0...65_535)), 255, 256])
      }
      index = place()
      from = place()
      to = place()
      text = dice.once(in: 3) ? String(repeating: "x", count: dice.number(0...200)) : nil
    }

    init(_ entry: JournalEntry) {
      sequence = entry.sequence
      moment = entry.moment.nanoseconds
      machine = entry.machine?.number ?? MachineID.absentNumber
      input = entry.input.rawValue
      verdict = entry.verdict.rawValue
      index = entry.index
      from = entry.from
      to = entry.to
      text = JournalInput(entry).after
    }

    func append(to journal: inout Journal) {
      var details = DetailWriter()
      if let text {
        details.tag(.dataAfter)
        details.text(text)
      }
      guard let input = InputClass(rawValue: input), let verdict = Verdict(rawValue: verdict) else { return }
      let sequence = journal.append(
        input, MachineID(machine), index: index, StepResult(verdict: verdict, from: from, to: to),
        at: Instant(nanoseconds: moment), details)
      expectEqual(sequence, self.sequence)
    }
  }

  private func read(_ journal: borrowing Journal, from sequence: UInt64) -> [Record] {
    var reader = journal.reader(from: sequence)
    var records: [Record] = []
    while let entry = journal.read(&reader) { records.append(Record(entry)) }
    return records
  }

  /// Appends random records and returns them.
  private func fill(_ journal: inout Journal, _ count: Int, _ dice: inout Dice) -> [Record] {
    var records: [Record] = []
    for _ in 0..<count {
      // At most a day later, so that no moment overflows.
      let last = records.last?.moment ?? 0
      var record = Record(sequence: journal.last + 1, dice: &dice, after: 0)
      record.moment = last + record.moment % 86_400_000_000_000
      record.append(to: &journal)
      records.append(record)
    }
    return records
  }

  @Test("random records, from any place on, over the borders of blocks", arguments: Thorough.rounds(0..<10))
  func roundTrip(seed: Int) {
    var dice = Dice(seed: seed)
    var journal = Journal(inputs: 1_000_000, bytes: 1 << 30)
    expectEqual(journal.first, 1)
    expectEqual(read(journal, from: 1), [])
    let records = fill(&journal, 5_000, &dice)
    expect(journal.bytes >= 3 * 65_536, "more blocks than one")
    expectEqual(read(journal, from: 1), records, "seed \(seed)")
    for _ in 0..<20 {
      let place = dice.number(0...records.count)
      expectEqual(read(journal, from: UInt64(place + 1)), Array(records[place...]), "seed \(seed), from \(place + 1)")
    }
  }

  @Test("the longest distances in time")
  func longDistances() {
    var journal = Journal(inputs: 10, bytes: 1 << 20)
    let details = DetailWriter()
    let moments: [Int64] = [0, .max, .max, 0, 127, 255, 16_511, 1 << 62, 1]
    for moment in moments {
      _ = journal.append(
        .event, MachineID(0), index: 0, StepResult(verdict: .moved, from: 0, to: 0), at: Instant(nanoseconds: moment),
        details)
    }
    expectEqual(read(journal, from: 1).map(\.moment), moments)
  }

  @Test("a reader goes on after what is appended later", arguments: Thorough.rounds(0..<10))
  func goingOn(seed: Int) {
    var dice = Dice(seed: seed)
    var journal = Journal(inputs: 1_000_000, bytes: 1 << 30)
    var reader = journal.reader(from: 1)
    var written: [Record] = []
    var seen: [Record] = []
    for _ in 0..<200 {
      // The moments of each filling start at 0 again: distances may be negative.
      written += fill(&journal, dice.number(0...40), &dice)
      for _ in 0..<dice.number(0...60) { if let entry = journal.read(&reader) { seen.append(Record(entry)) } }
    }
    while let entry = journal.read(&reader) { seen.append(Record(entry)) }
    expectEqual(seen, written, "seed \(seed)")
    expectEqual(reader.next, journal.last + 1)
  }

  @Test("a record longer than a block")
  func longRecord() {
    var dice = Dice(seed: 1)
    var journal = Journal(inputs: 100, bytes: 1 << 30)
    var records = fill(&journal, 3, &dice)
    for length in [65_000, 65_536, 300_000, 65_511, 65_512, 65_513] {
      var record = Record(sequence: journal.last + 1, dice: &dice, after: 0)
      record.text = String(repeating: "y", count: length)
      record.append(to: &journal)
      records.append(record)
      var small = Record(sequence: journal.last + 1, dice: &dice, after: 0)
      small.text = nil
      small.append(to: &journal)
      records.append(small)
    }
    expectEqual(read(journal, from: 1), records)
  }

  @Test("blocks are filled to the last byte", arguments: [0, 1, 5, 6, 7, 8, 20])
  func borders(textLength: Int) {
    var journal = Journal(inputs: 100_000, bytes: 1 << 30)
    var records: [Record] = []
    var dice = Dice(seed: textLength)
    while journal.bytes < 3 * 65_536 {
      var record = Record(sequence: journal.last + 1, dice: &dice, after: 0)
      record.moment = Int64(records.count)
      record.text = String(repeating: "z", count: textLength)
      record.append(to: &journal)
      records.append(record)
    }
    expectEqual(read(journal, from: 1), records)
  }

  // MARK: Forgetting

  @Test("inputs at the limit are kept, one more and the first is forgotten")
  func forgettingInputs() {
    var dice = Dice(seed: 1)
    var journal = Journal(inputs: 50, bytes: 1 << 30)
    let records = fill(&journal, 50, &dice)
    expectEqual(journal.first, 1)
    expectEqual(read(journal, from: 1), records)
    let more = fill(&journal, 1, &dice)
    expectEqual(journal.first, 2)
    expectEqual(read(journal, from: 2), Array(records[1...]) + more)
    _ = fill(&journal, 20_000, &dice)
    expectEqual(journal.last, 20_051)
    expectEqual(journal.first, 20_002)
    expectEqual(read(journal, from: 20_002).count, 50)
    expect(journal.bytes <= 2 * 65_536)
  }

  @Test("bytes over the limit go in whole blocks, the oldest first")
  func forgettingBytes() {
    var dice = Dice(seed: 1)
    var journal = Journal(inputs: 1_000_000, bytes: 2 * 65_536)
    while journal.bytes < 2 * 65_536 { _ = fill(&journal, 1, &dice) }
    expectEqual(journal.first, 1)
    let atTheLimit = journal.last
    while journal.first == 1 { _ = fill(&journal, 1, &dice) }
    expectEqual(journal.bytes, 2 * 65_536)
    expectEqual(journal.first, atTheLimit, "the second block began with this one")
    expectEqual(read(journal, from: journal.first).map(\.sequence), Array(journal.first...journal.last))
    var record = Record(sequence: journal.last + 1, dice: &dice, after: 0)
    record.text = String(repeating: "y", count: 200_000)
    record.append(to: &journal)
    expectEqual(journal.first, journal.last, "a record longer than all that may be kept is kept alone")
    expectEqual(read(journal, from: journal.last).map(\.text), [record.text])
  }

  @Test("a reader gets nothing that is forgotten, though its block is still there")
  func readingTheForgotten() {
    var dice = Dice(seed: 1)
    var journal = Journal(inputs: 50, bytes: 1 << 30)
    _ = fill(&journal, 10, &dice)
    var reader = journal.reader(from: 5)
    _ = fill(&journal, 44, &dice)
    expectEqual(journal.first, 5)
    expectEqual(journal.read(&reader)?.sequence, 5)
    _ = fill(&journal, 2, &dice)
    expectEqual(journal.first, 7)
    expectNil(journal.read(&reader)?.sequence)
    expectEqual(reader.next, 6)
    _ = fill(&journal, 100_000, &dice)
    expectNil(journal.read(&reader)?.sequence)
    expect(reader.next < journal.first)
  }

  @Test("a reader that has read all goes on when the blocks before are gone", arguments: [true, false])
  func readingOn(isLimitedByBytes: Bool) {
    var dice = Dice(seed: 1)
    var journal = Journal(inputs: isLimitedByBytes ? 1_000_000 : 1, bytes: isLimitedByBytes ? 65_536 : 1 << 30)
    var reader = journal.reader(from: 1)
    for sequence in 1...20_000 as ClosedRange<UInt64> {
      _ = fill(&journal, 1, &dice)
      guard journal.read(&reader)?.sequence == sequence else {
        Issue.record("input \(sequence) is not read, the journal begins at \(journal.first)")
        return
      }
    }
    expectNil(journal.read(&reader)?.sequence)
  }

  // MARK: Cost

  @Test("a toggle takes twelve bytes at most, a tap that arms a timer thirty-two")
  func bytesPerInput() {
    func bytes(apart: Int64, _ write: (inout DetailWriter) -> Void) -> Int {
      var journal = Journal(inputs: 1_000_000, bytes: 1 << 30)
      var details = DetailWriter()
      write(&details)
      var inputs = 0
      while journal.bytes <= 16 * 65_536 {
        inputs += 1
        _ = journal.append(
          .event, MachineID(77), index: 0, StepResult(verdict: .moved, from: 0, to: 1),
          at: Instant(nanoseconds: Int64(inputs) * apart), details)
      }
      return 16 * 65_536 / inputs
    }
    expect(bytes(apart: 0) { _ in } <= 8)
    expect(bytes(apart: 1_000_000_000) { _ in } <= 12)
    expect(
      bytes(apart: 10_000_000_000) {
        $0.tag(.armed, 0)
        $0.number(350_000_000)
      } <= 32)
  }
}
