package import StateMachines

/// A STATE as a request writes it: an exact state, its prefix at a dot, its name without data, a region's state,
/// regions' states joined by `+` (of all regions in their order, of fewer in any), or the data of a state without a name.
package struct StateQuery: Hashable, Sendable {
  /// Matching indices in the kind's list of states.
  private let states: Set<Int>
  /// The requested data; nil for any.
  private let data: String?
  /// The requested parts of a word, if the kind's states are named by their data.
  private let parts: [String]

  /// - Returns: `nil` if the word is not a state of the kind.
  package init?(_ word: String, of kind: Kind) {
    var name = word
    var data: String?
    if !kind.hasStatesNamedByData, word.hasSuffix(")"), let open = word.firstIndex(of: "(") {
      guard kind.carriesData else { return nil }
      name = String(word[..<open])
      data = String(word[word.index(after: open)...].dropLast())
    }
    let parts = name.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    let words = kind.states.map(\.word)
    self.parts = kind.hasStatesNamedByData ? parts : []
    if kind.hasStatesNamedByData {
      // Its states are composed of the listed words.
      guard parts.allSatisfy({ part in words.contains { StateQuery.matches($0, [part]) } }) else { return nil }
    }
    let states = words.indices.filter { StateQuery.matches(words[$0], parts) }
    if states.isEmpty, !kind.hasStatesNamedByData {
      guard data == nil, let place = kind.states.firstIndex(where: \.isNameless) else { return nil }
      self.states = [place]
      self.data = word
      return
    }
    self.states = Set(states)
    self.data = data
  }

  /// Whether each part is a region of a word, or a prefix of one that ends at a dot: some in any order, all in that of
  /// the word.
  private static func matches(_ word: String, _ parts: [String]) -> Bool {
    func isRegion(_ region: Substring, _ part: String) -> Bool {
      !part.isEmpty && (region == part || region.hasPrefix(part + "."))
    }
    let regions = word.split(separator: "+")
    if parts.count == regions.count { return zip(regions, parts).allSatisfy(isRegion) }
    return parts.allSatisfy { part in regions.contains { isRegion($0, part) } }
  }

  /// Whether a state, given by its index and its data, matches.
  package func matches(_ state: Int, data: @autoclosure () -> String?) -> Bool {
    if parts.isEmpty { return states.contains(state) && (self.data == nil || self.data == data()) }
    return data().map { StateQuery.matches($0, parts) } ?? states.contains(state)
  }
}
