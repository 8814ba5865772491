internal import Glibc

/// The last acknowledged head of each world, in a file beside the database.
///
/// SQLite silently takes a damaged frame in its log for the end of the log, so acknowledged inputs could be lost
/// unnoticed. These notes are written after each commit, with one call and without a sync, independently of SQLite. A
/// database with less than they say, in the same boot, has lost inputs. After another boot it may have lost rounds that were
/// not on the disk yet, and any part of the notes may be an older version.
///
/// A head of 64 bytes, then 32 for each world, numbers in little-endian order. Each part has its own checksum and
/// crosses no disk sector: a torn part counts as absent.
final class CommitWatermarks {
  /// The content of the file when the store was opened.
  struct Found {
    struct Note {
      let revision: UInt64
      let head: UInt64
    }

    let identity: UInt64
    let changes: UInt64
    /// The boot in which it was written; 0 if the system did not say.
    let boot: UInt64
    let durability: Durability
    /// Whether the store was closed.
    let isEnded: Bool
    let worlds: [Int64: Note]
  }

  private static let magic = UInt64(littleEndian: 0x3273_6461_6568_6D73)  // `smheads2`, as bytes
  private static let headSize = 64
  private static let noteSize = 32

  private let file: StoreFile
  private let faults: FaultPlan?
  private let boot: UInt64
  private let durability: Durability
  private let identity: UInt64
  /// The store row noted last.
  private var store: StoreRow
  /// The content of the file.
  private var image: [UInt8]
  private var places: [Int64: Int] = [:]
  private var freePlaces: [Int] = []

  /// Writes the file anew, first under another name.
  init(
    path: String, _ store: StoreRow, _ rows: [WorldRow], boot: UInt64, _ durability: Durability, faults: FaultPlan?
  ) throws(StoreFailure) {
    let new = path + ".new"
    file = try StoreFile(new, O_RDWR | O_CREAT | O_TRUNC, faults: faults)
    self.faults = faults
    self.boot = boot
    self.durability = durability
    identity = store.identity
    self.store = store
    image = [UInt8](repeating: 0, count: Self.headSize)
    do throws(StoreFailure) {
      setHead(store)
      for row in rows { _ = set(row) }
      try write(0..<image.count)
      try StoreFile.rename(new, to: path, faults: faults)
    } catch {
      file.close()
      throw error
    }
  }

  func close() {
    file.close()
  }

  /// Notes committed rounds.
  func note(_ rows: [WorldRow]) throws(StoreFailure) {
    var low = Int.max
    var high = 0
    for row in rows {
      let place = set(row)
      low = min(low, place)
      high = max(high, place + Self.noteSize)
    }
    if low < high { try write(low..<high) }
  }

  /// Notes that a world was made or removed.
  func note(_ store: StoreRow, made: WorldRow? = nil, removed: Int64? = nil) throws(StoreFailure) {
    if let removed, let place = places.removeValue(forKey: removed) {
      for at in place..<place + Self.noteSize { image[at] = 0 }
      freePlaces.append(place)
    }
    if let made { _ = set(made) }
    setHead(store)
    try write(0..<image.count)
  }

  /// Notes that the store is closed. The notes are final only with this mark.
  func end() throws(StoreFailure) {
    setHead(store, isEnded: true)
    try write(0..<image.count)
  }

  private func set(_ row: WorldRow) -> Int {
    let place = places[row.identity] ?? newPlace(for: row.identity)
    var sum = RowSum(seed: identity)
    for (index, word) in [UInt64(bitPattern: row.identity), row.revision, row.head].enumerated() {
      put(word, at: place + 8 * index)
      sum.mix(word)
    }
    put(sum.value, at: place + 24)
    return place
  }

  private func newPlace(for world: Int64) -> Int {
    let place = freePlaces.popLast() ?? image.count
    if place == image.count { image.append(contentsOf: repeatElement(0, count: Self.noteSize)) }
    places[world] = place
    return place
  }

  private func setHead(_ store: StoreRow, isEnded: Bool = false) {
    self.store = store
    var sum = RowSum()
    let words = [Self.magic, store.identity, store.changes, boot, durability == .full ? 1 : 0, isEnded ? 1 : 0]
    for (index, word) in words.enumerated() {
      put(word, at: 8 * index)
      sum.mix(word)
    }
    put(sum.value, at: 8 * words.count)
  }

