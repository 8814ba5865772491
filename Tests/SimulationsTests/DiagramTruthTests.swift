@testable import MachineGraphs
import MachineTesting
import Simulations
import Simulator
import StateMachines
import Surveys
import TestSupport
import Testing

/// Random walks of machines with random parameters, compared with the diagrams of these machines: whatever a walk does is
/// in the diagram, unless the diagram says that it is partial there.
struct DiagramTruthTests {
  /// Sets of parameters per kind, and walks with each.
  private static let (sets, walks): (Range<UInt64>, Range<UInt64>) = (
    Thorough.rounds(0..<3, atLeast: 2), Thorough.rounds(0..<8, atLeast: 2)
  )

  @Test(
    "whatever a walk does is in the diagram", arguments: CatalogueTests.kinds.map(\.name))
  func arrows(name: String) throws {
    let kind = try GraphTests.kind(name)
    for set in Self.sets {
      var dice = KindDice(seed: set, kind)
      let parameters = set == 0 ? [] : dice.parameters()
      guard
        let graph = try? parameters.isEmpty ? SharedGraphs.graph(of: kind) : StateGraph(of: kind, with: parameters)
      else { continue }
      for seed in Self.walks {
        let walk = try Walk(kind, parameters, seed: set * 100 + seed, length: 120)
        for lie in walk.lies(about: graph).prefix(2) {
          Issue.record("\(kind.name) \(walk.parameters) initial=\(walk.initial ?? "none") seed \(walk.seed): \(lie)")
        }
      }
    }
  }

  @Test("what a diagram is partial for stands in its reasons", arguments: CatalogueTests.kinds.map(\.name))
  func reasons(name: String) throws {
    let kind = try GraphTests.kind(name)
    let graph = try SharedGraphs.graph(of: kind)
    let hasGaps = graph.states.indices.contains { state in
      graph.kind.events.indices.contains { graph.isPartial(from: state, by: .event($0)) }
        || graph.kind.timers.indices.contains { graph.isPartial(from: state, by: .timer($0)) }
    }
    expect(hasGaps != graph.isComplete, "\(graph.whyPartial)")
  }

  @Test("most kinds are complete")
  func complete() throws {
    let partial = try CatalogueTests.kinds.filter { try !SharedGraphs.graph(of: $0).isComplete }.map(\.name)
    expectEqual(
      partial,
      [
        "smartFridge", "spamFilter", "networkClient", "database", "appCoordinator", "background", "mviTrace", "resume",
        "pagination",
      ])
  }

  @Test(
    "coverage knows all that a walk does, unless the diagram is partial", arguments: CatalogueTests.kinds.map(\.name))
  func coverage(name: String) throws {
    let kind = try GraphTests.kind(name)
    let graph = try SharedGraphs.graph(of: kind)
    guard graph.isComplete else { return }
    var scope = CoverageScope(of: kind)
    scope.add(graph)
    for seed in Thorough.rounds(0..<3 as Range<UInt64>) {
      let walk = try Walk(kind, [], seed: seed, length: 200)
      var survey = CoverageSurvey(of: walk.world, .all) { _ in true }
      while !survey.advance(through: walk.world, by: 1_000) {}
      for outcome in survey.tallies[0].outcomes where !scope.outcomes.contains(outcome) {
        Issue.record("\(kind.name), seed \(seed): \(outcome) is not in the scope")
      }
    }
  }

  @Test("a way leads where it says, and the event is possible there", arguments: CatalogueTests.kinds.map(\.name))
  func ways(name: String) throws {
    let kind = try GraphTests.kind(name)
    let graph = try SharedGraphs.graph(of: kind)
    // Where chance decides, a way is one that can be had.
    if graph.cells.joined().joined().contains(where: \.isByChance) { return }
    for seed in Thorough.rounds(0..<6 as Range<UInt64>) {
      var walk = try Walk(kind, [], seed: seed, length: 10)
      let finder = PathFinder(kind)
      for event in kind.events.indices {
        if let lie = walk.lie(aboutWayTo: event, finder) { Issue.record("\(kind.name), seed \(seed): \(lie)") }
        walk.goOn(for: 3)
      }
    }
  }
}

/// Draws parameters and arguments of all types.
private struct KindDice {
  var generator: Generator
  let kind: Kind

  init(seed: UInt64, _ kind: Kind) {
    generator = Generator(salt: seed &* 7_919 &+ UInt64(kind.name.utf8.count))
    self.kind = kind
  }

