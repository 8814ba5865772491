/// The requests that are not answered yet, oldest first.
struct RunQueue {
  private var entries: [(step: Int32, turn: Int32, role: ScriptPlayer.Role)] = []
  private var head = 0

  private static let maxTaken = 16_384

  var count: Int { entries.count - head }
  var isEmpty: Bool { head == entries.count }

  /// The oldest request; its step is negative if the player itself sent it.
  var first: (step: Int, turn: Int32, role: ScriptPlayer.Role)? {
    head < entries.count ? (Int(entries[head].step), entries[head].turn, entries[head].role) : nil
  }

  /// - Parameter turn: How often the lines of the step have been played before.
  mutating func append(_ step: Int, turn: Int32 = 0, _ role: ScriptPlayer.Role) {
    entries.append((Int32(step), turn, role))
  }

  mutating func removeFirst() {
    head += 1
    if head == entries.count {
      entries.removeAll(keepingCapacity: true)
      head = 0
    } else if head > Self.maxTaken {
      entries.removeFirst(head)
      head = 0
    }
  }
}
