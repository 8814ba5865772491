/// Numbers for the states of a kind: the indices in its list or, where states are named by their data, a number for each
/// word in the order in which the words are met.
public struct StateNumbers: Sendable {
  private let kind: Kind
  /// The states that have numbers, by number.
  public private(set) var states: [StateEntry]
  /// The numbers of words; empty for a kind whose states are all listed.
  private var numbers: [String: Int] = [:]

  public init(of kind: Kind) {
    self.kind = kind
    states = kind.hasStatesNamedByData ? [] : kind.states
  }

  /// The number of a state, which gets one if it has none.
  ///
  /// - Parameters:
  ///   - place: The index in the kind's list of states.
  ///   - data: Its data; not evaluated if all states are listed.
  public mutating func number(of place: Int, data: @autoclosure () -> String?) -> Int {
    kind.hasStatesNamedByData ? number(of: kind.stateWord(place, data: data())) : place
  }

  /// This numbering's number for a state that another numbering of the same kind has as `number`.
  public mutating func number(of number: Int, in other: StateNumbers) -> Int {
    kind.hasStatesNamedByData ? self.number(of: other.states[number].word) : number
  }

  private mutating func number(of word: String) -> Int {
    if let known = numbers[word] { return known }
    numbers[word] = states.count
    states.append(StateEntry(word: word, about: ""))
    return states.count - 1
  }

  /// The number of a state; `nil` if it has none.
  public func known(_ place: Int, data: String?) -> Int? {
    kind.hasStatesNamedByData ? numbers[kind.stateWord(place, data: data)] : place
  }
}
