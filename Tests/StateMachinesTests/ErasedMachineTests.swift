import StateMachines
import TestSupport
import Testing

/// One turnstile in raw storage, stepped as a world steps it.
// Safety: `value` holds an initialised turnstile from `init` to `deinit`; `parameters` is the base of `pool`, which is
// not added to in between.
private final class RawTurnstile {
  let kind = Turnstile.kind
  let value: UnsafeMutableRawPointer
  let pool: any ParameterPool
  var record = StepRecord(generator: Generator(seed: 1))
  private let place: UInt32
  /// A bit for each timer that runs.
  private(set) var running: UInt64 = 0

  init(initial: String? = nil, _ values: [(parameter: Int, value: Value)] = []) throws {
    pool = kind.makeParameterPool()
    place = try pool.intern(values)
    value = .allocate(byteCount: kind.layout.valueSize, alignment: kind.layout.valueAlignment)
    begin(at: 7)
    _ = kind.machine.initialize(value, initial: initial.flatMap { kind.initialState(named: $0) }, parameters, &record)
    followTimers()
  }

  deinit {
    kind.machine.destroy(value)
    value.deallocate()
  }

  var parameters: UnsafeRawPointer { pool.base + Int(place) * kind.layout.parameterStride }

  func send(_ event: Int, _ arguments: Value..., at nanoseconds: Int64 = 100) -> StepResult {
    begin(at: nanoseconds)
    defer { followTimers() }
    if kind.isPlain(event) {
      let event = kind.plainEvents + event * kind.layout.eventStride
      return kind.machine.step(value, event: event, parameters, &record)
    }
    let storage = UnsafeMutableRawPointer.allocate(byteCount: kind.layout.eventStride, alignment: 16)
    defer { storage.deallocate() }
    kind.makeEvent(event, arguments, at: storage)
    defer { kind.destroyEvent(at: storage) }
    return kind.machine.step(value, event: storage, parameters, &record)
  }

  func expire(_ timer: UInt8) -> StepResult {
    running &= ~(1 << UInt64(timer))
    begin(at: 200)
    defer { followTimers() }
    return kind.machine.expire(value, timer: timer, parameters, &record)
  }

  var stateIndex: UInt16 { kind.machine.stateIndex(value) }
  var stateData: String? { kind.machine.stateData(value) }

  private func begin(at nanoseconds: Int64) {
    record.begin(at: Instant(nanoseconds: nanoseconds))
    record.timers = kind.stepTimers(running: running)
  }

  private func followTimers() {
    for effect in record.effects {
      switch effect {
      case .emit, .send: break
      case .arm(let timer, _, _): running |= 1 << UInt64(timer)
      case .disarm(let timer, _): running &= ~(1 << UInt64(timer))
      }
    }
  }

  /// The effects of the last step, in words.
  var effects: [String] {
    record.effects.map { effect in
      switch effect {
      case .emit(let output, let first, let count):
        "emit \(output)" + record.values[Int(first)..<Int(first + count)].map { " \($0)" }.joined()
      case .arm(let timer, _, let due): "arm \(timer) \(due.nanoseconds)"
      case .send(let output, _, _): "send \(output)"
      case .disarm(let timer, _): "disarm \(timer)"
      }
    }
  }

  var readings: [Value?] { kind.read(value, at: Instant(nanoseconds: 300), parameters) }
}

struct ErasedMachineTests {
  // Places in the kind's list of events.
  private let push = 0
  private let coin = 1
  private let fail = 2
  private let write = 3
  private let lights = 4

  @Test("a new machine is in its initial state, or the one asked for, and its timers are armed")
  func initialize() throws {
    try expectEqual(RawTurnstile().effects, [])
    let unlocked = try RawTurnstile(initial: "unlocked", [(0, .interval(.seconds(1)))])
    expectEqual(unlocked.stateIndex, 1)
    expectEqual(unlocked.stateData, "1")
    expectEqual(unlocked.record.dataAfter, "1")
    expectEqual(unlocked.effects, ["arm 0 1000000007"])
    let broken = try RawTurnstile(initial: "broken", [(4, .text("noPower"))])
    expectEqual(broken.stateData, "noPower")
  }

  @Test("moved: another state, the effects in the order in which they were asked for, the data before and after")
  func moved() throws {
    let machine = try RawTurnstile()
    let result = machine.send(coin, .integer(5))
    expectEqual(result.verdict, .moved)
    expect((result.from, result.to) == (0, 1))
    expectNil(machine.record.dataBefore)
    expectEqual(machine.record.dataAfter, "2")
    expectEqual(machine.effects, ["emit 1 integer(1) text(\"you\")", "arm 0 10000000100"])
  }

  @Test("moved without another name: the machine left its state and entered it again")
  func movedToSelf() throws {
    let machine = try RawTurnstile()
    _ = machine.send(coin, .integer(4))
    let result = machine.send(push)
    expectEqual(result.verdict, .moved)
    expect((result.from, result.to) == (1, 1))
    expect((machine.record.dataBefore, machine.record.dataAfter) == ("2", "1"))
    expectEqual(machine.effects, ["emit 0", "arm 0 10000000100"])
  }

