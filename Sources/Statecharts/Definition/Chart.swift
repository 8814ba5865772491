/// One `<scxml>` element, compiled: arrays that refer to each other by index.
///
/// States are numbered in document order, so that a state's descendants are the numbers up to its `end`, document order
/// is ascending and exit order descending. State 0 is the `<scxml>` element itself.
///
/// States, transitions, instructions and sources hold numbers only: a step copies them, and counts no references.
struct Chart: Sendable {
  typealias Index = Int32
  static var none: Index { -1 }

  struct State: Sendable {
    enum Kind: Sendable { case compound, atomic, parallel, final, shallowHistory, deepHistory }

    var kind = Kind.atomic
    var parent = Chart.none
    var end: Index = 0
    /// Where the transitions of a state begin, in document order; they end where those of the next state begin.
    var transitions: Range<Index> = 0..<0
    /// The steps that looking through the transitions counts for, beside the one for the state: passing over one that has
    /// other events takes less than a step.
    var selectionSteps: Index = 0
    /// The transition that is taken by default: that of `<initial>` or `initial=`, and that of a history.
    var initial = Chart.none
    var onEntry: Range<Index> = 0..<0
    var onExit: Range<Index> = 0..<0
    var invokes: Range<Index> = 0..<0
    var data: Range<Index> = 0..<0
    /// The histories among the children, and the place of a history's own value.
    var histories: Range<Index> = 0..<0
    var history = Chart.none
    /// The `<donedata>` of a final state.
    var doneData = Chart.none
    var line: Index = 0
  }

  struct Transition: Sendable {
    var source: Index
    var targets: Range<Index> = 0..<0
    /// Descriptors of ``Chart/descriptors``; none for an eventless transition.
    var descriptors: Range<Index> = 0..<0
    var condition = Chart.none
    var block = Chart.none
    var isInternal = false
    /// The state whose descendants are left: computed once, unless a target is a history.
    var domain = Domain.none
    var line: Index = 0
  }

  enum Domain: Sendable {
    /// The transition has no target, and leaves nothing.
    case none
    case state(Index)
    /// It depends on what a history holds.
    case byHistory
  }

  /// Executable content. `else` and the end of `if` are jumps.
  enum Instruction: Sendable {
    case raise(Index)
    case send(Index)
    case cancel(Source)
    /// The label is one of ``Chart/constants``.
    case log(label: Index, Source)
    case assign(Index, Source)
    case script(Index)
    /// Goes on elsewhere unless the condition holds.
    case branch(Index, else: Index)
    case jump(Index)
    case forEach(array: Index, item: Index, index: Index?, end: Index)
    /// What cannot be carried out: `error.execution`, with the text among ``Chart/constants``.
    case fail(Index)
  }

  /// Where a value comes from.
  enum Source: Sendable {
    case none
    /// One of ``Chart/constants``.
    case constant(Index)
    case expression(Index)
  }

  /// A place of ``expressions``, ``locations`` or ``scripts`` that was parsed, or why it was not.
  enum Parsed<Form: Sendable>: Sendable {
    case form(Form)
    case broken(String)
  }

  struct Parameter: Sendable {
    enum Value: Sendable {
      case expression(Index)
      case location(Index)
    }
    var name: String
    var value: Value
  }

  struct Send: Sendable {
    var event = Source.none
    var target = Source.none
    var type = Source.none
    var id: String?
    var idLocation: Index?
    /// An expression's value is read as a time when it is known.
    var delay = Source.none
    var parameters: [Parameter] = []
    var content: Source?
  }

  struct Invoke: Sendable {
    var type = Source.none
    var source = Source.none
    var id: String?
    var idLocation: Index?
    /// What generated ids start with.
    var stateID: String
    var parameters: [Parameter] = []
    var content: Content?
    var isForwarding = false
    var finalize = Chart.none

    enum Content: Sendable {
      case chart(Index)
      case expression(Index)
    }
  }

  struct Data: Sendable {
    var slot: Index
    var value: Source
    var line: Index
  }

  struct DoneData: Sendable {
    var parameters: [Parameter] = []
    var content: Source?
  }

