import MachineGraphs
import LineProtocol
import Simulator
import StateMachines
import Surveys

/// A coverage reply in slices: it reads the journal, then explores each kind's graphs and writes the kind's lines.
final class CoverageReply: LongReply {
  private var survey: CoverageSurvey
  /// What is surveyed if the first survey finds no machine.
  private var alternative: CoverageSurvey?
  private let graphs: Graphs
  /// Whether all is listed, what was tried too.
  private let listsAll: Bool
  /// The remaining kinds, the next one last; nil while the journal is read.
  private var tallies: [CoverageTally]?
  /// What the next kind's machines can do, and the graphs still to add to it.
  private var scope: CoverageScope?
  private var sources: [GraphSource] = []
  private var written = 0

  /// Inputs of the journal read in one slice.
  private static let inputsInASlice = 20_000
  /// The most lines per kind and sort about what was not tried.
  private static let mostUntried = 20

  init(_ survey: CoverageSurvey, or alternative: CoverageSurvey?, listsAll: Bool, _ graphs: Graphs) {
    self.listsAll = listsAll
    self.survey = survey
    self.alternative = alternative
    self.graphs = graphs
  }

  var isForWorkers: Bool { true }

  func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    let slice = live.slice
    guard let tally = tallies?.last else {
      if tallies != nil { return .done(written) }
      if survey.advance(through: live.world, by: CoverageReply.inputsInASlice) {
        let found = survey.tallies.filter { $0.machines > 0 }.sorted { $0.kind.name > $1.kind.name }
        if found.isEmpty, let next = alternative {
          survey = next
          alternative = nil
        } else {
          tallies = found
        }
      }
      return .more
    }
    if scope == nil {
      scope = CoverageScope(of: tally.kind)
      guard RequestContext.mayExplore(states: tally.kind.states.count, events: tally.kind.events.count) else {
        // What nobody can draw is not explored either.
        scope?.leaveUnexplored()
        return .more
      }
      sources = CoverageReply.parameterSets(of: tally).compactMap { parameters in
        // Machines were created with these, so they do not conflict; a kind's own examples may.
        try? graphs.source(of: tally.kind, parameters, seen: live.world.argumentsSeen(of: tally.kind))
      }
    }
    if let source = sources.last {
      if let graph = source.advance(by: GraphReply.stepsInASlice) {
        scope?.add(graph, while: { slice.wait() == nil })
        // Interrupted, it is not answered any more.
        if slice.wait() != nil { return .more }
        sources.removeLast()
      }
      return .more
    }
    if let scope {
      let coverage = Coverage(tally, of: scope, listsTried: listsAll) { slice.wait() == nil }
      if slice.wait() != nil { return .more }
      write(coverage, tag: tag, to: &buffer)
    }
    scope = nil
    tallies?.removeLast()
    return .more
  }

  /// The parameters of the kind's machines; the defaults if they are no longer known.
  private static func parameterSets(of tally: CoverageTally) -> [[Value]] {
    tally.parameterSets.isEmpty ? [tally.kind.parameters.map(\.example)] : tally.parameterSets
  }

  // MARK: Lines

  private func write(_ coverage: Coverage, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
    writeFigures(coverage, tag: tag, to: &buffer)
    for region in coverage.regions {
      begin("region", coverage.kind, tag, &buffer)
      buffer.word(region.name)
      buffer.key("states", region.states)
      buffer.endLine()
    }
    for tried in coverage.tried {
      begin("tried", coverage.kind, tag, &buffer)
      tried.write(coverage.kind, coverage.allStates, to: &buffer)
      buffer.endLine()
    }
    var rest = coverage.untried[...]
    while let sort = rest.first?.sort {
      let alike = rest.prefix { $0.sort == sort }
      rest = rest.dropFirst(alike.count)
      for untried in alike.prefix(listsAll ? .max : CoverageReply.mostUntried) {
        begin("untried", coverage.kind, tag, &buffer)
        untried.write(coverage.kind, coverage.allStates, to: &buffer)
        buffer.endLine()
      }
      guard !listsAll, alike.count > CoverageReply.mostUntried else { continue }
      begin("more", coverage.kind, tag, &buffer)
      buffer.word(sort.rawValue)
      buffer.word(UInt64(alike.count - CoverageReply.mostUntried))
      buffer.endLine()
    }
  }

  /// `. kind KIND machines=N states=N/ALL …`
  private func writeFigures(_ coverage: Coverage, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
    begin("kind", coverage.kind, tag, &buffer)
    buffer.key("machines", UInt64(coverage.machines))
    buffer.key("states", coverage.states)
    buffer.key("transitions", coverage.transitions)
    buffer.key("pairs", coverage.pairs)
    buffer.key("timers", coverage.timers)
    buffer.key("disarmed", coverage.disarmed)
    buffer.key("guards", coverage.guards)
    if let switches = coverage.switches { buffer.key("switches", switches) }
    if let combinations = coverage.combinations { buffer.key("combinations", combinations) }
    buffer.key("unreachable", UInt64(coverage.unreachable))
    buffer.key("impossible", UInt64(coverage.impossible))
    if survey.since > 1 { buffer.key("since", survey.since) }
    if !coverage.isComplete { buffer.key("graph", "partial") }
    buffer.endLine()
  }

  private func begin(
    _ word: StaticString, _ kind: Kind, _ tag: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer
  ) {
    buffer.begin(.data, tag: tag)
    buffer.word(literal: word)
    buffer.word(kind.name)
    written += 1
  }
}

