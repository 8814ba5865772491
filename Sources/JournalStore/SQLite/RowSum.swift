internal import StateMachines

/// An order-dependent checksum over numbers, texts and bytes: each is hashed with the previous sum as its seed
/// (``Checksum``).
package struct RowSum: Hashable, Sendable {
  package private(set) var value: UInt64

  package init(seed: UInt64 = 0) {
    value = seed
  }

  /// As SQLite stores it.
  package var stored: Int64 { Int64(bitPattern: value) }

  package mutating func mix(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { mix($0) }
  }

  package mutating func mix(_ number: Int64) {
    mix(UInt64(bitPattern: number))
  }

  /// The count is included, so that two texts in a row cannot exchange bytes.
  package mutating func mix(_ text: String) {
    var text = text
    text.withUTF8 { mix(UnsafeRawBufferPointer($0)) }
  }

  package mutating func mix(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { mix($0) }
  }

  package mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    value = Checksum.of(bytes, seed: value)
  }
}
