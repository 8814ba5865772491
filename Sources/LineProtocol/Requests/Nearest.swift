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
    let reach = letters.count < 5 ? 1 : letters.count < 10 ? 2 : 3
    var best: (candidate: String, distance: Int)?
    var other: [UInt32] = []
    for candidate in candidates.prefix(Nearest.candidates) {
      // A letter has at most four bytes: a much longer name need not be read.
      guard candidate.utf8.count <= 4 * (letters.count + reach) else { continue }
      fill(&other, with: candidate[...])
      guard abs(other.count - letters.count) <= reach else { continue }
      let distance = distance(letters, other, upTo: reach)
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

  /// The optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbours
  /// (Damerau 1964; the restricted form in which no part is edited twice). Only the cells near the diagonal are looked
  /// at, since all others are farther than `reach` (Ukkonen 1985).
  ///
  /// - Returns: More than `reach` if it is more.
  static func distance(_ a: [UInt32], _ b: [UInt32], upTo reach: Int) -> Int {
    guard abs(a.count - b.count) <= reach else { return reach + 1 }
    // In a row, the cell at `reach + k` is that of the column `row + k`.
    let width = 2 * reach + 1
    let far = reach + 1
    var beforeLast = [Int](repeating: far, count: width + 2)
    var last = (0..<width + 2).map { $0 > reach && $0 <= width ? $0 - reach - 1 : far }
    var row = beforeLast
    for i in 0..<a.count {
      var nearest = far
      for place in 0..<width {
        let j = i + place - reach
        var cost = far
        if j == -1 {
          cost = i + 1
        } else if j >= 0, j < b.count {
          cost = min(last[place + 2], row[place]) + 1
          cost = min(cost, last[place + 1] + (a[i] == b[j] ? 0 : 1))
          if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[place + 1] + 1) }
        }
        row[place + 1] = min(cost, far)
        nearest = min(nearest, cost)
      }
      // A swap looks two rows back.
      if nearest > reach, !last.contains(where: { $0 < reach }) { return far }
      (beforeLast, last, row) = (last, row, beforeLast)
      row[0] = far
      row[width + 1] = far
    }
    return last[b.count - a.count + reach + 1]
  }
}