  mutating func parameters() -> [(parameter: Int, value: Value)] {
    kind.parameters.enumerated().compactMap { place, parameter in
      if generator.draw(in: 0...2) == 0 { return nil }
      let value: Value =
        if case .text = parameter.type,
          let text = DiagramTruthTests.texts[parameter.name]?.randomElement(using: &generator)
        {
          .text(text)
        } else {
          value(of: parameter.type)
        }
      // A periodic timer without delay never lets time pass.
      if case .interval(let interval) = value, interval == .zero { return nil }
      return parameter.type.admits(value) ? (place, value) : nil
    }
  }

  /// Now and then a text that rules of the catalogue look at.
  mutating func value(ofArgument argument: ArgumentEntry) -> Value {
    if let text = DiagramTruthTests.argumentTexts[argument.name]?.randomElement(using: &generator) {
      return .text(text)
    }
    return value(of: argument.type)
  }

  mutating func value(of type: ValueType) -> Value {
    switch type {
    case .text:
      let letters = Array("abAB01 x,")
      return .text(String((0..<generator.draw(in: 0...6)).map { _ in letters.randomElement(using: &generator)! }))
    case .character: return .text(String("abAB01xé".randomElement(using: &generator)!))
    case .choice(let words): return .text(words.randomElement(using: &generator)!)
    case .integer(let range):
      let low = generator.draw(in: 0...5) == 0 ? range.upperBound : range.lowerBound
      return .integer(min(range.upperBound, low &+ (low == range.lowerBound ? generator.draw(in: 0...6) : 0)))
    case .number(let range, unit: _):
      let part = Double(generator.draw(in: 0...4)) / 4
      return .number(
        range.lowerBound.magnitude < 1_000 && range.upperBound.magnitude < 1_000
          ? range.lowerBound + part * (range.upperBound - range.lowerBound)
          : min(range.upperBound, max(range.lowerBound, part * 20)))
    case .flag: return .flag(generator.draw(in: 0...1) == 1)
    case .interval(let range):
      let nanoseconds = [0, 1_000_000, 1_000_000_000, 3_000_000_000, 60_000_000_000].randomElement(using: &generator)!
      return .interval(min(range.upperBound, max(range.lowerBound, Nanoseconds(nanoseconds: Int64(nanoseconds)))))
    case .moment: return .moment(.beginning)
    case .json: return .none
    case .optional(let type): return generator.draw(in: 0...2) == 0 ? .none : value(of: type)
    }
  }
}

extension DiagramTruthTests {
  fileprivate static let texts: [String: [String]] = [
    "pattern": ["hello", "a*b", "(a|b)*abb", "[0-9]+", "a?", ".*x", ""],
    "words": ["ABABAC", "spam,ham", "a,ab,b", "he,she,hers"], "alphabet": ["01", "01ab"],
    "transitions": ["even:0:even,even:1:odd,odd:0:odd", "even:0:odd"], "accepting": ["odd", "even,odd", ""],
    "handlers": ["", "access,access,content", "postRead,serverRewrite,rewrite", "rewrite,rewrite,preaccess,access"],
  ]

  fileprivate static let argumentTexts: [String: [String]] = [
    "text": [
      "GET /a HTTP/1.1", "GET /a HTTP/1.0", "PUT * HTTP/1.1", "get / HTTP/1.1", "GET a HTTP/1.1", "GET / HTTP/2",
      "Content-Length: 1", "Content-Length: 11", "Content-Length: 0", "Content-Length: x", "content-length: 5000000000",
      "Connection: keep-alive", "connection: x, close", "Transfer-Encoding: gzip", "Host: x", ": x", "x", "",
      "ann secret",
    ],
    "path": ["/", "//", "", "/a", "/resume/7", "a/b"], "uri": ["/", "/x", "x"],
    "password": ["", "ok", "bad", "secret", "x"], "user": ["", "A", "B", "C", "D"],
    "error": ["noAuth", "failedToLoadData", "x"], "state": ["active", "inactive", "x"], "by": ["x", "me"],
    "word": ["", "hello", "he", "aab", "b", "01", "11", "abb", "x", "é", "e\u{301}"],
    "chunk": ["ABABAC", "ABA", "BAC", "spam", " ham ", "", "hers"],
  ]
}

/// A random walk of one machine.
private struct Walk: ~Copyable {
  let kind: Kind
  let parameters: String
  let initial: String?
  let seed: UInt64
  private(set) var world: WorldCore
  private let machine: MachineID
  private var dice: KindDice

  init(_ kind: Kind, _ parameters: [(parameter: Int, value: Value)], seed: UInt64, length: Int) throws {
    self.kind = kind
    self.parameters = parameters.map { "\(kind.parameters[$0.parameter].name)=\($0.value)" }.joined(separator: " ")
    self.seed = seed
    dice = KindDice(seed: seed &+ 1_000, kind)
    initial = seed % 3 == 0 ? nil : kind.initialStates.randomElement(using: &dice.generator)
    var world = WorldCore(seed: seed)
    let state = initial.flatMap { kind.initialState(named: $0) }
    let given = kind.requiredExamples.filter { example in !parameters.contains { $0.parameter == example.parameter } }
    machine = try Array("m".utf8).withUnsafeBytes {
      try world.create(kind, named: $0, initial: state, parameters: given + parameters)
    }
    self.world = world
    settle()
    goOn(for: length)
  }

