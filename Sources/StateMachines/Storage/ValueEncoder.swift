/// Writes values as bytes, in a form that is the same in every process and build.
///
/// Whole numbers take as few bytes as they need (LEB128, those that may be negative zigzag), floating-point numbers eight,
/// texts their length and their UTF-8. What is `Codable` is written by its own coding, member by member: an optional says
/// whether it is there, a list how many it has, a set or dictionary its elements in the order of their bytes. The name of
/// a member or of a case is written out where it first comes up, and is a number from then on; so a reader finds out when
/// a type's members are others than those that were written. A ``NamedCases``'s name is written as its word in the same way,
/// and so is found again wherever it stands in the list by then.
///
/// One encoder writes any number of values, one behind the other, for one ``ValueDecoder`` to read.
public final class ValueEncoder {
  /// Values within one another; what is deeper is no machine's state.
  public static let deepest = 64

  /// What was written so far, and not given up.
  public private(set) var bytes: [UInt8] = []
  /// The numbers of the names that came up.
  private var names: [String: UInt64] = [:]
  /// The types met so far.
  private var types: [ObjectIdentifier: Coding] = [:]
  private var depth = 0

  /// How the values of a type are written.
  private enum Coding {
    /// By the type's own coding.
    case own
    case direct(any DirectlyStored.Type)
    /// As a word, so that its place does not matter.
    case word(any NamedCases.Type, NamedWords)
  }

  public init() {}

  /// Gives up the bytes, and keeps what later ones refer to.
  public func forgetBytes() {
    bytes.removeAll(keepingCapacity: true)
  }

  // MARK: Plain bytes

  public func byte(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Bytes as another encoder wrote them, which must not have met a name.
  public func bytes(_ written: [UInt8]) {
    bytes.append(contentsOf: written)
  }

  public func flag(_ flag: Bool) {
    bytes.append(flag ? 1 : 0)
  }

  /// A number that is small more often than not.
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

  /// A number of which every bit counts: eight bytes, the lowest first.
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

  /// Some bytes and before them how many they are.
  public func text(_ utf8: UnsafeRawBufferPointer) {
    count(utf8.count)
    bytes.append(contentsOf: utf8)
  }

  /// A name that is likely to come up again.
  public func name(_ name: String) {
    if let known = names[name] { return number(known) }
    number(UInt64(names.count))
    names[name] = UInt64(names.count)
    text(name)
  }

  /// A word of a list, as a name.
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
      signed(moment.nanoseconds)
    }
  }

  // MARK: Values

  /// Writes a value by its coding.
  ///
  /// - Throws: ``StorageFailure``, or what the type's own coding throws. What was written until then stays.
  public func encode<T: Encodable>(_ value: T) throws {
    depth += 1
    defer { depth -= 1 }
    guard depth <= ValueEncoder.deepest else { throw StorageFailure.tooDeep }
    switch form(of: T.self) {
    case .own: try value.encode(to: self)
    case .direct(let type): try encode(value, as: type)
    case .word(let type, let list): word(at: place(of: value, in: type), of: list)
    }
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

  private func place<T, V: NamedCases>(of value: T, in vocabulary: V.Type) -> Int {
    // Safety: `vocabulary` is the type `T` itself, seen as a list of names.
    withUnsafePointer(to: value) { UnsafeRawPointer($0).assumingMemoryBound(to: V.self).pointee.index }
  }

  private func encode<T, D: DirectlyStored>(_ value: T, as form: D.Type) throws {
    // Safety: `form` is the type `T` itself, seen as one that is stored directly.
    try withUnsafePointer(to: value) { value in
      try UnsafeRawPointer(value).assumingMemoryBound(to: D.self).pointee.store(in: self)
    }
  }

  /// The bytes of a value by itself, every name in them spelled out: the same wherever the value stands.
  static func bytes<T: Encodable>(of value: T) throws -> [UInt8] {
    let encoder = ValueEncoder()
    try encoder.encode(value)
    return encoder.bytes
  }
}

/// Words of a list that one encoder writes, or one decoder reads, again and again by their places.
public final class NamedWords {
  let words: [String]
  /// By place: the number of the word's name, once it has one.
  var numbers: [UInt64?]
  /// By the number of a name: the place of its word, -1 if there is none.
  var places: [Int?] = []

  public init(_ words: [String]) {
    self.words = words
    numbers = Array(repeating: nil, count: words.count)
  }
}