  @Test("stayed, with and without new data")
  func stayed() throws {
    let machine = try RawTurnstile(initial: "unlocked")
    expectEqual(machine.send(coin, .integer(2)).verdict, .stayed)
    expect((machine.record.dataBefore, machine.record.dataAfter) == ("1", "2"))
    expectEqual(machine.send(write, .text("x"), .none).verdict, .stayed)
    expectEqual(machine.value.assumingMemoryBound(to: Turnstile.self).pointee.letters, 1)
  }

  @Test("ignored and refused change nothing, and a refusal says why")
  func ignoredAndRefused() throws {
    let machine = try RawTurnstile()
    expectEqual(machine.send(lights, .flag(true)).verdict, .ignored)
    expectNil(machine.record.reason)
    let result = machine.send(push)
    expectEqual(result.verdict, .refused)
    expect((result.from, result.to) == (0, 0))
    expectEqual(machine.record.reason, "pay first")
    expectEqual(machine.effects, [])
    _ = machine.send(lights, .flag(false))
    expectNil(machine.record.reason)
  }

  @Test("an expired timer is an input like any other")
  func expired() throws {
    let machine = try RawTurnstile(initial: "unlocked")
    expectEqual(machine.running, 1)
    let result = machine.expire(0)
    expect((result.verdict, result.from, result.to) == (.moved, 1, 0))
    expect(machine.running == 0 && machine.effects == [])
    expectEqual(machine.expire(1).verdict, .ignored)
  }

  @Test("arguments reach the event as they were given, left out ones too")
  func arguments() throws {
    let machine = try RawTurnstile()
    expectEqual(machine.send(fail, .text("noPower"), .none).verdict, .moved)
    expectEqual(machine.record.dataAfter, "noPower")
    expectEqual(machine.send(fail, .text("jammed"), .integer(9)).verdict, .moved)
    expectEqual(machine.record.dataAfter, "jammed")
  }

  @Test("readings are in the kind's order, nil where there is none now")
  func readings() throws {
    let machine = try RawTurnstile([(1, .integer(3))])
    expectEqual(machine.readings, [nil, .integer(3), .moment(Instant(nanoseconds: 300))])
    _ = machine.send(coin, .integer(7))
    expectEqual(machine.readings[0], .integer(2))
  }

  @Test("possible events are those that some argument is not refused with, and trying changes nothing")
  func possibleEvents() throws {
    let machine = try RawTurnstile()
    let (kind, now) = (machine.kind, Instant.beginning)
    expectEqual(
      kind.possibleEvents(machine.value, at: now, running: 0, machine.parameters), [coin, fail, write, lights])
    expectEqual(kind.prospect(of: push, machine.value, at: now, running: 0, machine.parameters).refusal, "pay first")
    expectNil(kind.prospect(of: coin, machine.value, at: now, running: 0, machine.parameters).refusal)
    expectEqual(machine.value.assumingMemoryBound(to: Turnstile.self).pointee.letters, 0)
    expectEqual(machine.stateIndex, 0)
    _ = machine.send(fail, .text("jammed"), .none)
    expectEqual(kind.possibleEvents(machine.value, at: now, running: 0, machine.parameters), [fail, write, lights])
    expectEqual(kind.prospect(of: coin, machine.value, at: now, running: 0, machine.parameters).refusal, "out of order")
  }

  @Test("a copy is a machine of its own, and destroying it ends what it holds")
  func copies() throws {
    let machine = try RawTurnstile()
    let copy = UnsafeMutableRawPointer.allocate(
      byteCount: machine.kind.layout.valueSize, alignment: machine.kind.layout.valueAlignment)
    defer { copy.deallocate() }
    machine.kind.machine.copy(machine.value, to: copy)
    _ = machine.send(coin, .integer(2))
    let stateOfCopy = machine.kind.machine.stateIndex(copy)
    expectEqual(stateOfCopy, 0)
    weak var witness: Witness?
    do {
      let held = machine.value.assumingMemoryBound(to: Turnstile.self).pointee.witness
      witness = held
      expect(copy.assumingMemoryBound(to: Turnstile.self).pointee.witness === held)
      machine.value.assumingMemoryBound(to: Turnstile.self).pointee.witness = Witness()
    }
    expect(witness != nil)
    machine.kind.machine.destroy(copy)
    expectNil(witness)
  }

  @Test("a timer cannot expire before it is armed", .enabled(if: Thorough.isFull))
  func negativeInterval() async {
    await #expect(processExitsWith: .failure) {
      var record = StepRecord(generator: Generator(seed: 0))
      let pool = Turnstile.kind.makeParameterPool()
      let value = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
      record.timers = Turnstile.kind.stepTimers(running: 0)
      let place = try pool.intern([(0, .interval(Nanoseconds(nanoseconds: -1)))])
      let parameters = pool.base + Int(place) * Turnstile.kind.layout.parameterStride
      _ = Turnstile.kind.machine.initialize(value, initial: 1, parameters, &record)
    }
  }
}
