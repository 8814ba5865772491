/// A pattern for names, as in a shell: `*` matches any run of bytes, `?` one byte, and other bytes themselves.
package struct NamePattern: Hashable, Sendable {
  package let bytes: [UInt8]
  /// The bytes before the first wildcard: every match begins with them.
  package let prefix: [UInt8]
  /// The pattern with runs of `*` reduced to one.
  private let plain: [UInt8]
  /// The length of the shortest match: every byte except the stars matches one byte.
  private let shortest: Int

  /// The longest pattern that a client may give, in bytes.
  package static let maxBytes = 256

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    prefix = Array(self.bytes.prefix { $0 != NamePattern.star && $0 != NamePattern.question })
    var plain: [UInt8] = []
    for byte in self.bytes where byte != NamePattern.star || plain.last != NamePattern.star { plain.append(byte) }
    self.plain = plain
    shortest = plain.count { $0 != NamePattern.star }
  }

  package static let all = NamePattern([star])

  /// Whether it has no wildcard, and so matches at most one name.
  package var isLiteral: Bool { prefix.count == bytes.count }

  package var matchesAll: Bool { bytes.allSatisfy { $0 == NamePattern.star } && !bytes.isEmpty }

  private static let star = UInt8(ascii: "*")
  private static let question = UInt8(ascii: "?")

  /// - Complexity: O(name × longest part between two `*`), at most a quarter of the square of the name's bytes: longer
  ///   parts are not compared, and only the last `*` is retried.
  package func matches(_ name: UnsafeRawBufferPointer) -> Bool {
    matches(name) { _ in }
  }

  /// - Parameter look: Called with each byte of the pattern that is compared.
  @inline(__always)
  func matches(_ name: UnsafeRawBufferPointer, look: (UInt8) -> Void) -> Bool {
    guard name.count >= shortest else { return false }
    var place = 0
    var inName = 0
    // Where to continue when the last `*` takes one more byte.
    var retry: (place: Int, inName: Int)?
    while inName < name.count {
      if place < plain.count { look(plain[place]) }
      if place < plain.count, plain[place] == NamePattern.star {
        place += 1
        retry = (place, inName)
      } else if place < plain.count, plain[place] == NamePattern.question || plain[place] == name[inName] {
        place += 1
        inName += 1
      } else if let (star, taken) = retry {
        place = star
        inName = taken + 1
        retry = (star, taken + 1)
      } else {
        return false
      }
    }
    return plain[place...].allSatisfy { $0 == NamePattern.star }
  }
}
