/// The states of a ``WordMatcher``: the prefixes of its words, the empty one first, and those in which a word ends last.
///
/// A class, so that a copy of a matcher copies one reference, not one for each list.
final class WordAutomaton: Sendable {
  /// For each state, the length of its prefix.
  let depths: [Int32]
  /// For each state, the state of its longest proper suffix.
  private let fallbacks: [UInt32]
  /// The number of states in which no word ends; they come first.
  private let wordless: UInt32
  /// For each state, the longest word with which its prefix ends, or -1.
  private let longest: [Int32]
  /// For each word, its length, and the longest other word that is a suffix of it, or -1.
  private let lengths: [Int32]
  private let shorter: [Int32]
  /// For each state, the start of its successors in the lists below; one more at the end.
  private let starts: [UInt32]
  /// The characters that lead to the successors, in order within a state.
  private let characters: [UInt32]
  private let successors: [UInt32]
  /// For each state, the last six bits of these characters, as a set.
  private let signs: [UInt64]
  /// The successors of the empty prefix by characters of ASCII, since it is asked most often.
  private let first: [UInt32]

  /// - Parameter words: Different words, none of which is empty.
  init(_ words: [[UInt32]]) {
    // A node per prefix, in order of appearance.
    var children: [[(character: UInt32, node: Int)]] = [[]]
    var depths: [Int32] = [0]
    var ending: [Int32] = [-1]
    func child(of node: Int, _ character: UInt32) -> Int? {
      children[node].first { $0.character == character }?.node
    }
    for (word, characters) in words.enumerated() {
      var node = 0
      for character in characters {
        if let child = child(of: node, character) {
          node = child
          continue
        }
        children[node].append((character, children.count))
        depths.append(depths[node] + 1)
        ending.append(-1)
        node = children.count
        children.append([])
      }
      ending[node] = Int32(word)
    }

    // Shorter prefixes first, so that those to fall back to are known.
    var fallbacks = [Int](repeating: 0, count: children.count)
    var shorter = [Int32](repeating: -1, count: words.count)
    var queue = [0]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      for (character, next) in children[node] {
        queue.append(next)
        var suffix = node
        while suffix != 0, fallbacks[next] == 0 {
          suffix = fallbacks[suffix]
          fallbacks[next] = child(of: suffix, character) ?? 0
        }
        let inherited = ending[fallbacks[next]]
        if ending[next] >= 0 { shorter[Int(ending[next])] = inherited } else { ending[next] = inherited }
      }
    }

    let nodes = children.indices
    let before = nodes.filter { ending[$0] < 0 }
    let order = before + nodes.filter { ending[$0] >= 0 }
    wordless = UInt32(before.count)
    var places = [UInt32](repeating: 0, count: order.count)
    for (place, node) in order.enumerated() { places[node] = UInt32(place) }
    var starts: [UInt32] = [0]
    var characters: [UInt32] = []
    var successors: [UInt32] = []
    for node in order {
      for (character, next) in children[node].sorted(by: { $0.character < $1.character }) {
        characters.append(character)
        successors.append(places[next])
      }
      starts.append(UInt32(characters.count))
    }
    self.depths = order.map { depths[$0] }
    self.fallbacks = order.map { places[fallbacks[$0]] }
    longest = order.map { ending[$0] }
    lengths = words.map { Int32($0.count) }
    self.shorter = shorter
    self.starts = starts
    self.characters = characters
    self.successors = successors
    signs = order.map { children[$0].reduce(0) { $0 | 1 << (UInt64($1.character) & 63) } }
    first = (0..<128).map { character in child(of: 0, character).map { places[$0] } ?? 0 }
  }

  /// The memory of the automaton, in bytes, estimated.
  var bytes: Int { 4 * (6 * depths.count + 2 * lengths.count + 2 * characters.count + first.count) }

  /// The state after a character.
  @inline(__always)
  func next(_ state: UInt32, _ character: UInt32) -> UInt32 {
    var state = Int(state)
    while state != 0 || character >= 128 {
      // Most characters continue no prefix; that is found out without a search.
      if signs[state] &>> (UInt64(character) & 63) & 1 == 1 {
        var low = Int(starts[state])
        let end = Int(starts[state + 1])
        var high = end
        while low < high {
          let middle = (low + high) / 2
          if characters[middle] < character { low = middle + 1 } else { high = middle }
        }
        if low < end, characters[low] == character { return successors[low] }
      }
      if state == 0 { return 0 }
      state = Int(fallbacks[state])
    }
    return first[Int(character)]
  }

  /// The words with which the prefix of a state ends, the longest first, with their lengths.
  @inline(__always)
  func forEachWord(endingIn state: UInt32, _ body: (_ word: Int, _ length: Int) -> Void) {
    if state < wordless { return }
    var word = Int(longest[Int(state)])
    while word >= 0 {
      body(word, Int(lengths[word]))
      word = Int(shorter[word])
    }
  }
}
