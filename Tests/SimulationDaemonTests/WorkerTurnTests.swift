import Simulator
import Testing

@testable import SimulationDaemon

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
    #expect(slow.map { $0.turn > 0 } == true && other.isBusy, "\(other.lines().suffix(2))")
    host.round { other.arrive("cancel\n") }
    while other.isBusy { threads.round(host) }
  }
}
