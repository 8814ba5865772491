import LineProtocol
import StateMachines

/// Tells the reactions of one trigger in one state apart: by named guards, by the samples of the event's data, and by the
/// states of other regions.
struct ArrowConditions {
  let graph: StateGraph
  let outline: Outline
  /// The leaf whose rows they are.
  let leaf: Int
  /// See ``Drawing/goesOn``.
  let goesOn: @Sendable () -> Bool

  /// Something that may differ between two rows.
  private enum Attribute: Hashable {
    case input
    case named(String)
    case region(Int)
  }

  /// One value of each attribute of a list.
  private typealias Values = [Int]

  struct ConditionalReaction: Hashable {
    let reaction: DrawingRow.Reaction
    /// Inputs with these samples; all, if the samples do not matter.
    let inputs: [Int]?
    let condition: String
  }

  /// The reactions of rows in order, each with its conditions: several times if different samples have different ones.
  func conditional(_ rows: [DrawingRow], isPlain: Bool) -> [ConditionalReaction] {
    var reactions = rows.map(\.reaction).distinct
    // The bare lines of an event are in the order of the states.
    if isPlain { reactions.sort { ($0?.to ?? 0) < ($1?.to ?? 0) } }
    guard reactions.count > 1 else {
      return reactions.compactMap { $0.map { ConditionalReaction(reaction: $0, inputs: nil, condition: "") } }
    }
    let all: [Attribute] = isPlain ? [.input] : guards(rows) + [.input] + regions(rows)
    return reactions.flatMap { reaction -> [ConditionalReaction] in
      guard let reaction, goesOn() else { return [] }
      let needed = needed(all, for: reaction, rows)
      return conditional(reaction, rows.filter { $0.reaction == reaction }, by: needed)
    }
  }

  private func guards(_ rows: [DrawingRow]) -> [Attribute] {
    rows.flatMap { $0.guards.map(\.name) }.distinct.map(Attribute.named)
  }

  private func regions(_ rows: [DrawingRow]) -> [Attribute] {
    guard let count = rows.first.map({ outline.leaves[$0.state].count }), count > 1 else { return [] }
    return (0..<count).filter { region in
      !(rows.allSatisfy { outline.leaves[$0.state][region] == leaf })
    }.map(Attribute.region)
  }

  /// The fewest attributes that tell a reaction from the others: guards rather than samples, samples rather than regions.
  private func needed(_ all: [Attribute], for reaction: DrawingRow.Reaction, _ rows: [DrawingRow]) -> [Attribute] {
    var chosen: [Attribute] = []
    var best = confused(chosen, reaction, rows)
    for attribute in all where best > 0 {
      let with = confused(chosen + [attribute], reaction, rows)
      if with < best || isGuard(attribute) {
        chosen.append(attribute)
        best = with
      }
    }
    // Later attributes may have made earlier ones needless.
    for attribute in chosen.reversed() {
      let without = chosen.filter { $0 != attribute }
      if confused(without, reaction, rows) <= best { chosen = without }
    }
    return chosen
  }

  private func isGuard(_ attribute: Attribute) -> Bool { if case .named = attribute { true } else { false } }

  /// How many rows of other reactions have the values of a row of this reaction.
  private func confused(_ attributes: [Attribute], _ reaction: DrawingRow.Reaction, _ rows: [DrawingRow]) -> Int {
    guard goesOn() else { return 0 }
    let own = Set(rows.filter { $0.reaction == reaction }.map { values(of: $0, attributes) })
    // A guard that was not evaluated can have any value.
    let open = own.filter { $0.contains(-1) }
    func isLike(_ one: Values, _ other: Values) -> Bool {
      zip(one, other).allSatisfy { $0 == $1 || $0 == -1 || $1 == -1 }
    }
    var known: [Values: Bool] = [:]
    return rows.count { row in
      guard row.reaction != reaction else { return false }
      let other = values(of: row, attributes)
      if let isConfused = known[other] { return isConfused }
      let isConfused =
        own.contains(other) || (other.contains(-1) ? own : open).contains { goesOn() && isLike($0, other) }
      known[other] = isConfused
      return isConfused
    }
  }

  private func values(of row: DrawingRow, _ attributes: [Attribute]) -> Values {
    attributes.map { attribute in
      switch attribute {
      case .input: row.input
      case .named(let name): row.guards.first { $0.name == name }.map { $0.isTrue ? 1 : 0 } ?? -1
      case .region(let region): outline.leaves[row.state][region]
      }
    }
  }

