import Foundation
import Glibc
import TestSupport
import Testing

@testable import JournalStore

/// What a daemon worked on when it ended, and what the next one makes of it.
@Suite("Notes of the work under way")
struct WorkNotesTests {
  private let fixture = Fixture()

  /// Starts a daemon, which ends in the middle of something unless `work` is nil, by a fatal signal of the step or by
  /// another cause.
  ///
  /// - Returns: What it found out about the ends before it.
  @discardableResult
  private func life(
    _ work: WorkNotes.Work?, _ input: UInt64 = 1, isRunning: Bool = false, line: String = "", signal: Int32 = 0
  ) throws -> [InterruptedWork] {
    let store = try fixture.open()
    try store.noteWork()
    if try store.world("w") == nil { try store.create("w", head: 4, moment: 0, settings: []) }
    let world = try #require(try store.world("w"))
    var left: Data?
    if let work {
      try #require(store.workNotes).during(work, world.identity, isRunning: isRunning, request: line) { note in
        note?.input.pointee = input
        left = FileManager.default.contents(atPath: store.files.work)
      }
    }
    store.close()
    if var left {
      // The place of the first thread; see `fsm_work`.
      left[256 + 20] = UInt8(signal)
      _ = FileManager.default.createFile(atPath: store.files.work, contents: left)
    }
    return world.fatal
  }

  @Test(
    "a fatal signal decides at once, and until the world is replaced",
    arguments: [WorkNotes.Work.replay, .reading, .writing])
  func signals(work: WorkNotes.Work) throws {
    try life(work, 3, signal: SIGILL)
    for _ in 0..<2 {
      let found = try life(nil)
      expect(found.map(\.input) == [3] && found.map(\.work) == [work])
      expect(found.first?.reason, contains: "input 3 (SIGILL)")
    }
    let reader = try fixture.openForReading()
    try expectEqual(reader.world("w")?.fatal.count, 1)
    reader.close()
    let store = try fixture.open()
    try store.create("other", head: 4, moment: 0, settings: [])
    let lease = try store.take("other").lease
    try store.replace("w", by: lease)
    store.close()
    try expectEqual(life(nil), [])
    try expectEqual(life(nil), [])
  }

  @Test("a reader finds what ended a daemon before another one starts")
  func reader() throws {
    try life(.replay, 2, signal: SIGSEGV)
    let reader = try fixture.openForReading()
    defer { reader.close() }
    try expectEqual(reader.worlds().map { $0.fatal.map(\.input) }, [[2]])
  }

  @Test("a timer comes again only where the clock runs, and only if it was not stored")
  func timers() throws {
    try life(.requests, 5 | WorkNotes.expiry, isRunning: false, signal: SIGILL)
    try expectEqual(life(.requests, 4 | WorkNotes.expiry, isRunning: true, signal: SIGILL), [])
    try expectEqual(life(.requests, 5, isRunning: true, signal: SIGILL), [])
    try expectEqual(life(.requests, 5 | WorkNotes.expiry, isRunning: true, signal: SIGILL), [])
    expectEqual(fixture.takeWarnings().count, 3)
    let found = try life(nil)
    expect(found.map(\.input) == [5] && found.map(\.isExpiry) == [true])
    expectEqual(fixture.takeWarnings(), [])
  }

  @Test("a request is named once, with its world")
  func requests() throws {
    try life(.requests, 5, line: "send m go", signal: SIGILL)
    try expectEqual(life(nil), [])
    expectEqual(fixture.takeWarnings(), [.endedByRequest(request: "send m go", world: "w", cause: "SIGILL")])
    try expectEqual(life(nil), [])
    expectEqual(fixture.takeWarnings(), [])
    // A kill in the middle of a request says nothing about it.
    for _ in 0..<3 { try expectEqual(life(.requests, 5, line: "send m go"), []) }
    expectEqual(fixture.takeWarnings(), [])
  }

  @Test("another end decides only at the same input twice in a row")
  func kills() throws {
    try life(.replay, 3)
    try expectEqual(life(.replay, 4), [])
    try expectEqual(life(nil), [])
    try expectEqual(life(.replay, 4), [])
    for _ in 0..<3 { try expectEqual(life(.reading, 4), []) }
    // Between two inputs nothing is under way.
    for _ in 0..<3 { try expectEqual(life(.replay, 0), []) }
    try expectEqual(life(.replay, 2), [])
    try expectEqual(life(.replay, 2), [])
    let found = try life(nil)
    expectEqual(found.map(\.input), [2])
    expect(found.first?.reason, contains: "killed there twice in a row")
    try expectEqual(life(nil).count, 1)
  }

  @Test("more threads than places work without a note, and a place is free again")
  func places() throws {
    let store = try fixture.open()
    defer { store.close() }
    try store.noteWork()
    let notes = try #require(store.workNotes)
    func deeper(_ depth: Int) -> Int { notes.during(.requests, nil) { $0 == nil ? depth : deeper(depth + 1) } }
    expectEqual(deeper(0), 64)
    expectEqual(deeper(0), 64)
  }

  @Test("a damaged file, a file of another database, and no room for one")
  func damage() throws {
    try life(.replay, 2, signal: SIGILL)
    let files = fixture.files
    let good = try #require(FileManager.default.contents(atPath: files.work))
    for bytes in [Data(), good.prefix(300), Data(repeating: 0xFF, count: good.count)] {
      _ = FileManager.default.createFile(atPath: files.work, contents: bytes)
      try expectEqual(life(nil), [])
    }
    _ = FileManager.default.createFile(atPath: files.work, contents: good)
    try expectEqual(life(nil).count, 1)
    // A folder in its place.
    try FileManager.default.removeItem(atPath: files.work)
    try FileManager.default.createDirectory(atPath: files.work, withIntermediateDirectories: false)
    _ = fixture.takeWarnings()
    let store = try fixture.open()
    try store.noteWork()
    expectNil(store.workNotes)
    store.close()
    expectEqual(fixture.takeWarnings().count, 1)
  }
}
