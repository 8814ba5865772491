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

  private mutating func translate(_ entry: JournalEntry, _ meanings: Meanings) throws {
    sheet.clear()
    guard let machine = entry.machine else { return try translateWorldwide(entry, meanings) }
    let meaning = try meanings(machine, entry, entry.input == .created)
    let translation = meaning.translation
    var index = entry.index
    switch entry.input {
    case .event, .delivery: index = try translation.event(index)
    case .expiry, .fired: index = try translation.timer(index)
    case .wired, .unwired: index = try translation.output(index)
    case .created: if let place = meaning.kindPlace { index = UInt16(place & 0xFF) }
    case .dropped, .rewound, .renewed, .defined, .undefined: break
    }
    let (from, to) = (try translation.state(entry.from), try translation.state(entry.to))
    var isSame = index == entry.index && from == entry.from && to == entry.to
    var reader = DetailReader(entry)
    switch entry.input {
    case .event: try translateArguments(entry, translation, &reader, &isSame)
    case .created: try translateCreation(meaning, &reader, &isSame)
    case .delivery, .expiry, .fired, .dropped, .wired, .unwired, .rewound, .renewed, .defined, .undefined: break
    }
    while let ahead = reader.ahead { try translate(ahead, entry, translation, &reader, meanings, &isSame) }
    if isSame, rewritten == nil { return }
    write(index: index, from: from, to: to)
  }

  private mutating func translateArguments(
    _ entry: JournalEntry, _ translation: KindTranslation, _ reader: inout DetailReader, _ isSame: inout Bool
  ) throws {
    var values: [Value] = []
    if reader.ahead?.tag == .arguments, case .arguments(let given)? = reader.next() { values = given }
    let fitted = try translation.arguments(of: entry.index, values)
    if fitted.isEmpty, values.isEmpty { return }
    isSame = isSame && fitted == values
    if fitted.isEmpty { return }
    sheet.tag(.arguments)
    sheet.values(fitted)
  }

  private mutating func translateCreation(
    _ meaning: Meaning, _ reader: inout DetailReader, _ isSame: inout Bool
  ) throws {
    if reader.ahead?.tag == .kind, case .kind(let place)? = reader.next() {
      let now = meaning.kindPlace ?? Int(place)
      isSame = isSame && now == Int(place)
      if now > 0xFF {
        sheet.tag(.kind)
        sheet.number(UInt64(now))
      }
    } else if let place = meaning.kindPlace, place > 0xFF {
      isSame = false
      sheet.tag(.kind)
      sheet.number(UInt64(place))
    }
    if reader.ahead?.tag == .initial, case .initial(let state)? = reader.next() {
      let now = try meaning.translation.state(state)
      isSame = isSame && now == state
      sheet.tag(.initial, place: now)
    }
    var values: [(parameter: Int, value: Value)] = []
    if reader.ahead?.tag == .parameters, case .parameters(let given)? = reader.next() { values = given }
    let (fitted, areSame) = try meaning.translation.parameters(values)
    isSame = isSame && areSame
    if fitted.isEmpty { return }
    sheet.tag(.parameters)
    sheet.number(UInt64(fitted.count))
    for (parameter, value) in fitted {
      sheet.number(UInt64(parameter))
      sheet.value(value)
    }
  }

  private mutating func translate(
    _ ahead: (tag: DetailTag, place: UInt8), _ entry: JournalEntry, _ translation: KindTranslation,
    _ reader: inout DetailReader, _ meanings: Meanings, _ isSame: inout Bool
  ) throws {
    switch ahead.tag {
    case .armed, .disarmed, .armedKey, .disarmedKey:
      let timer = try translation.timer(UInt16(ahead.place))
      isSame = isSame && timer == ahead.place
      copy(&reader, replacingPlaceWith: UInt8(timer))
    case .dataBefore, .dataAfter, .due, .key: copy(&reader, replacingPlaceWith: nil)
    case .emitted:
      guard case .emitted(let output, let values)? = reader.next() else { return }
      let (now, fitted) = (try translation.output(output), try translation.data(of: output, values))
      isSame = isSame && now == output && fitted == values
      sheet.tag(.emitted, place: now)
      sheet.values(fitted)
    case .source:
      guard case .source(let machine, let output)? = reader.next() else { return }
      let now = try meanings(machine, entry, false).translation.output(output)
      isSame = isSame && now == output
      sheet.tag(.source, place: now)
      sheet.number(UInt64(machine.number))
    case .target:
      guard case .target(let machine, let event)? = reader.next() else { return }
      let now = try meanings(machine, entry, false).translation.event(event)
      isSame = isSame && now == event
      sheet.tag(.target, place: now)
      sheet.number(UInt64(machine.number))
    case .arguments, .parameters, .initial, .kind, .undone, .renewed, .wide, .high, .reason, .defined, .undefined,
      .redone,
      .end:
      throw SegmentFailure.damaged("its details are not in order")
    }
  }

  /// Copies a detail, optionally with another byte after its tag.
  private mutating func copy(_ reader: inout DetailReader, replacingPlaceWith place: UInt8?) {
    let start = reader.place
    _ = reader.skip()
    sheet.copy(UnsafeRawBufferPointer(start: start, count: reader.place - start), replacingPlaceWith: place)
  }

  private mutating func translateWorldwide(_ entry: JournalEntry, _ meanings: Meanings) throws {
    var isSame = true
    var reader = DetailReader(entry)
    if entry.input != .renewed { while reader.ahead != nil { copy(&reader, replacingPlaceWith: nil) } }
    while let detail = reader.next() {
      guard case .renewed(let renewed) = detail else { continue }
      let timer = try meanings(renewed.machine, entry, false).translation.timer(UInt16(renewed.timer))
      isSame = isSame && Int(timer) == renewed.timer
      sheet.tag(.renewed)
      for number in [UInt64(renewed.machine.number), UInt64(timer), UInt64(renewed.key)] { sheet.number(number) }
      sheet.number(UInt64(renewed.duration.nanoseconds))
    }
    if isSame, rewritten == nil { return }
    write(index: entry.index, from: entry.from, to: entry.to)
  }

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
    sheet.withBytes { rewritten?.append(contentsOf: $0) }
    rewritten?.append(DetailTag.end.rawValue)
  }
}
