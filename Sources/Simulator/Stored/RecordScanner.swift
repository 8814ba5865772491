import StateMachines

/// Reads the records of a segment, whose bytes may be invalid.
///
/// ``DetailReader`` can read the entries that it returns: all lengths are within the bytes, all tags are known, and
/// numbers fit their types. ``KindTranslation`` checks whether indices are within a kind's lists.
struct RecordScanner: DetailWalk {
  // Safety: the bytes outlive this value. Every read is bounds-checked.
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0
  /// The offset of the last record returned; `details` is that of its details.
  private(set) var start = 0
  private var details = 0
  /// The offset after its time.
  private var timed = 0
  /// The number of the next record.
  private(set) var next: UInt64
  private(set) var moment: Int64
  private var tags: DetailTags = []
  private var hasEffects = false

  init(_ segment: JournalSegment, first: UInt64) {
    bytes = segment.records
    next = first
    moment = segment.facts.moment
  }

  var isAtEnd: Bool { offset == bytes.count }

  /// Reads the next record.
  mutating func read() throws(SegmentFailure) -> JournalEntry {
    start = offset
    guard bytes.count - offset >= 7 else { throw .damaged("it ends too early") }
    let head = byte(at: offset)
    let machine = MachineID(
      recorded: UInt32(byte(at: offset + 1)) | UInt32(byte(at: offset + 2)) << 8 | UInt32(byte(at: offset + 3)) << 16)
    var index = UInt16(byte(at: offset + 4))
    var from = UInt16(byte(at: offset + 5))
    var to = UInt16(byte(at: offset + 6))
    offset += 7
    let before = moment
    if head & 0x40 == 0 { moment &+= Int64(bitPattern: try number()) }
    guard (0...Instant.end.nanoseconds).contains(moment) else { throw .damaged("its moment is not within world time") }
    timed = offset
    let hasDetails = head & 0x20 != 0
    if hasDetails, machine != nil, offset < bytes.count, byte(at: offset) == DetailTag.wide.rawValue {
      offset += 1
      index |= UInt16(try byte()) << 8
      from |= UInt16(try byte()) << 8
      to |= UInt16(try byte()) << 8
    }
    details = offset
    (tags, hasEffects) = ([], false)
    if hasDetails { while try pass() {} }
    let input: InputClass
    if machine == nil {
      switch tags {
      case _ where tags.contains(.undone) && DetailTags.ofRewinds.isSuperset(of: tags): input = .rewound
      case .renewed: input = .renewed
      case .defined: input = .defined
      case .undefined: input = .undefined
      case _: throw .damaged("it has no machine, and nothing that an input without a machine has")
      }
    } else {
      guard let known = InputClass(rawValue: head & 7) else { throw .damaged("there is no such input") }
      input = known
      guard DetailTags(allowedIn: input).isSuperset(of: tags), tags.isSuperset(of: DetailTags(neededIn: input)) else {
        throw .damaged("it has details that such an input cannot have, or lacks required ones")
      }
    }
    guard moment >= before || input == .rewound else { throw .damaged("it is earlier than the one before") }
    guard let verdict = Verdict(rawValue: head >> 3 & 3) else { throw .damaged("there is no such outcome") }
    defer { next += 1 }
    return JournalEntry(
      sequence: next, moment: Instant(nanoseconds: moment), machine: machine, input: input, verdict: verdict,
      continuesRequest: head & 0x80 != 0, index: index, from: from, to: to, hasDetails: hasDetails,
      details: bytes.baseAddress.unsafelyUnwrapped + details)
  }

