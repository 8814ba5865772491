public import StateMachines

/// Machines with one clock, one agenda and one journal, for programs and tests.
///
/// ```swift
/// let world = World(seed: 7)
/// let hall = try world.make(Lamp.self, named: "hall")
/// try world.send(.pressed, to: hall)
/// world.advance(by: .seconds(60))
/// #expect(world[hall].state == .dark)
/// ```
///
/// Time is virtual: it begins at zero and passes only in ``advance(by:)`` and ``advance(to:)``, which fire each timer at its
/// own due time. The same calls with the same seed always have the same outcome.
///
/// A step runs to completion before a call returns: the event, the outputs that reach other machines through wires, and
/// timers without delay. What a limit stops is reported as ``livelock``.
///
/// A world is not `Sendable`; use it from one task or actor at a time. To run one machine by a real clock, there is
/// `LiveMachine`.
public final class World {
  var core: WorldCore
  /// The kinds of the machine types that were used here.
  private var kinds: [ObjectIdentifier: Kind] = [:]
  /// By the number of a machine: the input that made it. Numbers are used again, inputs are not.
  private var origins: ContiguousArray<UInt64> = []
  /// What the last call that changed the world was stopped by; `nil` if it was not.
  public private(set) var livelock: Livelock?

  /// An empty world at time zero.
  ///
  /// - Parameter seed: What ``StateMachines/Step/draw(in:)`` draws from.
  public init(seed: UInt64 = 0) {
    core = WorldCore(seed: seed)
  }

  private init(_ core: consuming WorldCore) {
    self.core = core
  }

  // MARK: Machines

  /// Makes a machine.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 letters, digits, `_`, `-` and `.`, a letter first, which no machine has.
  ///   - kind: What to make, where one type has several kinds; otherwise the type's own.
  ///   - state: The state to begin in; `nil` for that of a new value.
  ///   - configure: Changes the parameters, which are the defaults.
  /// - Throws: ``Failure/nameTaken(_:)``, ``Failure/badName(_:)``, ``Failure/notAdmitted(_:found:allowed:)``,
  ///   ``Failure/conflict(parameter:allowed:)``, ``Failure/notListed(_:kind:listed:)`` or ``Failure/full``. Nothing is made
  ///   then.
  public func make<M: Machine>(
    _ machine: M.Type, named name: String, kind: Kind? = nil, in state: M.State.Name? = nil,
    configure: (inout M.Parameters) -> Void = { _ in }
  ) throws(Failure) -> Handle<M> {
    guard World.isName(name) else { throw .badName(name) }
    let kind = kind ?? self.kind(of: machine)
    var parameters = M.Parameters()
    configure(&parameters)
    guard let values = kind.written(parameters, of: machine) else {
      throw .notListed("a parameter that was changed", kind: kind.name, listed: kind.parameters.map(\.name))
    }
    for (place, value) in values where !kind.parameters[place].type.admits(value) {
      throw .notAdmitted(
        "\(kind.name).\(kind.parameters[place].name)", found: value.text, allowed: kind.parameters[place].type.text)
    }
    if let state, kind.initialState(named: state.word) != state.index {
      throw .notAdmitted("the first state of \(kind.name)", found: state.word, allowed: kind.initialStates.listed)
    }
    begin()
    var bytes = name
    let made = bytes.withUTF8 { bytes in
      Result { () throws(WorldCore.CreationFailure) in
        try core.create(kind, named: UnsafeRawBufferPointer(bytes), initial: state?.index, parameters: values)
      }
    }
    switch made {
    case .failure(.nameTaken): throw .nameTaken(name)
    case .failure(.full): throw .full
    case .failure(.conflict(let conflict)): throw .conflict(parameter: conflict.parameter, allowed: conflict.allowed)
    case .success(let machine):
      while origins.count <= machine.index { origins.append(0) }
      origins[machine.index] = core.answer.sequence
      end()
      return Handle(name: name, machine: machine, origin: core.answer.sequence)
    }
  }

  /// Removes a machine with its timers and wires. Its journal stays.
  ///
  /// - Throws: ``Failure/gone(_:machines:)``.
  public func drop<M>(_ machine: Handle<M>) throws(Failure) {
    try check(machine)
    begin()
    core.drop(machine.machine)
    end()
  }

  /// The machine's value: its state, and data beside that.
  ///
  /// - Precondition: The machine is there: see ``contains(_:)``.
  public subscript<M: Machine>(machine: Handle<M>) -> M {
    precondition(contains(machine), "\(machine.name) is not in this world")
    // Safety: it was just found to be a living machine of this type.
    let value = core.population.value(at: core.registry.location(of: machine.machine))
    return value.assumingMemoryBound(to: M.self).pointee
  }

