import Dispatch
import Glibc
import TestSupport
import Testing
import UnixHost

@testable import SimulationDaemon

/// A loop on its own queue, and a way for the test to wait for what its handlers saw, with a bound.
///
/// Loops are never torn down (they live as long as the process), so each is kept alive on purpose.
private final class RunningLoop {
  let loop: EventLoop
  private let done = DispatchSemaphore(value: 0)

  init(pollNanoseconds: UInt64 = 0, prepare: (EventLoop, @escaping () -> Void) throws -> Void) throws {
    loop = try EventLoop(pollNanoseconds: pollNanoseconds, label: "test")
    _ = Unmanaged.passRetained(loop)
    let done = self.done
    try prepare(loop) { done.signal() }
    loop.start()
  }

  func finishes() -> Bool {
    done.wait(timeout: .now() + .seconds(10)) == .success
  }
}

@Suite(.serialized)
struct EventLoopTests {
  @Test("descriptors are served on the queue", arguments: [0, 50_000] as [UInt64])
  func ready(pollNanoseconds: UInt64) throws {
    let pipe = try Pipe()
    var received: [UInt8] = []
    let running = try RunningLoop(pollNanoseconds: pollNanoseconds) { loop, done in
      try loop.poller.add(pipe.reading, token: 3, interest: .readable)
      loop.onReady = { events in
        dispatchPrecondition(condition: .onQueue(loop.queue))
        for event in events {
          expectEqual(event.token, 3)
          var byte: UInt8 = 0
          switch withUnsafeMutableBytes(of: &byte, { pipe.reading.read(into: $0) }) {
          case .bytes: received.append(byte)
          case .closed:
            loop.poller.remove(pipe.reading)
            done()
          case .wouldBlock, .failed: Issue.record("a ready pipe could not be read")
          }
        }
      }
    }
    pipe.writing.writeAll("abc")
    pipe.writing.close()
    expect(running.finishes())
    expectEqual(received, Array("abc".utf8))
  }

  @Test("the timer fires once, and never early")
  func timer() throws {
    let start = HostClock.now()
    var firings: [UInt64] = []
    let running = try RunningLoop { loop, done in
      loop.onTimer = {
        firings.append(HostClock.now())
        if firings.count == 1 { loop.arm(at: start + 8_000_000) } else { done() }
      }
      loop.arm(at: start + 4_000_000)
    }
    expect(running.finishes())
    expectEqual(firings.count, 2)
    expect(firings[0] >= start + 4_000_000)
    expect(firings[1] >= start + 8_000_000)
  }

  @Test("the last arming counts: earlier, later, past and never")
  func rearmed() throws {
    let start = HostClock.now()
    var firings: [UInt64] = []
    let running = try RunningLoop { loop, done in
      loop.arm(at: start + 3_600_000_000_000)
      loop.arm(at: start)  // UndoHistory: at once.
      loop.onTimer = {
        firings.append(HostClock.now())
        switch firings.count {
        case 1:
          loop.arm(at: start + 1_000_000)
          loop.arm(at: nil)
          loop.arm(at: start + 20_000_000)
        default:
          loop.arm(at: nil)
          done()
        }
      }
    }
    expect(running.finishes())
    expectEqual(firings.count, 2)
    expect(firings.last ?? 0 >= start + 20_000_000)
  }

  @Test(
    "a deadline that is set while descriptors are served holds when the loop rests, and one that is taken back does not"
  )
  func armedWhileServing() throws {
    let pipe = try Pipe()
    var served: UInt64 = 0
    var firings: [UInt64] = []
    let running = try RunningLoop { loop, done in
      try loop.poller.add(pipe.reading, token: 0, interest: .readable)
      loop.arm(at: HostClock.now() + 3_600_000_000_000)
      loop.onReady = { _ in
        loop.poller.remove(pipe.reading)
        served = HostClock.now()
        loop.arm(at: served + 1_000_000)
        loop.arm(at: nil)
        // Longer than the loop stays with its poller after the last event.
        loop.arm(at: served + 60_000_000)
      }
      loop.onTimer = {
        firings.append(HostClock.now())
        done()
      }
    }
    pipe.writing.writeAll("x")
    expect(running.finishes())
    expectEqual(firings.count, 1)
    expect(firings[0] >= served + 60_000_000)
  }

  @Test("a turn comes after what was waiting, once per request, and can ask for the next")
  func turns() throws {
    var turns = 0
    let running = try RunningLoop { loop, done in
      loop.onTurn = {
        turns += 1
        if turns < 5 { loop.requestTurn() } else { done() }
      }
      loop.requestTurn()
      loop.requestTurn()
    }
    expect(running.finishes())
    expectEqual(turns, 5)
  }

  @Test("who is ready is served before a turn, also before the first")
  func readiness() throws {
    let pipe = try Pipe()
    pipe.writing.writeAll("ready")
    var served: [String] = []
    let running = try RunningLoop { loop, done in
      try loop.poller.add(pipe.reading, token: 0, interest: .readable)
      loop.onReady = { _ in
        served.append("ready")
        loop.poller.remove(pipe.reading)
      }
      loop.onTurn = {
        served.append("turn")
        done()
      }
      loop.requestTurn()
    }
    expect(running.finishes())
    expectEqual(served, ["ready", "turn"])
  }

  @Test(
    "a busy descriptor does not keep the timer and the turns from their own", arguments: [0, 1_000_000] as [UInt64])
  func fairness(pollNanoseconds: UInt64) throws {
    let pipe = try Pipe()
    pipe.writing.writeAll("always ready")
    var turns = 0
    var timers = 0
    let running = try RunningLoop(pollNanoseconds: pollNanoseconds) { loop, done in
      try loop.poller.add(pipe.reading, token: 0, interest: .readable)
      let finish = {
        guard turns >= 3, timers >= 3 else { return }
        loop.poller.remove(pipe.reading)
        loop.arm(at: nil)
        done()
      }
      loop.onTurn = {
        turns += 1
        if turns < 3 { loop.requestTurn() }
        finish()
      }
      loop.onTimer = {
        timers += 1
        loop.arm(at: HostClock.now() + 100_000)
        finish()
      }
      loop.requestTurn()
      loop.arm(at: HostClock.now())
    }
    expect(running.finishes())
  }
}
