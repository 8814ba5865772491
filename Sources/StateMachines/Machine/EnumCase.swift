/// Access to the case number, names and data of any `enum`, through the runtime metadata. Cases with a payload are
/// numbered first, then the others, both in the order of declaration.
///
/// Data without bytes are no payload: an empty struct, an `enum` with a single case, `Void` or `Never`. So `counts` says
/// how a case is stored, and `hasData` whether it is declared with data.
///
/// Swift cannot tell a value's case without its data, nor list case names without a value of each. Machines need both:
/// a timer is identified by the case of its event, and states and outputs are named after their cases.
///
/// Safety: the layout of an enum's metadata is part of the ABI (`docs/ABI/TypeMetadata.rst` in the Swift repository).
/// The metadata begin with the kind; the pointer to the value witnesses is one word before. In the value witness table,
/// bytes 88, 96 and 104 hold the functions that get a value's case, project its data and set its case. In the type
/// descriptor, byte 16 holds the relative offset of the field descriptor, and bytes 20 and 24 the numbers of cases with
/// and without data. In the field descriptor, byte 12 holds the number of cases; from byte 16 on, each case has twelve
/// bytes: flags, relative offset of the type's mangled name, and relative offset of the case's name. `EnumCaseTests`
/// fails if a compiler changes this.
@usableFromInline
enum EnumCase {
  /// The number of a value's case; `nil` if its type is not an `enum`.
  @inlinable
  @inline(__always)
  static func number<E>(of value: E) -> Int? {
    guard let metadata = metadata(of: E.self) else { return nil }
    let tag = witness(88, of: metadata).load(
      as: (@convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32).self)
    return withUnsafePointer(to: value) { Int(tag($0, metadata)) }
  }

