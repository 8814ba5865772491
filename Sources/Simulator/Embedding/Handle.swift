public import StateMachines

extension World {
  /// A typed reference to a machine. It is valid in the world that made the machine and in the forks that this world
  /// made later. In any other world it stands for no machine.
  public struct Handle<M: Machine>: Hashable, Sendable {
    /// The machine's name in its world.
    public let name: String
    let machine: MachineID
    /// Identifies the machine among all that were made in this process.
    let origin: UInt64
  }

  /// The result of an input that was sent to a machine.
  public struct Outcome<M: Machine>: Sendable {
    let answer: Answer

    /// The input's number in the journal.
    public var number: UInt64 { answer.number }
    public var verdict: Verdict { answer.verdict }
    /// The state before, without its data.
    public var from: M.State.Name { M.State.Name(at: answer.from) }
    /// The state after this input, without its data. Consequences of the input may have changed the machine again.
    public var to: M.State.Name { M.State.Name(at: answer.to) }
    /// The outputs, in order, without ``told``.
    public var outputs: [M.Output] { answer.outputs.compactMap { $0 as? M.Output } }
    /// The outputs about the machine's internals (`OutputForm.told(_:about:)`), in order.
    public var told: [M.Output] { answer.told.compactMap { $0 as? M.Output } }
    /// The changes of timers, in order.
    public var timers: [TimerChange] { answer.timers }
    /// The machine's reason for a refusal; `nil` if there is none.
    public var reason: String? { answer.reason }
  }

  /// An outcome without the machine's types.
  struct Answer: Sendable {
    let number: UInt64
    let verdict: Verdict
    /// Indices in the kind's list of states.
    let from: Int
    let to: Int
    var data: String?
    var outputs: [any Sendable] = []
    var told: [any Sendable] = []
    var timers: [TimerChange] = []
    var reason: String?
  }

  /// One input of a machine and its result, as stored in the journal.
  public struct Record<M: Machine>: Sendable {
    /// The serial number of the input in the world, from 1.
    public let number: UInt64
    /// The time since the world began.
    public let moment: Duration
    public let cause: Cause<M>
    public let verdict: Verdict
    /// The states before and after the input, without their data.
    public let from: M.State.Name
    public let to: M.State.Name
    /// The printed data of the state after the input, if the kind prints any.
    public let data: String?
    /// The outputs in order, without data and without ``told``.
    public let outputs: [M.Output.Name]
    /// The data of each output in ``outputs``.
    public let outputData: [[Value]]
    /// The outputs about the machine's internals (`OutputForm.told(_:about:)`), in order, without data.
    public let told: [M.Output.Name]
    /// The data of each output in ``told``.
    public let toldData: [[Value]]
    /// The changes of timers, in order.
    public let timers: [TimerChange]
    /// The reason for a refusal; `nil` if there is none.
    public let reason: String?
  }

  /// The kind of a machine's input.
  public enum Cause<M: Machine>: Hashable, Sendable {
    case created
    /// An event that was sent.
    case event(M.Event)
    /// An output of another machine, delivered by a wire as the event with this name.
    case wire(String, from: String)
    /// A timer that expired when it was due; the key is 0 if the kind's timer has no keys.
    case timer(String, key: Int = 0)
    /// A timer that ``World/fire(_:key:of:)`` fired.
    case fired(String, key: Int = 0)
    /// An output of this machine was wired to an event.
    case wired(M.Output.Name, to: String)
    case unwired(M.Output.Name, to: String)
    case dropped
  }

  /// A change of a timer.
  public enum TimerChange: Hashable, Sendable {
    /// The timer runs from now on; if it was running, it starts again.
    case armed(String, key: Int = 0, for: Duration)
    case disarmed(String, key: Int = 0)
  }

  /// A running timer.
  public struct Timer: Hashable, Sendable {
    /// The name of the machine.
    public let machine: String
    public let name: String
    /// The timer's key; 0 if the kind's timer has no keys.
    public let key: Int
    /// The moment when it fires, as time since the world began.
    public let due: Duration
  }

