import Foundation
import TestSupport
import Testing

@testable import JournalStore

/// Files that are moved, removed or replaced under a store that is open.
@Suite("A store whose files go away")
struct GoneFilesTests {
  enum Harm: CaseIterable {
    case database, log, folder, replaced

    func strike(_ files: StoreFiles) throws {
      let manager = FileManager.default
      switch self {
      case .database: try manager.removeItem(atPath: files.database)
      case .log: try manager.removeItem(atPath: files.log)
      case .folder: try manager.moveItem(atPath: files.folder, toPath: files.folder + "-away")
      case .replaced:
        let bytes = try Data(contentsOf: URL(filePath: files.database))
        try manager.removeItem(atPath: files.database)
        try bytes.write(to: URL(filePath: files.database))
      }
    }

    func gone(_ files: StoreFiles) -> StoreFailure {
      .gone(path: self == .log ? files.log : files.database)
    }
  }

  let fixture = Fixture()

  @Test("nothing that is written counts as stored from then on, and nothing is read", arguments: Harm.allCases)
  func gone(harm: Harm) throws {
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    try store.append(lease, after: 0, [1])
    try store.readers.reading { (reader) throws(StoreFailure) in try expectEqual(reader.worlds().count, 1) }
    defer { try? FileManager.default.removeItem(atPath: fixture.folder.path + "-away") }
    try harm.strike(fixture.files)
    let gone = harm.gone(fixture.files)
    for _ in 0..<2 {
      expectEqual(failure { () throws(StoreFailure) in try store.append(lease, after: 10, [2]) }, gone)
      expectEqual(failure { () throws(StoreFailure) in try store.worlds() }, gone)
      expectEqual(failure { () throws(StoreFailure) in try store.segments(of: "main") }, gone)
      expectEqual(failure { () throws(StoreFailure) in try store.take("main") }, gone)
      expectEqual(failure { () throws(StoreFailure) in try store.create("other") }, gone)
      expectEqual(failure { () throws(StoreFailure) in try store.tryWriting() }, gone)
      expectEqual(failure { () throws(StoreFailure) in try store.readers.reading { _ in } }, gone)
    }
    expect("\(gone)".contains(harm == .log ? fixture.files.log : fixture.files.database))
    expect("\(gone)", contains: "put it back")
    store.close()
  }

  @Test("when the folder is back in its place, all goes on with what was acknowledged")
  func back() throws {
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    try store.append(lease, after: 0, [1])
    let away = fixture.folder.path + "-away"
    try FileManager.default.moveItem(atPath: fixture.folder.path, toPath: away)
    expectEqual(failure { () throws(StoreFailure) in try store.append(lease, after: 10, [2]) }?.kind, .gone)
    try FileManager.default.moveItem(atPath: away, toPath: fixture.folder.path)
    try store.tryWriting()
    // As after a commit of which nobody knows: what the store has now is the truth.
    let taken = try store.take("main")
    expect([10, 20].contains(taken.world.head))
    try store.append(taken.lease, after: taken.world.head, [3])
    try expectEqual(store.segments(of: "main").last?.bytes, [3])
    store.close()
    try fixture.open().inspect()
  }

  @Test("a daemon that is shut out in this way takes nothing from the one that came after it")
  func successor() throws {
    let old = try fixture.open(process: 1)
    try old.create("main")
    try old.append(try old.take("main").lease, after: 0, [1])
    for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) {
      try FileManager.default.removeItem(atPath: "\(fixture.folder.path)/\(name)")
    }
    let new = try fixture.open(process: 2)
    try new.create("other")
    let lease = try new.take("other").lease
    try new.append(lease, after: 0, [2])
    old.close()
    expect(StoreFile.size(fixture.files.log) > 0)
    try new.append(lease, after: 10, [3])
    let copy = Fixture()
    Fixture.write(fixture.image(), to: copy.folder.path)
    try expectEqual(copy.open().segments(of: "other").map(\.bytes), [[2], [3]])
  }

  /// Without the lock's file epochs keep a second writer out; without the notes nothing that is stored is missing.
  @Test("the lock's file and the notes may go: nothing that was acknowledged is lost with them")
  func others() throws {
    fixture.isLocked = true
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    for path in [fixture.files.lock, fixture.files.heads] { try FileManager.default.removeItem(atPath: path) }
    try store.append(lease, after: 0, [1])
    let copy = Fixture()
    Fixture.write(fixture.image(), to: copy.folder.path)
    try expectEqual(copy.open().segments(of: "main").count, 1)
  }
}
