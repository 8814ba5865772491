import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import JournalStore

@Suite("Reading beside a store that is written")
struct ReadersTests {
  let fixture = Fixture()

  @Test("threads read whole worlds of one moment while another thread writes")
  func whileWriting() throws {
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    let readers = store.readers
    let isDone = Atomic(false)
    let problems = Mutex<[String]>([])
    let group = DispatchGroup()
    for _ in 0..<3 {
      DispatchQueue.global().async(group: group) {
        var last: UInt64 = 0
        while !isDone.load(ordering: .relaxed) || last < 400 {
          do {
            let (head, segments, undone) = try readers.reading { (store) throws(StoreFailure) in
              // In two steps, between which much is written.
              let head = try store.holdings(of: "main").head
              return (head, try store.segments(of: "main"), try store.undone(in: "main", 0...UInt64.max))
            }
            let isWhole = segments.map(\.last) == Array(stride(from: 2, through: head, by: 2))
            let isRight = undone.map(\.upperBound) == Array(stride(from: 10, through: head, by: 10))
            if !isWhole || !isRight || head < last { problems.withLock { $0.append("\(head) after \(last)") } }
            last = head
          } catch {
            problems.withLock { $0.append("\(error)") }
            return
          }
        }
      }
    }
    for round in 1...200 as ClosedRange<UInt64> {
      let bytes: [UInt8] = [UInt8(round % 256)]
      let outcome = bytes.withUnsafeBytes { bytes in
        Result { () throws(StoreFailure) in
          try store.append(
            Append(
              lease, head: 2 * round - 2, last: 2 * round, bytes, moment: 0,
              undone: round % 5 == 0 ? [2 * round - 1...2 * round] : []))
        }
      }
      try outcome.get()
    }
    isDone.store(true, ordering: .relaxed)
    group.wait()
    expectEqual(problems.withLock { $0 }, [])
    store.close()
    expectEqual(StoreFile.size(fixture.files.log), 0)
  }

  @Test("what is asked within one reading is of one moment, and another reading sees what was written since")
  func oneMoment() throws {
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    try store.append(lease, after: 0, [1])
    try store.readers.reading { (early) throws(StoreFailure) in
      try early.readSegments(of: "main", from: 1) { _ in
        expectNil(failure { () throws(StoreFailure) in try store.append(lease, after: 10, [2]) })
        return true
      }
      try expectEqual(early.worlds().map(\.head), [10])
      try expectEqual(store.readers.reading { (late) throws(StoreFailure) in try late.worlds() }.map(\.head), [20])
    }
    try expectEqual(store.readers.reading { (late) throws(StoreFailure) in try late.segments(of: "main") }.count, 2)
    expectEqual(
      failure { () throws(StoreFailure) in
        try store.readers.reading { (late) throws(StoreFailure) in try late.holdings(of: "other") }
      }, .noSuchWorld("other"))
  }

  @Test("when the store is closed nobody reads any more, and who was reading comes to the end")
  func closed() throws {
    let store = try fixture.open()
    try store.create("main")
    let readers = store.readers
    try readers.reading { (reader) throws(StoreFailure) in
      store.close()
      try expectEqual(reader.worlds().count, 1)
      expectEqual(failure { () throws(StoreFailure) in try readers.reading { _ in } }?.kind, .other)
    }
    expectEqual(failure { () throws(StoreFailure) in try readers.reading { _ in } }?.kind, .other)
    try expectEqual(fixture.open().worlds().count, 1)
  }

  @Test("a store that was put in the place of this one is not read for it")
  func replaced() throws {
    let store = try fixture.open()
    try store.create("main")
    let other = Fixture()
    try other.open().close()
    try FileManager.default.removeItem(atPath: fixture.files.database)
    Fixture.write(other.image(), to: fixture.folder.path)
    expectEqual(
      failure { () throws(StoreFailure) in try store.readers.reading { _ in } }, .gone(path: fixture.files.database))
  }

  @Test("each call of a store may come from another thread")
  func noThread() throws {
    // Safety: each thread has ended before the next begins.
    nonisolated(unsafe) let fixture = fixture
    // Safety: as above.
    nonisolated(unsafe) var scenario = Scenario(fixture)
    for step in Scenario.all {
      let failure = Mutex<StoreFailure?>(nil)
      let isDone = DispatchSemaphore(value: 0)
      Thread {
        do throws(StoreFailure) {
          try scenario.run(step)
        } catch {
          failure.withLock { $0 = error }
        }
        isDone.signal()
      }.start()
      isDone.wait()
      expectNil(failure.withLock { $0 }, "\(step)")
    }
    expectEqual(scenario.model.worlds.map(\.head), [40])
  }
}
