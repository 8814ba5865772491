/// The names of a definition's variables, each with a slot, and its functions, each with a number.
///
/// Expressions are parsed with the table of their definition, so that they find variables by slot.
public struct SymbolTable: Sendable {
  /// The names of the variables, by slot.
  public private(set) var names: [String] = []
  private var slots: [String: Int] = [:]
  /// The functions that scripts and expressions contain, by number.
  var functions: [Function] = []

  /// Whether anything reads `_event`: only then it is made.
  public internal(set) var usesEvent = false

  public init() {}

  /// The slot of a variable, given to it now if it has none.
  public mutating func slot(of name: String) -> Int {
    if let known = slots[name] { return known }
    slots[name] = names.count
    names.append(name)
    return names.count - 1
  }

  /// How much there is, to take back what comes later.
  struct Mark {
    fileprivate var names: Int
    fileprivate var functions: Int
    fileprivate var usesEvent: Bool
  }

  var mark: Mark { Mark(names: names.count, functions: functions.count, usesEvent: usesEvent) }

  mutating func takeBack(to mark: Mark) {
    for name in names[mark.names...] { slots[name] = nil }
    names.removeLast(names.count - mark.names)
    functions.removeLast(functions.count - mark.functions)
    usesEvent = mark.usesEvent
  }

  /// The slot of a variable, if any expression or declaration has named it.
  public func known(_ name: String) -> Int? { slots[name] }
}
