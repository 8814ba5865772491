import StateMachines

/// Checks the records of a segment against the current kinds, and rewrites those with changed indices.
struct SegmentTranslation: ~Copyable {
  /// What a machine's number means at a record.
  struct Meaning {
    let translation: KindTranslation
    /// The index of its kind in the world that the records are for, if they must contain it.
    var kindPlace: Int?
  }

  /// - Parameter isNew: Whether this record makes the machine.
  typealias Meanings = (_ machine: MachineID, _ entry: JournalEntry, _ isNew: Bool) throws -> Meaning

  private var scanner: RecordScanner
  // Safety: the segment's bytes, which outlive this value.
  private let records: UnsafeRawBufferPointer
  private let last: UInt64
  private let lastMoment: Int64
  private var sheet = DetailWriter()
  /// The rewritten records; nil while all records so far are unchanged.
  private(set) var rewritten: [UInt8]?
  /// The offset of the first checked record; `moment` is the one to which its time is relative.
  private var start: Int?
  private(set) var moment: Int64

  init(_ segment: JournalSegment, _ numbers: ClosedRange<UInt64>) {
    scanner = RecordScanner(segment, first: numbers.lowerBound)
    last = numbers.upperBound
    lastMoment = segment.facts.lastMoment
    moment = segment.facts.moment
    records = segment.records
  }

  /// Skips records, checking only their lengths.
  mutating func pass(to sequence: UInt64) throws(SegmentFailure) {
    while scanner.next <= min(sequence, last) { _ = try scanner.read() }
    moment = scanner.moment
  }

  /// The number of the next record.
  var next: UInt64 { scanner.next }

  /// Checks the next record.
  ///
  /// - Returns: The record as in the segment; nil at the end.
  mutating func read(_ meanings: Meanings) throws -> JournalEntry? {
    if start == nil { start = scanner.offset }
    guard scanner.next <= last else {
      guard scanner.isAtEnd, scanner.moment == lastMoment else {
        throw SegmentFailure.damaged("there are bytes after the last record, or it has another moment")
      }
      return nil
    }
    let entry = try scanner.read()
    try translate(entry, meanings)
    return entry
  }

  /// Writes the record anew, in the words of today's kinds, and keeps that if anything differs.
  private mutating func translate(_ entry: JournalEntry, _ meanings: Meanings) throws {
    sheet.clear()
    let input = JournalInput(entry)
    var (index, from, to) = (entry.index, entry.from, entry.to)
    if let machine = entry.machine {
      let meaning = try meanings(machine, entry, entry.input == .created)
      let kind = meaning.translation
      switch entry.input {
      case .event, .delivery: index = try kind.event(index)
      case .expiry, .fired: index = try kind.timer(index)
      case .wired, .unwired: index = try kind.output(index)
      case .created: if let place = meaning.kindPlace { index = UInt16(place & 0xFF) }
      case .dropped, .rewound, .renewed, .defined, .undefined: break
      }
      (from, to) = (try kind.state(from), try kind.state(to))
      if entry.input == .event { sheet.arguments(try kind.arguments(of: entry.index, input.arguments)) }
      if entry.input == .created {
        if let place = meaning.kindPlace ?? input.kind, place > 0xFF { sheet.tag(.kind, number: UInt64(place)) }
        if let initial = input.initial { sheet.tag(.initial, place: try kind.state(UInt16(initial))) }
        sheet.parameters(try kind.parameters(input.parameters))
      }
      if let (other, output) = input.source {
        sheet.tag(.source, place: try meanings(other, entry, false).translation.output(UInt16(output)), of: other)
      }
      if let (other, event) = input.target {
        sheet.tag(.target, place: try meanings(other, entry, false).translation.event(UInt16(event)), of: other)
      }
      try writeStep(input, at: entry.moment, kind)
    } else {
      // Only restarted timers are of a kind.
      guard entry.input == .renewed else { return keepRecord() }
      for var timer in input.renewed {
        timer.timer = Int(try meanings(timer.machine, entry, false).translation.timer(UInt16(timer.timer)))
        sheet.renewed(timer)
      }
    }
    let isSame =
      index == entry.index && from == entry.from && to == entry.to && sheet.bytes.elementsEqual(scanner.detailBytes)
    if isSame { keepRecord() } else { write(index: index, from: from, to: to) }
  }

  /// Writes what an input of a machine has besides its words, and its effects.
  private mutating func writeStep(_ input: JournalInput, at moment: Instant, _ kind: KindTranslation) throws {
    if let due = input.due { sheet.tag(.due, number: UInt64((due - moment).nanoseconds)) }
    if input.key != 0 { sheet.tag(.key, number: UInt64(input.key)) }
    if let before = input.before { sheet.tag(.dataBefore, text: before) }
    if let after = input.after { sheet.tag(.dataAfter, text: after) }
    for effect in input.effects {
      switch effect {
      case .emitted(let output, let values):
        sheet.tag(.emitted, place: try kind.output(UInt16(output)))
        sheet.values(try kind.data(of: UInt16(output), values))
      case .armed(let timer, let key, let due), .disarmed(let timer, let key, let due):
        let isArmed = if case .armed = effect { true } else { false }
        let tags: (plain: DetailTag, keyed: DetailTag) = isArmed ? (.armed, .armedKey) : (.disarmed, .disarmedKey)
        let now = UInt8(try kind.timer(UInt16(timer)))
        sheet.tag(key == 0 ? tags.plain : tags.keyed, now, UInt64((due - moment).nanoseconds))
        if key != 0 { sheet.number(UInt64(key)) }
      }
    }
  }

  /// Takes over the last record as it is.
  private mutating func keepRecord() { rewritten?.append(contentsOf: scanner.record) }

  /// Appends the last record with other indices and the collected details.
  private mutating func write(index: UInt16, from: UInt16, to: UInt16) {
    let record = scanner.record
    // The first changed record: earlier ones are copied unchanged.
    if rewritten == nil { rewritten = Array(records[(start ?? 0)..<scanner.start]) }
    let places = [index, from, to]
    let isWide = places.contains { $0 > 0xFF }
    rewritten?.append(record[0] & ~0x20 | (sheet.isEmpty && !isWide ? 0 : 0x20))
    rewritten?.append(contentsOf: record[1..<4])
    rewritten?.append(contentsOf: places.map { UInt8($0 & 0xFF) })
    rewritten?.append(contentsOf: scanner.elapsed)
    if isWide { rewritten?.append(contentsOf: [DetailTag.wide.rawValue] + places.map { UInt8($0 >> 8) }) }
    guard !sheet.isEmpty || isWide else { return }
    rewritten?.append(contentsOf: sheet.bytes)
    rewritten?.append(DetailTag.end.rawValue)
  }
}
