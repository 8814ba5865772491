import LineProtocol
import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// A program's world and the daemon let machines have the same names.
struct MachineNameTests {
  struct Stone: Machine {
    enum State: MachineState { case still }
    enum Event: MachineEvent { case kicked }
    var state = State.still
    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> { .ignore }
  }

  @Test("Each byte at each end, and each length up to beyond the longest")
  func names() {
    let world = World()
    let bytes = (UInt8.min...0x7F).map { String(decoding: [$0], as: UTF8.self) }
    let names = bytes + bytes.map { "a\($0)" } + (0...66).map { String(repeating: "x", count: $0) } + ["é", "aé", "ａ"]
    for name in Set(names) {
      let isName = Array(name.utf8).withUnsafeBytes { TextRules.isName($0, longest: Limits().name) }
      expectEqual(((try? world.make(Stone.self, named: name)) != nil), isName, "\(name.debugDescription)")
    }
  }
}
