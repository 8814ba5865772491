internal import Simulations
internal import Simulator
internal import StateMachines

/// A world of machines of one kind, written, read back or hashed, in process. The written bytes are read and compared.
struct ArchiveBenchmark {
  enum Task: String {
    case copy = "copied to be written"
    case write = "written out"
    case read = "read back"
    case hash = "hashed"
  }

  let kind: String
  let isMillion: Bool
  let task: Task
  /// Machines per second.
  let target: Double

  var what: String { "a world of \(isMillion ? "a million" : "1,000") \(kind), \(task.rawValue)" }

  func run(_ effort: Effort) throws -> Row {
    let count = isMillion ? effort.million : 1_000
    var world = WorldCore()
    _ = try world.fill(with: try StepBenchmark.kind(kind), count: count)
    let archive = try world.archive()
    let hash = try world.stateHash
    var rates: [Double] = []
    for _ in 0..<effort.rounds {
      rates.append(Double(count) / (try seconds { try once(world, archive, hash) }))
    }
    return Row(
      ours: Figure(value: median(rates), unit: .perSecond),
      targets: [.atLeast(Figure(value: target, unit: .perSecond))],
      remark: "\(archive.count) bytes")
  }

  private func once(_ world: borrowing WorldCore, _ archive: [UInt8], _ hash: UInt64) throws {
    let isSame: Bool
    switch task {
    case .copy: isSame = ArchiveWriter(of: world).sequence == world.lastSequence
    case .write: isSame = try world.archive() == archive
    case .hash: isSame = try world.stateHash == hash
    case .read:
      let other = try WorldCore(archive: archive, kinds: { Catalogue.simulations[$0] })
      isSame = other.machineCount == world.machineCount && other.lastSequence == world.lastSequence
    }
    guard isSame else {
      throw BenchFailure.wrongReply(to: what, expected: "the same world", got: "another")
    }
  }
}

/// The checksum of 64 MiB.
func checksum(_ effort: Effort) -> Row {
  var dice = Dice(seed: 6)
  let bytes = (0..<(64 << 17)).flatMap { _ in withUnsafeBytes(of: dice.next()) { Array($0) } }
  let first = Checksum.of(bytes)
  var rates: [Double] = []
  for _ in 0..<effort.rounds {
    var isSame = false
    rates.append(Double(bytes.count) / seconds { isSame = Checksum.of(bytes) == first })
    precondition(isSame, "the checksum of equal bytes differs")
  }
  return Row(
    ours: Figure(value: median(rates), unit: .bytesPerSecond),
    targets: [.atLeast(Figure(value: 1e9, unit: .bytesPerSecond))])
}
