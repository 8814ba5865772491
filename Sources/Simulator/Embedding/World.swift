public import StateMachines
import Synchronization

/// Machines with a common clock, agenda and journal, for programs and tests.
///
/// ```swift
/// let world = World(seed: 7)
/// let hall = try world.make(Lamp.self, named: "hall")
/// try world.send(.pressed, to: hall)
/// world.advance(by: .seconds(60))
/// #expect(world[hall].state == .dark)
/// ```
///
/// Time is virtual: it begins at zero and passes only in ``advance(by:)`` and ``advance(to:)``, which fire each timer
/// at its own due time. The same calls with the same seed always have the same results.
///
/// A call returns after the step has run to completion: the event, the deliveries of its outputs over wires, and timers
/// without delay. ``livelock`` reports a chain that a limit stopped.
///
/// A world is not `Sendable`; use it from one task or actor at a time. To run one machine on a real clock, use
/// `LiveMachine`.
public final class World {
  var core: WorldCore
  /// The kinds of the machine types used in this world.
  private var kinds: [ObjectIdentifier: Kind] = [:]
  /// For each machine number, the origin of the machine that was made last under it. Machine numbers are reused and the
  /// same in every world, origins are neither.
  private var origins: ContiguousArray<UInt64> = []
  private static let lastOrigin = Atomic<UInt64>(0)
  /// A number that no other world and no machine in this process has.
  let number = World.nextOrigin()
  /// The worlds that this one was forked from, by their numbers, with the journal's last input at the fork.
  private(set) var ancestors: [UInt64: UInt64] = [:]
  /// The chain that a limit stopped during the last call that changed the world; otherwise `nil`.
  public private(set) var livelock: Livelock?

  /// Creates an empty world at time zero.
  ///
  /// - Parameter seed: The seed for `Step.draw(in:)`.
  public init(seed: UInt64 = 0) {
    core = WorldCore(seed: seed)
    core.keepsReasons = true
  }

  private init(_ core: consuming WorldCore) {
    self.core = core
  }

  // MARK: Machines

