import StateMachines

/// The details of a journal entry: a tag and its fields each; a zero tag ends them.
///
/// Small numbers take one byte (LEB128); times are relative to the entry's own moment.
enum DetailTag: UInt8 {
  case end, emitted, armed, disarmed, dataBefore, dataAfter, arguments, parameters, initial, kind, due, source, target
  /// Like `armed` and `disarmed`, with the timer's key after the time; and the key of an expired timer.
  case armedKey, disarmedKey, key
  /// How many inputs were undone; for a redo the last undos themselves. Then `due`, if time had passed since the last
  /// input: the moment that was left.
  case undone
  /// A restarted timer: machine, timer, key, duration.
  case renewed
  /// Not a detail of its own: the high bytes of the record's three places, before its details. Only records with a
  /// place above 0xFF have it.
  case wide
  /// Not a detail of its own: the high byte of the next detail's place. Only details with a place above 0xFF have it.
  case high
  /// Why an input was refused; only in worlds that keep reasons.
  case reason
  /// A document: name, version, format, bytes, and resources with their paths.
  case defined
  /// The name of a kind.
  case undefined
  /// After `undone`, of a redo: how many inputs before the undone ones are in effect again, and how many undos were taken
  /// back.
  case redone

  /// The input without a machine that has this detail first; `nil` if none has.
  var worldwideInput: InputClass? {
    switch self {
    case .undone: .rewound
    case .renewed: .renewed
    case .defined: .defined
    case .undefined: .undefined
    case _: nil
    }
  }

  /// Whether it is an effect of a step. Effects follow what belongs to the input itself.
  var isEffect: Bool {
    switch self {
    case .emitted, .armed, .disarmed, .armedKey, .disarmedKey: true
    case _: false
    }
  }

  /// Whether a detail has the place of a state, an event or an output, which may be above 0xFF.
  var hasWidePlace: Bool {
    switch self {
    case .emitted, .initial, .source, .target: true
    case _: false
    }
  }
}

/// The details of the entry being written. One writer is reused for all entries.
struct DetailWriter: ~Copyable {
  // Safety: owned by this value, with room for `capacity` bytes, of which the first `count` are written.
  private var base: UnsafeMutableRawPointer
  private var capacity = 256
  private(set) var count = 0

  init() {
    base = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    base.deallocate()
  }

  /// Copies the bytes.
  ///
  /// - Parameter place: With room for at least sixteen bytes; up to sixteen are copied in one move.
  @inline(__always)
  func copy(to place: UnsafeMutableRawPointer) {
    if count <= 16 {
      place.storeBytes(of: base.load(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
    } else {
      place.copyMemory(from: base, byteCount: count)
    }
  }

  @inline(__always)
  var isEmpty: Bool { count == 0 }

  @inline(__always)
  mutating func clear() {
    count = 0
  }

  @inline(__always)
  private mutating func reserve(_ extra: Int) {
    if count &+ extra > capacity { grow(extra) }
  }

  @inline(never)
  private mutating func grow(_ extra: Int) {
    let larger = max(capacity * 2, count + extra)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    moved.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = moved
    capacity = larger
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  @inline(__always)
  mutating func tag(_ tag: DetailTag, _ index: UInt8) {
    append(tag.rawValue)
    append(index)
  }

  mutating func tag(_ tag: DetailTag) { append(tag.rawValue) }

  /// A tag and the place of a state, an event or an output.
  @inline(__always)
  mutating func tag(_ tag: DetailTag, place: UInt16) {
    if place > 0xFF { high(of: place) }
    self.tag(tag, UInt8(truncatingIfNeeded: place))
  }

  @inline(never)
  private mutating func high(of place: UInt16) { tag(.high, UInt8(place >> 8)) }

  /// A tag, a byte and a number, with one reservation of room.
  @inline(__always)
  mutating func tag(_ tag: DetailTag, _ index: UInt8, _ number: UInt64) {
    reserve(12)
    base.storeBytes(of: tag.rawValue, toByteOffset: count, as: UInt8.self)
    base.storeBytes(of: index, toByteOffset: count &+ 1, as: UInt8.self)
    var place = count &+ 2
    var rest = number
    while rest >= 0x80 {
      base.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: place, as: UInt8.self)
      place &+= 1
      rest &>>= 7
    }
    base.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: place, as: UInt8.self)
    count = place &+ 1
  }

  @inline(__always)
  mutating func number(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      number(UInt64(bytes.count))
      reserve(bytes.count)
      UnsafeMutableRawBufferPointer(start: base + count, count: bytes.count).copyBytes(from: bytes)
      count += bytes.count
    }
  }

  mutating func bytes(_ bytes: [UInt8]) {
    number(UInt64(bytes.count))
    reserve(bytes.count)
    UnsafeMutableRawBufferPointer(start: base + count, count: bytes.count).copyBytes(from: bytes)
    count += bytes.count
  }

