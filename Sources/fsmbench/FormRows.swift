internal import StateMachines
internal import UnixHost

/// Steps of a toggle in one of the forms, beside the same toggle as a plain `switch`: what a form costs.
///
/// Both are stepped as a world steps a machine, through the kind, but without a world: no journal, no clock.
struct FormBenchmark {
  let form: Form
  let toggle: Kind
  /// How many times a plain step a step may cost.
  let most: Double?

  var what: String { "a step in the form \(form.rawValue)" }

  func run(_ effort: Effort) throws -> Row {
    var ours = FormToggle(toggle)
    var plain = FormToggle(PlainToggle.kind)
    let pairing = Pairing(
      rounds: effort.rounds,
      ours: { rate(for: effort.nanoseconds) { _ in ours.flip(Self.block) } },
      peer: { rate(for: effort.nanoseconds) { _ in plain.flip(Self.block) } })
    guard ours.moves == ours.flips, plain.moves == plain.flips else {
      throw BenchFailure.wrongReply(to: toggle.name, expected: "\(ours.flips) moves", got: "\(ours.moves)")
    }
    return Row(
      ours: Figure(value: pairing.ours, unit: .perSecond),
      peer: Row.Peer(
        name: "plain switch", figure: Figure(value: pairing.peer, unit: .perSecond), ratio: pairing.ratio),
      targets: most.map { [.ratioAtLeast(1 / $0)] } ?? [])
  }

  /// Steps between two looks at the clock.
  private static let block = 4_096

  static let all = [
    FormBenchmark(form: .reducer, toggle: ReducerToggle.kind, most: nil),
    FormBenchmark(form: .feature, toggle: FeatureToggle.kind, most: 10),
    FormBenchmark(form: .stateObjects, toggle: StateObjectToggle.kind, most: 5),
    FormBenchmark(form: .schema, toggle: SchemaToggle.kind, most: nil),
  ]
}

/// One machine with two states and one event, outside of a world.
private struct FormToggle: ~Copyable {
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
