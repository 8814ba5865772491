/// A pattern for names, as in a shell: `*` stands for any run of bytes, `?` for one byte, all else for itself.
package struct Pattern: Hashable, Sendable {
  package let bytes: [UInt8]
  /// The bytes before the first wildcard: every match begins with them.
  package let prefix: [UInt8]
  /// The pattern with one `*` for several in a row.
  private let plain: [UInt8]
  /// Bytes that a name must have at least: all of the pattern but the stars stand for one each.
  private let shortest: Int

  /// Bytes of a pattern that a client may give.
  package static let mostBytes = 256

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    prefix = Array(self.bytes.prefix { $0 != Pattern.star && $0 != Pattern.question })
    var plain: [UInt8] = []
    for byte in self.bytes where byte != Pattern.star || plain.last != Pattern.star { plain.append(byte) }
    self.plain = plain
    shortest = plain.count { $0 != Pattern.star }
  }

  package static let all = Pattern([star])

  /// Whether it has no wildcard, and so matches one name at most.
  package var isLiteral: Bool { prefix.count == bytes.count }

  package var matchesAll: Bool { bytes.allSatisfy { $0 == Pattern.star } && !bytes.isEmpty }

  private static let star = UInt8(ascii: "*")
  private static let question = UInt8(ascii: "?")

  /// - Complexity: O(name × longest stretch between two `*`), at most a quarter of the square of the name's bytes: what is
  ///   longer than the name is not looked at, and only the last `*` that was met is tried again.
  package func matches(_ name: UnsafeRawBufferPointer) -> Bool {
    matches(name) { _ in }
  }

  /// - Parameter look: Is told of each byte of the pattern that is looked at.
  @inline(__always)
  func matches(_ name: UnsafeRawBufferPointer, look: (UInt8) -> Void) -> Bool {
    guard name.count >= shortest else { return false }
    var place = 0
    var inName = 0
    // Where to go on when the last `*` takes one byte more.
    var retry: (place: Int, inName: Int)?
    while inName < name.count {
      if place < plain.count { look(plain[place]) }
      if place < plain.count, plain[place] == Pattern.star {
        place += 1
        retry = (place, inName)
      } else if place < plain.count, plain[place] == Pattern.question || plain[place] == name[inName] {
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
    return plain[place...].allSatisfy { $0 == Pattern.star }
  }
}