  /// A position in a world's journal, after an input. It is valid in its world, and in forks of that world that have
  /// the inputs before it.
  public struct Cursor: Hashable, Sendable {
    let world: UInt64
    let next: UInt64
  }

  /// One input of a world, for code that follows machines of all types.
  public struct Change: Hashable, Sendable {
    public let number: UInt64
    /// The time since the world began.
    public let moment: Duration
    /// The name of the machine; `nil` for ``World/undo(_:)``.
    public let machine: String?
    /// A description of the input: `created`, `pressed`, `timer burnedOut`, `undone 3`.
    public let cause: String
    public let verdict: Verdict
    /// The words of the states before and after, without data; empty if there is no machine.
    public let from: String
    public let to: String
    /// The words of the outputs, in order, without ``told``.
    public let outputs: [String]
    /// The words of the outputs about the machine's internals, in order.
    public let told: [String]
  }

  /// A chain of timers or deliveries that a limit stopped.
  public struct Livelock: Hashable, Sendable, CustomStringConvertible {
    /// The name of the machine whose timer or output was stopped.
    public let machine: String
    /// The moment, as time since the world began.
    public let moment: Duration
    /// Describes the chain and the limit.
    public let description: String
  }

  /// Why a call failed. The world has not changed.
  public enum Failure: Error, Hashable {
    /// Another machine has this name.
    case nameTaken(String)
    case badName(String)
    /// The world has the maximal number of machines or wires.
    case full
    /// Parameters contradict each other. `allowed` is the range of `parameter`, given the others.
    case conflict(parameter: String, allowed: String)
    /// A value that the kind does not allow.
    case notAdmitted(String, found: String, allowed: String)
    /// An event that only a timer brings; ``World/fire(_:key:of:)`` lets the timer expire.
    case ofTimer(String, timer: String, kind: String)
    /// Something that the kind does not list; `listed` contains what it lists of that sort.
    case notListed(String, kind: String, listed: [String])
    /// The handle's machine is not in this world; `machines` names some that are.
    case gone(String, machines: [String])
    case wireExists
    case wireMissing
    /// No data of the output can be the event's arguments.
    case doesNotFit(String)
    /// The number of calls that can be undone, fewer than requested.
    case onlySoMany(Int)
    /// The journal, which keeps a million inputs, no longer contains this part.
    case forgotten
    /// The cursor is of another world.
    case ofOtherWorld(Cursor)
    /// A machine behaved differently when its inputs were repeated. Its rule depends on something outside its value,
    /// its parameters and the step.
    case diverged(String)
  }
}

// MARK: - Descriptions

extension World.Handle: CustomStringConvertible {
  public var description: String { name }
}

extension World.Outcome: CustomStringConvertible {
  public var description: String {
    World.change(verdict, from.word, to.word, answer.data) + (reason.map { ": \($0)" } ?? "")
      + World.list("said", outputs.map { "\($0)" }) + World.list("told", told.map { "\($0)" })
      + timers.map { ", \($0)" }.joined()
  }
}

extension World.Record: CustomStringConvertible {
  public var description: String {
    "#\(number) at \(moment): \(cause): \(World.change(verdict, from.word, to.word, data))"
      + (reason.map { ": \($0)" } ?? "") + World.list("said", outputs.map(\.word))
      + World.list("told", told.map(\.word))
      + timers.map { ", \($0)" }.joined()
  }
}

extension World.Cause: CustomStringConvertible {
  public var description: String {
    switch self {
    case .created: "created"
    case .event(let event): "\(event)"
    case .wire(let event, from: let source): "\(event) from \(source)"
    case .timer(let name, key: let key): "timer \(World.timerName(name, key))"
    case .fired(let name, key: let key): "fired \(World.timerName(name, key))"
    case .wired(let output, to: let target): "wired \(output.word) to \(target)"
    case .unwired(let output, to: let target): "unwired \(output.word) from \(target)"
    case .dropped: "dropped"
    }
  }
}

extension World.TimerChange: CustomStringConvertible {
  public var description: String {
    switch self {
    case .armed(let name, key: let key, for: let duration): "\(World.timerName(name, key)) armed for \(duration)"
    case .disarmed(let name, key: let key): "\(World.timerName(name, key)) disarmed"
    }
  }
}

