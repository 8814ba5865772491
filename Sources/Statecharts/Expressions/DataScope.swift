public import StateMachines

/// What an expression, location or script is evaluated in: the variables of a session, its system variables, the
/// active states, a generator and a budget.
public struct DataScope {
  /// The variables by slot (``SymbolTable/slot(of:)``); `nil` is a variable that was not declared yet.
  public var variables: [DataValue?] = []
  /// `_event`; `undefined` before the first event.
  public var event: DataValue = .undefined
  /// The number of the session.
  public var session: UInt32 = 0
  /// `_sessionid`.
  public var sessionID: String { "s\(session)" }
  /// `_name`.
  public var name = ""
  /// Where events reach the session.
  public var address: String { "#_scxml_\(sessionID)" }
  /// The active states, for `In`.
  public var configuration = StateSet()
  /// The numbers of the states' ids, for `In`.
  public var states: [String: Int] = [:]
  /// The functions that values and calls refer to by number.
  public var symbols = SymbolTable()
  /// What `Math.random()` draws from.
  public var generator: Generator
  /// What may still be used.
  public var budget: Budget
  /// Parameters and local variables of the calls under way; used by the evaluator alone.
  var locals: [DataValue] = []
  var undo = VariableUndo()
  /// How many calls are under way.
  var calls = 0
  /// How many nodes, statements, places and blocks are being evaluated within each other, over all calls. Each is a
  /// recursion; the values that the innermost compares or copies add their own depth, which ``DataValue/deepest`` limits.
  var depth = 0

  /// What ``depth`` can be. It is the same on all computers, so that a journal is; the stack of a thread has room for
  /// several times as much.
  static var deepest: Int { 700 }

  public init(generator: Generator = Generator(seed: 0), budget: Budget = Budget()) {
    self.generator = generator
    self.budget = budget
  }
}

extension DataScope {
  @inline(__always)
  func isDeclared(_ slot: Int) -> Bool {
    guard slot < variables.count else { return false }
    if case .none = variables[slot] { return false }
    return true
  }

  /// To be called before a variable is changed.
  @inline(__always)
  mutating func noteChange(of slot: Int) {
    if undo.isNoting { undo.note(slot, in: variables) }
  }
}

/// What variables were before an input, so that it can be taken back. (A copy of all variables would make the first
/// change of one copy all of them.)
struct VariableUndo {
  /// Whether changes are to be noted.
  var isNoting = false
  /// How many variables there were.
  private var count = 0
  private var noted = StateSet()
  private var values: [(slot: Int, value: DataValue?)] = []

  /// - Parameter count: How many variables there are.
  mutating func begin(_ count: Int) {
    self.count = count
    noted.removeAll()
    values.clear()
  }

  /// Forgets the values that were noted.
  mutating func end() { values.clear() }

  mutating func note(_ slot: Int, in variables: borrowing [DataValue?]) {
    // The first change counts; new variables go as a whole.
    guard slot < count, !noted.contains(slot) else { return }
    noted.insert(slot)
    values.append((slot, variables[slot]))
  }

  func takeBack(_ variables: inout [DataValue?]) {
    variables.removeLast(variables.count - count)
    for (slot, value) in values { variables[slot] = value }
  }
}

/// What one input may use: steps of the interpreter and the evaluator, and bytes of new values.
public struct Budget: Hashable, Sendable {
  /// Steps that are left. A transition, an element of executable content and a node of an expression take one each.
  public var steps: Int
  /// Bytes that are left for new strings, arrays and objects, whether they are kept or not.
  public var bytes: Int

  /// Steps that come after those, and after a pause.
  private var laterSteps = 0
  /// Whether a pause may end the input, as a limit does.
  private var isInterruptible = false

  public init(steps: Int = 1_000_000, bytes: Int = 16 << 20) {
    self.steps = steps
    self.bytes = bytes
  }

  @inline(__always)
  public mutating func spend(steps count: Int = 1) throws(EvaluationError) {
    let (left, overflow) = steps.subtractingReportingOverflow(count)
    steps = overflow ? .min : left
    if steps < 0 { try pause() }
  }

  // MARK: Pauses

  /// What a thread does after every few thousand steps, so that other work gets its turn. The steps of one input take up to
  /// some tenths of a second.
  package static let pause = TaskLocal<Pause?>(wrappedValue: nil)

  /// A type of its own, since the optimizer of Swift 6.3.1 loses the type of a function in a task-local value, and a
  /// program built with it ends at the first.
  package struct Pause: Sendable {
    fileprivate let body: @Sendable () -> Bool

    /// - Parameter body: Returns whether what can be interrupted goes on. Other inputs always do.
    package init(_ body: @escaping @Sendable () -> Bool) { self.body = body }

    @discardableResult
    package func callAsFunction() -> Bool { body() }
  }

  private static let stepsBetweenPauses = 4_096

  /// The same, with pauses if the thread makes any.
  func withPauses(isInterruptible: Bool) -> Budget {
    guard steps > Budget.stepsBetweenPauses, Budget.pause.get() != nil else { return self }
    var budget = self
    budget.isInterruptible = isInterruptible
    budget.laterSteps = steps - Budget.stepsBetweenPauses
    budget.steps = Budget.stepsBetweenPauses
    return budget
  }

  /// All steps that are left.
  var stepsLeft: Int { max(0, steps) + laterSteps }

  /// Pauses and goes on with the steps that come later, if they are enough for those that were spent.
  @inline(never)
  private mutating func pause() throws(EvaluationError) {
    let (left, overflow) = laterSteps.addingReportingOverflow(steps)
    guard laterSteps > 0, !overflow, left >= 0 else {
      laterSteps = 0
      throw .limit(.steps)
    }
    steps = min(left, Budget.stepsBetweenPauses)
    laterSteps = left - steps
    if Budget.pause.get()?() == false, isInterruptible {
      laterSteps = 0
      throw .limit(.steps)
    }
  }

  /// Charges for memory, before it is taken.
  @inline(__always)
  public mutating func spend(bytes count: Int) throws(EvaluationError) {
    let (left, overflow) = bytes.subtractingReportingOverflow(count)
    bytes = overflow ? -1 : left
    if bytes < 0 { throw .limit(.bytes) }
  }
}

/// What an input can exceed. The input is then taken back as a whole.
public enum StatechartLimit: String, Hashable, Sendable, Codable, CaseIterable {
  /// Steps of one input.
  case steps
  /// Bytes of new values in one input.
  case bytes
  /// Bytes of all data that a machine keeps.
  case data
  /// The depth of nested values, calls or charts.
  case depth
  /// Sends that wait at the same time.
  case sends
  /// Events in an internal queue.
  case events
  /// Sessions: the machine itself and what it has invoked.
  case sessions
  /// Effects of one input.
  case effects
}

/// Why an evaluation ended without a value.
public enum EvaluationError: Error, Hashable, Sendable {
  /// The program is at fault: `error.execution`, with this text.
  case failed(String)
  /// The budget is used up: the input is taken back.
  case limit(StatechartLimit)
}

/// A text that is no expression, location or script.
public struct SyntaxError: Error, Hashable, Sendable {
  public var message: String
  /// Where, in UTF-8 bytes from the start of the text.
  public var offset: Int

  public init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}