extension ByteBuffer {
  /// `key=COVERED/ALL`
  fileprivate mutating func key(_ key: StaticString, _ figure: Coverage.Figure) {
    self.key(key, UInt64(figure.covered))
    append(byte: UInt8(ascii: "/"))
    append(decimal: UInt64(figure.all))
  }

  /// `event=NAME` or `timer=NAME`
  fileprivate mutating func key(_ trigger: GraphTrigger, of kind: Kind) {
    switch trigger {
    case .event: key("event", trigger.name(in: kind))
    case .timer: key("timer", trigger.name(in: kind))
    }
  }
}

extension GraphTrigger {
  fileprivate func name(in kind: Kind) -> String {
    switch self {
    case .event(let event): kind.events[event].name
    case .timer(let timer): kind.timers[timer].name
    }
  }
}

extension Coverage.Untried {
  /// The word for what was not tried.
  fileprivate enum Sort: String {
    case region, state, transition, pair, timer, `guard`, `switch`
  }

  fileprivate var sort: Sort {
    switch self {
    case .part: .region
    case .state: .state
    case .transition: .transition
    case .pair: .pair
    case .expiry, .disarming: .timer
    case .choice: .guard
    case .pairOfTransitions: .switch
    }
  }

  /// The words after the kind's name.
  fileprivate func write(_ kind: Kind, _ states: [StateEntry], to buffer: inout ByteBuffer) {
    buffer.word(sort.rawValue)
    switch self {
    case .part(let region, let state):
      buffer.word(region)
      buffer.word(state)
    case .state(let state):
      buffer.word(states[state].word)
    case .transition(let move):
      buffer.word(states[move.from].word)
      buffer.word(states[move.to].word)
      buffer.key(move.trigger, of: kind)
    case .pair(let state, let event):
      buffer.word(states[state].word)
      buffer.word(kind.events[event].name)
    case .expiry(let timer):
      buffer.word(kind.timers[timer].name)
      buffer.word(literal: "expired")
    case .disarming(let timer):
      buffer.word(kind.timers[timer].name)
      buffer.word(literal: "disarmed")
    case .choice(let state, let trigger, let lacking):
      buffer.word(states[state].word)
      buffer.key(trigger, of: kind)
      if !lacking.isEmpty { buffer.key("lacks", lacking.map { $0.word(among: states) }.joined(separator: ",")) }
    case .pairOfTransitions(let first, let second):
      buffer.word(states[first.from].word)
      buffer.word(first.trigger.name(in: kind))
      buffer.word(states[first.to].word)
      buffer.word(second.trigger.name(in: kind))
      buffer.word(states[second.to].word)
    }
  }
}

extension CoverageOutcome {
  /// The state that a move leads to, or the verdict of another outcome.
  fileprivate func word(among states: [StateEntry]) -> String {
    verdict == .moved ? states[to].word : "\(verdict.word)"
  }
}
