/// Decodes values that a ``ValueEncoder`` wrote, in the same order.
///
/// Any bytes are safe to decode: errors are thrown, no length is trusted, and nothing traps.
///
/// Safety: the bytes are borrowed, and the caller keeps them alive while it uses the decoder. They are read through
/// `UnsafeRawBufferPointer` only after a bounds check.
public final class ValueDecoder {
  private let bytes: UnsafeRawBufferPointer
  /// The number of bytes read.
  public private(set) var offset = 0
  private var names: [String] = []
  private var types: [ObjectIdentifier: Coding] = [:]
  private var depth = 0

  /// How values of a type were written; see ``ValueEncoder``.
  private enum Coding {
    case own
    case direct(any DirectlyStored.Type)
    case word(any NamedCases.Type, NamedWords)
  }

  /// - Parameter bytes: Must live as long as the decoder is used.
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The number of bytes left.
  public var left: Int { bytes.count - offset }

  // MARK: Plain bytes

  public func byte() throws(StorageFailure) -> UInt8 {
    guard offset < bytes.count else { throw .cutShort }
    defer { offset += 1 }
    return bytes[offset]
  }

  public func flag() throws(StorageFailure) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    case let other: throw .damaged("a flag is \(other)")
    }
  }

  /// Reads a number. Only its shortest form is valid.
  public func number() throws(StorageFailure) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      if shift == 63, byte > 1 { throw .damaged("a number has more than 64 bits") }
      number |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 {
        if byte == 0, shift > 0 { throw .damaged("a number is longer than it need be") }
        return number
      }
      shift += 7
    }
  }

  /// Reads a number that must fit a type.
  public func number<N: FixedWidthInteger>(as type: N.Type) throws(StorageFailure) -> N {
    let number = try number()
    guard let narrow = N(exactly: number) else { throw .damaged("\(number) is too large") }
    return narrow
  }

  /// Reads a number of elements. Each takes at least one byte, so as many bytes must be left.
  public func count() throws(StorageFailure) -> Int {
    let number = try number()
    guard number <= UInt64(left) else { throw .cutShort }
    return Int(number)
  }

  public func signed() throws(StorageFailure) -> Int64 {
    let number = try number()
    return Int64(bitPattern: number &>> 1) ^ -Int64(bitPattern: number & 1)
  }

  public func word() throws(StorageFailure) -> UInt64 {
    guard left >= 8 else { throw .cutShort }
    defer { offset += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Reads a length and as many bytes. The result is valid as long as the decoder's bytes.
  public func run() throws(StorageFailure) -> UnsafeRawBufferPointer {
    let count = try count()
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
  }

  public func text() throws(StorageFailure) -> String {
    guard let text = String(validating: try run(), as: UTF8.self) else { throw .damaged("a text is not UTF-8") }
    return text
  }

  public func name() throws(StorageFailure) -> String { names[try nameNumber()] }

  private func nameNumber() throws(StorageFailure) -> Int {
    let number = try number()
    if number < UInt64(names.count) { return Int(number) }
    guard number == UInt64(names.count) else { throw .damaged("a name is spoken of before it comes") }
    names.append(try text())
    return names.count - 1
  }

  /// Reads a name and checks it.
  public func expect(name expected: String) throws(StorageFailure) {
    let found = try name()
    if found != expected { throw .otherMember(found: found, expected: expected) }
  }

  /// Reads a word of a list.
  ///
  /// - Returns: Its index in the current list.
  /// - Throws: ``StorageFailure/unknownWord(_:)`` if the list does not contain it.
  public func place(in list: NamedWords) throws(StorageFailure) -> Int {
    let number = try nameNumber()
    while list.places.count <= number { list.places.append(nil) }
    let place = list.places[number] ?? list.words.firstIndex(of: names[number]) ?? -1
    list.places[number] = place
    guard place >= 0 else { throw .unknownWord(names[number]) }
    return place
  }

  public func value() throws(StorageFailure) -> Value {
    switch try byte() {
    case 0: return .none
    case 1: return .text(try text())
    case 2: return .integer(Int(try signed()))
    case 3: return .number(Double(bitPattern: try word()))
    case 4: return .flag(false)
    case 5: return .flag(true)
    case 6: return .interval(Nanoseconds(nanoseconds: try signed()))
    case 7: return .moment(Instant(nanoseconds: try signed()))
    case let other: throw .damaged("there are no values of class \(other)")
    }
  }

  /// Reads the next name without consuming it.
  func nameAhead() throws(StorageFailure) -> String {
    let (offset, known) = (offset, names.count)
    let name = try name()
    self.offset = offset
    names.removeSubrange(known...)
    return name
  }

  // MARK: Values

  /// Decodes a value.
  ///
  /// - Throws: ``StorageFailure``, or what the type's own coding throws.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T {
    depth += 1
    defer { depth -= 1 }
    guard depth <= ValueEncoder.deepest else { throw StorageFailure.tooDeep }
    switch form(of: type) {
    case .own: return try T(from: self)
    case .direct(let direct): return try converted(try direct.restored(from: self))
    case .word(let vocabulary, let list): return try converted(vocabulary.init(at: try place(in: list)))
    }
  }

  private func converted<T>(_ value: Any) throws -> T {
    guard let value = value as? T else { throw StorageFailure.unsupported("\(T.self)") }
    return value
  }

  private func form<T>(of type: T.Type) -> Coding {
    if let known = types[ObjectIdentifier(type)] { return known }
    let form: Coding =
      if let vocabulary = type as? any NamedCases.Type {
        .word(vocabulary, NamedWords(vocabulary.words))
      } else if let direct = type as? any DirectlyStored.Type {
        .direct(direct)
      } else {
        .own
      }
    types[ObjectIdentifier(type)] = form
    return form
  }
}
