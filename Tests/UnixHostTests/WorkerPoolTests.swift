import TestSupport
import Testing

@testable import UnixHost

@Suite struct WorkerPoolTests {
  private static let (ann, bob): (WorkerPool.Lane, WorkerPool.Lane) = (1, 2)

  @Test("of several users none has all places, whatever their jobs do")
  func share() {
    let pool = WorkerPool(places: 2, placesPerLane: 1)
    let (gate, first, done) = (Semaphore(), Semaphore(), Semaphore())
    let begun = Locked<[String]>([])
    for number in 1...3 {
      pool.submit(for: Self.ann) {
        begun.withLock { $0.append("ann \(number)") }
        first.signal()
        gate.wait()
        done.signal()
      }
    }
    first.wait()
    for number in 1...3 {
      pool.submit(for: Self.bob) {
        begun.withLock { $0.append("bob \(number)") }
        done.signal()
      }
    }
    for _ in 1...3 { done.wait() }
    expectEqual(begun.withLock { Set($0) }, ["ann 1", "bob 1", "bob 2", "bob 3"])
    for _ in 1...3 {
      gate.signal()
      done.wait()
    }
    expectEqual(begun.withLock { $0.filter { $0.hasPrefix("ann") } }, ["ann 1", "ann 2", "ann 3"])
  }

  @Test("users take turns with one place, however many jobs one of them has, and whether they yield or end")
  func turns() {
    let pool = WorkerPool(places: 1)
    let (gate, done) = (Semaphore(), Semaphore())
    let order = Locked<[String]>([])
    pool.submit { gate.wait() }
    for number in 1...3 {
      pool.submit(for: Self.ann) {
        order.withLock { $0.append("ann \(number)") }
        pool.yield(for: Self.ann)
        order.withLock { $0.append("ann \(number) again") }
        done.signal()
      }
    }
    for number in 1...2 {
      pool.submit(for: Self.bob) {
        order.withLock { $0.append("bob \(number)") }
        done.signal()
      }
    }
    gate.signal()
    for _ in 1...5 { done.wait() }
    expectEqual(
      order.withLock { $0 },
      [
        "ann 1", "bob 1", "ann 2", "bob 2", "ann 3", "ann 1 again", "ann 2 again", "ann 3 again",
      ])
  }

  @Test("a job that yields goes on at once if nobody waits, or nobody who may have its place")
  func yieldAlone() {
    let pool = WorkerPool(places: 2, placesPerLane: 1)
    let (gate, done) = (Semaphore(), Semaphore())
    pool.submit(for: Self.ann) {
      for _ in 1...3 { pool.yield(for: Self.ann) }
      done.signal()
    }
    done.wait()
    pool.submit(for: Self.bob) { gate.wait() }
    pool.submit(for: Self.bob) { done.signal() }
    pool.submit(for: Self.ann) {
      for _ in 1...3 { pool.yield(for: Self.ann) }
      gate.signal()
    }
    done.wait()
  }
}
