import Simulator
import Statecharts
import TestSupport
import Testing

@testable import SimulationDaemon
@testable import UnixHost

@Suite("Turns with workers")
struct WorkerTurnTests {
  @Test(
    "a client's long request and a world behind its clock take turns with the only worker", arguments: [false, true])
  func oneWorker(hasUsers: Bool) {
    let threads = HeldWorkers()
    let host = HostedService(workers: threads.workers(), users: hasUsers ? [1_001: "ana"] : [:])
    let (guest, other) = (host.connect(), host.connect())
    func set(_ guest: Guest, _ world: String, machines: Int) {
      let machines = (0..<machines).map { "new ticker t\($0)\nsend t\($0) start\n" }
      host.round { guest.arrive("world new \(world)\nuse \(world)\n" + machines.joined()) }
      threads.finish(host)
    }
    set(guest, "slow", machines: 600)
    set(other, "long", machines: 300)
    host.round { guest.arrive("clock real\n") }
    threads.finish(host)
    host.round { other.arrive("advance 30000d\n") }
    let slow = host.service.worlds["slow"]
    for _ in 0..<20 where slow?.turn == 0 {
      host.passTimeLate(2_000_000_000)
      threads.round(host)
    }
    expect(slow.map { $0.turn > 0 } == true && other.isBusy, "\(other.lines().suffix(2))")
    host.round { other.arrive("cancel\n") }
    while other.isBusy { threads.round(host) }
  }

