/// Writes values as bytes, in a form that is the same in every process and build.
///
/// Integers take as few bytes as they need (LEB128, signed ones in zigzag form). Floating-point numbers take eight
/// bytes. A text is its length and its UTF-8. A `Codable` value is written by its own coding, member by member. An
/// optional starts with a flag, a list with its number of elements. A set or dictionary writes its elements in the
/// order of their bytes.
///
/// The name of a member or case is written out at its first occurrence and as a number afterwards, so a reader detects
/// changes of a type's members. A ``NamedCases`` value is written as its word in the same way, so it can be read when
/// its index has changed.
///
/// One encoder writes any number of values in sequence, for one ``ValueDecoder`` to read.
public final class ValueEncoder {
  /// The maximal depth of nested values.
  public static let deepest = 64

  /// The bytes written since the last ``forgetBytes()``.
  public private(set) var bytes: [UInt8] = []
  /// The numbers of the names written so far.
  private var names: [String: UInt64] = [:]
  /// The types encoded so far.
  private var types: [ObjectIdentifier: Coding] = [:]
  private var depth = 0
  /// The present moment, if the bytes are to tell machines apart by what they will do: moments are then relative to it,
  /// and ``Incidental`` data are left out. `nil` if the bytes are to be read again.
  package var now: Instant?
  /// The parameters of the machine that is compared.
  var parameters: any ParameterSet = NoParameters()

  /// How values of a type are written.
  private enum Coding {
    /// By the type's own coding.
    case own
    case direct(any DirectlyStored.Type)
    /// As a word, independent of its index.
    case word(any NamedCases.Type, NamedWords)
    case essence
  }

  public init() {}

  /// Creates an encoder that tells machines apart by what they will do; see ``now``.
  package init(comparingAt now: Instant) {
    self.now = now
  }

  /// The number of different names written so far.
  package var nameCount: Int { names.count }

  /// Discards the bytes, but keeps the names that later bytes refer to.
  public func forgetBytes() {
    bytes.removeAll(keepingCapacity: true)
  }

  // MARK: Plain bytes

  public func byte(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Appends the bytes of another encoder, which must not contain names.
  public func bytes(_ written: [UInt8]) {
    bytes.append(contentsOf: written)
  }

  public func flag(_ flag: Bool) {
    bytes.append(flag ? 1 : 0)
  }

  /// Writes a number in a form that is short for small numbers.
  public func number(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// - Precondition: `count` is not negative.
  public func count(_ count: Int) {
    number(UInt64(count))
  }

  public func signed(_ number: Int64) {
    self.number(UInt64(bitPattern: number &<< 1 ^ number &>> 63))
  }

  /// Writes a number in eight bytes, little-endian.
  public func word(_ word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
  }

  public func text(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      count(utf8.count)
      bytes.append(contentsOf: utf8)
    }
  }

  /// Writes the number of bytes, then the bytes.
  public func text(_ utf8: UnsafeRawBufferPointer) {
    count(utf8.count)
    bytes.append(contentsOf: utf8)
  }

  /// Writes a name: in full the first time, as a number afterwards.
  public func name(_ name: String) {
    if let known = names[name] { return number(known) }
    number(UInt64(names.count))
    names[name] = UInt64(names.count)
    text(name)
  }

  /// Writes a word of a list as a name.
  public func word(at place: Int, of list: NamedWords) {
    if let known = list.numbers[place] { return number(known) }
    name(list.words[place])
    list.numbers[place] = names[list.words[place]]
  }

  public func value(_ value: Value) {
    switch value {
    case .none: byte(0)
    case .text(let text):
      byte(1)
      self.text(text)
    case .integer(let integer):
      byte(2)
      signed(Int64(integer))
    case .number(let double):
      byte(3)
      word(double.bitPattern)
    case .flag(let flag): byte(flag ? 5 : 4)
    case .interval(let interval):
      byte(6)
      signed(interval.nanoseconds)
    case .moment(let moment):
      byte(7)
      self.moment(moment)
    }
  }

  func moment(_ moment: Instant) {
    signed(moment.nanoseconds &- (now?.nanoseconds ?? 0))
  }

  // MARK: Values

  /// Encodes a value.
  ///
  /// - Throws: ``StorageFailure``, or what the type's own coding throws. Bytes written before the error remain.
  public func encode<T: Encodable>(_ value: T) throws {
    depth += 1
    defer { depth -= 1 }
    guard depth <= ValueEncoder.deepest else { throw StorageFailure.tooDeep }
    switch form(of: T.self) {
    case .own: try value.encode(to: self)
    case .direct(let type): try encode(value, as: type)
    case .word(let type, let list): word(at: place(of: value, in: type), of: list)
    case .essence: try encode(essenceOf: value)
    }
  }

  private func encode<T>(essenceOf value: T) throws {
    guard let value = value as? any PartlyIncidental else { preconditionFailure("\(T.self) has no essence") }
    func opened<P: PartlyIncidental>(_ value: P) throws { try encode(value.essence(for: parameters)) }
    try opened(value)
  }

  private func form<T>(of type: T.Type) -> Coding {
    if let known = types[ObjectIdentifier(type)] { return known }
    let form: Coding =
      if now != nil, type is any PartlyIncidental.Type {
        .essence
      } else if let vocabulary = type as? any NamedCases.Type {
        .word(vocabulary, NamedWords(vocabulary.words))
      } else if let direct = type as? any DirectlyStored.Type {
        .direct(direct)
      } else {
        .own
      }
    types[ObjectIdentifier(type)] = form
    return form
  }

  private func place<T, V: NamedCases>(of value: T, in vocabulary: V.Type) -> Int {
    // Safety: `vocabulary` is the type `T` itself, as a list of names.
    withUnsafePointer(to: value) { UnsafeRawPointer($0).assumingMemoryBound(to: V.self).pointee.index }
  }

  private func encode<T, D: DirectlyStored>(_ value: T, as form: D.Type) throws {
    // Safety: `form` is the type `T` itself, as a directly stored type.
    try withUnsafePointer(to: value) { value in
      try UnsafeRawPointer(value).assumingMemoryBound(to: D.self).pointee.store(in: self)
    }
  }

  /// The bytes of a single value with all names written out, independent of its context.
  static func bytes<T: Encodable>(of value: T) throws -> [UInt8] {
    let encoder = ValueEncoder()
    try encoder.encode(value)
    return encoder.bytes
  }
}

/// The words of a list, with the numbers by which one encoder or decoder refers to them.
public final class NamedWords {
  let words: [String]
  /// For each word: the number of its name, once it has one.
  var numbers: [UInt64?]
  /// For each number of a name: the index of its word, -1 if there is none.
  var places: [Int?] = []

  public init(_ words: [String]) {
    self.words = words
    numbers = Array(repeating: nil, count: words.count)
  }
}
