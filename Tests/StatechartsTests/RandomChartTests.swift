import StateMachines
import TestSupport
import Testing

@testable import Statecharts

/// Hundreds of charts made by chance, each walked through by chance: the interpreter and the second reading of the
/// algorithm have the same states, the same logs in the same order and the same data.
@Suite("Charts made by chance")
struct RandomChartTests {
  static func findings(seed: UInt64) throws -> (steps: Int, difference: String?) {
    let chart = RandomChart(seed: seed)
    let definition = try Definition.of(chart.document)
    var generator = Generator(salt: seed ^ 0x5EED)
    var reading = SecondReading(chart)
    var run = VirtualRun(definition)
    var steps = 0
    for step in 0..<40 {
      if reading.isGivenUp { return (steps, nil) }
      let logs = run.told.map { effect in
        if case .log(let label, _) = effect { label } else { "\(effect)" }
      }
      let states = Set(run.machine.configuration)
      if states != reading.configuration || logs != reading.logs {
        let places = states.sorted().map { chart.states[$0].id }
        let expected = reading.configuration.sorted().map { chart.states[$0].id }
        return (
          steps,
          "step \(step): \(places), expected \(expected); logs \(logs.suffix(9)), expected \(reading.logs.suffix(9))"
        )
      }
      let slot = definition.charts[0].chart.symbols.known("n") ?? 0
      if run.machine.root.variables[slot] != .number(Double(reading.count)) {
        return (steps, "step \(step): other data")
      }
      if (run.machine.final == nil) != reading.isRunning { return (steps, "step \(step): other end") }
      if let damage = run.machine.damage(for: definition) { return (steps, "step \(step): \(damage)") }
      let copy = try run.machine.storedAndRead()
      if copy != run.machine || copy.hashValue != run.machine.hashValue {
        return (steps, "step \(step): stored otherwise")
      }
      let event = RandomChart.events[generator.draw(in: 0...3)]
      reading.send(event)
      run.send(event)
      steps += 1
    }
    return (steps, nil)
  }

  @Test(
    "that have nothing but states and transitions make the same steps out of a table",
    arguments: Thorough.rounds(0..<100))
  func plain(seed: UInt64) throws {
    var generator = Generator(salt: seed)
    let count = 2 + generator.draw(in: 0...20)
    var open: [Int] = []
    var text = WithstandTests.head
    for state in 0..<count {
      while !open.isEmpty, generator.draw(in: 0...2) == 0 {
        text += "</state>"
        open.removeLast()
      }
      text += "<state id='s\(state)'>"
      open.append(state)
      for _ in 0..<generator.draw(in: 0...2) {
        let event = ["a", "b", "a.x", "*", "c"][generator.draw(in: 0...4)]
        let target = ["", " target='s\(generator.draw(in: 0...(count - 1)))'"][generator.draw(in: 0...1)]
        let type = ["", " type='internal'"][generator.draw(in: 0...1)]
        text += "<transition event='\(event)'\(target)\(type)/>"
      }
    }
    text += String(repeating: "</state>", count: open.count)
    let plain = try Definition.of(text + "</scxml>")
    // A script is enough to need the whole algorithm.
    let general = try Definition.of(text + "<script>;</script></scxml>")
    expect(plain.plain != nil && general.plain == nil)
    var runs = [VirtualRun(plain), VirtualRun(general)]
    for _ in 0..<50 {
      let event = ["a", "b", "a.x", "a.y", "c", "d"][generator.draw(in: 0...5)]
      let outcomes = runs.indices.map { runs[$0].send(event) }
      expect(outcomes[0] == outcomes[1] && runs[0].word == runs[1].word, "seed \(seed)\n\(text)")
    }
  }

  @Test(
    "whose guards and content are arithmetic make the same steps out of a table", arguments: Thorough.rounds(0..<200))
  func arithmetic(seed: UInt64) throws {
    var generator = Generator(salt: seed)
    func one(of words: [String]) -> String { words[generator.draw(in: 0...(words.count - 1))] }
    // Now and then a truth value where numbers are expected, or a variable without a value.
    func value() -> String {
      one(of: ["n + 1", "m - n", "n * 2 % 7", "n &lt; m", "m ? 1 : n", "!n", "-m", "3", "k", "n == m", "k + 1"])
    }
    func content() -> String {
      (0..<generator.draw(in: 0...2)).map { _ in "<assign location='\(one(of: ["n", "m", "k"]))' expr=\"\(value())\"/>"
      }
      .joined()
    }
    let count = 2 + generator.draw(in: 0...8)
    var open = 0
    var text = WithstandTests.head
    for state in 0..<count {
      while open > 0, generator.draw(in: 0...2) == 0 {
        text += "</state>"
        open -= 1
      }
      text += "<state id='s\(state)'><onentry>\(content())</onentry><onexit>\(content())</onexit>"
      open += 1
      for _ in 0..<generator.draw(in: 0...3) {
        let guards = one(of: ["", " cond=\"\(value())\"", " cond='n &lt; 5'"])
        let target = one(of: ["", " target='s\(generator.draw(in: 0...(count - 1)))'"])
        let type = one(of: ["", " type='internal'"])
        text += "<transition event='\(one(of: ["a", "b", "*"]))'\(guards)\(target)\(type)>\(content())</transition>"
      }
    }
    text += String(repeating: "</state>", count: open)
    text += "<datamodel><data id='n' expr='0'/><data id='m' expr='4'/><data id='k'/></datamodel>"
    let plain = try Definition.of(text + "</scxml>")
    let general = try Definition.of(text + "<script>;</script></scxml>")
    expect(plain.plain != nil && general.plain == nil)
    var runs = [VirtualRun(plain), VirtualRun(general)]
    for _ in 0..<60 {
      let event = one(of: ["a", "b", "c"])
      let outcomes = runs.indices.map { runs[$0].send(event) }
      let difference = "seed \(seed)\n\(text)"
      expect(outcomes[0] == outcomes[1] && runs[0].word == runs[1].word, "\(difference)")
      expectEqual(runs[0].machine.root.variables, runs[1].machine.root.variables, "\(difference)")
    }
  }

  @Test("run as a second reading of the algorithm says", arguments: 0..<4)
  func asTheSecondReading(part: UInt64) throws {
    var steps = 0
    let seeds = Thorough.rounds((part * 100)..<(part * 100 + 100))
    for seed in seeds {
      let (taken, difference) = try Self.findings(seed: seed)
      steps += taken
      if let difference {
        Issue.record("seed \(seed), \(difference)\n\(RandomChart(seed: seed).document)")
        return
      }
    }
    // Walks are not given up early as a rule.
    expect(steps > 5 * seeds.count, "\(steps) steps")
  }
}

extension RunningChart {
  /// The machine after it was written as bytes and read.
  func storedAndRead() throws -> RunningChart {
    let encoder = ValueEncoder()
    try encoder.encode(self)
    return try encoder.bytes.withUnsafeBytes { try ValueDecoder($0).decode(RunningChart.self) }
  }
}
