import Simulator
public import StateMachines
public import Testing

/// Machines under test: a world of their own, and its journal as lines.
///
/// ```swift
/// Bench(Lamp.kind).play(
///   """
///   pressed     | → lit + burn 60s
///   advance 59s |
///   advance 1s  | burn → dark
///   """)
/// ```
///
/// ``play(_:fileID:filePath:line:column:)`` compares everything that happens with what its rows say. A ``Table`` does so
/// for each pair of state and input. Both are written in the words of a kind, as they are typed at the prompt: events,
/// states, timers and parameters. To test with values of the machine's types, use `World`.
///
/// Time is virtual and passes only when the test says so. A bench is not `Sendable`: each test makes its own.
public final class Bench {
  private var world: WorldCore
  private var machines: [(name: String, machine: MachineID)] = []
  private var reader: JournalReader
  private var linesRead: [String] = []

  /// Makes an empty bench.
  ///
  /// - Parameter seed: The seed of `Step.draw(in:)`.
  public init(seed: UInt64 = 0) {
    world = WorldCore(seed: seed)
    world.keepsReasons = true
    reader = world.journalReader(from: 1)
  }

  /// Makes a bench with one machine, named `m`; see ``add(_:_:initial:_:sourceLocation:)``.
  public convenience init(
    _ kind: Kind, initial: String? = nil, _ parameters: [String: Value] = [:], seed: UInt64 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    self.init(seed: seed)
    add(kind, "m", initial: initial, parameters, sourceLocation: sourceLocation)
  }

  // MARK: Machines

  /// Makes a machine.
  ///
  /// What contradicts the kind is an issue at `sourceLocation`, and the machine is not made.
  ///
  /// - Parameters:
  ///   - kind: The kind of the machine.
  ///   - name: 1 to 64 letters, digits, `_`, `-` and `.`.
  ///   - initial: One of the kind's initial states; `nil` for its own.
  ///   - parameters: Values by their names. A required parameter that is not given has the value of its example.
  ///   - sourceLocation: The place of the issue.
  public func add(
    _ kind: Kind, _ name: String, initial: String? = nil, _ parameters: [String: Value] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let state = initial.flatMap { kind.initialState(named: $0) }
    if let initial, state == nil {
      return report(
        "\(kind.name) does not start in \(initial), but in \(kind.initialStates.joined(separator: ", "))",
        sourceLocation)
    }
    guard let values = values(of: parameters, kind, sourceLocation) else { return }
    do {
      let machine = try Array(name.utf8).withUnsafeBytes {
        try world.create(kind, named: $0, initial: state, parameters: values)
      }
      machines.append((name, machine))
    } catch {
      report("\(name) cannot be made: \(error)", sourceLocation)
    }
  }

  /// Makes the machines of a composition, named `NAME.MEMBER`, and its wires.
  ///
  /// - Parameter parameters: Parameters by their names, by the names of the members.
  public func add(
    _ composition: Composition, _ name: String, _ parameters: [String: [String: Value]] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var given: [[(parameter: Int, value: Value)]] = []
    for member in composition.members {
      let preset = Set(member.presets.map(\.parameter))
      guard let values = values(of: parameters[member.name] ?? [:], member.kind, without: preset, sourceLocation) else {
        return
      }
      given.append(values)
    }
    do {
      try world.create(composition, named: name, parameters: given)
    } catch {
      return report("\(name) cannot be made: \(error)", sourceLocation)
    }
    for member in composition.members {
      let name = "\(name).\(member.name)"
      if let machine = Array(name.utf8).withUnsafeBytes({ world.find($0) }) { machines.append((name, machine)) }
    }
  }

  /// Removes the wires of these outputs, and returns how many they are.
  package func unwire(_ outputs: [String]) -> Int {
    let wires = world.allWires().filter { outputs.contains(world.kind(of: $0.from).outputs[$0.output].name) }
    for wire in wires {
      do {
        try world.unwire(wire)
      } catch {
        preconditionFailure("a wire that the world lists exists: \(error)")
      }
    }
    return wires.count
  }

