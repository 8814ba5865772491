import Foundation
import PostgresStore
import Synchronization
import TestSupport

@testable import JournalStore

/// A store in a folder of its own, with a clock that stands still and faults on demand.
final class Fixture {
  let folder = TemporaryFolder.inMemory()
  /// More folders that stay as long as this.
  var others: [TemporaryFolder] = []
  var now: Int64 = 1_000_000
  var boot: UInt64 = 77
  var faults: FaultPlan?
  var isLocked = false
  /// SQLite's way to the files, which stays as long as stores may use it; nil for the usual one.
  var disk: RecordedDisk? {
    didSet { disks += disk.map { [$0] } ?? [] }
  }
  private var disks: [RecordedDisk] = []
  var durability = Durability.batch
  private let warnings = Warnings()

  var files: StoreFiles { StoreFiles(folder: folder.path) }

  func open(
    _ durability: Durability? = nil, process: Int32 = 1, in other: String? = nil
  ) throws(StoreFailure) -> SQLiteStore {
    try SQLiteStore.open(
      folder: other ?? folder.path, durability: durability ?? self.durability,
      writer: StoreWriter(process: process, socket: "/run/\(process).sock"), circumstances
    ) { [warnings] in warnings.add($0) }
  }

  private lazy var address = Result { try PostgresServer.shared.get().makeDatabase() }

  /// A store of an engine; of each engine there is one.
  func open(_ engine: Engine, process: Int32 = 1) throws -> any WorldStore {
    switch engine {
    case .sqlite: try open(process: process)
    case .postgres:
      try PostgresStore.open(
        try address.get(), writer: StoreWriter(process: process, socket: "/run/\(process).sock")
      ) { [unowned self] in now }
    }
  }

  /// What stores have warned of since this was last asked.
  func takeWarnings() -> [StoreWarning] { warnings.take() }

  func openForReading() throws(StoreFailure) -> SQLiteReader {
    try SQLiteReader.open(folder: folder.path, circumstances)
  }

  private var circumstances: SQLiteStore.Circumstances {
    var circumstances = SQLiteStore.Circumstances()
    circumstances.isLocked = isLocked
    circumstances.faults = faults
    circumstances.system = disk?.name
    circumstances.boot = boot
    circumstances.now = { [unowned self] in now }
    return circumstances
  }

  /// What is in the store's files now, but the lock and the index of the log, which say nothing about what is stored.
  func image() -> [String: [UInt8]] {
    var image: [String: [UInt8]] = [:]
    for path in [files.database, files.log, files.heads] {
      if let data = FileManager.default.contents(atPath: path) {
        image[(path as NSString).lastPathComponent] = Array(data)
      }
    }
    return image
  }

  /// Puts files where a store is to be opened.
  static func write(_ image: [String: [UInt8]], to folder: String) {
    for (name, bytes) in image {
      _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data(bytes))
    }
  }
}

private final class Warnings: Sendable {
  private let all = Mutex<[StoreWarning]>([])

  func add(_ warning: StoreWarning) { all.withLock { $0.append(warning) } }

  func take() -> [StoreWarning] {
    all.withLock { all in
      defer { all = [] }
      return all
    }
  }
}

extension WorldStore {
  /// Checks everything, where there is a check.
  func inspect() throws(StoreFailure) { _ = try (self as? SQLiteReader)?.inspect() }

  /// Appends one segment to one world.
  ///
  /// - Returns: Its new head.
  @discardableResult
  func append(
    _ lease: Lease, after head: UInt64, inputs: UInt64 = 10, _ bytes: [UInt8], moment: Int64 = 0,
    settings: [UInt8]? = nil, creations: [StoredCreation] = []
  ) throws(StoreFailure) -> UInt64 {
    let last = bytes.isEmpty ? head : head + inputs
    try appendAll([(lease, head, last, bytes, moment, settings, creations)])
    return last
  }

  func appendAll(
    _ round: [(Lease, head: UInt64, last: UInt64, [UInt8], moment: Int64, settings: [UInt8]?, [StoredCreation])]
  ) throws(StoreFailure) {
    // All bytes in one place, which is lent as a whole.
    let all = round.flatMap { $0.3 }
    let result = all.withUnsafeBytes { all -> Result<Void, StoreFailure> in
      var at = 0
      let appends = round.map { part in
        defer { at += part.3.count }
        let bytes = UnsafeRawBufferPointer(rebasing: all[at..<at + part.3.count])
        return Append(
          part.0, head: part.head, last: part.last, bytes, moment: part.moment, settings: part.settings,
          creations: part.6)
      }
      return Result { () throws(StoreFailure) in
        for failure in try append(appends).values { throw failure }
      }
    }
    try result.get()
  }

  func putCheckpoint(_ lease: Lease, at sequence: UInt64, hash: UInt64, _ bytes: [UInt8]) throws(StoreFailure) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreFailure) in try putCheckpoint(lease, at: sequence, hash: hash, bytes) }
    }
    try result.get()
  }

  func create(_ world: String, settings: [UInt8] = [1, 2, 3]) throws(StoreFailure) {
    try create(world, head: 0, moment: 0, settings: settings)
  }
}

extension WorldReading {
  /// All segments from an input on: first, last, bytes.
  func segments(of world: String, from sequence: UInt64 = 0) throws(StoreFailure) -> [SegmentCopy] {
    var all: [SegmentCopy] = []
    try readSegments(of: world, from: sequence) { segment in
      all.append(SegmentCopy(first: segment.first, last: segment.last, bytes: Array(segment.bytes)))
      return true
    }
    return all
  }
}

struct SegmentCopy: Hashable {
  let first: UInt64
  let last: UInt64
  let bytes: [UInt8]
}

/// A failure by its case alone.
enum FailureKind: Hashable {
  case fenced, outOfStep, lost, noSuchWorld, worldExists, unknown, full, readOnly, locked, damaged, otherSchema, absent,
    gone
  case cannotOpen, other
}

extension StoreFailure {
  var kind: FailureKind {
    switch self {
    case .fenced: .fenced
    case .outOfStep: .outOfStep
    case .lost: .lost
    case .noSuchWorld: .noSuchWorld
    case .worldExists: .worldExists
    case .unknown: .unknown
    case .full: .full
    case .readOnly: .readOnly
    case .locked: .locked
    case .damaged: .damaged
    case .otherSchema: .otherSchema
    case .absent: .absent
    case .gone: .gone
    case .cannotOpen: .cannotOpen
    case .other: .other
    }
  }
}

/// The failure of a call; nil when it succeeds.
func failure<Value>(of call: () throws(StoreFailure) -> Value) -> StoreFailure? {
  do throws(StoreFailure) {
    _ = try call()
    return nil
  } catch {
    return error
  }
}