  mutating func tag(_ tag: DetailTag, number: UInt64) {
    self.tag(tag)
    self.number(number)
  }

  mutating func tag(_ tag: DetailTag, text: String) {
    self.tag(tag)
    self.text(text)
  }

  /// An output or an event of another machine.
  mutating func tag(_ tag: DetailTag, place: UInt16, of machine: MachineID) {
    self.tag(tag, place: place)
    number(UInt64(machine.number))
  }

  /// Nothing, if there are none.
  mutating func arguments(_ values: [Value]) {
    if values.isEmpty { return }
    tag(.arguments)
    self.values(values)
  }

  /// Nothing, if there are none.
  mutating func parameters(_ values: [(parameter: Int, value: Value)]) {
    if values.isEmpty { return }
    tag(.parameters, number: UInt64(values.count))
    for (parameter, value) in values {
      number(UInt64(parameter))
      self.value(value)
    }
  }

  mutating func renewed(_ timer: RenewedTimer) {
    tag(.renewed, number: UInt64(timer.machine.number))
    number(UInt64(timer.timer))
    number(UInt64(timer.key))
    number(UInt64(timer.duration.nanoseconds))
  }

  mutating func document(_ document: KindDocument, version: Int) {
    tag(.defined)
    text(document.name)
    number(UInt64(version))
    text(document.format)
    bytes(document.bytes)
    number(UInt64(document.resources.count))
    for resource in document.resources {
      text(resource.path)
      bytes(resource.bytes)
    }
  }

  mutating func value(_ value: Value) {
    switch value {
    case .none: append(0)
    case .text(let text):
      append(1)
      self.text(text)
    case .integer(let integer):
      append(2)
      number(UInt64(bitPattern: Int64(integer)))
    case .number(let double):
      append(3)
      withUnsafeBytes(of: double.bitPattern.littleEndian) { for byte in $0 { append(byte) } }
    case .flag(let flag): append(flag ? 5 : 4)
    case .interval(let interval):
      append(6)
      number(UInt64(bitPattern: interval.nanoseconds))
    case .moment(let moment):
      append(7)
      number(UInt64(bitPattern: moment.nanoseconds))
    }
  }

  mutating func values(_ values: some Collection<Value>) {
    number(UInt64(values.count))
    for value in values { self.value(value) }
  }

  /// What was written, until the next change.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }
}

/// Reads the details of an entry.
struct DetailReader: DetailWalk {
  // Safety: details end with a zero tag, and every length in them was written by `DetailWriter`, or by the author of a
  // segment, which `RecordScanner` has checked.
  private(set) var place: UnsafeRawPointer
  private let moment: Instant
  private let isEmpty: Bool

  init(_ entry: JournalEntry) {
    place = entry.details
    moment = entry.moment
    isEmpty = !entry.hasDetails
  }

  mutating func byte() -> UInt8 {
    defer { place += 1 }
    return place.load(as: UInt8.self)
  }

  mutating func number() -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = byte()
      number |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  mutating func text() -> String {
    let count = Int(number())
    defer { place += count }
    return String(decoding: UnsafeRawBufferPointer(start: place, count: count), as: UTF8.self)
  }

  private mutating func bytes() -> [UInt8] {
    let count = Int(number())
    defer { place += count }
    return Array(UnsafeRawBufferPointer(start: place, count: count))
  }

  mutating func list<Element>(_ element: (inout DetailReader) -> Element) -> [Element] {
    let count = Int(number())
    return (0..<count).map { _ in element(&self) }
  }

  mutating func document() -> (document: KindDocument, version: Int) {
    let name = text()
    let version = Int(truncatingIfNeeded: number())
    let format = text()
    let document = bytes()
    let resources = list { KindDocument.Resource(path: $0.text(), bytes: $0.bytes()) }
    return (KindDocument(name: name, format: format, bytes: document, resources: resources), version)
  }

  mutating func value() -> Value {
    switch byte() {
    case 0: return .none
    case 1: return .text(text())
    case 2: return .integer(Int(Int64(bitPattern: number())))
    case 3:
      defer { place += 8 }
      return .number(Double(bitPattern: UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))))
    case 4: return .flag(false)
    case 5: return .flag(true)
    case 6: return .interval(Nanoseconds(nanoseconds: Int64(bitPattern: number())))
    case 7: return .moment(Instant(nanoseconds: Int64(bitPattern: number())))
    case let other: preconditionFailure("the journal has no value of class \(other)")
    }
  }

  mutating func values() -> [Value] { list { $0.value() } }

  mutating func later() -> Instant { moment + Nanoseconds(nanoseconds: Int64(number())) }

  mutating func machine() -> MachineID { MachineID(UInt32(number())) }

  mutating func renewed() -> RenewedTimer {
    RenewedTimer(
      machine: machine(), timer: Int(number()), key: UInt32(number()),
      duration: Nanoseconds(nanoseconds: Int64(number())))
  }

  private mutating func tag() -> DetailTag {
    guard let tag = DetailTag(rawValue: byte()) else { preconditionFailure("the journal has no such detail") }
    return tag
  }

  /// The tag of the next detail; `nil` at the end.
  var ahead: DetailTag? {
    if isEmpty { return nil }
    // A high byte stands between its own tag and that of the detail.
    let first = place.load(as: UInt8.self)
    let tag = first == DetailTag.high.rawValue ? place.load(fromByteOffset: 2, as: UInt8.self) : first
    return tag == DetailTag.end.rawValue ? nil : DetailTag(rawValue: tag)
  }

  /// Passes the tag of the next detail.
  ///
  /// - Returns: The high byte before it, as a part of the detail's place.
  mutating func passTag() -> Int {
    guard tag() == .high else { return 0 }
    let high = Int(byte()) << 8
    _ = tag()
    return high
  }
}