  /// The numbers of cases with and without a payload; `nil` if the type is not an `enum`.
  @inlinable
  @inline(__always)
  static func counts<E>(of type: E.Type) -> (withPayload: Int, others: Int)? {
    guard let metadata = metadata(of: type) else { return nil }
    let description = description(of: metadata)
    let withPayload = (description + 20).load(as: UInt32.self) & 0xFF_FFFF
    return (Int(withPayload), Int((description + 24).load(as: UInt32.self)))
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

  // MARK: Slow functions, to call once per type

  /// The names of a type's cases by case number; `nil` if it is not an `enum`, or if the program was built without
  /// reflection metadata.
  static func names<E>(of type: E.Type) -> [String]? {
    guard let metadata = metadata(of: type), let fields = fields(of: metadata) else { return nil }
    return (0..<fields.count).map { name(ofCase: $0, in: fields.first) }
  }

  /// The name of one case, as in `names(of:)`.
  static func name<E>(ofCase number: Int, of type: E.Type) -> String? {
    metadata(of: type).flatMap { fields(of: $0) }.map { name(ofCase: number, in: $0.first) }
  }

  private static func name(ofCase number: Int, in fields: UnsafeRawPointer) -> String {
    String(cString: target(of: fields + 12 * number + 8).assumingMemoryBound(to: CChar.self))
  }

  /// The number of a type's cases; 0 if it is not an `enum`.
  static func count<E>(of type: E.Type) -> Int { counts(of: type).map { $0.withPayload + $0.others } ?? 0 }

  /// Whether a case is declared with data.
  static func hasData<E>(ofCase number: Int, of type: E.Type) -> Bool {
    guard let metadata = metadata(of: type), let counts = counts(of: type) else { return false }
    // Without reflection metadata, only payloads are known.
    guard let fields = fields(of: metadata) else { return number < counts.withPayload }
    return (fields.first + 12 * number + 4).load(as: Int32.self) != 0
  }

  /// Whether a value can have this case: not if its data are of an `enum` without cases, such as `Never`.
  static func isPossible<E>(case number: Int, of type: E.Type) -> Bool {
    func isInhabited<T>(_ type: T.Type) -> Bool { metadata(of: type) == nil || count(of: type) > 0 }
    guard let data = dataType(ofCase: number, of: type) else { return true }
    return _openExistential(data, do: isInhabited)
  }

  private static func isIndirect(case number: Int, _ metadata: UnsafeRawPointer) -> Bool {
    fields(of: metadata).map { ($0.first + 12 * number).load(as: UInt32.self) & 1 != 0 } ?? false
  }

  /// The type of a case's data, a tuple if it has several; `nil` if it has no data, or if the program was built without
  /// reflection metadata.
  static func dataType<E>(ofCase number: Int, of type: E.Type) -> Any.Type? {
    guard let metadata = metadata(of: type), let fields = fields(of: metadata) else { return nil }
    let field = fields.first + 12 * number
    guard (field + 4).load(as: Int32.self) != 0 else { return nil }
    let name = target(of: field + 4).assumingMemoryBound(to: UInt8.self)
    var length = 0
    while name[length] != 0 { length += name[length] < 0x18 ? 5 : name[length] < 0x20 ? 9 : 1 }
    return _getTypeByMangledNameInContext(
      name, UInt(length), genericContext: description(of: metadata), genericArguments: metadata + 16)
  }

  /// Calls `body` with a pointer to a value's data.
  ///
  /// - Precondition: The value's case has data.
  static func withData<E, Result>(of value: E, _ body: (UnsafeRawPointer) -> Result) -> Result {
    guard let metadata = metadata(of: E.self), let number = number(of: value) else {
      preconditionFailure("\(E.self) is no enum")
    }
    typealias Project = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
    let project = witness(96, of: metadata).load(as: Project.self)
    var copy = value
    return withUnsafeMutablePointer(to: &copy) { copy in
      project(copy, metadata)
      let data = UnsafeMutableRawPointer(copy)
      let result = body(isIndirect(case: number, metadata) ? contents(ofBox: data, number, E.self) : data)
      set(copy, toCase: number, metadata)
      return result
    }
  }

  /// The data of an indirect case: after the two words with which every heap object begins, and aligned.
  private static func contents<E>(
    ofBox box: UnsafeMutableRawPointer, _ number: Int, _ type: E.Type
  ) -> UnsafeMutableRawPointer {
    func alignment<T>(of type: T.Type) -> Int { MemoryLayout<T>.alignment }
    guard let data = dataType(ofCase: number, of: type) else { preconditionFailure("the case has data") }
    let unaligned = 2 * MemoryLayout<UnsafeRawPointer>.size
    let alignment = _openExistential(data, do: alignment(of:))
    return box.load(as: UnsafeMutableRawPointer.self) + (unaligned + alignment - 1) / alignment * alignment
  }

  /// The values of all cases without data, in the order of declaration; empty if the type is not an `enum`.
  static func plainValues<E>(of type: E.Type) -> [E] {
    (0..<count(of: type)).filter { !hasData(ofCase: $0, of: type) }.map { value(ofCase: $0, of: type) }
  }

  /// The value of a case without data.
  ///
  /// - Precondition: The type is an `enum`, and `number` is the number of a case without data.
  static func value<E>(ofCase number: Int, of type: E.Type) -> E {
    guard let metadata = metadata(of: type), !hasData(ofCase: number, of: type) else {
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

  /// Resolves a relative offset.
  private static func target(of distance: UnsafeRawPointer) -> UnsafeRawPointer {
    distance + Int(distance.load(as: Int32.self))
  }
}

/// The name of a value's case, without its data. For a value that is not an `enum`, its description up to the first
/// parenthesis.
///
/// String interpolation has the same result, but looks up conformances and describes the data first.
///
/// - Complexity: O(length of the name).
package func caseName<E>(of value: E) -> String {
  EnumCase.number(of: value).flatMap { EnumCase.name(ofCase: $0, of: E.self) }
    ?? String("\(value)".prefix { $0 != "(" })
}
