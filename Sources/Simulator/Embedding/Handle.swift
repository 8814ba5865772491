public import StateMachines

extension World {
  /// A machine of a world, by which its type is known. It is good in the world that made it and in that world's forks.
  public struct Handle<M: Machine>: Hashable, Sendable {
    /// The machine's name in its world.
    public let name: String
    let machine: MachineID
    /// The input that made it.
    let origin: UInt64
  }

  /// What came of an input that was sent to a machine.
  public struct Outcome<M: Machine>: Sendable {
    let answer: Answer

    /// Its number in the journal.
    public var number: UInt64 { answer.number }
    public var verdict: Verdict { answer.verdict }
    /// The state before, without its data.
    public var from: M.State.Name { M.State.Name(at: answer.from) }
    /// The state behind this input, without its data. What followed from it may have changed the machine again.
    public var to: M.State.Name { M.State.Name(at: answer.to) }
    /// What the machine said, in order.
    public var outputs: [M.Output] { answer.outputs.compactMap { $0 as? M.Output } }
    /// The timers that were armed and disarmed, in order.
    public var timers: [TimerChange] { answer.timers }
    /// Why the input was refused, in the machine's words; `nil` otherwise, or if it has none.
    public var reason: String? { answer.reason }
  }

  /// An outcome without the types of its machine.
  struct Answer: Sendable {
    let number: UInt64
    let verdict: Verdict
    /// Places in the kind's list of states.
    let from: Int
    let to: Int
    var data: String?
    var outputs: [any Sendable] = []
    var timers: [TimerChange] = []
    var reason: String?
  }

  /// One input of a machine, and what came of it, as the journal keeps it.
  public struct Record<M: Machine>: Sendable {
    /// Inputs of the world are numbered from 1.
    public let number: UInt64
    /// The time since the world began.
    public let moment: Duration
    public let cause: Cause<M>
    public let verdict: Verdict
    /// The states before and after, without their data.
    public let from: M.State.Name
    public let to: M.State.Name
    /// The printed data of the state after it, where the kind prints any.
    public let data: String?
    /// What the machine said, in order, without data.
    public let outputs: [M.Output.Name]
    /// The data of each of ``outputs``.
    public let outputData: [[Value]]
    /// The timers that were armed and disarmed, in order.
    public let timers: [TimerChange]
  }

  /// What an input of a machine was.
  public enum Cause<M: Machine>: Hashable, Sendable {
    case created
    /// An event that was sent.
    case event(M.Event)
    /// The output of another machine, which came through a wire as the event of this name.
    case wire(String, from: String)
    /// A timer that expired when it was due; the key is 0 where its timers bear none.
    case timer(String, key: Int = 0)
    /// A timer that ``World/fire(_:key:of:)`` let expire.
    case fired(String, key: Int = 0)
    /// An output was wired to an event of a machine.
    case wired(M.Output.Name, to: String)
    case unwired(M.Output.Name, to: String)
    case dropped
  }

  /// What became of a timer.
  public enum TimerChange: Hashable, Sendable {
    /// It runs from now on, anew if it did before.
    case armed(String, key: Int = 0, for: Duration)
    case disarmed(String, key: Int = 0)
  }

  /// A timer that runs.
  public struct Timer: Hashable, Sendable {
    /// The name of the machine.
    public let machine: String
    public let name: String
    /// 0 where its timers bear none.
    public let key: Int
    /// When it fires, as time since the world began.
    public let due: Duration
  }

  /// A place in a world's journal: that behind an input.
  public struct Cursor: Hashable, Sendable {
    let next: UInt64
  }

  /// One input of a world, for those who follow machines of all types.
  public struct Change: Hashable, Sendable {
    public let number: UInt64
    /// The time since the world began.
    public let moment: Duration
    /// The name of the machine; `nil` for an ``World/undo(_:)``.
    public let machine: String?
    /// What the input was, in words: `created`, `pressed`, `timer burnedOut`, `undone 3`.
    public let cause: String
    public let verdict: Verdict
    /// The state's words before and after, without data; empty without a machine.
    public let from: String
    public let to: String
    /// The words of what the machine said, in order.
    public let outputs: [String]
  }