  var name = ""
  var hasLateBinding = false
  var states: [State] = []
  /// The ids of the states; `nil` for those without.
  var ids: [String?] = []
  var stateNumbers: [String: Int] = [:]
  var transitions: [Transition] = []
  var targets: [Index] = []
  var descriptors: [EventNames.Descriptor] = []
  var blocks: [Range<Index>] = []
  var instructions: [Instruction] = []
  /// The line of each instruction.
  var instructionLines: [Index] = []
  var constants: [DataValue] = []
  var historyStates: [Index] = []
  /// Blocks of `<onentry>` and `<onexit>`, by the ranges of the states.
  var handlers: [Index] = []
  var invokes: [Invoke] = []
  var data: [Data] = []
  var doneData: [DoneData] = []
  var sends: [Send] = []
  var expressions: [Parsed<Expression>] = []
  var locations: [Parsed<Location>] = []
  var scripts: [Parsed<Script>] = []
  var globalScript: Index?
  var symbols = SymbolTable()
  var events = EventNames()
  /// Whether some transition has no event.
  var hasEventless = false
  /// Events that only timers of the chart bring, since they stand for `after` in a diagram.
  var timerEvents: Set<Int32> = []
  /// What the document is asked by its guards and does not declare: data that the parameters of its kind begin with.
  var conditions: [ChartCondition] = []
  /// The words that events are named after, by the events' names.
  var eventTexts: [String: String] = [:]
  /// Whether guards and actions ask events for such data only, of which there is a sample of each class.
  var asksSamplesOnly = false
  /// Data of events that actions of a diagram have by their names alone.
  var namedData: Set<String> = []
  /// The titles and descriptions that states have in a diagram, by their ids; "" for none. And whether they are choices.
  var texts: [String: (title: String, about: [String], isChoice: Bool)] = [:]
  /// The states that the translation of a diagram has added, by their numbers.
  var helpers: Set<Int> = []
  /// Data that guards ask events for, as JSON, by the events' names; "" for those that every event is asked for.
  var eventData: [String: [String]] = [:]

  var histories: Int { historyStates.count }

  mutating func add(constant value: DataValue) -> Index {
    constants.append(value)
    return Index(constants.count - 1)
  }

  /// A constant that is known to be a text.
  func text(at constant: Index) -> String {
    guard case .string(let text) = constants[Int(constant)] else { return "" }
    return text
  }

  /// The text that a source always has; `""` if there is none, `nil` if it is known only at run time.
  func text(of source: Source) -> String? {
    switch source {
    case .none: ""
    case .constant(let place): constants[Int(place)].text
    case .expression: nil
    }
  }

  @inline(__always)
  func isDescendant(_ state: Int, of ancestor: Int) -> Bool {
    state > ancestor && state < Int(states[ancestor].end)
  }

  func isAtomic(_ state: Int) -> Bool {
    switch states[state].kind {
    case .atomic, .final: true
    case .compound, .parallel, .shallowHistory, .deepHistory: false
    }
  }
}

/// The names of events that a chart speaks of, as a tree of dotted prefixes, so that matching compares numbers.
struct EventNames: Sendable {
  enum Descriptor: Hashable, Sendable {
    case any
    /// The name with this number, and all that begin with it and a dot.
    case name(Int32)
  }

  /// The names by number; "" for what only other names begin with.
  private(set) var names: [String] = []
  private var parents: [Int32] = []
  private var numbers: [Part: Int32] = [:]

  /// What a name has between two dots, and the number of what stands in front of it.
  private struct Part: Hashable {
    var parent: Int32
    var word: String
  }

  /// How many parts a name has. Dots that come later are as letters.
  private static var mostParts: Int { 100 }

  /// The number of a name, given to it now if it has none.
  mutating func intern(_ name: String) -> Int32 {
    let number = Self.visit(name) { parent, word in
      let part = Part(parent: parent, word: String(word))
      if let known = numbers[part] { return known }
      let number = Int32(names.count)
      names.append("")
      parents.append(parent)
      numbers[part] = number
      return number
    }
    names[Int(number)] = name
    return number
  }

  /// The number of a name or of its longest prefix that has one; -1 if there is none.
  func number(of name: String) -> Int32 {
    Self.visit(name) { parent, word in numbers[Part(parent: parent, word: String(word))] }
  }

  /// Goes from one part of a name to the next, until one has no number.
  ///
  /// - Parameter body: Gets the number of what stands in front of a part, which is -1 for the first, and the part.
  /// - Returns: The number of the last part that has one.
  private static func visit(_ name: String, _ body: (Int32, Substring) -> Int32?) -> Int32 {
    var number: Int32 = -1
    var rest = name[...]
    for place in 1...mostParts {
      let dot = place < mostParts ? rest.utf8.firstIndex(of: UInt8(ascii: ".")) : nil
      guard let found = body(number, rest[..<(dot ?? rest.endIndex)]) else { break }
      number = found
      guard let dot else { break }
      rest = rest[rest.utf8.index(after: dot)...]
    }
    return number
  }

  /// Whether a word without dots is a name, or another name begins with it and a dot.
  func begins(with word: String) -> Bool { numbers[Part(parent: -1, word: word)] != nil }

  /// The number of a name and those of all that it begins with.
  func prefixes(of number: Int32) -> some Sequence<Int32> {
    sequence(state: number) { number in
      guard number >= 0 else { return nil as Int32? }
      defer { number = parents[Int(number)] }
      return number
    }
  }

  @inline(__always)
  func matches(_ number: Int32, _ descriptor: Descriptor) -> Bool {
    switch descriptor {
    case .any: return true
    case .name(let wanted):
      var number = number
      while number >= 0 {
        if number == wanted { return true }
        number = parents[Int(number)]
      }
      return false
    }
  }
}
