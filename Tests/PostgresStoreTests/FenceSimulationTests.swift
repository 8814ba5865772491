import TestSupport
import Testing

@testable import PostgresStore

/// Daemons, their leases, appends, pauses and lost replies on a log in memory, as the dice will have it; the same
/// ``LogWriter`` runs under it as over a database.
@Suite("The fence, simulated")
struct FenceSimulationTests {
  @Test("nothing acknowledged is lost, nothing is there twice, there are no holes")
  func schedules() {
    var total = Tally()
    for seed in 0..<Thorough.rounds(20_000, atLeast: 700) {
      let tally = Simulation(seed: seed).run()
      expect(tally.isGood, "schedule \(seed): \(tally)")
      total.add(tally)
    }
    print(total)
    expect(total.faults > 10_000 && total.lossesTold > 100)
  }

  @Test("with any fence off, the same schedules find it", arguments: Fence.allCases)
  func controls(off fence: Fence) {
    let bad = (0..<2_000).first { !Simulation(seed: $0, without: fence).run().isGood }
    expect(bad != nil, "the schedules do not notice that there is no \(fence)")
  }
}

/// What keeps two writers apart, each to be left out.
enum Fence: CaseIterable {
  /// A row is inserted only if its number is free.
  case key
  /// A row is inserted only after one of the writer's own epoch.
  case epoch
  /// Each taking draws an epoch of its own.
  case ownEpochs
  /// A lost reply is settled before the inputs are sent again.
  case settling
}

/// The last line of a run.
struct Tally: CustomStringConvertible {
  var faults = 0
  var lost = 0
  var twice = 0
  var holes = 0
  var lossesTold = 0

  var isGood: Bool { lost == 0 && twice == 0 && holes == 0 }

  mutating func add(_ other: Tally) {
    faults += other.faults
    lost += other.lost
    twice += other.twice
    holes += other.holes
    lossesTold += other.lossesTold
  }

  var description: String { "faults \(faults) lost \(lost) twice \(twice) holes \(holes)" }
}

/// What a row of the simulated log has: an input of a client, and the number of inputs up to it.
struct SimulatedContent {
  var head: Int
  var input: Int?
}

enum SimulatedFailure: LogFailure {
  case unknown, refused

  var isUnknown: Bool { self == .unknown }
}

private final class Simulation {
  typealias Row = LogRow<SimulatedContent>
  typealias Insertion = [(row: Row, after: Epoch)]

  private static let worlds: [Int64] = [1, 2, 3]

  var dice: Dice
  private let without: Fence?
  fileprivate var tables: [Int64: [Row]] = [:]
  /// Requests that nobody waits for any more, and that may still arrive.
  private var underWay: [Insertion] = []
  private var daemons: [SimulatedDaemon] = []
  private var depth = 0
  /// How much daemons may still do within the calls of others.
  private var interludes = 60
  private var tally = Tally()
  private var nextInput = 0
  /// Inputs whose client was told that they are stored.
  private var acknowledged: Set<Int> = []
  /// Inputs that went with the history of a database that went back; a daemon tells of that.
  private var forgiven: Set<Int> = []
  /// Inputs whose client was told that they are not stored, so that it sends them again as others.
  private var denied: Set<Int> = []
  /// Whether the database may go back in time. Then a request that was fenced off may arrive before its fence.
  private let goesBack: Bool

  init(seed: Int, without: Fence? = nil) {
    dice = Dice(seed: seed)
    self.without = without
    goesBack = seed % 3 == 0
    for world in Self.worlds {
      let first = Row(world: world, number: 1, epoch: drawEpoch(0), isTaking: true, SimulatedContent(head: 0))
      tables[world] = [first]
    }
    daemons = (0..<3).map { SimulatedDaemon($0, self) }
  }

  func run() -> Tally {
    for _ in 0..<25 { step() }
    while !underWay.isEmpty { arrive() }
    for world in Self.worlds { judge(world) }
    return tally
  }

  private func step() {
    depth += 1
    defer { depth -= 1 }
    let daemon = daemons[dice.number(below: daemons.count)]
    if daemon.isBusy { return }
    daemon.isBusy = true
    defer { daemon.isBusy = false }
    daemon.act()
  }

  func newInput() -> Int {
    nextInput += 1
    return nextInput
  }

  func acknowledge(_ input: Int) { acknowledged.insert(input) }

  func deny(_ input: Int) { denied.insert(input) }

  func tellLoss() { tally.lossesTold += 1 }

  func drawEpoch(_ daemon: Int) -> Epoch {
    without == .ownEpochs ? Epoch(high: 0, low: 0) : .drawn(using: &dice)
  }

  // MARK: The database

  /// What others do between two calls of a daemon: it may be paused here for long.
  private func pause() {
    while depth < 4, interludes > 0, dice.once(in: 6) {
      interludes -= 1
      step()
    }
    while !underWay.isEmpty, dice.once(in: 3) { arrive() }
    if goesBack, dice.once(in: 60) { goBack() }
  }

  /// A request that was under way arrives, or never does.
  private func arrive() {
    let request = underWay.remove(at: dice.number(below: underWay.count))
    if !dice.once(in: 4) { _ = execute(request) }
  }

