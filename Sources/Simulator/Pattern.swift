/// A pattern for names, as in a shell: `*` stands for any run of bytes, `?` for one byte, all else for itself.
package struct Pattern: Hashable, Sendable {
  package let bytes: [UInt8]
  /// The bytes before the first wildcard: every match begins with them.
  package let prefix: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    prefix = Array(self.bytes.prefix { $0 != Pattern.star && $0 != Pattern.question })
  }

  package static let all = Pattern([star])

  /// Whether it has no wildcard, and so matches one name at most.
  package var isLiteral: Bool { prefix.count == bytes.count }

  package var matchesAll: Bool { bytes.allSatisfy { $0 == Pattern.star } && !bytes.isEmpty }

  private static let star = UInt8(ascii: "*")
  private static let question = UInt8(ascii: "?")

  /// - Complexity: O(pattern × name) at worst, linear for patterns with one `*`.
  package func matches(_ name: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    var inName = 0
    // Where to go on when the last `*` takes one byte more.
    var retry: (place: Int, inName: Int)?
    while inName < name.count {
      if place < bytes.count, bytes[place] == Pattern.star {
        place += 1
        retry = (place, inName)
      } else if place < bytes.count, bytes[place] == Pattern.question || bytes[place] == name[inName] {
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
    return bytes[place...].allSatisfy { $0 == Pattern.star }
  }
}
