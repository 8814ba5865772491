import StateMachines
import TestSupport
import Testing

@testable import Statecharts

@Suite("Inputs made by chance")
struct FuzzTests {
  @Test("neither trap nor exceed their limits, and many of them are accepted")
  func inputs() {
    var fuzzer = Fuzzer(seed: 1)
    let inputs = Thorough.rounds(1_500)
    for _ in 0..<inputs { fuzzer.run() }
    expect(fuzzer.accepted > inputs / 5)
  }

  @Test("that damage a stored machine end with its damage, or with a machine that runs", arguments: 0..<4)
  func damage(part: UInt64) throws {
    let text = """
      \(WithstandTests.head)<datamodel><data id='n' expr='[1, {a: "x"}]'/><data id='f' expr='function() { return 1 }'/></datamodel>
      <state id='s'><history id='h' type='deep'><transition target='a'/></history>
      <invoke id='i'><content><scxml xmlns='http://www.w3.org/2005/07/scxml'><state id='c'/></scxml></content></invoke>
      <onentry><send event='tick' id='t' delay='5s'/></onentry>
      <parallel id='p'><state id='a'><state id='a1'><transition event='x' target='a2'/></state><state id='a2'/></state>
      <state id='b'><transition event='y' target='out'/></state></parallel></state>
      <state id='out'><transition event='z' target='h'><assign location='n[0]' expr='f() + n.length'/></transition></state></scxml>
      """
    let definition = try Definition.of(text)
    var run = VirtualRun(definition)
    for event in ["x", "y", "z"] { run.send(event) }
    let encoder = ValueEncoder()
    try encoder.encode(run.machine)
    let bytes = encoder.bytes
    var generator = Generator(salt: part)
    var (refused, ran) = (0, 0)
    for _ in 0..<Thorough.rounds(1_500) {
      var damaged = bytes
      for _ in 0...generator.draw(in: 0...1) {
        damaged[generator.draw(in: 0...(bytes.count - 1))] = UInt8(generator.draw(in: 0...255))
      }
      guard let machine = try? damaged.withUnsafeBytes({ try ValueDecoder($0).decode(RunningChart.self) }),
        machine.damage(for: definition) == nil
      else {
        refused += 1
        continue
      }
      ran += 1
      let interpreter = Interpreter(definition)
      var copy = machine
      for event in ["x", "y", "z", "tick"] {
        let input = ChartInput.event(definition.event(named: event))
        _ = interpreter.step(&copy, input, now: .beginning, generator: &generator)
        if let timer = copy.timers.first {
          _ = interpreter.step(&copy, .timer(timer), now: .beginning, generator: &generator)
        }
        _ = definition.word(of: copy)
      }
    }
    expect(refused > Thorough.rounds(100) && ran > 0)
  }
}
