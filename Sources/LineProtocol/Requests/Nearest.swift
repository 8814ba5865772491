/// The candidate nearest to a mistyped word, for `did-you-mean=`.
package enum Nearest {
  /// Limit on the candidates compared.
  package static let candidates = 2_000

  /// The nearest candidate within a distance of 1 for words below five letters, 2 below ten, 3 from there on. A word
  /// that differs only in case is nearest of all. The first of equals wins; nil if none is near.
  ///
  /// - Complexity: O(candidates × length), over at most ``candidates`` of them.
  package static func match(_ word: String, among candidates: some Sequence<String>) -> String? {
    var letters: [UInt32] = []
    fill(&letters, with: word.prefix(64))
    letters.removeLast(max(0, letters.count - 64))
    let reach = letters.count < 5 ? 1 : letters.count < 10 ? 2 : 3
    let pattern = Pattern(letters)
    var best: (candidate: String, distance: Int)?
    var other: [UInt32] = []
    for candidate in candidates.prefix(Nearest.candidates) {
      // A letter has at most four bytes: a much longer name need not be read.
      guard candidate.utf8.count <= 4 * (letters.count + reach) else { continue }
      fill(&other, with: candidate[...])
      guard abs(other.count - letters.count) <= reach else { continue }
      let distance = pattern.distance(to: other)
      if distance <= reach, distance < best?.distance ?? .max { best = (candidate, distance) }
      if best?.distance == 0 { break }
    }
    return best?.candidate
  }

  /// The small letters of a word.
  private static func fill(_ letters: inout [UInt32], with word: Substring) {
    letters.removeAll(keepingCapacity: true)
    for scalar in word.unicodeScalars {
      guard scalar.isASCII else {
        letters = word.lowercased().unicodeScalars.map(\.value)
        return
      }
      letters.append(65...90 ~= scalar.value ? scalar.value + 32 : scalar.value)
    }
  }

  /// A word of at most 64 letters, with a bit for each place at which a letter stands.
  package struct Pattern {
    private let count: Int
    private var ascii = [UInt64](repeating: 0, count: 128)
    private var others: [UInt32: UInt64] = [:]

    /// - Parameter letters: Those after the 64th are left out.
    package init(_ letters: [UInt32]) {
      count = min(letters.count, 64)
      for (place, letter) in letters.prefix(64).enumerated() {
        if letter < 128 { ascii[Int(letter)] |= 1 << place } else { others[letter, default: 0] |= 1 << place }
      }
    }

    /// The optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbours (Damerau
    /// 1964; the restricted form in which no part is edited twice). A column of the table is two words of bits, which
    /// say where it rises and falls (Myers 1999, Hyyrö 2003).
    ///
    /// - Complexity: O(length of `word`).
    package func distance(to word: [UInt32]) -> Int {
      if count == 0 { return word.count }
      var (rises, falls, diagonal, before): (UInt64, UInt64, UInt64, UInt64) = (.max, 0, 0, 0)
      var distance = count
      for letter in word {
        let same = letter < 128 ? ascii[Int(letter)] : others[letter, default: 0]
        let swapped = ((~diagonal & same) << 1) & before
        diagonal = (((same & rises) &+ rises) ^ rises) | same | falls | swapped
        let (up, down) = (falls | ~(diagonal | rises), diagonal & rises)
        distance += Int(up >> (count - 1) & 1) - Int(down >> (count - 1) & 1)
        rises = down << 1 | ~(diagonal | (up << 1 | 1))
        falls = (up << 1 | 1) & diagonal
        before = same
      }
      return distance
    }
  }
}

extension Sequence where Element: Hashable {
  /// Each element once, where it comes first.
  package var distinct: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
