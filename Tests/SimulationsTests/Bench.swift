import StateMachines
import Testing

/// Tests also use the standard library's random functions; machines do not.
extension Generator: RandomNumberGenerator {}

/// A few machines on a virtual clock: the smallest runtime that runs a rule, and an independent check of the real one.
///
/// It does to a machine what a world does: it delivers events, fires timers in order of due time and then of arming,
/// and passes outputs along wires, first in, first out. It keeps a line per input.
///
/// After each step it checks that the state asks for every running timer.
final class Bench {
  private(set) var now: Instant
  /// One line per input, such as `0.200 key moved on capsLock event=tap`, with ` > output` for each output.
  private(set) var lines: [String] = []
  /// The outputs for watchers of everything.
  private(set) var told: [String] = []
  private var seats: [Seat] = []
  private var wires: [(from: Int, output: Int, to: Int, event: Int)] = []
  private var agenda: [Entry] = []
  private var armings = 0
  private var deliveries: [(wire: Int, data: [Value])] = []
  private var record: StepRecord
  private let seed: UInt64

  // Safety: `value` holds an initialised machine of `kind` from `add` until `deinit`, and is used only through `kind`.
  private struct Seat {
    let name: String
    let kind: Kind
    let pool: any ParameterPool
    let parameters: UInt32
    let value: UnsafeMutableRawPointer

    var parameterSet: UnsafeRawPointer { pool.base + Int(parameters) * kind.layout.parameterStride }
  }

  private struct Entry {
    let seat: Int
    let timer: Int
    let key: UInt32
    let due: Instant
    let order: Int
  }

  init(seed: UInt64 = 0, at now: Instant = .beginning) {
    self.now = now
    self.seed = seed
    record = StepRecord(generator: Generator(seed: seed))
  }

  /// Makes a bench with one machine named `m`.
  convenience init(
    _ kind: Kind, initial: String? = nil, _ parameters: [String: Value] = [:], seed: UInt64 = 0,
    at now: Instant = .beginning
  ) {
    self.init(seed: seed, at: now)
    add(kind, "m", initial: initial, parameters)
  }

  deinit {
    for seat in seats {
      seat.kind.machine.destroy(seat.value)
      seat.value.deallocate()
    }
  }

  /// Adds a machine. A required parameter that is not given has the value of its example.
  func add(_ kind: Kind, _ name: String, initial: String? = nil, _ parameters: [String: Value] = [:]) {
    let pool = kind.makeParameterPool()
    var parameters = parameters
    for parameter in kind.parameters where parameter.standard == nil && parameters[parameter.name] == nil {
      parameters[parameter.name] = parameter.example
    }
    let values = parameters.sorted { $0.key < $1.key }.map { name, value in
      let place = kind.parameters.firstIndex { $0.name == name }
      guard let place, kind.parameters[place].type.admits(value) else {
        preconditionFailure("\(kind.name) takes no \(name)=\(value)")
      }
      return (parameter: place, value: value)
    }
    guard let place = try? pool.intern(values) else { preconditionFailure("\(parameters) contradict each other") }
    let state = initial.map { word in
      guard let state = kind.initialState(named: word) else { preconditionFailure("\(kind.name) starts in no \(word)") }
      return state
    }
    let value = UnsafeMutableRawPointer.allocate(
      byteCount: kind.layout.valueSize, alignment: kind.layout.valueAlignment)
    seats.append(Seat(name: name, kind: kind, pool: pool, parameters: place, value: value))
    record.begin(at: now)
    record.timers = kind.stepTimers(running: 0)
    _ = kind.machine.initialize(value, initial: state, seats[seats.count - 1].parameterSet, &record)
    finish("\(name) created \(self.state(name))", of: seats.count - 1)
  }

  /// - Parameter wires: The wires to connect; `nil` for all of the composition.
  func add(
    _ composition: Composition, _ name: String, _ parameters: [String: [String: Value]] = [:],
    wires chosen: [Composition.Wire]? = nil
  ) {
    let first = seats.count
    for member in composition.members {
      let presets = member.presets.map { (member.kind.parameters[$0.parameter].name, $0.value) }
      add(
        member.kind, "\(name).\(member.name)",
        Dictionary(uniqueKeysWithValues: presets).merging(parameters[member.name] ?? [:]) { $1 })
    }
    wires += (chosen ?? composition.wires).map { (first + $0.from, $0.output, first + $0.to, $0.event) }
  }

  // MARK: Inputs

  /// Sends an event, fires timers without delay, and returns the event's line without its time and machine.
  @discardableResult
  func send(_ event: String, _ arguments: Value..., to name: String = "m") -> String {
    send(event, arguments, to: name)
  }