  // MARK: Words

  /// The most combinations of values that a condition spells out.
  private static let mostAlternatives = 500

  private func conditional(_ reaction: DrawingRow.Reaction, _ rows: [DrawingRow], by attributes: [Attribute])
    -> [ConditionalReaction]
  {
    let conditions = attributes.filter { $0 != .input }
    guard attributes.contains(.input) else {
      return [ConditionalReaction(reaction: reaction, inputs: nil, condition: text(rows, conditions))]
    }
    // Inputs with the same conditions share an arrow.
    var groups: [(condition: String, inputs: [Int])] = []
    for input in rows.map(\.input).distinct {
      let condition = text(rows.filter { $0.input == input }, conditions)
      if let place = groups.firstIndex(where: { $0.condition == condition }) {
        groups[place].inputs.append(input)
      } else {
        groups.append((condition, [input]))
      }
    }
    return groups.map { ConditionalReaction(reaction: reaction, inputs: $0.inputs.sorted(), condition: $0.condition) }
  }

  /// The alternatives of conditions, with `or` between them.
  private func text(_ rows: [DrawingRow], _ attributes: [Attribute]) -> String {
    let alternatives = rows.map { values(of: $0, attributes) }.distinct
    guard alternatives.count <= Self.mostAlternatives else { return "one of \(alternatives.count) combinations" }
    let sets = joined(alternatives, attributes.count)
    return sets.map { set in
      zip(attributes, set).compactMap { words($0, $1) }.joined(separator: ", ")
    }.filter { !$0.isEmpty }.joined(separator: " or ")
  }

  /// Two alternatives that differ in one attribute become one with both values; the first such pair first.
  ///
  /// - Complexity: O(*alternatives*² × *attributes*).
  private func joined(_ alternatives: [Values], _ attributes: Int) -> [[Set<Int>]] {
    var sets = alternatives.map { $0.map { Set([$0]) } }
    func joins(_ one: Int, _ other: Int) -> Bool {
      var differing: Int?
      for attribute in 0..<attributes where sets[one][attribute] != sets[other][attribute] {
        if differing != nil { return false }
        differing = attribute
      }
      guard let differing else { return false }
      sets[one][differing].formUnion(sets[other][differing])
      sets.remove(at: other)
      return true
    }
    var one = 0
    while one < sets.count, goesOn() {
      guard (one + 1..<sets.count).contains(where: { joins(one, $0) }) else {
        one += 1
        continue
      }
      // Alternatives before it may differ in one attribute from what it has become.
      while let before = (0..<one).first(where: { joins($0, one) }) { one = before }
    }
    return sets
  }

  private func words(_ attribute: Attribute, _ values: Set<Int>) -> String? {
    switch attribute {
    case .input: return nil
    case .named(let name):
      // A guard that was not evaluated says nothing.
      switch (values.contains(1), values.contains(0)) {
      case (true, false): return values.contains(-1) ? nil : name
      case (false, true): return values.contains(-1) ? nil : Self.negation(of: name)
      default: return nil
      }
    case .region(let region):
      let whole = Set(outline.leaves.filter { $0.count > 1 }.map { $0[region] })
      if values.isSuperset(of: whole) { return nil }
      let rest = whole.subtracting(values)
      func titles(_ leaves: Set<Int>) -> String {
        leaves.sorted().map { outline.nodes[$0].name }.joined(separator: "|")
      }
      return rest.count == 1 && whole.count > 2
        ? "\(outline.regions[region]) not \(titles(rest))" : "\(outline.regions[region]) \(titles(values))"
    }
  }

  /// A guard that is an expression has parentheses in its negation, and words need none. What denies something already is
  /// said without it: `something in it` is the negation of `nothing in it`.
  private static func negation(of name: String) -> String {
    let isWords = name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil || " '-_".unicodeScalars.contains($0)
    }
    guard isWords else { return "not (\(name))" }
    // The opposite of a part is not that of two.
    let isOne = !name.includes(" and ") && !name.includes(" or ")
    for (beginning, opposite) in Self.opposites where isOne && name.hasPrefix(beginning) {
      return opposite + name.dropFirst(beginning.count)
    }
    return "not \(name)"
  }

  /// How the negation of a guard begins, by how the guard does.
  private static let opposites = [
    ("not ", ""), ("no ", "some "), ("nothing ", "something "), ("nobody ", "somebody "), ("a ", "no "),
    ("has ", "has no "),
  ]
}
