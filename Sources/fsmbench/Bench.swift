internal import LineProtocol
internal import UnixHost

/// The program: its options, its benchmarks, the table.
enum Bench {
  /// A benchmark that can be selected.
  struct Benchmark: Sendable {
    /// The first column of the table, searched by `--only`.
    let what: String
    let run: @Sendable (Effort) throws -> Row
  }

  private enum Option { case only, rounds, quick, count }

  private static let options = OptionTable<Option>(
    program: "fsmbench", synopsis: "[options]",
    options: [
      .init(.only, long: "only", argument: .required("TEXT"), summary: "only the rows with TEXT in their name"),
      .init(.rounds, long: "rounds", argument: .required("N"), summary: "measure each pair N times (7)"),
      .init(.quick, long: "quick", summary: "a rough look: 3 short rounds, 200,000 machines for a million"),
      .init(.count, long: "count", summary: "no table: instructions per request, counted by valgrind"),
    ])

  /// - Returns: The exit code: 0 when every row was measured, whatever the figures; 1 for a wrong command line;
  ///   2 when a row has no figure, because a server failed or gave a wrong reply.
  static func run(_ arguments: [String]) -> Int32 {
    var effort = Effort()
    var only = ""
    do {
      switch try options.parse(arguments) {
      case .help:
        Descriptor.standardOutput.writeAll(options.usage)
        return 0
      case .version:
        Descriptor.standardOutput.writeAll("fsmbench \(Release.version)\n")
        return 0
      case .run(let given, let operands):
        guard operands.isEmpty else { throw UsageFailure.wrong("unexpected word '\(operands[0])'") }
        // First, since the other options refine it.
        if given.contains(where: { $0.name == .quick }) { effort = .quick }
        for option in given {
          switch option.name {
          case .quick: break
          case .count: return InstructionCount.run()
          case .only: only = option.value.lowercased()
          case .rounds:
            guard let rounds = Int(option.value), 1...1_000 ~= rounds else {
              throw UsageFailure.wrong("--rounds takes 1 to 1000, not '\(option.value)'")
            }
            effort.rounds = rounds
          }
        }
      }
    } catch {
      Descriptor.standardError.writeAll("fsmbench: \(error)\n\(options.usage)")
      return 1
    }
    return measure(all.filter { only.isEmpty || $0.what.lowercased().contains(only) }, effort)
  }

  private static func measure(_ benchmarks: [Benchmark], _ effort: Effort) -> Int32 {
    var code: Int32 = 0
    let table = Table()
    table.begin()
    for benchmark in benchmarks {
      do {
        table.add(try benchmark.run(effort), what: benchmark.what)
      } catch BenchFailure.notHere(let why) {
        table.addOmission(why, what: benchmark.what)
      } catch {
        table.addFailure(error, what: benchmark.what)
        code = 2
      }
    }
    return code
  }

  private static let all: [Benchmark] =
    wire + durable + watching + inProcess + forms + charts + filtering + archives + memory + rewinding + latency
    + attacks

  private static let wire: [Benchmark] = [
    WireBenchmark(connections: 1, depth: 1_000, kind: "power", event: "buttonClick", target: 2),
    WireBenchmark(connections: 50, depth: 64, kind: "power", event: "buttonClick", target: 3),
    WireBenchmark(connections: 1, depth: 1_000, kind: "shiftKey", event: "tap", target: 1.8),
    WireBenchmark(connections: 50, depth: 64, kind: "shiftKey", event: "tap", target: 2.5),
    WireBenchmark(connections: 1, depth: 1, kind: "power", event: "buttonClick", target: 1),
    WireBenchmark(
      connections: 1, depth: 1, kind: "power", event: "buttonClick", target: nil, options: ["--poll", "50"]),
  ].map { wire in Benchmark(what: wire.what) { try wire.run($0) } }

  private static let durable: [Benchmark] =
    [
      DurableBenchmark(durability: "batch", peer: .ephemeral, target: 0.4),
      DurableBenchmark(durability: "batch", peer: .redis(sync: "everysec"), target: 2),
      DurableBenchmark(durability: "full", peer: .redis(sync: "always"), target: 2),
    ].map { durable in Benchmark(what: durable.what) { try durable.run($0) } }
    + [
      PostgresBenchmark(
        connections: 50, depth: 64, targets: [.atLeast(Figure(value: 300_000, unit: .perSecond)), .ratioAtLeast(0.5)]),
      // At most 1.3 times as long.
      PostgresBenchmark(connections: 1, depth: 1, targets: [.ratioAtLeast(0.77)]),
    ].map { postgres in Benchmark(what: postgres.what) { try postgres.run($0) } }
    + [Benchmark(what: "start with a million inputs to play again", run: startWithAMillionInputs)]