  /// Makes a machine.
  ///
  /// - Parameters:
  ///   - machine: The type of the machine.
  ///   - name: 1 to 64 letters, digits, `_`, `-` and `.`, starting with a letter. No other machine may have it.
  ///   - kind: The kind, if the type has several; by default the type's own.
  ///   - state: The initial state; `nil` for the state of a new value.
  ///   - configure: Changes the default parameters.
  /// - Throws: ``Failure/nameTaken(_:)``, ``Failure/badName(_:)``, ``Failure/notAdmitted(_:found:allowed:)``,
  ///   ``Failure/conflict(parameter:allowed:)``, ``Failure/notListed(_:kind:listed:)`` or ``Failure/full``. No machine
  ///   is made then.
  /// - Precondition: `kind` is a kind of this machine type.
  public func make<M: Machine>(
    _ machine: M.Type, named name: String, kind: Kind? = nil, in state: M.State.Name? = nil,
    configure: (inout M.Parameters) -> Void = { _ in }
  ) throws(Failure) -> Handle<M> {
    guard World.isName(name) else { throw .badName(name) }
    let kind = kind ?? self.kind(of: machine)
    kind.expect(machine)
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
    case .failure(let failure): throw Failure(failure, name)
    case .success(let machine):
      let origin = makeOrigin(of: machine)
      end()
      return Handle(name: name, machine: machine, origin: origin)
    }
  }

  /// Makes the machines of a composition and its wires, in one call.
  ///
  /// ```swift
  /// try world.make(.phoneCall, named: "p")
  /// let phone = world.machine(named: "p.phone", as: Phone.self)
  /// ```
  ///
  /// - Parameters:
  ///   - composition: The members and their wires.
  ///   - name: The name of each machine is this name, a dot and the member's name.
  ///   - parameters: Parameters of the members, written as `member.parameter`. The others have the composition's
  ///     presets or their defaults.
  /// - Throws: As ``make(_:named:kind:in:configure:)``. Nothing is made then.
  public func make(
    _ composition: Composition, named name: String, parameters: KeyValuePairs<String, any ValueConvertible> = [:]
  ) throws(Failure) {
    for name in [name] + composition.members.map({ "\(name).\($0.name)" }) where !World.isName(name) {
      throw .badName(name)
    }
    let known = composition.members.flatMap { member in member.settable.map { "\(member.name).\($0.entry.name)" } }
    for (key, _) in parameters where !known.contains(key) {
      throw .notListed(key, kind: composition.name, listed: known)
    }
    var values: [[(parameter: Int, value: Value)]] = []
    for member in composition.members {
      var own: [(parameter: Int, value: Value)] = []
      for (place, entry) in member.settable {
        let given = parameters.last { $0.key == "\(member.name).\(entry.name)" }?.value.value
        if given == nil, entry.standard != nil { continue }
        guard let given, entry.type.admits(given) else {
          throw .notAdmitted(
            "\(composition.name).\(member.name).\(entry.name)", found: given?.text ?? "omitted",
            allowed: entry.type.text)
        }
        own.append((place, given))
      }
      values.append(own)
    }
    begin()
    do throws(WorldCore.CreationFailure) {
      try core.create(composition, named: name, parameters: values)
    } catch {
      throw Failure(error, name)
    }
    for machine in core.members(of: name) ?? [] { _ = makeOrigin(of: machine) }
    end()
  }

  /// Removes a machine with its timers and wires. Its journal remains.
  ///
  /// - Throws: ``Failure/gone(_:machines:)``.
  public func drop<M>(_ machine: Handle<M>) throws(Failure) {
    try check(machine)
    begin()
    core.drop(machine.machine)
    end()
  }

  /// The machine's value: its state, and data outside the state.
  ///
  /// - Precondition: The machine exists: see ``contains(_:)``.
  public subscript<M: Machine>(machine: Handle<M>) -> M {
    precondition(contains(machine), "\(machine.name) is not in this world")
    // Safety: the precondition has checked that the machine is alive and of this type.
    let value = core.population.value(at: core.registry.location(of: machine.machine))
    return value.assumingMemoryBound(to: M.self).pointee
  }

  /// Whether a machine exists: it was made in this world or before the fork that made this world, and not dropped or
  /// undone.
  public func contains<M>(_ machine: Handle<M>) -> Bool {
    isKnown(machine) && core.isAlive(machine.machine)
  }

  /// The machine with a name; `nil` if there is none, or if it is of another type.
  public func machine<M: Machine>(named name: String, as type: M.Type) -> Handle<M>? {
    var bytes = name
    guard let machine = bytes.withUTF8({ core.find(UnsafeRawBufferPointer($0)) }) else { return nil }
    let handle = Handle<M>(name: name, machine: machine, origin: origins[machine.index])
    return isKnown(handle) ? handle : nil
  }

  /// The names of all machines, in the order of their bytes.
  ///
  /// - Complexity: O(machines), and more after machines were made.
  public var machines: [String] { core.machines(matching: .all).map { core.name(of: $0) } }

  /// The machine's current readings by their names in the kind. A reading is derived from state and time, for example a
  /// temperature.
  ///
  /// - Throws: ``Failure/gone(_:machines:)``.
  public func readings<M>(of machine: Handle<M>) throws(Failure) -> [String: Value] {
    try check(machine)
    let entries = core.kind(of: machine.machine).readings
    let values = zip(entries, core.readings(of: machine.machine))
    return Dictionary(uniqueKeysWithValues: values.compactMap { entry, value in value.map { (entry.name, $0) } })
  }

  // MARK: Events

  /// Sends an event to a machine, and returns when all its consequences at this moment are done.
  ///
  /// A refusal by the machine is not an error: the outcome has the verdict `.refused` and a reason.
  ///
  /// - Returns: The result of the event itself; its consequences are in the journal.
  /// - Throws: ``Failure/gone(_:machines:)``; ``Failure/ofTimer(_:timer:kind:)`` for an event that only a timer brings;
  ///   ``Failure/notListed(_:kind:listed:)`` for another event that the kind does not list, or whose data its forms
  ///   cannot express; ``Failure/notAdmitted(_:found:allowed:)`` for an argument outside its range. An event of a
  ///   machine type without a kind of its own can always be sent.
  @discardableResult
  public func send<M: Machine>(_ event: M.Event, to machine: Handle<M>) throws(Failure) -> Outcome<M> {
    try check(machine)
    let kind = core.kind(of: machine.machine)
    guard let (place, arguments) = kind.written(event, of: M.self) else {
      throw unlisted("\(event)", caseName(of: event), kind)
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

  /// Lets a running timer expire now, before it is due. If the timer does not run, the outcome is a refusal.
  ///
  /// - Parameters:
  ///   - timer: The timer's name, as in ``agenda``.
  ///   - key: The timer's key; 0 if it has none.
  ///   - machine: The machine whose timer it is.
  /// - Throws: ``Failure/gone(_:machines:)``; ``Failure/notListed(_:kind:listed:)`` if the kind has no such timer;
  ///   ``Failure/notAdmitted(_:found:allowed:)`` for a number that no key can have.
  @discardableResult
  public func fire<M: Machine>(_ timer: String, key: Int = 0, of machine: Handle<M>) throws(Failure) -> Outcome<M> {
    try check(machine)
    let kind = core.kind(of: machine.machine)
    guard let place = kind.timers.firstIndex(where: { $0.name == timer }) else {
      throw .notListed("the timer \(timer)", kind: kind.name, listed: kind.timers.map(\.name))
    }
    guard let key = UInt32(exactly: key) else {
      throw .notAdmitted("the key of \(kind.name).\(timer)", found: "\(key)", allowed: "0 to \(UInt32.max)")
    }
    begin()
    return Outcome(answer: take(of: machine.machine) { core.fire(machine.machine, timer: place, key: key) })
  }

  // MARK: Time

  /// The time since the world began.
  public var now: Duration { Duration.nanoseconds(core.now.nanoseconds) }

  /// Advances time, firing each timer at its own due time.
  ///
  /// - Returns: The chain of timers or outputs that a limit stopped; normally `nil`.
  /// - Precondition: `duration` is not negative. Time stops at the end of world time, after 100,000 days.
  /// - Complexity: O(timers that fire), independent of the duration.
  @discardableResult
  public func advance(by duration: Duration) -> Livelock? { advance(to: now + duration) }

  /// Advances time to a moment, counted from the beginning of the world; see ``advance(by:)``.
  ///
  /// - Precondition: The moment is not before ``now``; to go back, use ``undo(_:)``.
  @discardableResult
  public func advance(to moment: Duration) -> Livelock? {
    precondition(moment >= now, "time does not go back: it is \(now), and \(moment) was asked for")
    let last = Duration.nanoseconds(Instant.end.nanoseconds)
    let target = moment < last ? Instant.beginning + moment : Instant.end
    livelock = nil
    var budget = Int.max
    // After a stopped chain of deliveries, time continues; after a stopped chain of timers, it does not.
    while core.advance(to: target, budget: &budget) == .livelocked, !core.isStalled {
      livelock = core.takeLivelock().map(describe)
    }
    end(keeping: livelock)
    return livelock
  }

  /// The running timers, in the order in which they will fire.
  ///
  /// - Complexity: O(*n* log *n*) in the number of timers.
  public var agenda: [Timer] {
    core.agendaItems(matching: .all, limit: .max).map { item in
      Timer(
        machine: core.name(of: item.machine), name: core.kind(of: item.machine).timers[item.timer].name,
        key: Int(item.key), due: Duration.nanoseconds(item.due.nanoseconds))
    }
  }

  // MARK: Wires

  /// Connects an output of one machine to an event of another.
  ///
  /// - Throws: ``Failure/gone(_:machines:)``, ``Failure/wireExists``, ``Failure/full``;
  ///   ``Failure/ofTimer(_:timer:kind:)`` or ``Failure/notListed(_:kind:listed:)`` if the kind does not list such an
  ///   event, or if the output is told; ``Failure/doesNotFit(_:)`` if no data of the output can be the event's
  ///   arguments. Data that fit in type but not in range are refused when they are delivered.
  public func wire<M: Machine, N: Machine>(
    _ output: M.Output.Name, of source: Handle<M>, to event: N.Event, of target: Handle<N>
  ) throws(Failure) {
    try wire(try route(output, source, event, target))
  }

  /// Connects an output to an event that receives the output's data: `to: Printer.Event.print`.
  public func wire<M: Machine, N: Machine, each A: ValueConvertible>(
    _ output: M.Output.Name, of source: Handle<M>, to event: (repeat each A) -> N.Event, of target: Handle<N>
  ) throws(Failure) {
    try wire(try route(output, source, event, target))
  }

  /// Removes a wire.
  ///
  /// - Throws: ``Failure/gone(_:machines:)``, ``Failure/wireMissing``, ``Failure/notListed(_:kind:listed:)``.
  public func unwire<M: Machine, N: Machine>(
    _ output: M.Output.Name, of source: Handle<M>, to event: N.Event, of target: Handle<N>
  ) throws(Failure) {
    try unwire(try route(output, source, event, target))
  }

  /// Removes a wire to an event with data.
  public func unwire<M: Machine, N: Machine, each A: ValueConvertible>(
    _ output: M.Output.Name, of source: Handle<M>, to event: (repeat each A) -> N.Event, of target: Handle<N>
  ) throws(Failure) {
    try unwire(try route(output, source, event, target))
  }

  // MARK: Fork and undo

  /// Creates an independent copy of this world in its current state, with the whole journal. Handles of this world's
  /// machines are valid in the copy, too.
  ///
  /// - Complexity: O(machines + timers); the journal's contents are shared.
  public func fork() -> World {
    let fork = World(core.fork())
    fork.kinds = kinds
    fork.origins = origins
    fork.ancestors = ancestors
    fork.ancestors[number] = core.journal.last
    return fork
  }

  /// Undoes the last calls that changed machines, wires or timers, with all their consequences, including the time that
  /// passed.
  ///
  /// A dropped machine exists again under its handle; a machine that was made no longer exists.
  ///
  /// - Throws: ``Failure/onlySoMany(_:)``; ``Failure/forgotten`` if the journal no longer contains the necessary
  ///   inputs; ``Failure/diverged(_:)`` if a machine behaves differently when its inputs are repeated. Nothing has
  ///   changed then.
  /// - Precondition: `calls` is at least 1.
  /// - Complexity: O(machines), plus the replay of at most about ten thousand inputs.
  public func undo(_ calls: Int = 1) throws(Failure) {
    precondition(calls > 0, "undo takes at least 1 call, not \(calls)")
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

  // MARK: Internals

  private static func nextOrigin() -> UInt64 { lastOrigin.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Registers a new machine and returns its origin, a number that no other machine in this process has.
  private func makeOrigin(of machine: MachineID) -> UInt64 {
    let origin = World.nextOrigin()
    while origins.count <= machine.index { origins.append(0) }
    origins[machine.index] = origin
    return origin
  }

  /// The kind of a machine type in this world.
  private func kind<M: Machine>(of machine: M.Type) -> Kind {
    if let known = kinds[ObjectIdentifier(machine)] { return known }
    let own = M.kind
    let kind = own.isDerived ? Kind(remembering: machine) : own
    kinds[ObjectIdentifier(machine)] = kind
    return kind
  }

  /// Whether a handle's machine was made in this world and is of its type, even if it was dropped.
  func isKnown<M>(_ machine: Handle<M>) -> Bool {
    let number = machine.machine.index
    return number < origins.count && origins[number] == machine.origin && core.registry.isKnown(machine.machine)
      && core.kind(of: machine.machine).machine == M.self
  }

  @inline(__always)
  func check<M>(_ machine: Handle<M>) throws(Failure) {
    if !contains(machine) { throw .gone(machine.name, machines: core.someNames(20)) }
  }

  /// Starts a call that sends an input.
  private func begin() {
    livelock = nil
    core.fireDue()
  }

  /// Ends a call that changed the world.
  func end(keeping earlier: Livelock? = nil) {
    livelock = core.takeLivelock().map(describe) ?? earlier
    core.keepCheckpointIfDue()
  }

  /// Lets the world process an input, and reads the result from the journal.
  ///
  /// This method is not generic: looking up types at run time costs many times the step.
  private func take(of machine: MachineID, _ input: () -> Void) -> Answer {
    var reader = core.journal.reader(from: core.journal.last + 1)
    core.record.keepsOutputs = true
    input()
    core.record.keepsOutputs = false
    var answer = Answer(
      number: core.answer.sequence, verdict: core.answer.verdict, from: Int(core.answer.from), to: Int(core.answer.to))
    if core.answer.hasDetails {
      answer.reason = core.answerDetails.reason
    }
    if let entry = core.journal.read(&reader), entry.hasDetails {
      let input = JournalInput(entry)
      let kind = core.kind(of: machine)
      answer.data = input.after
      var typedOutputs = core.answerDetails.typedOutputs.makeIterator()
      for case .emitted(let place, _) in input.effects {
        guard let output = typedOutputs.next() else { break }
        if kind.outputs[place].isTold { answer.told.append(output) } else { answer.outputs.append(output) }
      }
      answer.timers = timers(of: input, kind, at: entry.moment)
    }
    core.answerDetails.typedOutputs = []
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
      throw unlisted("\(event), for a wire without data,", caseName(of: event), kind)
    }
    return try route(output, source, written.event, target)
  }

  private func route<M: Machine, N: Machine, each A: ValueConvertible>(
    _ output: M.Output.Name, _ source: Handle<M>, _ event: (repeat each A) -> N.Event, _ target: Handle<N>
  ) throws(Failure) -> Wire {
    try check(source)
    try check(target)
    let kind = core.kind(of: target.machine)
    // The event is the one whose form makes an equal value from the same samples.
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
    let outputs = core.kind(of: source.machine).outputs
    let said = outputs[output.index]
    guard !said.isTold else {
      throw .notListed(
        "\(said.name), for a wire", kind: core.kind(of: source.machine).name,
        listed: outputs.filter { !$0.isTold }.map(\.name))
    }
    let heard = core.kind(of: target.machine).events[event]
    // A derived kind does not describe the data of its outputs.
    if !core.kind(of: source.machine).isDerived, !heard.canTake(said) {
      throw .doesNotFit(
        "the output \(said.name) of \(source.name) has \(said.data.text), and the event \(heard.name) of "
          + "\(target.name) takes \(heard.arguments.text)")
    }
    return Wire(from: source.machine, output: output.index, to: target.machine, event: event)
  }

  /// Why an event cannot be sent or wired.
  private func unlisted(_ event: String, _ name: String, _ kind: Kind) -> Failure {
    if let timer = kind.timers.first(where: { $0.event == name }), !kind.events.contains(where: { $0.name == name }) {
      return .ofTimer(name, timer: timer.name, kind: kind.name)
    }
    return .notListed(event, kind: kind.name, listed: kind.events.map(\.name))
  }

  /// Whether a machine may have this name. The daemon has the same rule for bytes of a request (`TextRules.isName`); a
  /// test compares both, since the world knows no text of the protocol.
  private static func isName(_ name: String) -> Bool {
    let letters = name.utf8.prefix(65)
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    return (1...64).contains(letters.count) && isLetter(letters.first ?? 0)
      && letters.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || [0x5F, 0x2D, 0x2E].contains($0) }
  }
}

extension World.Failure {
  fileprivate init(_ failure: WorldCore.CreationFailure, _ name: String) {
    switch failure {
    case .nameTaken: self = .nameTaken(name)
    // Only kinds from documents have such a limit, and they have no handles.
    case .full, .tooManyKinds, .limit: self = .full
    case .conflict(let conflict): self = .conflict(parameter: conflict.parameter, allowed: conflict.allowed)
    }
  }
}
