/// A STATE as written in a request or a script, compared with states as the daemon prints them.
///
/// It matches a state exactly, by a prefix that ends at a dot (`cooling` matches `cooling.minOn`), or by its name without
/// data (`list` matches `list(5)`). It matches any one of a state's regions in these ways, and with `+` several at once:
/// all of them in their order, fewer in any order. `active` also matches `state(active)`, which has no name but its data.
package struct StateText: Hashable, Sendable {
  package let word: String
  private let bytes: [UInt8]
  /// The names of the regions asked for.
  private let parts: [[UInt8]]
  /// The data asked for, without parentheses; nil for any.
  private let data: [UInt8]?

  /// - Returns: `nil` for a word that cannot be a state: an empty one, or one with an empty region.
  package init?(_ word: String) {
    self.word = word
    bytes = Array(word.utf8)
    let (name, data) = bytes.withUnsafeBytes { buffer in
      let (name, data) = StateText.split(buffer)
      return (Array(name), data.map { Array($0) })
    }
    self.data = data
    parts = name.split(separator: StateText.plus, omittingEmptySubsequences: false).map { Array($0) }
    if parts.contains(where: \.isEmpty) { return nil }
  }

  /// Whether it asks for certain data.
  package var hasData: Bool { data != nil }

  private static let nameless = Array("state".utf8)
  private static let plus = UInt8(ascii: "+")
  private static let dot = UInt8(ascii: ".")

  /// Whether a state, as the daemon prints it, matches.
  ///
  /// - Complexity: O(1) allocations, and only if the texts differ and the state has several regions.
  package func matches(_ state: UnsafeRawBufferPointer) -> Bool {
    if state.count == bytes.count, state.elementsEqual(bytes) { return true }
    let (name, found) = StateText.split(state)
    if data == nil, let found, found.elementsEqual(bytes), name.elementsEqual(StateText.nameless) { return true }
    if let data {
      guard let found, found.elementsEqual(data) else { return false }
    }
    guard name.contains(StateText.plus) else {
      return parts.count == 1 && StateText.isRegion(name, parts[0])
    }
    let regions = name.split(separator: StateText.plus)
    if parts.count == regions.count { return zip(regions, parts).allSatisfy(StateText.isRegion) }
    return parts.allSatisfy { part in regions.contains { StateText.isRegion($0, part) } }
  }

  package func matches(_ state: String) -> Bool {
    var state = state
    return state.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
  }

  /// Whether a region's state is the requested one or a substate of it.
  private static func isRegion(_ region: Slice<UnsafeRawBufferPointer>, _ part: [UInt8]) -> Bool {
    guard region.starts(with: part) else { return false }
    return region.count == part.count || region[region.startIndex + part.count] == dot
  }

  /// The name of a state and its data, if any: the text between its first and its last parenthesis.
  private static func split(
    _ state: UnsafeRawBufferPointer
  ) -> (name: Slice<UnsafeRawBufferPointer>, data: Slice<UnsafeRawBufferPointer>?) {
    guard state.last == UInt8(ascii: ")"), let open = state.firstIndex(of: UInt8(ascii: "(")) else {
      return (state[...], nil)
    }
    return (state[..<open], state[(open + 1)..<(state.count - 1)])
  }
}