  private func values(
    of parameters: [String: Value], _ kind: Kind, without preset: Set<Int> = [], _ sourceLocation: SourceLocation
  ) -> [(parameter: Int, value: Value)]? {
    var values: [(parameter: Int, value: Value)] = []
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
      guard let place = kind.parameters.firstIndex(where: { $0.name == name }) else {
        let known = kind.parameters.map(\.name).joined(separator: ", ")
        report("\(kind.name) has no parameter \(name), but \(known.isEmpty ? "none" : known)", sourceLocation)
        return nil
      }
      guard kind.parameters[place].type.admits(value) else {
        report("\(name) of \(kind.name) cannot be \(value.printed)", sourceLocation)
        return nil
      }
      values.append((place, value))
    }
    for (place, parameter) in kind.parameters.enumerated()
    where parameter.standard == nil && parameters[parameter.name] == nil && !preset.contains(place) {
      values.append((place, parameter.example))
    }
    return values
  }

  private func report(_ text: String, _ sourceLocation: SourceLocation) {
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
  }

  /// The names of the machines, in the order of their making.
  package var names: [String] { machines.map(\.name) }

  func find(_ name: String) -> MachineID? { machines.first { $0.name == name }?.machine }

  private func machine(_ name: String) -> MachineID {
    guard let machine = find(name) else {
      preconditionFailure("there is no machine \(name) on the bench, but \(names.joined(separator: ", "))")
    }
    return machine
  }

  // MARK: Inputs

  /// Sends an event, fires timers without delay, and returns the event's line without its time and machine.
  @discardableResult
  package func send(_ event: String, _ arguments: Value..., to name: String = "m") -> String {
    send(event, arguments, to: name)
  }

  @discardableResult
  package func send(_ event: String, _ arguments: [Value], to name: String = "m") -> String {
    let machine = machine(name)
    guard let place = kind(of: name).events.firstIndex(where: { $0.name == event }) else {
      preconditionFailure("\(name) knows no \(event)")
    }
    return outcome(of: name) { world.send(machine, event: place, arguments) }
  }

  /// Fires a running timer (`name`, or `name(key)`) now, fires timers without delay, and returns the line as `send`
  /// does.
  @discardableResult
  package func fire(_ timer: String, of name: String = "m") -> String {
    let machine = machine(name)
    let kind = kind(of: name)
    let running = world.runningTimers(of: machine).first { word($0.timer, $0.key, kind) == timer }
    guard let running else { preconditionFailure("\(timer) of \(name) does not run") }
    return outcome(of: name) { world.fire(machine, timer: running.timer, key: running.key) }
  }

  private func outcome(of name: String, _ input: () -> Void) -> String {
    let line = lines.count
    input()
    advance(to: now)
    return String(lines[line].drop { $0 != " " }.dropFirst(name.count + 2))
  }

  /// Fires every timer that is due by `moment`, each at its own due time.
  package func advance(to moment: Instant) {
    precondition(moment >= now, "time does not run backwards")
    var budget = Int.max
    // A chain of deliveries that was stopped does not stop time; a chain of timers does.
    while world.advance(to: moment, budget: &budget) == .livelocked, !world.isStalled {}
  }

  package func advance(_ interval: Nanoseconds) { advance(to: now + interval) }

  /// Lets time pass to the next expiry, and only this timer expire.
  package func expireNext() { _ = world.fireNext() }

  // MARK: Reading

  /// The state of a machine in one word, with its data in parentheses.
  public func state(_ name: String = "m") -> String {
    world.stateData(of: machine(name)).map { "\(word(name))(\($0))" } ?? word(name)
  }

  /// The state without its data.
  package func word(_ name: String = "m") -> String {
    kind(of: name).states[world.stateIndex(of: machine(name))].word
  }

  /// A reading of a machine now; `nil` if it has none in its state.
  ///
  /// - Precondition: The kind has a reading of this name.
  public func reading(_ reading: String, of name: String = "m") -> Value? {
    guard let place = kind(of: name).readings.firstIndex(where: { $0.name == reading }) else {
      preconditionFailure("\(name) has no \(reading)")
    }
    return world.readings(of: machine(name))[place]
  }

  /// The running timers and their due times.
  package func timers(of name: String = "m") -> [String: Instant] {
    let kind = kind(of: name)
    return Dictionary(world.runningTimers(of: machine(name)).map { (word($0.timer, $0.key, kind), $0.due) }) {
      first, _ in first
    }
  }

  package func kind(of name: String = "m") -> Kind { world.kind(of: machine(name)) }

  package var now: Instant { world.now }

  /// The moment of the next expiry.
  package var nextDue: Instant? { world.nextDue() }

  /// The events that are not refused now.
  package func possibleEvents(of name: String = "m") -> [String] {
    world.possibleEvents(of: machine(name)).map { kind(of: name).events[$0].name }
  }

  /// The rules of the world that do not hold: none, unless the world has a defect.
  package var violations: [String] { world.checkInvariants() }

  /// One line per input, such as `0.200 key moved on capsLock event=tap`, with ` > output` for each output.
  package var lines: [String] {
    while let entry = world.read(&reader) {
      guard let happening = Happening(entry, in: world) else { continue }
      linesRead.append(happening.line)
      if !happening.isSound { Issue.record("\(happening.line) has effects") }
    }
    return linesRead
  }

  /// What an input does, by the words of the row that says it.
  func happenings(after input: () -> Void) -> [Happening] {
    happenings(from: world.lastSequence + 1) {
      input()
      advance(to: now)
    }
  }

  /// What has happened since the first machine was made.
  func happeningsOfCreation() -> [Happening] { happenings(from: 1) { advance(to: now) } }

  private func happenings(from sequence: UInt64, _ action: () -> Void) -> [Happening] {
    action()
    var reader = world.journalReader(from: sequence)
    var happenings: [Happening] = []
    while let entry = world.read(&reader) {
      if let happening = Happening(entry, in: world) { happenings.append(happening) }
    }
    return happenings
  }

  func send(_ event: Int, _ arguments: [Value], to machine: MachineID) {
    world.send(machine, event: event, arguments)
  }

  func fire(_ timer: Int, key: UInt32, of machine: MachineID) { world.fire(machine, timer: timer, key: key) }

  var isStalled: Bool { world.isStalled }

  func word(_ timer: Int, _ key: UInt32, _ kind: Kind) -> String {
    kind.timers[timer].key == nil ? kind.timers[timer].name : "\(kind.timers[timer].name)(\(key))"
  }
}