  @Test("while a user's work has that user's part of the workers, others get the rest, and that user waits")
  func shares() throws {
    let threads = HeldWorkers(places: 2, placesPerLane: 1, lane: 1_001)
    let host = HostedService(workers: threads.workers(), users: [1_001: "ana", 1_002: "ben"])
    let anas = [try #require(host.connect(as: 1_001)), try #require(host.connect(as: 1_001))]
    let ben = try #require(host.connect(as: 1_002))
    // Long lines are for workers.
    let line = "count kind=\(String(repeating: "x", count: 1_100))\n"
    host.round {
      anas[0].arrive(line)
      anas[1].arrive("world new b\nuse b\n" + line)
    }
    host.round { ben.arrive(line) }
    while ben.isBusy { threads.round(host) }
    expect(ben.lines().last, hasPrefix: "- UNKNOWN-KIND ")
    expect(anas.allSatisfy { $0.isBusy })
    threads.finish(host)
    for ana in anas { expect(ana.lines().last, hasPrefix: "- UNKNOWN-KIND ") }
  }

  @Test("lines that need no world are answered while a worker has it, though they take more than one turn")
  func manyLines() {
    let threads = HeldWorkers()
    let host = HostedService(workers: threads.workers())
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    // A long line is for workers, and the only one waits.
    host.round { one.arrive("count kind=\(String(repeating: "x", count: 1_100))\n") }
    host.round { other.arrive(String(repeating: "help send\n", count: 500)) }
    host.settle()
    expect(one.isBusy && one.lines() == [])
    expectEqual(other.lines().filter { $0.hasPrefix("+ ") }.count, 500)
    threads.finish(host)
  }

  /// A guest that makes machines of a chart, each in a world of its own.
  private struct Maker {
    let host: HostedService
    let guest: Guest

    func make(_ lines: String, in world: String, _ script: String) {
      let chart = """
        <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"><datamodel>\
        <data id="n" expr="0"/></datamodel><state id="a"><onentry><script>\(script)</script></onentry></state></scxml>
        """
      host.round {
        guest.arrive(
          "world new \(world)\nuse \(world)\ndefine k format=scxml bytes=\(chart.utf8.count)\n\(chart)\(lines)\n")
      }
      host.settle()
    }
  }

  @Test("the first input of a chart that may take long is for workers, and that of another is not")
  func longCharts() throws {
    for lines in ["new k m", "begin\nnew k m\nend"] {
      let threads = HeldWorkers()
      let host = HostedService(workers: threads.workers())
      let maker = Maker(host: host, guest: host.connect())
      maker.make(lines, in: "short", "n = n + 1;")
      expect(!maker.guest.isBusy)
      maker.make(lines, in: "long", "while (n &lt; 200) { n = n + 1 }")
      expect(maker.guest.isBusy)
      threads.finish(host)
      expectEqual(maker.guest.lines().filter { $0.hasPrefix("+ created m a ") }.count, 2)
    }
  }

  @Test(
    "when a chart has taken long on the event loop, workers run the charts of that user for a while, in all worlds",
    arguments: ["new k m", "begin\nnew k m\nend"])
  func slowCharts(lines: String) throws {
    let threads = HeldWorkers()
    let host = HostedService(workers: threads.workers(), users: [1_001: "ana"])
    let ana = Maker(host: host, guest: try #require(host.connect(as: 1_001)))
    let teacher = Maker(host: host, guest: host.connect())
    let script = "n = n + 1;"
    ana.make(lines, in: "a", script)
    expect(!ana.guest.isBusy)
    ana.guest.client.user.chartsAreSlowUntil = host.now + 1_000_000_000
    ana.make(lines, in: "b", script)
    expect(ana.guest.isBusy)
    teacher.make(lines, in: "a", script)
    expect(!teacher.guest.isBusy)
    threads.finish(host)
    expectEqual(ana.guest.lines().filter { $0.hasPrefix("+ created m a ") }.count, 2)
    host.passTimeLate(3_600_000_000_000)
    ana.make(lines, in: "d", script)
    expect(!ana.guest.isBusy)
  }

  @Test("much to print for many watchers is left to a worker, some watchers at a time, and nothing is lost")
  func notices() {
    let threads = HeldWorkers()
    let host = HostedService(workers: threads.workers())
    let maker = host.connect(toWorld: "w")
    let machines = Int(Session.inputsToldAtOnce) + 1
    _ = maker.say("quiet on\n" + (0..<machines).map { "new power p\($0)\n" }.joined() + "quiet off")
    threads.finish(host)
    let watchers = (0..<Loan.mostReaders + 6).map { _ in host.connect(toWorld: "w") }
    for watcher in watchers { expect(watcher.say("watch *").last, hasPrefix: "+") }
    let sends = (0..<machines).map { "send p\($0) buttonClick\n" }.joined()
    host.round { maker.arrive(sends) }
    expectEqual(maker.lines().count { $0.hasPrefix("+ moved off on ") }, machines)
    // The event loop has printed nothing, and a worker has the world.
    expect(watchers.allSatisfy { $0.client.session.outbox.isEmpty && $0.lines().isEmpty })
    expectNil(host.service.worlds["w"]?.home)
    threads.finish(host)
    for watcher in watchers { expectEqual(watcher.lines().count { $0.contains(" moved off on ") }, machines) }
    // One that asks meanwhile has its notices before the answer.
    host.round { maker.arrive(sends) }
    host.round { watchers[0].arrive("count\n") }
    threads.finish(host)
    let lines = watchers[0].lines()
    expect(lines.count { $0.contains(" moved on off ") } == machines && lines.last?.hasPrefix("+") == true)
  }

  @Test("the only worker does other work while it is in a long step of a chart")
  func withinStep() {
    let pool = WorkerPool(places: 1)
    let workers = Workers(pool) {}
    let (started, done) = (Semaphore(), Semaphore())
    let order = Locked<[String]>([])
    let slot = workers.slot(of: 1_001)
    workers.submit(
      Job(
        .worker(slot),
        { () throws(Never) in
          started.wait()
          // As a chart does, before its time is over and after it.
          slot.begin()
          Budget.pause.get()?()
          order.withLock { $0.append("in time") }
          let end = HostClock.now() + 4 * WorkerSlot.longest
          while HostClock.now() <= end { Budget.pause.get()?() }
          order.withLock { $0.append("first") }
          done.signal()
        }, then: { _ in }))
    workers.submit(
      Job(
        .worker(workers.slot(of: 1_002)), { () throws(Never) in order.withLock { $0.append("second") } },
        then: { _ in })
    )
    started.signal()
    done.wait()
    expectEqual(order.withLock { $0 }, ["in time", "second", "first"])
  }

  @Test("long work leaves workers to more work of its user, but not to such that takes the world of another along")
  func elsewhere() throws {
    let pool = WorkerPool(places: 2, placesPerLane: 1)
    let workers = Workers(pool) {}
    let (ana, gate) = (UserID.other(1_001).lane, Semaphore())
    workers.submit(Job(.worker(workers.slot(of: ana)), { () throws(Never) in gate.wait() }, then: { _ in }))
    let begun = try #require(workers.underWay.first).since
    expect(!workers.areFree(for: ana, at: begun) && workers.areFree(for: 1_002, at: begun))
    let later = begun + 1_000_000_000
    expect(workers.areFree(for: ana, at: later) && !workers.areFree(for: ana, isElsewhere: true, at: later))
    gate.signal()
  }
}
