import LineProtocol
import Simulator

/// The daemon's row for a verb: what it needs, its cost and its handler. ``VerbEntry`` is the row that clients share.
struct VerbRow: Sendable {
  /// Which worlds must be present.
  enum Need {
    case nothing
    /// The present world. The verb waits while it is lent, and works while it is out of service.
    case world
    /// The contents of the present world, which must be in service.
    case contents
    /// The contents of the worlds that it names.
    case contentsOfOthers
  }

  enum Effect {
    case reads
    /// It changes nothing but the time of a virtual clock.
    case awaits
    /// It changes nothing, but others hear of it.
    case tells
    /// It changes nothing but the session.
    case configures
    /// Without arguments it changes at most the session.
    case changesWithArguments
    case changes
  }

  /// How many machines or inputs it visits.
  enum Cost {
    /// None; it runs on the event loop even in a slow world.
    case none
    /// One machine with its own data.
    case machine
    case machines
    /// All machines, each of which may read every byte of the line.
    case machinesAndBytes
    case inputs
    case wires
    /// It explores kinds, or reads all of them. In a batch only workers do that.
    case exploration
    /// It explores kinds and visits all machines and inputs.
    case coverage
  }

  /// How much memory it takes.
  enum Memory {
    /// Hardly any: requests that free memory, end something or answer briefly are never refused.
    case little
    case reply
    /// A reply of many lines.
    case longReply
    /// A reply of many lines, and a copy of the agenda or the wires until it is written.
    case agendaReply, wiresReply
    /// A reply of many lines, and a copy of the world that plays the past for its readings.
    case waveReply
    /// Memory of the world, for an input.
    case world
    /// As for an input, and a document with what is made of it.
    case document
    /// Two bits per machine of the world.
    case watch
    /// A second world, which is built before the present one is discarded.
    case worldCopy
  }

  let needs: Need
  let effect: Effect
  let cost: Cost
  let memory: Memory
  let handler: @Sendable (borrowing RequestContext) -> Void

  init(
    _ needs: Need, _ effect: Effect, cost: Cost, memory: Memory,
    _ handler: @escaping @Sendable (borrowing RequestContext) -> Void
  ) {
    self.needs = needs
    self.effect = effect
    self.cost = cost
    self.memory = memory
    self.handler = handler
  }

  /// Whether it concerns the contents of a world, which must be in service.
  var concernsContents: Bool {
    switch needs {
    case .contents, .contentsOfOthers: true
    case .nothing, .world: false
    }
  }

  /// Whether it waits while the world is lent.
  var needsTheWorld: Bool {
    switch needs {
    case .world, .contents: true
    case .nothing, .contentsOfOthers: false
    }
  }

  /// Whether it changes nothing, so that it is useless without a reader.
  var onlyReads: Bool {
    switch effect {
    case .reads, .awaits: true
    case .configures, .changesWithArguments, .changes, .tells: false
    }
  }

  /// Whether a session may run it that may change nothing but itself.
  func mayRunWithoutChange(hasArguments: Bool) -> Bool {
    switch effect {
    case .reads, .configures: true
    case .changesWithArguments: !hasArguments
    case .awaits, .tells, .changes: false
    }
  }

  /// Whether it is allowed in a read-only world.
  var mayRunReadOnly: Bool { if case .reads = effect { true } else { false } }

  /// About how many machines or inputs it visits.
  ///
  /// - Parameter bytes: The length of its line.
  func effort(bytes: Int = 0, _ live: borrowing LiveWorld) -> Int {
    switch cost {
    case .none, .machine, .exploration: 0
    case .machines: live.world.machineCount
    case .machinesAndBytes: live.world.machineCount * max(1, bytes / 4)
    case .inputs: live.inputsKept
    case .wires: live.world.wireCount
    case .coverage: live.world.machineCount + live.inputsKept
    }
  }
}

extension Verb {
  var row: VerbRow { VerbRow.table[Int(rawValue)] }
}

extension VerbRow {
  /// The rows in the order of ``Verb``.
  static let table = Verb.allCases.map(VerbRow.init)