  @discardableResult
  func send(_ event: String, _ arguments: [Value], to name: String = "m") -> String {
    let seat = seat(name)
    guard let place = seats[seat].kind.events.firstIndex(where: { $0.name == event }) else {
      preconditionFailure("\(name) knows no \(event)")
    }
    let line = lines.count
    take(place, arguments, by: seat, cause: "event=\(event)")
    advance(to: now)
    return outcome(of: lines[line], of: name)
  }

  /// Fires a running timer (`name`, or `name(key)`) now, fires timers without delay, and returns the line as `send`
  /// does.
  @discardableResult
  func fire(_ timer: String, of name: String = "m") -> String {
    guard let place = agenda.firstIndex(where: { $0.seat == seat(name) && word(of: $0) == timer }) else {
      preconditionFailure("\(timer) of \(name) does not run")
    }
    let line = lines.count
    expire(at: place)
    advance(to: now)
    return outcome(of: lines[line], of: name)
  }

  /// Fires every timer that is due by `moment`, each at its own due time.
  func advance(to moment: Instant) {
    precondition(moment >= now, "time does not run backwards")
    var chain = 0
    func isBefore(_ left: Int, _ right: Int) -> Bool {
      (agenda[left].due, agenda[left].order) < (agenda[right].due, agenda[right].order)
    }
    while let next = agenda.indices.min(by: isBefore), agenda[next].due <= moment {
      chain = agenda[next].due > now ? 0 : chain + 1
      precondition(chain < 1000, "a chain of timers without time: \(word(of: agenda[next])), seed \(seed)")
      now = agenda[next].due
      expire(at: next)
    }
    now = moment
  }

  /// Lets time pass to the next expiry, and only this timer expire.
  func expireNext() {
    func isBefore(_ left: Int, _ right: Int) -> Bool {
      (agenda[left].due, agenda[left].order) < (agenda[right].due, agenda[right].order)
    }
    guard let next = agenda.indices.min(by: isBefore) else { return }
    now = max(now, agenda[next].due)
    expire(at: next)
  }

  func advance(_ interval: Nanoseconds) { advance(to: now + interval) }

  private func outcome(of line: String, of name: String) -> String {
    String(line.drop { $0 != " " }.dropFirst(name.count + 2))
  }

  // MARK: Reading

  func state(_ name: String = "m") -> String {
    let seat = seats[seat(name)]
    return seat.kind.machine.stateData(seat.value).map { "\(word(name))(\($0))" } ?? word(name)
  }

  /// The state without its data.
  func word(_ name: String = "m") -> String {
    let seat = seats[seat(name)]
    return seat.kind.states[Int(seat.kind.machine.stateIndex(seat.value))].word
  }

  func reading(_ reading: String, of name: String = "m") -> Value? {
    let seat = seats[seat(name)]
    guard let place = seat.kind.readings.firstIndex(where: { $0.name == reading }) else {
      preconditionFailure("\(name) has no \(reading)")
    }
    return seat.kind.read(seat.value, at: now, seat.parameterSet)[place]
  }

  /// The running timers and their due times.
  func timers(of name: String = "m") -> [String: Instant] {
    let seat = seat(name)
    return Dictionary(agenda.filter { $0.seat == seat }.map { (word(of: $0), $0.due) }) { first, _ in first }
  }

  /// The names of the machines, in the order of their making.
  var names: [String] { seats.map(\.name) }

  func kind(of name: String = "m") -> Kind { seats[seat(name)].kind }

  /// The moment of the next expiry.
  var nextDue: Instant? { agenda.map(\.due).min() }

  /// The events that are not refused now.
  func possibleEvents(of name: String = "m") -> [String] {
    let seat = seats[seat(name)]
    return seat.kind.possibleEvents(
      seat.value, at: now, running: stepTimers(of: self.seat(name)).running, seat.parameterSet
    ).map { seat.kind.events[$0].name }
  }

  // MARK: One step

  private func seat(_ name: String) -> Int {
    guard let seat = seats.firstIndex(where: { $0.name == name }) else { preconditionFailure("no machine \(name)") }
    return seat
  }

  private func word(of entry: Entry) -> String {
    let timer = seats[entry.seat].kind.timers[entry.timer]
    #expect((timer.key != nil) == (entry.key > 0), "\(timer.name) bears a key or does not, seed \(seed)")
    return timer.key == nil ? timer.name : "\(timer.name)(\(entry.key))"
  }

  private func stepTimers(of seat: Int) -> StepTimers {
    let running = agenda.filter { $0.seat == seat && $0.key == 0 }.reduce(0 as UInt64) { $0 | 1 << UInt64($1.timer) }
    return seats[seat].kind.stepTimers(running: running)
  }