extension DetailReader {
  /// The bytes of an entry's details, including the zero at their end.
  static func length(of entry: JournalEntry) -> Int {
    var reader = DetailReader(entry)
    while reader.skip() {}
    return reader.place - entry.details
  }

  /// Whether the details of two entries are equal, byte by byte.
  static func areEqual(_ left: JournalEntry, _ right: JournalEntry) -> Bool {
    let count = length(of: left)
    return UnsafeRawBufferPointer(start: left.details, count: count)
      .elementsEqual(UnsafeRawBufferPointer(start: right.details, count: min(count, length(of: right))))
  }

  /// Skips one detail without decoding it; false at the end.
  mutating func skip() -> Bool {
    var tag = tag()
    if tag == .high {
      place += 1
      tag = self.tag()
    }
    if tag == .end { return false }
    precondition(tag != .wide && tag != .high, "high bytes that belong to nothing")
    pass(tag)
    return true
  }

  mutating func count() -> Int { Int(number()) }

  mutating func pass(bytes count: UInt64) { place += Int(count) }

  mutating func passNumber(upTo most: UInt64) {
    while byte() >= 0x80 {}
  }

  func passUnknown(_ valueClass: UInt8) {}
}

/// Passes over details without decoding them, whether or not their bytes are checked.
protocol DetailWalk {
  associatedtype Failure: Error

  mutating func byte() throws(Failure) -> UInt8
  mutating func pass(bytes count: UInt64) throws(Failure)
  mutating func passNumber(upTo most: UInt64) throws(Failure)
  /// The number of bytes, or of elements of at least one byte, that follow.
  mutating func count() throws(Failure) -> Int
  /// Called for a value of a class that does not exist.
  func passUnknown(_ valueClass: UInt8) throws(Failure)
}

extension DetailWalk {
  /// Passes over what follows the tag of a detail.
  mutating func pass(_ tag: DetailTag) throws(Failure) {
    switch tag {
    case .end, .wide, .high: break
    case .emitted:
      _ = try byte()
      try passValues()
    case .armed, .disarmed:
      _ = try byte()
      try passInterval()
    case .armedKey, .disarmedKey:
      _ = try byte()
      try passInterval()
      try passNumber(upTo: UInt64(UInt32.max))
    case .dataBefore, .dataAfter, .reason, .undefined: try passText()
    case .defined:
      try passText()
      try passNumber(upTo: UInt64(Int32.max))
      for _ in 0..<2 { try passText() }
      for _ in 0..<(try count()) * 2 { try passText() }
    case .arguments: try passValues()
    case .parameters:
      for _ in 0..<(try count()) {
        try passNumber(upTo: UInt64(Int32.max))
        try passValue()
      }
    case .initial: _ = try byte()
    case .kind, .key: try passNumber(upTo: UInt64(UInt32.max))
    case .due: try passInterval()
    case .source, .target:
      _ = try byte()
      try passNumber(upTo: UInt64(MachineID.max))
    case .undone: try passNumber(upTo: .max)
    case .redone: for _ in 0..<2 { try passNumber(upTo: .max) }
    case .renewed:
      try passNumber(upTo: UInt64(MachineID.max))
      try passNumber(upTo: UInt64(UInt8.max))
      try passNumber(upTo: UInt64(UInt32.max))
      try passInterval()
    }
  }

  private mutating func passInterval() throws(Failure) { try passNumber(upTo: UInt64(Int64.max)) }

  private mutating func passText() throws(Failure) { try pass(bytes: UInt64(try count())) }

  private mutating func passValues() throws(Failure) {
    for _ in 0..<(try count()) { try passValue() }
  }

  private mutating func passValue() throws(Failure) {
    switch try byte() {
    case 0, 4, 5: break
    case 1: try passText()
    case 2, 6, 7: try passNumber(upTo: .max)
    case 3: try pass(bytes: 8)
    case let other: try passUnknown(other)
    }
  }
}
