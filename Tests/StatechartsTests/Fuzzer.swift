import StateMachines
import TestSupport
import Statecharts

/// Gives documents, diagrams and expressions made by chance to the parsers and the evaluator. Nothing may trap, and nothing
/// may take more than its limits.
struct Fuzzer {
  private var random: RandomDocuments
  private var generator: Generator
  private(set) var inputs = 0
  /// How many of the inputs were whole documents, diagrams or expressions.
  private(set) var accepted = 0
  private let limits: StatechartLimits

  init(seed: UInt64) {
    random = RandomDocuments(salt: seed)
    generator = Generator(salt: seed)
    var limits = StatechartLimits()
    limits.budget = Budget(steps: 10_000, bytes: 1 << 16)
    limits.data = 1 << 14
    self.limits = limits
  }

  /// Makes and reads one input.
  mutating func run() {
    inputs += 1
    switch random.number(12) {
    case 0: runDocument(random.mutated(random.document()))
    case 1, 2: runDiagram(random.mutated(random.diagram()))
    case 3: runDiagram(random.diagram())
    case 4: runDiagram(random.mutated(random.plantUML()), .plantuml)
    case 5: runDiagram(random.mutated(random.machine()), .xstate)
    case 6: runScript(random.mutated(random.script()))
    case _: runExpression(random.number(3) == 0 ? random.mutated(random.expression()) : random.expression())
    }
  }

  // MARK: Running

  private mutating func runDocument(_ text: String) { run(Definition.compile(Array(text.utf8))) }

  private mutating func runDiagram(_ text: String, _ notation: DiagramNotation = .mermaid) {
    let result = Definition.compile(diagram: Array(text.utf8), notation)
    run(result)
    if case .definition(let definition, _) = result { _ = definition.stateDiagram() }
  }

  private mutating func run(_ result: Definition.Compilation) {
    guard case .definition(let definition, _) = result else { return }
    accepted += 1
    let interpreter = Interpreter(definition, limits: limits)
    var (machine, outcome) = interpreter.start(now: .beginning, generator: &generator)
    if case .limit = outcome { return }
    for _ in 0..<4 {
      let input: ChartInput =
        if let timer = machine.timers.first, random.number(2) == 0 {
          .timer(timer)
        } else {
          .event(definition.event(named: random.event()))
        }
      outcome = interpreter.step(&machine, input, now: .beginning, generator: &generator)
    }
    precondition(machine.damage(for: definition) == nil)
  }

  private var scope: DataScope {
    var scope = DataScope(generator: generator, budget: limits.budget)
    scope.variables = [.number(3), .string("täxt"), .array((try? DataArray([.number(1), .null])) ?? DataArray())]
    return scope
  }

  private static let symbols: SymbolTable = {
    var symbols = SymbolTable()
    for name in ["n", "s", "l"] { _ = symbols.slot(of: name) }
    return symbols
  }()

  private mutating func runExpression(_ text: String) {
    var symbols = Self.symbols
    guard let expression = try? Expression(parsing: text, in: &symbols) else { return }
    accepted += 1
    var scope = scope
    scope.symbols = symbols
    let first = try? expression.value(in: &scope)
    _ = first?.hashValue
    if let location = try? Location(parsing: text, in: &symbols) {
      scope.symbols = symbols
      try? location.assign(first ?? .null, in: &scope)
    }
  }

  private mutating func runScript(_ text: String) {
    var symbols = Self.symbols
    guard let script = try? Script(parsing: text, in: &symbols) else { return }
    accepted += 1
    var scope = scope
    scope.symbols = symbols
    try? script.run(in: &scope)
  }
}
