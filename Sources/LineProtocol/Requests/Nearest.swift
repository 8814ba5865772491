/// The candidate nearest to a mistyped word, for `did-you-mean=`.
package enum Nearest {
  /// Limit on the candidates compared.
  package static let candidates = 10_000

  /// The nearest candidate within a distance of 1 for words below five letters, 2 below ten, 3 from there on. A word
  /// that differs only in case is nearest of all. The first of equals wins; nil if none is near.
  ///
  /// - Complexity: O(candidates × length²), over at most ``candidates`` of them.
  package static func match(_ word: String, among candidates: some Sequence<String>) -> String? {
    let word = String(word.prefix(64))
    let letters = Array(word.lowercased().unicodeScalars)
    let reach = letters.count < 5 ? 1 : letters.count < 10 ? 2 : 3
    var best: (candidate: String, distance: Int)?
    for candidate in candidates.prefix(Nearest.candidates) {
      let other = Array(candidate.lowercased().unicodeScalars)
      guard abs(other.count - letters.count) <= reach else { continue }
      let distance = distance(letters, other)
      if distance <= reach, distance < best?.distance ?? .max { best = (candidate, distance) }
      if best?.distance == 0 { break }
    }
    return best?.candidate
  }

  /// The optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbours
  /// (Damerau 1964; the restricted form in which no part is edited twice).
  static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 1..<(a.count + 1) {
      var row = [i]
      for j in 1..<(b.count + 1) {
        var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, beforeLast[j - 2] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
