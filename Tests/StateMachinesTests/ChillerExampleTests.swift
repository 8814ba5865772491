@testable import MachineForms
import StateMachines
import Testing

/// The example of the documentation of hierarchical machines.
struct ChillerExampleTests {
  private let timers: [Chiller.Event] = [.rested, .ranEnough, .defrostDue, .thawed, .dried]

  @Test("the loss of power leaves whatever is on, from the inside out; when it is back it begins at the beginning")
  func power() {
    let chiller = MachineRunner(Chiller.self, in: "on.cooling.free", timers: timers)
    #expect(chiller.beginning == " > compressorOn")
    #expect(chiller.send(.powerLost) == "moved on.cooling.free off > compressorOff")
    #expect(chiller.timers.isEmpty)
    #expect(chiller.send(.powerRestored) == "moved off on.idle.resting")
    #expect(chiller.timers == ["rested": 180_000_000_000, "defrostDue": 21_600_000_000_000])
  }

  @Test("it cools when it is warm, and rests before it may do so again")
  func cycle() {
    let chiller = MachineRunner(Chiller.self, in: "on.idle.ready", timers: timers)
    #expect(chiller.send(.warm) == "moved on.idle.ready on.cooling.minOn > compressorOn")
    #expect(chiller.send(.cold) == "ignored on.cooling.minOn")
    #expect(chiller.expire(.ranEnough) == "moved on.cooling.minOn on.cooling.free")
    #expect(chiller.send(.cold) == "moved on.cooling.free on.idle.resting > compressorOff")
    #expect(chiller.send(.warm) == "ignored on.idle.resting")
    #expect(chiller.expire(.rested) == "moved on.idle.resting on.idle.ready")
  }

  @Test("a defrost interrupts what is on, and nothing interrupts a defrost")
  func defrost() {
    let chiller = MachineRunner(Chiller.self, in: "on.cooling.free", timers: timers)
    #expect(
      chiller.expire(.defrostDue)
        == "moved on.cooling.free on.defrost.defrosting > compressorOff > heaterOn")
    #expect(chiller.expire(.defrostDue) == "ignored on.defrost.defrosting")
    #expect(chiller.expire(.thawed) == "moved on.defrost.defrosting on.defrost.dripping > heaterOff")
    #expect(chiller.expire(.dried) == "moved on.defrost.dripping on.idle.resting")
  }

  @Test("flat it would be a table of 63 cells, of which powerLost fills six alike")
  func flat() {
    let table = Chiller.flatTable(of: [.warm, .cold, .powerLost, .powerRestored] + timers, timers: timers)
    #expect(table.count == 63)
    #expect(table.filter { $0.input == 2 }.map(\.next) == Array(repeating: "off", count: 7))
    #expect(
      table.filter { $0.state == "on.cooling.free" && $0.verdict == .moved } == [
        FlatCell(
          state: "on.cooling.free", input: 1, verdict: .moved, next: "on.idle.resting", outputs: ["compressorOff"],
          armed: ["rested"]),
        FlatCell(
          state: "on.cooling.free", input: 2, verdict: .moved, next: "off", outputs: ["compressorOff"], armed: []),
        FlatCell(
          state: "on.cooling.free", input: 6, verdict: .moved, next: "on.defrost.defrosting",
          outputs: ["compressorOff", "heaterOn"], armed: ["defrostDue", "thawed"]),
      ])
  }
}