  /// A chain without an end that a limit has stopped.
  public struct Livelock: Hashable, Sendable, CustomStringConvertible {
    /// The name of the machine that comes next in the chain.
    public let machine: String
    /// When, as time since the world began.
    public let moment: Duration
    /// What goes on, and the limit.
    public let description: String
  }

  /// Why a call was not carried out. The world has not changed.
  public enum Failure: Error, Hashable {
    /// A machine has this name.
    case nameTaken(String)
    case badName(String)
    /// The world has as many machines or wires as it may.
    case full
    /// Parameters contradict each other: what is allowed for one, given the others.
    case conflict(parameter: String, allowed: String)
    /// A value is not of those that the kind allows.
    case notAdmitted(String, found: String, allowed: String)
    /// The kind does not list something; `listed` is what it lists of this sort.
    case notListed(String, kind: String, listed: [String])
    /// No such machine is in this world; some that are.
    case gone(String, machines: [String])
    case wireExists
    case wireMissing
    /// An output's data cannot be those of the event.
    case doesNotFit(String)
    /// No more calls than this can be undone.
    case onlySoMany(Int)
    /// The journal has forgotten this part: it keeps a million inputs.
    case forgotten
    /// A machine does something else when the same inputs come again. Its rule depends on something that is not in its
    /// value, its parameters or the step.
    case diverged(String)
  }
}

// MARK: - In words

extension World.Handle: CustomStringConvertible {
  public var description: String { name }
}

extension World.Outcome: CustomStringConvertible {
  public var description: String {
    let said = outputs.isEmpty ? "" : ", said \(outputs.map { "\($0)" }.listed)"
    return World.change(verdict, from.word, to.word, answer.data) + (reason.map { ": \($0)" } ?? "") + said
      + timers.map { ", \($0)" }.joined()
  }
}

extension World.Record: CustomStringConvertible {
  public var description: String {
    let said = outputs.isEmpty ? "" : ", said \(outputs.map(\.word).listed)"
    return "#\(number) at \(moment): \(cause): \(World.change(verdict, from.word, to.word, data))\(said)"
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
    let said = outputs.isEmpty ? "" : ", said \(outputs.listed)"
    guard let machine else { return "#\(number) at \(moment): \(cause)" }
    return "#\(number) at \(moment): \(machine) \(cause): \(verdict) \(from) → \(to)\(said)"
  }
}

extension World.Failure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nameTaken(let name): "there is a machine named \(name)"
    case .badName(let name):
      "'\(name)' is no name of a machine: 1 to 64 letters, digits, '_', '-' and '.', a letter first"
    case .full: "the world has as many machines or wires as it may"
    case .conflict(let parameter, let allowed): "\(parameter) contradicts the other parameters: allowed is \(allowed)"
    case .notAdmitted(let what, let found, let allowed): "\(what) cannot be \(found): allowed is \(allowed)"
    case .notListed(let what, let kind, let listed):
      "\(what) is not in the kind \(kind), which lists " + (listed.isEmpty ? "none" : listed.listed)
    case .gone(let name, let machines):
      "\(name) is not in this world, which has " + (machines.isEmpty ? "no machines" : machines.listed)
    case .wireExists: "this wire is there already"
    case .wireMissing: "there is no such wire"
    case .doesNotFit(let why): why
    case .onlySoMany(let count): "only \(count) calls can be undone"
    case .forgotten: "the journal has forgotten this part"
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

  static func timerName(_ name: String, _ key: Int) -> String { key == 0 ? name : "\(name)(\(key))" }
}

extension Collection<String> {
  var listed: String { joined(separator: ", ") }
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
  /// What it admits, for messages.
  var text: String {
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
    }
  }
}
