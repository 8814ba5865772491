import MachineForms
import StateMachines
import TestSupport
import Testing

struct SchemaTests {
  private enum Number: NamedCases { case one, two, three }
  private enum Operation: NamedCases { case increment, decrement, again }

  /// What the blocks work on.
  private final class Log {
    var lines: [String] = []
    var block: () -> Void = {}
  }

  private typealias Counter = SchemaMachine<Number, Operation, Log>

  private static let schema = Schema<Number, Operation, Log>(initial: .one) { number, operation in
    let said: @Sendable (Log) -> Void = { log in
      log.lines.append("block of \(operation)")
      log.block()
      log.lines.append("end of \(operation)")
    }
    switch (number, operation) {
    case (.one, .increment): return .to(.two, said)
    case (.two, .increment): return .to(.three)
    case (.three, .decrement): return .to(.two)
    case (.two, .decrement): return .to(.one, said)
    case (.one, .again), (.two, .again), (.three, .again): return .to(number, said)
    case (.one, .decrement), (.three, .increment): return nil
    }
  }

  private func counter(for log: Log) -> Counter {
    let machine = SchemaMachine(Self.schema, subject: log)
    machine.didTransition = { [unowned log] old, event, new in log.lines.append("\(old) \(event) \(new)") }
    return machine
  }

  @Test("up to three and no further")
  func trace() {
    let log = Log()
    let machine = counter(for: log)
    expectEqual(machine.state, .one)
    machine.handle(.decrement)
    expect(log.lines.isEmpty)
    machine.handle(.increment)
    expectEqual(log.lines, ["block of increment", "end of increment", "one increment two"])
    machine.handle(.increment)
    machine.handle(.increment)
    expectEqual(machine.state, .three)
    expectEqual(log.lines.dropFirst(3), ["two increment three"])
  }

  @Test("the state has changed when the block runs")
  func order() {
    let log = Log()
    let machine = counter(for: log)
    log.block = { [unowned log, unowned machine] in log.lines.append("in \(machine.state)") }
    machine.handle(.increment)
    expectEqual(log.lines, ["block of increment", "in two", "end of increment", "one increment two"])
  }

  @Test("the same state again is a transition, with its block and the callback")
  func again() {
    let log = Log()
    let machine = counter(for: log)
    machine.handle(.again)
    expectEqual(log.lines, ["block of again", "end of again", "one again one"])
  }

  @Test("no subject, no transition")
  func gone() {
    var log: Log? = Log()
    let machine = SchemaMachine(Self.schema, subject: log ?? Log())
    var calls = 0
    machine.didTransition = { _, _, _ in calls += 1 }
    machine.handle(.increment)
    expectEqual(machine.state, .two)
    log?.lines = []
    log = nil
    machine.handle(.increment)
    expectEqual(machine.state, .two)
    expectEqual(calls, 1)
  }

  @Test("an event from within a block is handled at once, and its callback comes first")
  func nested() {
    let log = Log()
    let machine = counter(for: log)
    log.block = { [unowned log, unowned machine] in
      log.block = {}
      machine.handle(.increment)
    }
    machine.handle(.increment)
    expectEqual(machine.state, .three)
    expectEqual(log.lines, ["block of increment", "two increment three", "end of increment", "one increment two"])
  }

  @Test("a value can be the subject; it is kept, as nothing else keeps it")
  func values() {
    let schema = Schema<Number, Operation, String>(initial: .one) { _, _ in .to(.two) }
    let machine = SchemaMachine(schema, subject: "a value")
    machine.handle(.increment)
    expectEqual(machine.state, .two)
  }

  @Test("machines share a schema and nothing else")
  func shared() {
    let (first, second) = (Log(), Log())
    let machines = [counter(for: first), counter(for: second)]
    machines[0].handle(.increment)
    expectEqual(machines.map(\.state), [.two, .one])
    expect(second.lines.isEmpty)
  }

  @Test("what a diagram needs: states, events, and every transition, to the same state too")
  func graph() {
    expectEqual(Self.schema.states.map(\.word), ["one", "two", "three"])
    expectEqual(Self.schema.events.map(\.word), ["increment", "decrement", "again"])
    expectEqual(
      Self.schema.edges.map { "\($0.from) \($0.event) \($0.to)" },
      [
        "one increment two", "one again one",
        "two increment three", "two decrement one", "two again two",
        "three decrement two", "three again three",
      ])
  }

  @Test("the levels of the documentation")
  func example() {
    let pressed = pressLevels()
    expectEqual(pressed.transitions, ["low up high", "high down low"])
    expectEqual(pressed.brightness, 2)
  }
}
