/// Where in time inputs are, in bounded memory: exactly as long as there are few moments, then as clusters of
/// neighbouring ones. Where inputs are dense, clusters are short; a long silence is never within one.
struct MomentClusters: Sendable {
  struct Cluster: Sendable {
    var from: Int64
    var to: Int64
    /// The numbers of its inputs are between these.
    var first: UInt64
    var last: UInt64
    var count: Int
  }

  private(set) var clusters: [Cluster] = []
  /// Whether each cluster is one moment.
  private(set) var isExact = true
  /// Undone inputs may be later than those after them.
  private var isOrdered = true
  /// How long a cluster may get without being looked at again: half of what was united last.
  private var grain: Int64 = 0

  /// Beyond this many, neighbours are united.
  static let most = 16_384

  var bytes: Int { clusters.capacity * MemoryLayout<Cluster>.stride }

  @inline(__always)
  mutating func note(_ moment: Int64, _ sequence: UInt64) {
    if let last = clusters.last, last.from <= moment, moment <= last.to || moment - last.from <= grain {
      clusters[clusters.count - 1].count += 1
      clusters[clusters.count - 1].last = sequence
      if moment > last.to { clusters[clusters.count - 1].to = moment }
      return
    }
    add(moment, sequence)
  }

  @inline(never)
  private mutating func add(_ moment: Int64, _ sequence: UInt64) {
    if let last = clusters.last, moment < last.from { isOrdered = false }
    clusters.append(Cluster(from: moment, to: moment, first: sequence, last: sequence, count: 1))
    if clusters.count >= 2 * MomentClusters.most {
      order()
      while clusters.count > MomentClusters.most { unite() }
    }
  }

  /// Puts the clusters in the order of time.
  mutating func order() {
    guard !isOrdered else { return }
    isOrdered = true
    clusters.sort { ($0.from, $0.first) < ($1.from, $1.first) }
    var kept = 0
    for cluster in clusters.dropFirst() {
      if cluster.from <= clusters[kept].to {
        clusters[kept].unite(with: cluster)
      } else {
        kept += 1
        clusters[kept] = cluster
      }
    }
    clusters.removeLast(max(0, clusters.count - kept - 1))
  }

  /// Unites about half of the neighbours, those that span least, two by two.
  private mutating func unite() {
    isExact = false
    // How many neighbours span how long: eight classes for each power of two.
    var classes = [Int](repeating: 0, count: 512)
    for place in 1..<clusters.count { classes[MomentClusters.sizeClass(span(place))] += 1 }
    var wanted = clusters.count / 2
    var longest = 0
    while longest < classes.count - 1, wanted > classes[longest] {
      wanted -= classes[longest]
      longest += 1
    }
    grain = max(grain, MomentClusters.least(ofClass: longest) / 2)
    var kept = 0
    var mayUnite = true
    for place in 1..<clusters.count {
      let next = clusters[place]
      if mayUnite, MomentClusters.sizeClass(next.to - clusters[kept].from) <= longest {
        clusters[kept].unite(with: next)
        mayUnite = false
      } else {
        kept += 1
        clusters[kept] = next
        mayUnite = true
      }
    }
    clusters.removeLast(clusters.count - kept - 1)
  }

  /// From the beginning of a cluster to the end of the next.
  private func span(_ place: Int) -> Int64 { clusters[place].to - clusters[place - 1].from }

  private static func sizeClass(_ span: Int64) -> Int {
    guard span >= 8 else { return Int(max(0, span)) }
    let power = 63 - span.leadingZeroBitCount
    return (power - 2) * 8 + Int((span >> Int64(power - 3)) & 7)
  }

  /// The shortest span of a class.
  private static func least(ofClass number: Int) -> Int64 {
    guard number >= 8 else { return Int64(number) }
    return (8 + Int64(number & 7)) << Int64(number / 8 - 1)
  }
}

extension MomentClusters.Cluster {
  fileprivate mutating func unite(with other: Self) {
    from = min(from, other.from)
    to = max(to, other.to)
    first = min(first, other.first)
    last = max(last, other.last)
    count += other.count
  }
}
