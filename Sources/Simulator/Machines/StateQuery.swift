package import StateMachines

/// A STATE as a request writes it: an exact state, its prefix at a dot, its name without data, a region's state,
/// several regions' states joined by `+`, or the data of a state without a name.
package struct StateQuery: Hashable, Sendable {
  /// Matching indices in the kind's list of states.
  private let states: Set<Int>
  /// The requested data; nil for any.
  private let data: String?

  /// - Returns: `nil` if the word is not a state of the kind.
  package init?(_ word: String, of kind: Kind) {
    var name = word
    var data: String?
    if word.hasSuffix(")"), let open = word.firstIndex(of: "(") {
      guard kind.carriesData else { return nil }
      name = String(word[..<open])
      data = String(word[word.index(after: open)...].dropLast())
    }
    let parts = name.split(separator: "+", omittingEmptySubsequences: false)
    let states = kind.states.indices.filter { place in
      let regions = kind.states[place].word.split(separator: "+")
      return parts.allSatisfy { part in
        !part.isEmpty && regions.contains { $0 == part || $0.hasPrefix(part + ".") }
      }
    }
    if states.isEmpty {
      guard data == nil, let place = kind.states.firstIndex(where: \.isNamedByData) else { return nil }
      self.states = [place]
      self.data = word
      return
    }
    self.states = Set(states)
    self.data = data
  }

  /// Whether a state, given by its index and its data, matches.
  package func matches(_ state: Int, data: @autoclosure () -> String?) -> Bool {
    states.contains(state) && (self.data == nil || self.data == data())
  }
}

extension StateEntry {
  /// The state as printed, with its data in parentheses.
  package func word(data: String?) -> String { data.map { "\(word)(\($0))" } ?? word }
}