  mutating func goOn(for steps: Int) {
    for _ in 0..<steps {
      switch dice.generator.draw(in: 0...9) {
      case 0...5:
        let event = dice.generator.draw(in: 0...kind.events.count - 1)
        let arguments = kind.events[event].arguments.map { argument in
          if dice.generator.draw(in: 0...2) > 0 { return argument.samples.randomElement(using: &dice.generator)! }
          let value = dice.value(ofArgument: argument)
          return argument.type.admits(value) ? value : argument.samples[0]
        }
        world.send(machine, event: event, arguments)
      case 6:
        let running = world.runningTimers(of: machine)
        guard let timer = running.randomElement(using: &dice.generator) else { continue }
        world.fire(machine, timer: timer.timer, key: timer.key)
      case 7:
        guard let due = world.runningTimers(of: machine).first?.due else { continue }
        pass(to: due)
      default:
        let wait = powerOfTen(dice.generator.draw(in: 0...(RandomWalk.restless.contains(kind.name) ? 9 : 12)))
        pass(to: world.now + Nanoseconds(nanoseconds: wait))
      }
      settle()
    }
  }

  private func powerOfTen(_ exponent: Int) -> Int64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

  private mutating func settle() { pass(to: world.now) }

  /// Lets one timer expire.
  private mutating func expireNext(by moment: Instant) {
    var budget = 1
    _ = world.advance(to: moment, budget: &budget)
  }

  private mutating func pass(to moment: Instant) {
    var budget = 2_000
    _ = world.advance(to: moment, budget: &budget)
  }

  /// What the machine did that its diagram neither has nor reports as missing.
  func lies(about graph: StateGraph) -> [String] {
    var lies: [String] = []
    var reader = world.journalReader(from: 1)
    while let entry = world.read(&reader) {
      let trigger: GraphTrigger
      switch entry.input {
      case .event: trigger = .event(Int(entry.index))
      case .expiry: trigger = .timer(Int(entry.index))
      case .fired where entry.verdict != .refused: trigger = .timer(Int(entry.index))
      default: continue
      }
      let input = JournalInput(entry)
      let outputs = input.effects.compactMap { effect in
        if case .emitted(let output, _) = effect, !kind.outputs[output].isTold { output } else { nil }
      }
      let (from, to) = (Int(entry.from), Int(entry.to))
      if graph.isPartial(from: from, by: trigger) { continue }
      let inputs: Range<Int>
      let name: String
      switch trigger {
      case .event(let event): (inputs, name) = (graph.inputs(ofEvent: event), kind.events[event].name)
      case .timer(let timer):
        let input = graph.input(ofTimer: timer)
        (inputs, name) = (input..<input + 1, kind.timers[timer].name)
      }
      let isFound = inputs.contains { input in
        graph.outcomes(in: from, of: input).contains {
          $0.verdict == entry.verdict && $0.to == to && $0.outputs == outputs
        }
      }
      if !isFound {
        let (from, to) = (kind.states[from].word, kind.states[to].word)
        lies.append("\(entry.sequence) \(name) \(input.arguments): \(from) \(entry.verdict) \(to) \(outputs)")
      }
    }
    return lies
  }

  /// Follows the way to an event that is not possible now.
  ///
  /// - Returns: What is wrong with it.
  mutating func lie(aboutWayTo event: Int, _ finder: PathFinder) -> String? {
    let before = world.state(of: machine)
    guard let way = world.way(of: machine, to: event, finder) else { return nil }
    for step in way.steps {
      switch step {
      case .send(let event, let arguments): world.send(machine, event: event, arguments)
      case .fire(let timer, let key): world.fire(machine, timer: timer, key: key)
      case .fireDue: expireNext(by: world.now)
      case .step:
        guard let due = world.runningTimers(of: machine).first?.due else { return "no timer runs" }
        expireNext(by: due)
      }
    }
    settle()
    let end = kind.states[way.state].word
    let text = "from \(before) by \(way.words(of: kind)) to \(end) for \(kind.events[event].name)"
    if world.stateIndex(of: machine) != way.state { return "\(text): it is in \(world.state(of: machine))" }
    let effects = world.prospect(of: event, for: machine).effects
    return effects.contains(.moved) || effects.contains(.stayed) ? nil : "\(text): it does nothing"
  }
}
