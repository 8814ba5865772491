@testable import JournalStore

/// All that can be read of a store, to be compared.
struct Snapshot: Hashable {
  struct WorldCore: Hashable {
    var name: String
    var head: UInt64 = 0
    var first: UInt64 = 1
    var moment: Int64 = 0
    var settings: [UInt8] = []
    var segments: [SegmentCopy] = []
    var checkpoints: [StoredCheckpoint] = []
    var creations: [StoredCreation] = []
    var removedBytes = 0
  }

  var worlds: [WorldCore] = []

  init() {}

  /// Reads everything, with all checks.
  ///
  /// - Parameter numbers: Of machines, whose names are asked for at each world's head.
  init(of store: SQLiteStore, numbers: Range<UInt32>) throws(StoreFailure) {
    try store.inspect()
    for stored in try store.worlds() {
      var world = WorldCore(
        name: stored.name, head: stored.head, first: stored.first, moment: stored.moment, settings: stored.settings)
      world.segments = try store.segments(of: stored.name)
      for mark in try store.checkpoints(of: stored.name) {
        if let checkpoint = try store.checkpoint(of: stored.name, atOrBefore: mark.sequence) {
          world.checkpoints.append(checkpoint)
        }
      }
      for number in numbers {
        if let creation = try store.creation(of: number, in: stored.name, at: stored.head) {
          world.creations.append(creation)
        }
      }
      world.removedBytes = try store.holdings(of: stored.name).removedBytes
      worlds.append(world)
    }
  }

  subscript(name: String) -> WorldCore? {
    get { worlds.first { $0.name == name } }
    set {
      worlds.removeAll { $0.name == name }
      if let newValue { worlds.append(newValue) }
      worlds.sort { $0.name < $1.name }
    }
  }
}
