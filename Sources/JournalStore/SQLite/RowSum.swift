internal import StateMachines

/// A checksum over numbers, texts and bytes in the order in which they are mixed in: each is hashed with the sum of those
/// before as its seed (``Checksum``).
struct RowSum: Hashable, Sendable {
  private(set) var value: UInt64

  init(seed: UInt64 = 0) {
    value = seed
  }

  /// As SQLite keeps it.
  var stored: Int64 { Int64(bitPattern: value) }

  mutating func mix(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { mix($0) }
  }

  mutating func mix(_ number: Int64) {
    mix(UInt64(bitPattern: number))
  }

  /// The count is part of the sum, so that two texts in a row cannot trade their bytes.
  mutating func mix(_ text: String) {
    var text = text
    text.withUTF8 { mix(UnsafeRawBufferPointer($0)) }
  }

  mutating func mix(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { mix($0) }
  }

  mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    value = Checksum.of(bytes, seed: value)
  }
}
