@testable import MachineForms
import StateMachines
import Testing

/// The example of the documentation of hierarchical machines.
struct ChillerExampleTests {
  @Test("the loss of power leaves whatever is on, from the inside out; when it is back it begins at the beginning")
  func power() {
    let chiller = ChartRunner(Chiller.self, in: "on.cooling.free")
    #expect(chiller.beginning == " > compressorOn")
    #expect(chiller.send(.powerLost) == "moved on.cooling.free off > compressorOff")
    #expect(chiller.timers.isEmpty)
    #expect(chiller.send(.powerRestored) == "moved off on.idle.resting")
    #expect(chiller.timers == ["minOff": 180_000_000_000, "defrostInterval": 21_600_000_000_000])
  }

  @Test("it cools when it is warm, and rests before it may do so again")
  func cycle() {
    let chiller = ChartRunner(Chiller.self, in: "on.idle.ready")
    #expect(chiller.send(.warm) == "moved on.idle.ready on.cooling.minOn > compressorOn")
    #expect(chiller.send(.cold) == "ignored on.cooling.minOn")
    #expect(chiller.expire(.minOn) == "moved on.cooling.minOn on.cooling.free")
    #expect(chiller.send(.cold) == "moved on.cooling.free on.idle.resting > compressorOff")
    #expect(chiller.send(.warm) == "ignored on.idle.resting")
    #expect(chiller.expire(.minOff) == "moved on.idle.resting on.idle.ready")
  }

  @Test("a defrost interrupts what is on, and nothing interrupts a defrost")
  func defrost() {
    let chiller = ChartRunner(Chiller.self, in: "on.cooling.free")
    #expect(
      chiller.expire(.defrostInterval)
        == "moved on.cooling.free on.defrost.defrosting > compressorOff > heaterOn")
    #expect(chiller.expire(.defrostInterval) == "ignored on.defrost.defrosting")
    #expect(chiller.expire(.thawed) == "moved on.defrost.defrosting on.defrost.dripping > heaterOff")
    #expect(chiller.expire(.dry) == "moved on.defrost.dripping on.idle.resting")
  }

  @Test("flat it would be a table of 63 cells, of which powerLost fills six alike")
  func flat() {
    let inputs: [Input<Chiller.Event, Chiller.TimerName>] = [
      .event(.warm), .event(.cold), .event(.powerLost), .event(.powerRestored), .expired(.minOff), .expired(.minOn),
      .expired(.defrostInterval), .expired(.thawed), .expired(.dry),
    ]
    let table = Chiller.flatTable(of: inputs)
    #expect(table.count == 63)
    #expect(table.filter { $0.input == 2 }.map(\.next) == Array(repeating: "off", count: 7))
    #expect(
      table.filter { $0.state == "on.cooling.free" && $0.verdict == .moved } == [
        FlatCell(
          state: "on.cooling.free", input: 1, verdict: .moved, next: "on.idle.resting", outputs: ["compressorOff"],
          armed: ["minOff"]),
        FlatCell(
          state: "on.cooling.free", input: 2, verdict: .moved, next: "off", outputs: ["compressorOff"], armed: []),
        FlatCell(
          state: "on.cooling.free", input: 6, verdict: .moved, next: "on.defrost.defrosting",
          outputs: ["compressorOff", "heaterOn"], armed: ["defrostInterval", "thawed"]),
      ])
  }
}
