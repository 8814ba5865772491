/// Which checkpoints are kept: the newest, and fewer of the older ones the farther back they are.
package enum CheckpointThinning {
  /// How many of the newest are always kept.
  package static let newest = 3

  /// The indices of checkpoints that are not needed.
  ///
  /// One is not needed when the next older one is at most twice as far from the newest as the next younger one. So
  /// there are never more than about two per doubling of the distance, going back to any input costs at most twice the
  /// minimum, and the oldest stays.
  ///
  /// - Parameter sequences: Ascending.
  package static func superfluous(_ sequences: [UInt64]) -> [Int] {
    guard let last = sequences.last, sequences.count > newest + 1 else { return [] }
    var superfluous: [Int] = []
    var younger = sequences.count - newest
    for place in stride(from: younger - 1, to: 0, by: -1) {
      if last - sequences[place - 1] <= 2 * (last - sequences[younger]) {
        superfluous.append(place)
      } else {
        younger = place
      }
    }
    return superfluous
  }
}