  private func put(_ word: UInt64, at place: Int) {
    image.withUnsafeMutableBytes { $0.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self) }
  }

  private func write(_ range: Range<Int>) throws(StoreFailure) {
    try file.write(range, of: image, faults: faults)
  }

  // MARK: Reading

  /// The content of the file; nil if it is missing or damaged.
  static func read(_ path: String, faults: FaultPlan?) throws(StoreFailure) -> Found? {
    guard StoreFile.exists(path) else { return nil }
    let file = try StoreFile(path, O_RDONLY, faults: faults)
    defer { file.close() }
    let image = try file.read(try file.length(), at: 0)
    guard image.count >= headSize else { return nil }
    func words(_ count: Int, at place: Int, seed: UInt64) -> [UInt64]? {
      let words = (0...count).map { index in
        image.withUnsafeBytes {
          UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place + 8 * index, as: UInt64.self))
        }
      }
      var sum = RowSum(seed: seed)
      for word in words.dropLast() { sum.mix(word) }
      return sum.value == words[count] ? words : nil
    }
    guard let head = words(6, at: 0, seed: 0), head[0] == magic else { return nil }
    var worlds: [Int64: Found.Note] = [:]
    for place in stride(from: headSize, through: image.count - noteSize, by: noteSize) {
      guard let note = words(3, at: place, seed: head[1]) else { continue }
      worlds[Int64(bitPattern: note[0])] = Found.Note(revision: note[1], head: note[2])
    }
    return Found(
      identity: head[1], changes: head[2], boot: head[3], durability: head[4] == 1 ? .full : .batch,
      isEnded: head[5] == 1, worlds: worlds)
  }

  /// The id of the current boot; 0 if the system does not say.
  static func presentBoot() -> UInt64 {
    guard let file = try? StoreFile("/proc/sys/kernel/random/boot_id", O_RDONLY) else { return 0 }
    defer { file.close() }
    guard let name = try? file.read(64, at: 0), !name.isEmpty else { return 0 }
    var sum = RowSum()
    sum.mix(name)
    return sum.value
  }
}

extension CommitWatermarks.Found {
  /// How the daemon that wrote these notes ended.
  func end(_ store: StoreRow, boot present: UInt64) -> LastEnd? {
    guard identity == store.identity else { return nil }
    if isEnded { return .inOrder }
    return boot == present || boot == 0 || present == 0 ? .cutShort : .withSystem
  }

  /// Compares a database with the notes.
  ///
  /// - Returns: What a power cut took, which batch durability does not promise to keep.
  /// - Throws: `damaged` if promised inputs are missing.
  func check(_ store: StoreRow, _ rows: [WorldRow], boot present: UInt64, path: String) throws(StoreFailure)
    -> [StoreWarning]
  {
    // The notes belong to another database, which was moved away or replaced.
    guard identity == store.identity else { return [] }
    let isSameBoot = boot == present && boot != 0
    let mayBeMissing = !isSameBoot && durability == .batch
    var lost: [Damage] = []
    if changes > store.changes {
      lost.append(Damage(path, "worlds that were made or removed are not, though it was acknowledged"))
    }
    let found = Dictionary(rows.map { ($0.identity, $0) }) { first, _ in first }
    for (world, note) in worlds.sorted(by: { $0.key < $1.key }) {
      if let row = found[world] {
        if row.head < note.head {
          let what = "inputs \(row.head + 1) to \(note.head) that were acknowledged are missing"
          // No sequence: the inputs are gone, so a repair cannot keep them.
          lost.append(Damage(path, world: row.name, what))
        } else if row.revision < note.revision {
          lost.append(
            Damage(path, world: row.name, "changes of its time or settings that were acknowledged are missing"))
        }
      } else if changes == store.changes, isSameBoot {
        lost.append(Damage(path, "a world that ended with input \(note.head) is missing"))
      }
    }
    if let first = lost.first, !mayBeMissing { throw .damaged(first) }
    return lost.map { .lostWithPower($0) }
  }
}
