import LineProtocol

/// The difference between two lists of lines: common, removed and added lines, in order.
package struct LineDifference: Sendable {
  package enum Edit: Hashable, Sendable {
    case same(old: Int, new: Int)
    case removed(old: Int)
    case added(new: Int)
  }

  /// Where lines are replaced, the removed ones come first.
  package private(set) var edits: [Edit] = []

  /// Differing parts with more lines than this are not searched for common lines.
  private static let most = 2_000

  /// - Complexity: O((*n* + *m*)·*d*) in the lines of both and the differing ones, of which at most 2,000 are compared.
  package init(from old: [String], to new: [String]) {
    let start = zip(old, new).prefix { $0 == $1 }.count
    let shorter = min(old.count, new.count) - start
    let end = zip(old.reversed(), new.reversed()).prefix(shorter).prefix { $0 == $1 }.count
    for index in 0..<start { edits.append(.same(old: index, new: index)) }
    let olds = old[start..<(old.count - end)]
    let news = new[start..<(new.count - end)]
    var removed = Set(olds.indices)
    var added = Set(news.indices)
    if max(olds.count, news.count) <= Self.most {
      let difference = Array(news).difference(from: Array(olds))
      removed = Set(difference.removals.map { $0.offset + start })
      added = Set(difference.insertions.map { $0.offset + start })
    }
    var (at, to) = (olds.startIndex, news.startIndex)
    while at < olds.endIndex || to < news.endIndex {
      if removed.contains(at) {
        edits.append(.removed(old: at))
        at += 1
      } else if added.contains(to) {
        edits.append(.added(new: to))
        to += 1
      } else {
        edits.append(.same(old: at, new: to))
        at += 1
        to += 1
      }
    }
    for index in 0..<end { edits.append(.same(old: olds.endIndex + index, new: news.endIndex + index)) }
  }
}

extension CollectionDifference.Change {
  fileprivate var offset: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