  private static let watching: [Benchmark] =
    [
      WatchBenchmark(connections: 1, depth: 1_000), WatchBenchmark(connections: 50, depth: 64),
      WatchBenchmark(connections: 50, depth: 64, cost: .processorTime),
    ].map { watch in Benchmark(what: watch.what) { try watch.run($0) } }
    + [PageBenchmark(streams: 10, connections: 50, depth: 64)].map { page in
      Benchmark(what: page.what) { try page.run($0) }
    }

  private static let memory: [Benchmark] = [
    MemoryBenchmark(kind: "power", state: "off", target: 64),
    MemoryBenchmark(kind: "shiftKey", state: "off", target: 80),
    MemoryBenchmark(kind: "fridge", state: "cooling", target: 120),
    MemoryBenchmark(kind: "toggle", state: "off", target: 200, document: ChartRows.toggle),
  ].map { memory in Benchmark(what: memory.what) { try memory.run($0) } }

  private static let rewinding: [Benchmark] = [
    Benchmark(what: "undo with a million inputs behind it", run: RewindRows.undo),
    Benchmark(what: "world fork of 1,000 machines") { try RewindRows.fork(of: 1_000, atMost: 0.001, $0) },
    Benchmark(what: "world fork of a million machines") {
      try RewindRows.fork(of: $0.million, atMost: 0.5, $0)
    },
    Benchmark(what: "diff of a world and its fork, of a million", run: RewindRows.diff),
  ]

  private static let latency: [Benchmark] = [
    Benchmark(what: "advance 1d with one fridge", run: advanceOneDay),
    Benchmark(what: "start until the greeting is read", run: startUp),
  ]

  private static let filtering: [Benchmark] = [
    FilterBenchmark(words: 100, bytes: 64 << 20)
  ].map { filter in Benchmark(what: filter.what) { try filter.run($0) } }

  private static let archives: [Benchmark] =
    [
      ArchiveBenchmark(kind: "power", isMillion: false, task: .write, target: 1_000_000),
      ArchiveBenchmark(kind: "power", isMillion: true, task: .copy, target: 10_000_000),
      ArchiveBenchmark(kind: "power", isMillion: true, task: .write, target: 1_000_000),
      ArchiveBenchmark(kind: "power", isMillion: true, task: .hash, target: 1_000_000),
      ArchiveBenchmark(kind: "power", isMillion: true, task: .read, target: 500_000),
      ArchiveBenchmark(kind: "fridge", isMillion: true, task: .write, target: 300_000),
      ArchiveBenchmark(kind: "fridge", isMillion: true, task: .read, target: 300_000),
    ].map { archive in Benchmark(what: archive.what) { try archive.run($0) } }
    + [Benchmark(what: "checksum of 64 MiB", run: checksum)]

  private static let attacks: [Benchmark] =
    [false, true].flatMap { isDurable in
      Attack.all.map { attack in
        let benchmark = AttackBenchmark(attack: attack, isDurable: isDurable)
        return Benchmark(what: benchmark.what) { try benchmark.run($0) }
      }
    } + [
      Benchmark(what: "attack: a world of a million inputs comes back", run: attackByReturning),
      Benchmark(what: "attack: two worlds advance at once", run: twoWorldsAtOnce),
    ]

  private static let forms: [Benchmark] = FormBenchmark.all.map { form in
    Benchmark(what: form.what) { try form.run($0) }
  }

  private static let charts: [Benchmark] = [
    Benchmark(what: "toggle chart in process, one hot machine", run: ChartRows.inProcess),
    Benchmark(what: "toggle chart beside python-statemachine", run: ChartRows.besidePython),
    Benchmark(what: "chart with a guard and an assignment per event", run: ChartRows.guarded),
    Benchmark(what: "toggle chart on the wire, 50 × 64", run: ChartRows.onTheWire),
    Benchmark(what: "all documents of the suites loaded", run: ChartRows.suites),
  ]

  private static let inProcess: [Benchmark] =
    [
      StepBenchmark(kind: "power", event: "buttonClick", crowd: .one, bare: .power, target: 50_000_000),
      StepBenchmark(kind: "power", event: "buttonClick", crowd: .million, bare: .power, target: 15_000_000),
      StepBenchmark(kind: "shiftKey", event: "tap", crowd: .million, bare: .shiftKey, target: 6_000_000),
    ].map { step in Benchmark(what: step.what) { try step.run($0) } }
    + [Benchmark(what: "fridge in process, timer firings of a million", run: fridgeFirings)]
}
