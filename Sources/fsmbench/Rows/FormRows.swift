internal import Simulator
internal import StateMachines
internal import UnixHost

/// Steps of a toggle in one of the forms, compared with the same toggle as a plain `switch`: the cost of a form.
///
/// Both are machines in worlds, stepped as a request steps them, journal included. The remark below the row is the cost
/// in a loop around the machine alone.
struct FormBenchmark {
  let form: Form
  let toggle: Kind
  /// How many times a plain step a step may cost.
  let most: Double?

  var what: String { "a step in the form \(form.rawValue)" }

  func run(_ effort: Effort) throws -> Row {
    var ours = try ToggleWorld(toggle)
    var plain = try ToggleWorld(PlainToggle.kind)
    let pairing = Pairing(
      rounds: effort.rounds,
      ours: { rate(for: effort.nanoseconds) { _ in ours.flip(Self.block) } },
      peer: { rate(for: effort.nanoseconds) { _ in plain.flip(Self.block) } })
    try ours.check()
    try plain.check()
    return Row(
      pairing, .perSecond, beside: "plain switch", targets: most.map { [.ratioAtLeast(1 / $0)] } ?? [],
      remark: "\(threeDigits(try costAlone(effort))) times the plain switch where nothing else is done")
  }

  /// The cost of a step without a world, as a multiple of the plain switch.
  private func costAlone(_ effort: Effort) throws -> Double {
    var ours = LoneToggle(toggle)
    var plain = LoneToggle(PlainToggle.kind)
    let pairing = Pairing(
      rounds: effort.rounds,
      ours: { rate(for: effort.nanoseconds) { _ in ours.flip(Self.block) } },
      peer: { rate(for: effort.nanoseconds) { _ in plain.flip(Self.block) } })
    guard ours.moves == ours.flips, plain.moves == plain.flips else {
      throw BenchFailure.wrongReply(to: toggle.name, expected: "\(ours.flips) moves", got: "\(ours.moves)")
    }
    return 1 / pairing.ratio
  }

  /// Steps between two clock reads.
  private static let block = 4_096

  static let all = [
    FormBenchmark(form: .reducer, toggle: ReducerToggle.kind, most: nil),
    FormBenchmark(form: .feature, toggle: FeatureToggle.kind, most: 10),
    FormBenchmark(form: .stateObjects, toggle: StateObjectToggle.kind, most: 5),
    FormBenchmark(form: .eventObjects, toggle: EventObjectToggle.kind, most: nil),
    FormBenchmark(form: .schema, toggle: SchemaToggle.kind, most: nil),
    FormBenchmark(form: .hierarchical, toggle: HierarchicalToggle.kind, most: 5),
  ]
}

/// One machine that moves at each event, in a world.
struct ToggleWorld: ~Copyable {
  private var world = WorldCore()
  private let machine: MachineID
  private var flips: UInt64 = 0

  init(_ kind: Kind) throws {
    machine = try world.fill(with: kind, count: 1)[0]
  }

  mutating func flip(_ count: Int) -> Int {
    for _ in 0..<count { world.send(machine, plain: 0) }
    flips += UInt64(count)
    return count
  }

  func check() throws {
    guard world.lastSequence == flips + 1, world.answer.verdict == .moved else {
      throw BenchFailure.wrongReply(
        to: "\(flips) steps", expected: "seq=\(flips + 1)", got: "seq=\(world.lastSequence)")
    }
  }
}

/// One machine with two states and one event, outside a world.
private struct LoneToggle: ~Copyable {
  private let kind: Kind
  // Safety: room for one machine of the kind, made in `init` and destroyed in `deinit`.
  private let value: UnsafeMutableRawPointer
  private let parameters: any ParameterPool
  private var record = StepRecord(generator: Generator(seed: 0))
  private(set) var flips = 0
  private(set) var moves = 0

  init(_ kind: Kind) {
    self.kind = kind
    value = .allocate(byteCount: kind.layout.valueSize, alignment: 16)
    parameters = kind.makeParameterPool()
    _ = kind.machine.initialize(value, initial: nil, parameters.base, &record)
  }

  deinit {
    kind.machine.destroy(value)
    value.deallocate()
  }

  mutating func flip(_ count: Int) -> Int {
    let machine = kind.machine
    let event = kind.plainEvents
    let set = parameters.base
    for _ in 0..<count {
      record.begin(at: .beginning)
      if machine.step(value, event: event, set, &record).verdict == .moved { moves += 1 }
    }
    flips += count
    return count
  }
}