  /// Whether a machine is there: it was made here, or in the world that this one is a fork of, and not dropped or undone.
  public func contains<M>(_ machine: Handle<M>) -> Bool {
    isKnown(machine) && core.isAlive(machine.machine)
  }

  /// The machine of a name; `nil` if there is none, or it is of another type.
  public func machine<M: Machine>(named name: String, as type: M.Type) -> Handle<M>? {
    var bytes = name
    guard let machine = bytes.withUTF8({ core.find(UnsafeRawBufferPointer($0)) }) else { return nil }
    let handle = Handle<M>(name: name, machine: machine, origin: origins[machine.index])
    return isKnown(handle) ? handle : nil
  }

  /// The names of all machines, in the order of their bytes.
  ///
  /// - Complexity: O(machines), and more after machines have come.
  public var machines: [String] { core.machines(matching: .all).map { core.name(of: $0) } }

  /// What can be read of a machine now, by the names that its kind gives: a temperature, say, which follows from state and
  /// time.
  ///
  /// - Throws: ``Failure/gone(_:machines:)``.
  public func readings<M>(of machine: Handle<M>) throws(Failure) -> [String: Value] {
    try check(machine)
    let entries = core.kind(of: machine.machine).readings
    let values = zip(entries, core.readings(of: machine.machine))
    return Dictionary(uniqueKeysWithValues: values.compactMap { entry, value in value.map { (entry.name, $0) } })
  }

  // MARK: Events

  /// Sends an event to a machine, and returns when all that follows from it at this moment is done.
  ///
  /// An event that the machine refuses is no error: the outcome's verdict is `.refused`, and it says why.
  ///
  /// - Returns: What came of the event itself; what followed from it stands in the journal.
  /// - Throws: ``Failure/gone(_:machines:)``; ``Failure/notListed(_:kind:listed:)`` for an event that nobody can send,
  ///   because only a timer brings it; ``Failure/notAdmitted(_:found:allowed:)``.
  @discardableResult
  public func send<M: Machine>(_ event: M.Event, to machine: Handle<M>) throws(Failure) -> Outcome<M> {
    try check(machine)
    let kind = core.kind(of: machine.machine)
    guard let (place, arguments) = kind.written(event, of: M.self) else {
      throw .notListed("\(event)", kind: kind.name, listed: kind.events.map(\.name))
    }
    for (argument, value) in zip(arguments.isEmpty ? [] : kind.events[place].arguments, arguments)
    where !argument.type.admits(value) {
      throw .notAdmitted("\(kind.name).\(kind.events[place].name)", found: value.text, allowed: argument.type.text)
    }
    begin()
    let answer = take(of: machine.machine) {
      if arguments.isEmpty {
        core.send(machine.machine, plain: place)
      } else {
        core.send(machine.machine, event: place, arguments)
      }
    }
    return Outcome(answer: answer)
  }

  /// Lets a running timer expire now, before it is due. One that does not run is refused.
  ///
  /// - Parameters:
  ///   - timer: Its name, as in ``agenda``.
  ///   - key: Which one of several of this name; 0 where there is one.
  /// - Throws: ``Failure/gone(_:machines:)``; ``Failure/notListed(_:kind:listed:)`` if the kind has no such timer.
  @discardableResult
  public func fire<M: Machine>(_ timer: String, key: Int = 0, of machine: Handle<M>) throws(Failure) -> Outcome<M> {
    try check(machine)
    let kind = core.kind(of: machine.machine)
    guard let place = kind.timers.firstIndex(where: { $0.name == timer }) else {
      throw .notListed("the timer \(timer)", kind: kind.name, listed: kind.timers.map(\.name))
    }
    begin()
    return Outcome(
      answer: take(of: machine.machine) { core.fire(machine.machine, timer: place, key: UInt32(clamping: key)) })
  }

  // MARK: Time

  /// The time since the world began.
  public var now: Duration { Duration.nanoseconds(core.now.nanoseconds) }

  /// Lets time pass, firing each timer that is due on the way at its own due time.
  ///
  /// - Returns: What kept time from passing: a chain of timers or outputs without an end. `nil` normally.
  /// - Precondition: `duration` is not negative. World time ends after 100,000 days; it goes no further than that.
  /// - Complexity: O(timers that fire), however much time passes.
  @discardableResult
  public func advance(by duration: Duration) -> Livelock? { advance(to: now + duration) }

  /// Lets time pass up to a moment, counted from the beginning of the world; see ``advance(by:)``.
  ///
  /// - Precondition: The moment is not before ``now``; to go back, there is ``undo(_:)``.
  @discardableResult
  public func advance(to moment: Duration) -> Livelock? {
    precondition(moment >= now, "time does not go back: it is \(now), and \(moment) was asked for")
    let last = Duration.nanoseconds(Instant.end.nanoseconds)
    let target = moment < last ? Instant.beginning + moment : Instant.end
    livelock = nil
    var budget = Int.max
    // A chain of deliveries that is stopped lets time pass; one of timers does not.
    while core.advance(to: target, budget: &budget) == .livelocked, !core.isStalled {
      livelock = core.takeLivelock().map(describe)
    }
    end(keeping: livelock)
    return livelock
  }

