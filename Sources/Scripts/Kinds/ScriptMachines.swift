import LineProtocol

/// The machines that a script makes, in whatever order: their names, and the steps that make them.
struct ScriptMachines {
  /// A line that makes machines of a kind.
  struct Making: Hashable {
    let kind: String
    let step: Int
  }

  private var makings: [String: [Making]] = [:]
  /// The names that depend on a counter or a range, with `*` in the place of each number.
  private var patterns: [(name: [UInt8], making: Making)] = []
  /// How many pairs of names are compared at most; beyond that the kind of a counted name is unknown.
  private var patience = 1_000_000

  /// In the place of a number that is not known before the script is played.
  static let number = "*"

  /// Names of more bytes are not looked at; the daemon takes none of them.
  private static let longestName = 255

  mutating func make(_ name: String, _ making: Making) {
    guard name.utf8.count <= Self.longestName, makings[name, default: []].last != making else { return }
    makings[name, default: []].append(making)
    if name.contains(Self.number) { patterns.append((Array(name.utf8), making)) }
  }

  /// The names without numbers that stand in the script.
  var names: some Collection<String> { makings.keys.filter { !$0.contains(Self.number) }.sorted() }

  /// The lines that may make a machine of this name.
  ///
  /// - Returns: nil if nobody can tell.
  mutating func makings(of name: String) -> [Making]? {
    guard name.utf8.count <= Self.longestName else { return nil }
    guard name.contains(Self.number) || !patterns.isEmpty else { return makings[name] ?? [] }
    let isCounted = name.contains(Self.number)
    patience -= patterns.count + (isCounted ? makings.count : 0)
    guard patience > 0 else { return nil }
    let bytes = Array(name.utf8)
    var found = isCounted ? [] : makings[name] ?? []
    for (other, making) in patterns where Self.meet(bytes, other) { found.append(making) }
    if isCounted {
      for (other, all) in makings where !other.contains(Self.number) && Self.meet(bytes, Array(other.utf8)) {
        found += all
      }
    }
    return found
  }

  /// Whether two names can be the same, if each `*` is a number.
  ///
  /// - Complexity: O(product of their lengths).
  static func meet(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let star = UInt8(ascii: "*")
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    // Whether what is left of both can be the same, where a star has given its first digit or not.
    var known: [Int: Bool] = [:]
    func meet(_ i: Int, _ inOne: Bool, _ j: Int, _ inOther: Bool) -> Bool {
      let key = ((i * (other.count + 1) + j) * 2 + (inOne ? 1 : 0)) * 2 + (inOther ? 1 : 0)
      if let result = known[key] { return result }
      func result() -> Bool {
        // A star that has given a digit may end.
        if inOne, meet(i + 1, false, j, inOther) { return true }
        if inOther, meet(i, inOne, j + 1, false) { return true }
        guard i < one.count, j < other.count else { return i == one.count && j == other.count }
        switch (one[i] == star, other[j] == star) {
        case (true, true): return !(inOne && inOther) && meet(i, true, j, true)
        case (true, false): return isDigit(other[j]) && meet(i, true, j + 1, false)
        case (false, true): return isDigit(one[i]) && meet(i + 1, false, j, true)
        case (false, false): return one[i] == other[j] && meet(i + 1, false, j + 1, false)
        }
      }
      let found = result()
      known[key] = found
      return found
    }
    return meet(0, false, 0, false)
  }
}
