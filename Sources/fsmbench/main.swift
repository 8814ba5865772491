import Simulations
import Simulator
import StateMachines

func measure(_ name: String, _ count: Int, _ body: () -> Void) {
  let clock = ContinuousClock()
  let d = clock.measure(body)
  print(name, Double(d.components.attoseconds) / 1e9 / Double(count) + Double(d.components.seconds) * 1e9 / Double(count), "ns")
}
func run() {
  var world = World()
  var ids: [MachineID] = []
  let n = 1_000_000
  measure("new", n) {
    for i in 0..<n {
      let name = Array("m\(i)".utf8)
      name.withUnsafeBytes { b in ids.append(try! world.create(Power.kind, named: b)) }
    }
  }
  let hot = ids[17]
  measure("hot power", 20_000_000) { for _ in 0..<20_000_000 { world.send(hot, plain: 0) } }
  var g = Generator(seed: 1)
  let picks = (0..<4_000_000).map { _ in ids[Int(g.next() % UInt64(n))] }
  measure("random power", picks.count) { for p in picks { world.send(p, plain: 0) } }
  print(world.lastSequence, world.journalBytes)
}
run()
