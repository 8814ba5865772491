/// Numbers for the states of a kind: the indices in its list or, where states are named by their data or by
/// ``Machine/place(for:)``, a number for each word in the order in which the words are met.
public struct StateNumbers: Sendable {
  public let kind: Kind
  private let isByPlace: Bool
  /// Whether each number stands for a word that was met.
  public let areWords: Bool
  /// The states that have numbers, by number.
  public private(set) var states: [StateEntry]
  /// The numbers of words; empty for a kind whose states are all listed.
  private var numbers: [String: Int] = [:]

  /// - Parameters:
  ///   - isByPlace: Whether the data of states are the machines' places, which follow the state's word after a dot.
  ///   - areListed: Whether the states are those of the kind's list, even if machines' states are named by their data.
  public init(of kind: Kind, isByPlace: Bool = false, areListed: Bool = false) {
    self.kind = kind
    self.isByPlace = isByPlace
    areWords = !areListed && (isByPlace || kind.hasStatesNamedByData)
    states = areWords ? [] : kind.states
  }

  private func word(_ place: Int, _ data: String?) -> String {
    guard isByPlace, let data else { return kind.stateWord(place, data: data) }
    return data.isEmpty ? kind.states[place].word : "\(kind.states[place].word).\(data)"
  }

  /// The number of a state, which gets one if it has none.
  ///
  /// - Parameters:
  ///   - place: The index in the kind's list of states.
  ///   - data: Its data; not evaluated if all states are listed.
  public mutating func number(of place: Int, data: @autoclosure () -> String?) -> Int {
    areWords ? number(of: word(place, data()), about: isByPlace ? kind.states[place].about : "") : place
  }

  /// This numbering's number for a state that another numbering of the same kind has as `number`.
  public mutating func number(of number: Int, in other: StateNumbers) -> Int {
    areWords ? self.number(of: other.states[number].word, about: other.states[number].about) : number
  }

  private mutating func number(of word: String, about: String) -> Int {
    if let known = numbers[word] { return known }
    numbers[word] = states.count
    states.append(StateEntry(word: word, about: about))
    return states.count - 1
  }

  /// The number of a state; `nil` if it has none.
  public func known(_ place: Int, data: String?) -> Int? {
    areWords ? numbers[word(place, data)] : place
  }
}