  /// The database goes back in time: a standby that lacks the last rows takes over.
  private func goBack() {
    tally.faults += 1
    guard let world = Self.worlds.randomElement(using: &dice), let rows = tables[world], rows.count > 2 else { return }
    let gone = rows.suffix(dice.number(1...min(3, rows.count - 1)))
    forgiven.formUnion(gone.compactMap(\.content.input))
    tables[world] = rows.dropLast(gone.count)
  }

  func request(_ insertion: Insertion) throws(SimulatedFailure) -> Set<Int64> {
    pause()
    defer { pause() }
    switch dice.number(below: 12) {
    case 0:
      tally.faults += 1
      throw .refused
    case 1:
      tally.faults += 1
      throw loss
    case 2:
      tally.faults += 1
      _ = execute(insertion)
      throw loss
    case 3, 4:
      tally.faults += 1
      underWay.append(insertion)
      throw loss
    case _: return execute(insertion)
    }
  }

  func look<R>(_ body: () -> R) throws(SimulatedFailure) -> R {
    pause()
    if dice.once(in: 12) {
      tally.faults += 1
      throw .refused
    }
    return body()
  }

  private var loss: SimulatedFailure { without == .settling ? .refused : .unknown }

  private func execute(_ insertion: Insertion) -> Set<Int64> {
    var inserted: Set<Int64> = []
    for (row, after) in insertion {
      let rows = tables[row.world] ?? []
      let isAfterOwn = rows.contains { $0.number == row.number - 1 && $0.epoch == after }
      guard isAfterOwn || without == .epoch && rows.contains(where: { $0.number == row.number - 1 }) else { continue }
      let place = rows.firstIndex { $0.number == row.number }
      guard without == .key || place == nil else { continue }
      if let place { tables[row.world]?[place] = row } else { tables[row.world]?.append(row) }
      inserted.insert(row.world)
    }
    return inserted
  }

  func mayWait() -> Bool {
    pause()
    return !dice.once(in: 6)
  }

  // MARK: The judgement

  private func judge(_ world: Int64) {
    let rows = tables[world] ?? []
    for (earlier, later) in zip(rows, rows.dropFirst()) {
      let isNext = later.number == earlier.number + 1
      let counts = later.content.head == earlier.content.head + (later.isTaking || later.content.input == nil ? 0 : 1)
      if !isNext || !counts { tally.holes += 1 }
    }
    let inputs = rows.filter { !$0.isTaking }.compactMap(\.content.input)
    tally.twice += inputs.count - Set(inputs).count + (goesBack ? 0 : denied.intersection(inputs).count)
    if world == Self.worlds.last {
      let all = Set(tables.values.flatMap { $0.compactMap(\.content.input) })
      tally.lost += acknowledged.subtracting(all).subtracting(forgiven).count
    }
  }
}

/// A daemon of the simulation, with a client that sends each input until it has heard what became of it.
private final class SimulatedDaemon: FencedLog {
  typealias Content = SimulatedContent

  private let number: Int
  private unowned let simulation: Simulation
  private lazy var writer = LogWriter(self)
  var isBusy = false
  /// Inputs that a client of a world waits for.
  private var waiting: [Int64: Int] = [:]

  init(_ number: Int, _ simulation: Simulation) {
    self.number = number
    self.simulation = simulation
  }

  func act() {
    let count = simulation.dice.number(1...3)
    let chosen = [Int64](1...3).shuffled(using: &simulation.dice).prefix(count).sorted()
    var round: [(world: Int64, SimulatedContent)] = []
    take(chosen.filter { writer[$0] == nil })
    for world in chosen {
      guard let last = writer[world] else { continue }
      let input = waiting[world] ?? simulation.newInput()
      waiting[world] = input
      round.append((world, SimulatedContent(head: last.content.head + 1, input: input)))
    }
    if round.isEmpty { return }
    let refused = writer.append(round) { simulation.mayWait() }
    for (world, content) in round {
      switch refused[world] {
      case nil:
        if let input = content.input { simulation.acknowledge(input) }
        waiting[world] = nil
      case .failed(.unknown): break
      case .lost, .lostAndFenced:
        simulation.tellLoss()
        waiting[world].map(simulation.deny)
        waiting[world] = nil
      case .failed(.refused), .fenced:
        waiting[world].map(simulation.deny)
        waiting[world] = nil
      }
    }
  }

  /// Takes worlds and reads them, so that clients hear what their inputs became.
  private func take(_ worlds: [Int64]) {
    let takings = try? writer.take(worlds, while: { simulation.mayWait() }) { SimulatedContent(head: $0.head) }
    for (world, taking) in takings ?? [:] {
      guard case .taken = taking, let input = waiting[world] else { continue }
      if simulation.tables[world]?.contains(where: { $0.content.input == input }) ?? false {
        simulation.acknowledge(input)
        waiting[world] = nil
      }
    }
  }

  func insert(_ rows: [(row: LogRow<SimulatedContent>, after: Epoch)]) throws(SimulatedFailure) -> Set<Int64> {
    try simulation.request(rows)
  }

  func ends(of worlds: [Int64]) throws(SimulatedFailure) -> [Int64: LogRow<SimulatedContent>] {
    try simulation.look { simulation.tables.filter { worlds.contains($0.key) }.compactMapValues(\.last) }
  }

  func epoch(of world: Int64, at number: Int64) throws(SimulatedFailure) -> Epoch? {
    try simulation.look { simulation.tables[world]?.first { $0.number == number }?.epoch }
  }

  func drawEpoch() -> Epoch { simulation.drawEpoch(number) }
}
