import MachineForms
internal import StateMachines

/// Words for dry runs of a machine that judges words by an automaton: from each of its places, one that leads to a place
/// that accepts, one that leads to a place that does not, and one that leads nowhere.
struct WordSamples<Place: Hashable & Sendable>: Sendable {
  private let events: [WordEvent]
  /// Whether these words stand for all: from every place each other word comes to where one of these comes, as far as
  /// accepting, reading on and rejecting are concerned.
  private let areAll: Bool
  /// The numbers of the places, in the order in which words lead to them; empty if there are more than
  /// ``WordLimits/places``.
  let numbers: [Place: Int]

  var all: EventSamples<WordEvent> { EventSamples(events, areAll: areAll) }

  /// - Parameters:
  ///   - starts: The places in which machines begin.
  ///   - letters: A character of each class that the automaton tells apart.
  ///   - areLettersAll: Whether there are no other classes, and all characters beyond ASCII are of one.
  ///   - word: A word to try where the automaton has too many places.
  /// - Complexity: O(places² × letters), bounded.
  init<A: Accepting<Place, Unicode.Scalar>>(
    of automaton: A, from starts: [Place], letters: [Unicode.Scalar], areLettersAll: Bool, word: String
  ) {
    var table = PlaceTable(automaton, letters)
    table.search(from: starts)
    var words: [String] = table.isCut ? [word, String(word.unicodeScalars.prefix(word.unicodeScalars.count / 2))] : []
    for place in table.isCut ? 0..<1 : table.places.indices {
      for letters in table.shortestWords(from: place) {
        let word = String(String.UnicodeScalarView(letters))
        if !words.contains(word) { words.append(word) }
      }
    }
    var characters = letters.map { Character($0) }
    if !table.isCut {
      for character in table.accented where !characters.contains(character) {
        characters.append(character)
      }
    }
    events = words.map(WordEvent.text) + characters.map(WordEvent.char)
    areAll = !table.isCut && areLettersAll
    numbers = table.isCut ? [:] : table.numbers
  }
}

enum WordLimits {
  /// The most places of an automaton that is searched.
  static let places = 60
  /// The most letters tried.
  static let letters = 24
  /// The most accents on a letter: a character has at most 64 bytes.
  static let accents = 31
}

/// The places of an automaton that some letters lead to.
private struct PlaceTable<A: Accepting<P, Unicode.Scalar>, P: Hashable> {
  let automaton: A
  let letters: [Unicode.Scalar]
  private(set) var places: [P] = []
  /// By place, then by letter: the next place, -1 if there is none.
  private var rows: [[Int]] = []
  /// Whether there are more places.
  private(set) var isCut = false
  private(set) var numbers: [P: Int] = [:]

  init(_ automaton: A, _ letters: [Unicode.Scalar]) {
    self.automaton = automaton
    self.letters = letters
  }

  mutating func search(from starts: [P]) {
    for start in starts { _ = number(of: start) }
    while rows.count < places.count {
      let place = places[rows.count]
      rows.append(letters.map { letter in automaton.next(place, letter).map { number(of: $0) } ?? -1 })
    }
  }

  private mutating func number(of place: P) -> Int {
    if let known = numbers[place] { return known }
    guard places.count < WordLimits.places else {
      isCut = true
      return -1
    }
    numbers[place] = places.count
    places.append(place)
    return places.count - 1
  }

  /// 0 for a place that does not accept, 1 for one that does, 2 for none.
  private func sort(of place: Int) -> Int { place < 0 ? 2 : automaton.isFinal(places[place]) ? 1 : 0 }

  /// Shortest words from a place to places of each sort.
  func shortestWords(from place: Int) -> [[Unicode.Scalar]] {
    var words: [[Unicode.Scalar]?] = [nil, nil, nil]
    words[sort(of: place)] = []
    var found: [(place: Int, before: Int, letter: Int)] = [(place, -1, 0)]
    var isKnown = Array(repeating: false, count: places.count)
    isKnown[place] = true
    var next = 0
    while next < found.count, words.contains(nil) {
      for (letter, end) in rows[found[next].place].enumerated() {
        if words[sort(of: end)] == nil {
          var word = [letters[letter]]
          var at = next
          while found[at].before >= 0 {
            word.append(letters[found[at].letter])
            at = found[at].before
          }
          words[sort(of: end)] = word.reversed()
        }
        if end >= 0, !isKnown[end] {
          isKnown[end] = true
          found.append((end, next, letter))
        }
      }
      next += 1
    }
    return words.compactMap { $0 }
  }

  /// Letters with accents, which are one character, that lead from some place where no letter alone leads.
  var accented: [Character] {
    let accent: Unicode.Scalar = "\u{301}"
    let next = places.map { automaton.next($0, accent).flatMap { numbers[$0] } ?? -1 }
    var characters: [Character] = []
    for place in places.indices {
      var sorts = Set(rows[place].map { sort(of: $0) })
      for (letter, end) in rows[place].enumerated() where end >= 0 && letters[letter].value >= 0x20 {
        var at = end
        for accents in 1...WordLimits.accents {
          at = next[at]
          if sorts.insert(sort(of: at)).inserted {
            let word = String(letters[letter]) + String(repeating: Character(accent), count: accents)
            if word.count == 1 { characters.append(Character(word)) }
          }
          if at < 0 || sorts.count == 3 { break }
        }
      }
    }
    return characters
  }
}
