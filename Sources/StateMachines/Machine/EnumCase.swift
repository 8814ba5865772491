/// The cases of an `enum` with data, as the language's own metadata number them: those with data first, then the others,
/// both in the order of their declaration.
///
/// Swift has no way to ask which case a value is, its data apart, nor for the cases' names without a value of each. A timer
/// is known by the case of the event that it brings, and the names of states and outputs are those of their cases.
///
/// Safety: the layout of an enum's metadata is part of the ABI (`docs/ABI/TypeMetadata.rst` in the Swift repository): the
/// kind stands first, the value witnesses one word before, and behind them, at bytes 88, 96 and 104, the functions that
/// tell a value's case, lay its data bare and set its case. In the description, at byte 16, stands the distance of the list
/// of fields, and at bytes 20 and 24 the numbers of cases with and without data. In the list of fields, at byte 12, stands
/// the number of cases, and from byte 16 on twelve bytes for each: flags, the distance of the type's mangled name, and that
/// of the case's. `EnumCaseTests` fails should a compiler change that.
@usableFromInline
enum EnumCase {
  /// The number of a value's case; `nil` if its type is no `enum`.
  @inlinable
  @inline(__always)
  static func number<E>(of value: E) -> Int? {
    guard let metadata = metadata(of: E.self) else { return nil }
    let tag = witness(88, of: metadata).load(
      as: (@convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32).self)
    return withUnsafePointer(to: value) { Int(tag($0, metadata)) }
  }

  /// How many cases a type has, with data and without; `nil` if it is no `enum`.
  @inlinable
  @inline(__always)
  static func counts<E>(of type: E.Type) -> (withData: Int, plain: Int)? {
    guard let metadata = metadata(of: type) else { return nil }
    let description = description(of: metadata)
    let withData = (description + 20).load(as: UInt32.self) & 0xFF_FFFF
    return (Int(withData), Int((description + 24).load(as: UInt32.self)))
  }

  @inlinable
  @inline(__always)
  static func metadata<E>(of type: E.Type) -> UnsafeRawPointer? {
    let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
    return metadata.load(as: UInt.self) == 0x201 ? metadata : nil
  }

  @inlinable
  @inline(__always)
  static func witness(_ offset: Int, of metadata: UnsafeRawPointer) -> UnsafeRawPointer {
    (metadata - MemoryLayout<UnsafeRawPointer>.size).load(as: UnsafeRawPointer.self) + offset
  }

  @inlinable
  @inline(__always)
  static func description(of metadata: UnsafeRawPointer) -> UnsafeRawPointer {
    (metadata + MemoryLayout<UnsafeRawPointer>.size).load(as: UnsafeRawPointer.self)
  }

  // MARK: Slow, once per type

  /// The names of a type's cases by their numbers; `nil` if it is no `enum`, or the program was built without the metadata
  /// for reflection.
  static func names<E>(of type: E.Type) -> [String]? {
    guard let metadata = metadata(of: type), let fields = fields(of: metadata) else { return nil }
    return (0..<fields.count).map { number in
      String(cString: target(of: fields.first + 12 * number + 8).assumingMemoryBound(to: CChar.self))
    }
  }

  /// The name of a value's case; of what is no `enum`, what it prints, up to its data.
  ///
  /// Text interpolation has the same result, but looks for conformances first: with all kinds that made half of a start.
  static func word<E>(of value: E) -> String {
    if let number = number(of: value), let names = names(of: E.self) { return names[number] }
    return String("\(value)".prefix { $0 != "(" })
  }

  /// The type of a case's data: a tuple, if it has several; `nil` if it has none that can be read.
  static func dataType<E>(ofCase number: Int, of type: E.Type) -> Any.Type? {
    guard let metadata = metadata(of: type), let fields = fields(of: metadata) else { return nil }
    let field = fields.first + 12 * number
    let isIndirect = field.load(as: UInt32.self) & 1 != 0
    guard !isIndirect, (field + 4).load(as: Int32.self) != 0 else { return nil }
    let name = target(of: field + 4).assumingMemoryBound(to: UInt8.self)
    var length = 0
    while name[length] != 0 { length += name[length] < 0x18 ? 5 : name[length] < 0x20 ? 9 : 1 }
    return _getTypeByMangledNameInContext(
      name, UInt(length), genericContext: description(of: metadata), genericArguments: metadata + 16)
  }

  /// Calls `body` with a value's data.
  ///
  /// - Precondition: The value's case has data, and is not indirect.
  static func withData<E, Result>(of value: E, _ body: (UnsafeRawPointer) -> Result) -> Result {
    guard let metadata = metadata(of: E.self), let number = number(of: value) else {
      preconditionFailure("\(E.self) is no enum")
    }
    typealias Project = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
    let project = witness(96, of: metadata).load(as: Project.self)
    var copy = value
    return withUnsafeMutablePointer(to: &copy) { copy in
      project(copy, metadata)
      let result = body(copy)
      set(copy, toCase: number, metadata)
      return result
    }
  }

  /// The values of all cases without data, in the order of their declaration; none if the type is no `enum`.
  static func plainValues<E>(of type: E.Type) -> [E] {
    guard let counts = counts(of: type) else { return [] }
    return (counts.withData..<counts.withData + counts.plain).map { value(ofCase: $0, of: type) }
  }

  /// The value of a case without data.
  ///
  /// - Precondition: The type is an `enum`, and this number is that of a case without data.
  static func value<E>(ofCase number: Int, of type: E.Type) -> E {
    guard let metadata = metadata(of: type), let counts = counts(of: type), number >= counts.withData else {
      preconditionFailure("\(E.self) has no case \(number) without data")
    }
    return withUnsafeTemporaryAllocation(of: E.self, capacity: 1) { storage in
      guard let value = storage.baseAddress else { preconditionFailure("one value has an address") }
      set(value, toCase: number, metadata)
      return value.move()
    }
  }

  private static func set(_ value: UnsafeMutableRawPointer, toCase number: Int, _ metadata: UnsafeRawPointer) {
    typealias Inject = @convention(c) (UnsafeMutableRawPointer, UInt32, UnsafeRawPointer) -> Void
    witness(104, of: metadata).load(as: Inject.self)(value, UInt32(number), metadata)
  }

  private static func fields(of metadata: UnsafeRawPointer) -> (first: UnsafeRawPointer, count: Int)? {
    let distance = description(of: metadata) + 16
    guard distance.load(as: Int32.self) != 0 else { return nil }
    let fields = target(of: distance)
    return (fields + 16, Int((fields + 12).load(as: UInt32.self)))
  }

  /// What is so far from here as the number here says.
  private static func target(of distance: UnsafeRawPointer) -> UnsafeRawPointer {
    distance + Int(distance.load(as: Int32.self))
  }
}