  private init(_ verb: Verb) {
    self =
      switch verb {
      case .help: VerbRow(.nothing, .reads, cost: .machine, memory: .longReply) { $0.help() }
      case .kinds: VerbRow(.nothing, .reads, cost: .exploration, memory: .longReply) { $0.kinds() }
      case .describe: VerbRow(.world, .reads, cost: .exploration, memory: .longReply) { $0.describe() }
      case .define: VerbRow(.contents, .changes, cost: .machine, memory: .document) { $0.define() }
      case .undefine: VerbRow(.contents, .changes, cost: .machines, memory: .little) { $0.undefine() }

      case .new: VerbRow(.contents, .changes, cost: .machine, memory: .world) { $0.new() }
      case .drop: VerbRow(.contents, .changes, cost: .machine, memory: .little) { $0.drop() }
      case .list: VerbRow(.contents, .reads, cost: .machines, memory: .longReply) { $0.list() }
      case .count: VerbRow(.contents, .reads, cost: .machines, memory: .reply) { $0.count() }
      case .show: VerbRow(.contents, .reads, cost: .machine, memory: .reply) { $0.show() }
      case .can: VerbRow(.contents, .reads, cost: .exploration, memory: .reply) { $0.can() }

      case .send: VerbRow(.contents, .changes, cost: .machine, memory: .world) { $0.send() }
      case .cast: VerbRow(.contents, .changes, cost: .machinesAndBytes, memory: .world) { $0.cast() }
      case .wire: VerbRow(.contents, .changes, cost: .wires, memory: .world) { $0.wire() }
      case .unwire: VerbRow(.contents, .changes, cost: .wires, memory: .little) { $0.unwire() }
      case .wires: VerbRow(.contents, .reads, cost: .wires, memory: .wiresReply) { $0.wires() }

      case .watch: VerbRow(.contents, .reads, cost: .machine, memory: .watch) { $0.watch() }
      case .unwatch: VerbRow(.contents, .reads, cost: .machine, memory: .little) { $0.unwatch() }
      case .point: VerbRow(.contents, .tells, cost: .none, memory: .little) { $0.point() }
      case .journal: VerbRow(.contents, .reads, cost: .inputs, memory: .longReply) { $0.journal() }
      case .wave: VerbRow(.contents, .reads, cost: .coverage, memory: .waveReply) { $0.wave() }
      case .script: VerbRow(.contents, .reads, cost: .coverage, memory: .worldCopy) { $0.script() }
      case .graph: VerbRow(.contents, .reads, cost: .exploration, memory: .longReply) { $0.graph() }
      case .coverage: VerbRow(.contents, .reads, cost: .coverage, memory: .longReply) { $0.coverage() }

      case .clock: VerbRow(.contents, .changesWithArguments, cost: .none, memory: .little) { $0.clock() }
      case .speed: VerbRow(.contents, .changes, cost: .none, memory: .little) { $0.speed() }
      case .pause: VerbRow(.contents, .changes, cost: .none, memory: .little) { $0.pause() }
      case .resume: VerbRow(.contents, .changes, cost: .none, memory: .little) { $0.resume() }
      case .advance: VerbRow(.contents, .changes, cost: .machine, memory: .reply) { $0.advance() }
      case .step: VerbRow(.contents, .changes, cost: .machine, memory: .reply) { $0.step() }
      case .agenda: VerbRow(.contents, .reads, cost: .machines, memory: .agendaReply) { $0.agenda() }
      case .fire: VerbRow(.contents, .changes, cost: .machine, memory: .world) { $0.fire() }
      case .await: VerbRow(.contents, .awaits, cost: .machine, memory: .reply) { $0.awaitState() }
      case .expect: VerbRow(.contents, .reads, cost: .machine, memory: .reply) { $0.expect() }
      case .undo: VerbRow(.contents, .changes, cost: .machine, memory: .worldCopy) { $0.undo() }
      case .redo: VerbRow(.contents, .changes, cost: .machine, memory: .worldCopy) { $0.redo() }
      case .goto: VerbRow(.contents, .changes, cost: .machine, memory: .worldCopy) { $0.goTo() }

      case .world: VerbRow(.nothing, .changesWithArguments, cost: .machine, memory: .little) { $0.world() }
      case .use: VerbRow(.nothing, .configures, cost: .machine, memory: .reply) { $0.defer(.use($0.words.plain[0])) }
      case .who: VerbRow(.nothing, .reads, cost: .machine, memory: .reply) { $0.defer(.listSessions) }
      case .worlds: VerbRow(.nothing, .reads, cost: .machine, memory: .reply) { $0.defer(.listWorlds) }
      case .diff:
        VerbRow(.contentsOfOthers, .reads, cost: .machine, memory: .longReply) {
          $0.defer(.compare($0.words.plain[0], $0.words.plain[1]))
        }

      case .begin: VerbRow(.nothing, .configures, cost: .machine, memory: .reply) { $0.begin() }
      case .end: VerbRow(.nothing, .configures, cost: .machine, memory: .little) { $0.end() }
      case .discard: VerbRow(.nothing, .configures, cost: .machine, memory: .little) { $0.discard() }
      case .client: VerbRow(.contents, .configures, cost: .machine, memory: .little) { $0.client() }
      case .quiet: VerbRow(.nothing, .configures, cost: .machine, memory: .little) { $0.quiet() }
      case .mode: VerbRow(.nothing, .configures, cost: .machine, memory: .little) { $0.mode() }
      case .cancel: VerbRow(.nothing, .changesWithArguments, cost: .machine, memory: .little) { $0.cancel() }
      case .activities: VerbRow(.nothing, .reads, cost: .machine, memory: .little) { $0.defer(.activities) }
      case .limits: VerbRow(.world, .reads, cost: .none, memory: .little) { $0.showLimits() }
      case .stats: VerbRow(.world, .reads, cost: .none, memory: .little) { $0.stats() }
      case .sync: VerbRow(.world, .reads, cost: .none, memory: .little) { $0.sync() }
      case .quit: VerbRow(.nothing, .configures, cost: .machine, memory: .little) { $0.end(with: .quit) }
      case .shutdown: VerbRow(.nothing, .changes, cost: .machine, memory: .little) { $0.shutdown() }
      }
  }
}