  /// The bytes of the last record.
  var record: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start..<offset]) }
  /// The bytes of its details, without the zero at their end.
  var detailBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[details..<offset].dropLast()) }
  /// The bytes of its time since the previous record.
  var elapsed: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[(start + 7)..<timed]) }

  // MARK: Details

  /// Skips one detail; false at the end.
  private mutating func pass() throws(SegmentFailure) -> Bool {
    var tag = try tag()
    if tag == .end { return false }
    if tag == .high {
      _ = try byte()
      tag = try self.tag()
      guard tag.hasWidePlace else { throw .damaged("it has a high byte that belongs to nothing") }
    }
    // Readers take what belongs to the input first.
    hasEffects = hasEffects || tag.isEffect
    guard tag.isEffect || !hasEffects else { throw .damaged("its details are not in order") }
    let (isNew, _) = tags.insert(DetailTags(tag))
    guard isNew || DetailTags.several.contains(DetailTags(tag)) else { throw .damaged("it has a detail twice") }
    switch tag {
    case .undone, .redone:
      let (place, count) = (offset, try number())
      guard count < next else {
        throw .damaged("it \(tag == .undone ? "undoes" : "redoes") more inputs than there were")
      }
      offset = place
    case .wide, .high: throw .damaged("it has high bytes that belong to nothing")
    case .reason: throw .damaged("it has a reason, which stored worlds do not keep")
    case .end, .emitted, .armed, .disarmed, .armedKey, .disarmedKey, .key, .renewed, .due, .source, .target: break
    case .dataBefore, .dataAfter, .arguments, .parameters, .initial, .kind, .defined, .undefined: break
    }
    try pass(tag)
    return true
  }

  private mutating func tag() throws(SegmentFailure) -> DetailTag {
    guard let tag = DetailTag(rawValue: try byte()) else { throw .damaged("it has an unknown detail") }
    return tag
  }

  mutating func byte() throws(SegmentFailure) -> UInt8 {
    guard offset < bytes.count else { throw .damaged("it ends too early") }
    defer { offset += 1 }
    return bytes[offset]
  }

  private func byte(at place: Int) -> UInt8 { bytes[place] }

  mutating func number() throws(SegmentFailure) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      if shift == 63, byte > 1 { throw .damaged("a number has more than 64 bits") }
      number |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  mutating func pass(bytes count: UInt64) throws(SegmentFailure) {
    guard count <= UInt64(bytes.count - offset) else { throw .damaged("it ends too early") }
    offset += Int(count)
  }

  mutating func count() throws(SegmentFailure) -> Int {
    let number = try number()
    guard number <= UInt64(bytes.count - offset) else { throw .damaged("it ends too early") }
    return Int(number)
  }

  mutating func passNumber(upTo most: UInt64) throws(SegmentFailure) {
    guard try number() <= most else { throw .damaged("a number is too large") }
  }

  func passUnknown(_ valueClass: UInt8) throws(SegmentFailure) {
    throw .damaged("there are no values of class \(valueClass)")
  }
}

/// The details of an input.
private struct DetailTags: OptionSet {
  let rawValue: UInt32

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  init(_ tag: DetailTag) {
    rawValue = 1 << UInt32(tag.rawValue)
  }

  static let undone = DetailTags(.undone)
  static let ofRewinds: DetailTags = [undone, DetailTags(.due), DetailTags(.redone)]
  static let renewed = DetailTags(.renewed)
  static let defined = DetailTags(.defined)
  static let undefined = DetailTags(.undefined)
  private static let effects: DetailTags = [
    DetailTags(.emitted), DetailTags(.armed), DetailTags(.disarmed), DetailTags(.armedKey), DetailTags(.disarmedKey),
    DetailTags(.dataBefore), DetailTags(.dataAfter),
  ]
  /// Details that may occur more than once.
  static let several: DetailTags = [
    DetailTags(.emitted), DetailTags(.armed), DetailTags(.disarmed), DetailTags(.armedKey), DetailTags(.disarmedKey),
    renewed,
  ]

  init(allowedIn input: InputClass) {
    self =
      switch input {
      case .event: [.effects, DetailTags(.arguments)]
      case .delivery: [.effects, DetailTags(.source)]
      case .expiry: [.effects, DetailTags(.key)]
      case .fired: [.effects, DetailTags(.key), DetailTags(.due)]
      case .created: [.effects, DetailTags(.parameters), DetailTags(.initial), DetailTags(.kind)]
      case .wired, .unwired: [.effects, DetailTags(.target)]
      case .dropped: .effects
      case .rewound, .renewed, .defined, .undefined: []
      }
  }

  init(neededIn input: InputClass) {
    self =
      switch input {
      case .delivery: DetailTags(.source)
      case .wired, .unwired: DetailTags(.target)
      case .event, .expiry, .fired, .created, .dropped, .rewound, .renewed, .defined, .undefined: []
      }
  }
}