  /// The timers that run, in the order in which they will fire.
  ///
  /// - Complexity: O(*n* log *n*) in their number.
  public var agenda: [Timer] {
    core.agendaItems(matching: .all, limit: .max).map { item in
      Timer(
        machine: core.name(of: item.machine), name: core.kind(of: item.machine).timers[item.timer].name,
        key: Int(item.key), due: Duration.nanoseconds(item.due.nanoseconds))
    }
  }

  // MARK: Wires

  /// Lets an output of one machine be an event of another, from now on.
  ///
  /// - Throws: ``Failure/gone(_:machines:)``, ``Failure/wireExists``, ``Failure/full``;
  ///   ``Failure/notListed(_:kind:listed:)`` and ``Failure/doesNotFit(_:)`` where the output's data are not the event's.
  public func wire<M: Machine, N: Machine>(
    _ output: M.Output.Name, of source: Handle<M>, to event: N.Event, of target: Handle<N>
  ) throws(Failure) {
    try wire(try route(output, source, event, target))
  }

  /// The same for an event with data, which are those of the output: `to: Printer.Event.print`.
  public func wire<M: Machine, N: Machine, each A: ValueConvertible>(
    _ output: M.Output.Name, of source: Handle<M>, to event: (repeat each A) -> N.Event, of target: Handle<N>
  ) throws(Failure) {
    try wire(try route(output, source, event, target))
  }

  /// Takes a wire away.
  ///
  /// - Throws: ``Failure/gone(_:machines:)``, ``Failure/wireMissing``, ``Failure/notListed(_:kind:listed:)``.
  public func unwire<M: Machine, N: Machine>(
    _ output: M.Output.Name, of source: Handle<M>, to event: N.Event, of target: Handle<N>
  ) throws(Failure) {
    try unwire(try route(output, source, event, target))
  }

  /// The same for an event with data.
  public func unwire<M: Machine, N: Machine, each A: ValueConvertible>(
    _ output: M.Output.Name, of source: Handle<M>, to event: (repeat each A) -> N.Event, of target: Handle<N>
  ) throws(Failure) {
    try unwire(try route(output, source, event, target))
  }

  // MARK: Other pasts, other futures

  /// A world that is the same now and goes its own way from here, with the whole journal. Handles of this world's machines
  /// are good there, too.
  ///
  /// - Complexity: O(machines + timers); what the journal holds is shared.
  public func fork() -> World {
    let fork = World(core.fork())
    fork.kinds = kinds
    fork.origins = origins
    return fork
  }

  /// Takes back the last calls that changed machines, wires or timers, with all that followed from them, time included.
  ///
  /// A machine that was dropped is there again under its handle, and one that was made is gone.
  ///
  /// - Throws: ``Failure/onlySoMany(_:)``; ``Failure/forgotten`` if the journal has forgotten what it takes;
  ///   ``Failure/diverged(_:)`` if a machine does something else when its inputs are repeated. Nothing has changed then.
  /// - Complexity: O(machines), and at most some ten thousand inputs that are played again.
  public func undo(_ calls: Int = 1) throws(Failure) {
    precondition(calls > 0, "at least one call is undone")
    core.fireDue()
    let rewinding = Rewinding(of: core, to: .requests(calls))
    do throws(Rewinding.Failure) {
      while !rewinding.hasArrived { try rewinding.advance(through: core, by: 65_536) }
    } catch {
      switch error {
      case .onlySoMany(let count): throw .onlySoMany(count)
      case .forgotten: throw .forgotten
      case .diverged(let sequence): throw .diverged(name(atInput: sequence))
      }
    }
    core.rewind(rewinding)
    end()
  }

  // MARK: Inner works

  /// The kind that machines of a type have here.
  private func kind<M: Machine>(of machine: M.Type) -> Kind {
    if let known = kinds[ObjectIdentifier(machine)] { return known }
    let own = M.kind
    let kind = own.isDerived ? Kind(remembering: machine) : own
    kinds[ObjectIdentifier(machine)] = kind
    return kind
  }

  /// Whether a handle's machine was made here and is of its type, whether or not it is still there.
  func isKnown<M>(_ machine: Handle<M>) -> Bool {
    let number = machine.machine.index
    return number < origins.count && origins[number] == machine.origin && core.registry.isKnown(machine.machine)
      && core.kind(of: machine.machine).machine == M.self
  }

  @inline(__always)
  func check<M>(_ machine: Handle<M>) throws(Failure) {
    if !contains(machine) { throw .gone(machine.name, machines: core.someNames(20)) }
  }