extension World.Timer: CustomStringConvertible {
  public var description: String { "\(machine).\(World.timerName(name, key)) at \(due)" }
}

extension World.Change: CustomStringConvertible {
  public var description: String {
    guard let machine else { return "#\(number) at \(moment): \(cause)" }
    return "#\(number) at \(moment): \(machine) \(cause): \(verdict) \(from) → \(to)"
      + World.list("said", outputs) + World.list("told", told)
  }
}

extension World.Cursor: CustomStringConvertible {
  public var description: String { "before #\(next)" }
}

extension World.Failure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nameTaken(let name): "there is already a machine named \(name)"
    case .badName(let name):
      "'\(name)' cannot be a machine's name, which has 1 to 64 letters, digits, '_', '-' and '.', and begins with a "
        + "letter"
    case .full: "the world has the maximal number of machines or wires"
    case .conflict(let parameter, let allowed): "\(parameter) contradicts the other parameters: allowed is \(allowed)"
    case .notAdmitted(let what, let found, let allowed): "\(what) cannot be \(found): allowed is \(allowed)"
    case .ofTimer(let event, let timer, let kind):
      "only the timer \(timer) of the kind \(kind) brings the event \(event); fire lets the timer expire"
    case .notListed(let what, let kind, let listed):
      "\(what) is not in the kind \(kind), which lists " + (listed.isEmpty ? "none" : listed.listed)
    case .gone(let name, let machines) where machines.contains(name):
      "\(name) is another machine in this world: the handle is of another world, or of a machine that is gone"
    case .gone(let name, let machines):
      "\(name) is not in this world, which has " + (machines.isEmpty ? "no machines" : machines.listed)
    case .wireExists: "there is already such a wire"
    case .wireMissing: "there is no such wire"
    case .doesNotFit(let why): why
    case .onlySoMany(let count): "only \(count) calls can be undone"
    case .forgotten: "the journal no longer contains this part"
    case .ofOtherWorld(let cursor): "the cursor \(cursor) is of another world"
    case .diverged(let machine):
      "\(machine) did something else when its inputs were repeated: its rule depends on more than its value, its "
        + "parameters and the step"
    }
  }
}

extension World {
  fileprivate static func change(_ verdict: Verdict, _ from: String, _ to: String, _ data: String?) -> String {
    let after = to + (data.map { "(\($0))" } ?? "")
    return verdict == .moved ? "moved \(from) → \(after)" : "\(verdict) in \(after)"
  }

  fileprivate static func list(_ verb: String, _ outputs: [String]) -> String {
    outputs.isEmpty ? "" : ", \(verb) \(outputs.listed)"
  }

  static func timerName(_ name: String, _ key: Int) -> String { key == 0 ? name : "\(name)(\(key))" }
}

extension Collection<String> {
  var listed: String { joined(separator: ", ") }
}

extension [ArgumentEntry] {
  /// Describes an output's data or an event's arguments, for messages.
  var text: String { isEmpty ? "no data" : map { "\($0.name) (\($0.type.text))" }.listed }
}

extension Value {
  /// For messages.
  var text: String {
    switch self {
    case .none: "nil"
    case .text(let text): "\"\(text)\""
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .interval(let interval): "\(Duration(interval))"
    case .moment(let moment): "\(Duration.nanoseconds(moment.nanoseconds))"
    }
  }
}

extension ValueType {
  /// Describes the admitted values, for messages.
  package var text: String {
    switch self {
    case .text(let bytes): "text of \(bytes.lowerBound) to \(bytes.upperBound) bytes"
    case .character: "one character"
    case .choice(let words): words.listed
    case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .number(let range, let unit): "\(range.lowerBound) to \(range.upperBound) \(unit)"
    case .flag: "true, false"
    case .interval(let range): "\(Duration(range.lowerBound)) to \(Duration(range.upperBound))"
    case .moment: "a moment"
    case .optional(let wrapped): "\(wrapped.text), nil"
    case .json: "any JSON"
    }
  }
}