  private func take(_ event: Int, _ arguments: [Value], by seat: Int, cause: String) {
    let (kind, value, parameters) = (seats[seat].kind, seats[seat].value, seats[seat].parameterSet)
    record.begin(at: now)
    record.timers = stepTimers(of: seat)
    let storage = UnsafeMutableRawPointer.allocate(byteCount: max(1, kind.layout.eventStride), alignment: 16)
    defer { storage.deallocate() }
    kind.makeEvent(event, arguments, at: storage)
    defer { kind.destroyEvent(at: storage) }
    finish(kind.machine.step(value, event: storage, parameters, &record), of: seat, cause)
  }

  private func expire(at place: Int) {
    let entry = agenda.remove(at: place)
    let seat = seats[entry.seat]
    record.begin(at: now)
    record.timers = stepTimers(of: entry.seat)
    record.key = entry.key
    let result = seat.kind.machine.expire(seat.value, timer: UInt8(entry.timer), seat.parameterSet, &record)
    record.key = 0
    finish(result, of: entry.seat, "timer=\(word(of: entry))")
  }

  private func finish(_ result: StepResult, of seat: Int, _ cause: String) {
    func print(_ state: UInt16, _ data: String?) -> String {
      let word = seats[seat].kind.states[Int(state)].word
      return data.map { "\(word)(\($0))" } ?? word
    }
    let from = print(result.from, record.dataBefore)
    let to = print(result.to, record.dataAfter)
    if result.verdict != .moved && result.verdict != .stayed {
      #expect(from == to && record.effects.isEmpty, "\(cause) was \(result.verdict) with consequences, seed \(seed)")
    }
    let outcome =
      switch result.verdict {
      case .moved: "moved \(from) \(to) \(cause)"
      case .stayed: "stayed \(to) \(cause)"
      case .ignored: "ignored \(to) \(cause)"
      case .refused: "refused \(to) \(cause) : \(record.reason ?? "")"
      }
    finish("\(seats[seat].name) \(outcome)", of: seat)
  }

  private func finish(_ text: String, of seat: Int) {
    let kind = seats[seat].kind
    var line = "\(now.printed) \(text)"
    for effect in record.effects {
      switch effect {
      case .emit(let output, let first, let count):
        let data = Array(record.values[Int(first)..<Int(first + count)])
        if kind.outputs[Int(output)].isTold {
          told += [([kind.outputs[Int(output)].name] + data.map(\.printed)).joined(separator: " ")]
          continue
        }
        line += ([" > " + kind.outputs[Int(output)].name] + data.map(\.printed)).joined(separator: " ")
        #expect(data.count == kind.outputs[Int(output)].data.count, "\(line), seed \(seed)")
        for (value, entry) in zip(data, kind.outputs[Int(output)].data) {
          #expect(entry.type.admits(value), "\(line), seed \(seed)")
        }
        for (place, wire) in wires.enumerated() where wire.from == seat && wire.output == Int(output) {
          deliveries.append((place, data))
        }
      case .arm(let timer, let key, let due):
        agenda.removeAll { $0.seat == seat && $0.timer == Int(timer) && $0.key == key }
        agenda.append(Entry(seat: seat, timer: Int(timer), key: key, due: due, order: armings))
        armings += 1
      case .send: Issue.record("no kind of the catalogue sends by name, seed \(seed)")
      case .disarm(let timer, let key):
        agenda.removeAll { $0.seat == seat && $0.timer == Int(timer) && $0.key == key }
      }
    }
    lines.append(line)
    if !deliveries.isEmpty {
      let (place, data) = deliveries.removeFirst()
      let wire = wires[place]
      let output = seats[wire.from].kind.outputs[wire.output].name
      // Arguments for which the output has no data are empty.
      let left = seats[wire.to].kind.events[wire.event].arguments.count - data.count
      take(
        wire.event, data + repeatElement(.none, count: left), by: wire.to,
        cause: "wire=\(seats[wire.from].name).\(output)")
    }
  }
}

extension Instant {
  static func milliseconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000) }
  static func seconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000_000) }

  /// The moment in seconds, with at least three decimals and no zeros after them.
  var printed: String { Nanoseconds(nanoseconds: nanoseconds).printed }
}

extension Nanoseconds {
  var printed: String {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var decimals = String(String(1_000_000_000 + rest).dropFirst())
    while decimals.count > 3, decimals.last == "0" { decimals.removeLast() }
    return "\(seconds).\(decimals)"
  }
}

extension Value {
  var printed: String {
    switch self {
    case .none: "nil"
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .interval(let interval): interval.printed
    case .moment(let moment): moment.printed
    }
  }
}
