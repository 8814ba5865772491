/// The cases of an `enum` with data, as the language's own metadata number them: those with data first, then the others,
/// both in the order of their declaration.
///
/// Swift has no way to ask which case a value is, its data apart. Events with data need that: a timer is known by the
/// case of the event that it brings.
///
/// Safety: the layout of an enum's metadata is part of the ABI (`docs/ABI/TypeMetadata.rst` in the Swift repository): the
/// kind stands first, the value witnesses one word before, and behind them, at byte 88, the function that tells a value's
/// case; in the description, at bytes 20 and 24, the numbers of cases with and without data. `EnumCaseTests` fails should
/// a compiler change that.
@usableFromInline
enum EnumCase {
  /// The number of a value's case; `nil` if its type is no `enum`.
  @inlinable
  @inline(__always)
  static func number<E>(of value: E) -> Int? {
    guard let metadata = metadata(of: E.self) else { return nil }
    let witnesses = (metadata - MemoryLayout<UnsafeRawPointer>.size).load(as: UnsafeRawPointer.self)
    let tag = (witnesses + 88).load(as: (@convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32).self)
    return withUnsafePointer(to: value) { Int(tag($0, metadata)) }
  }

  /// How many cases a type has, with data and without; `nil` if it is no `enum`.
  @inlinable
  @inline(__always)
  static func counts<E>(of type: E.Type) -> (withData: Int, plain: Int)? {
    guard let metadata = metadata(of: type) else { return nil }
    let description = (metadata + MemoryLayout<UnsafeRawPointer>.size).load(as: UnsafeRawPointer.self)
    let withData = (description + 20).load(as: UInt32.self) & 0xFF_FFFF
    return (Int(withData), Int((description + 24).load(as: UInt32.self)))
  }

  @inlinable
  @inline(__always)
  static func metadata<E>(of type: E.Type) -> UnsafeRawPointer? {
    let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
    return metadata.load(as: UInt.self) == 0x201 ? metadata : nil
  }
}