  /// What every call begins with that brings an input.
  private func begin() {
    livelock = nil
    core.fireDue()
  }

  /// What every call ends with that has changed the world.
  func end(keeping earlier: Livelock? = nil) {
    livelock = core.takeLivelock().map(describe) ?? earlier
    core.keepCheckpointIfDue()
  }

  /// Lets the world take an input, and reads what came of it from the journal.
  ///
  /// Nothing here is generic: what has to find its types at run time costs many times the step.
  private func take(of machine: MachineID, _ input: () -> Void) -> Answer {
    var reader = core.journal.reader(from: core.journal.last + 1)
    core.record.keepsOutputs = true
    input()
    core.record.keepsOutputs = false
    var answer = Answer(
      number: core.answer.sequence, verdict: core.answer.verdict, from: Int(core.answer.from), to: Int(core.answer.to))
    if core.answer.hasDetails {
      answer.reason = core.answerDetails.reason
      answer.outputs = core.answerDetails.typedOutputs
      core.answerDetails.typedOutputs = []
    }
    if let entry = core.journal.read(&reader), entry.hasDetails {
      let facts = Facts(core.details(of: entry), entry)
      answer.data = facts.data
      if !facts.timers.isEmpty { answer.timers = timers(of: facts, core.kind(of: machine)) }
    }
    end()
    return answer
  }

  private func wire(_ wire: Wire) throws(Failure) {
    begin()
    do throws(WorldCore.WireFailure) {
      try core.wire(wire)
    } catch {
      throw error == .exists ? .wireExists : .full
    }
    end()
  }

  private func unwire(_ wire: Wire) throws(Failure) {
    begin()
    do throws(WorldCore.WireFailure) {
      try core.unwire(wire)
    } catch {
      throw .wireMissing
    }
    end()
  }

  private func route<M: Machine, N: Machine>(
    _ output: M.Output.Name, _ source: Handle<M>, _ event: N.Event, _ target: Handle<N>
  ) throws(Failure) -> Wire {
    try check(source)
    try check(target)
    let kind = core.kind(of: target.machine)
    guard let written = kind.written(event, of: N.self), written.arguments.isEmpty else {
      throw .notListed("\(event), for a wire that brings no data", kind: kind.name, listed: kind.events.map(\.name))
    }
    return try route(output, source, written.event, target)
  }

  private func route<M: Machine, N: Machine, each A: ValueConvertible>(
    _ output: M.Output.Name, _ source: Handle<M>, _ event: (repeat each A) -> N.Event, _ target: Handle<N>
  ) throws(Failure) -> Wire {
    try check(source)
    try check(target)
    let kind = core.kind(of: target.machine)
    // The event is the one that its form makes of the same samples.
    for (place, entry) in kind.events.enumerated() where !entry.arguments.isEmpty {
      var samples = entry.arguments.compactMap(\.samples.first)[...]
      let taken = samples.count
      var fits = taken == entry.arguments.count
      func next<T: ValueConvertible>(_: T.Type) -> T? { samples.popFirst().flatMap { T($0) } }
      let arguments = (repeat next((each A).self))
      var count = 0
      for argument in repeat each arguments {
        count += 1
        if argument == nil { fits = false }
      }
      guard fits, count == taken else { continue }
      let made = event(repeat (each arguments).unsafelyUnwrapped)
      if kind.event(place, entry.arguments.compactMap(\.samples.first), of: N.self) == made {
        return try route(output, source, place, target)
      }
    }
    throw .notListed("an event with such data", kind: kind.name, listed: kind.events.map(\.name))
  }

  private func route<M: Machine, N: Machine>(
    _ output: M.Output.Name, _ source: Handle<M>, _ event: Int, _ target: Handle<N>
  ) throws(Failure) -> Wire {
    let said = core.kind(of: source.machine).outputs[output.index]
    let heard = core.kind(of: target.machine).events[event]
    let least = heard.arguments.reduce(0) { if case .optional = $1.type { $0 } else { $0 + 1 } }
    if !core.kind(of: source.machine).isDerived, !(least...heard.arguments.count).contains(said.data.count) {
      throw .doesNotFit(
        "\(said.name) of \(source.name) has \(said.data.count) data, and \(heard.name) of \(target.name) takes "
          + (least == heard.arguments.count ? "\(least)" : "\(least) to \(heard.arguments.count)"))
    }
    return Wire(from: source.machine, output: output.index, to: target.machine, event: event)
  }

  private static func isName(_ name: String) -> Bool {
    let letters = name.utf8.prefix(65)
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    return (1...64).contains(letters.count) && isLetter(letters.first ?? 0)
      && letters.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || [0x5F, 0x2D, 0x2E].contains($0) }
  }
}
