package import LineProtocol

/// The words that the machines of a kind know, as `describe` lists them.
package struct KindWords: Hashable, Sendable {
  /// What a word names; the first word of its row.
  package enum Sort: String, Sendable {
    case state, event, timer, output, reading, parameter, member
  }

  package let kind: String
  private var names: [Sort: [String]] = [:]
  /// The kinds of a composed kind's members, by the names of the members.
  private(set) var members: [String: String] = [:]

  /// Whether a composed kind can have other members than these.
  private(set) var hasOptions = false

  /// That of a kind that can be defined anew; nil for a composed kind.
  package private(set) var version: String?

  /// - Parameter rows: The lines of data of `describe`.
  package init(_ kind: String, _ rows: [ServerLine]) {
    self.kind = kind
    for row in rows where row.words.count > 1 {
      if row.words[0] == "kind" {
        version = row["version"]
        hasOptions = row["options"] != nil
      }
      guard let sort = Sort(rawValue: row.words[0]) else { continue }
      names[sort, default: []].append(row.words[1])
      if sort == .parameter, row.words[1] == Self.initial {
        initialStates = (row["allowed"] ?? "").split(separator: ",").map(String.init)
      }
      if sort == .member { members[row.words[1]] = row["kind"] }
    }
  }

  /// The states that `initial=` takes; empty if that is not known.
  private(set) var initialStates: [String] = []

  package var isComposed: Bool { !members.isEmpty }

  /// The names of a sort, in the order of the kind. A name that stands for any other is left out.
  func names(of sort: Sort) -> [String] {
    let names = (names[sort] ?? []).filter { $0 != Self.any }
    switch sort {
    case .parameter where !isComposed: return names.contains(Self.initial) ? names : names + [Self.initial]
    case .parameter, .state, .event, .timer, .output, .reading, .member: return names
    }
  }

  /// Whether a word can name something of a sort.
  func knows(_ sort: Sort, _ word: String) -> Bool {
    if names[sort]?.contains(Self.any) == true { return true }
    switch sort {
    case .state: return knowsState(word)
    case .parameter where isComposed:
      // `member.parameter` is that of one member.
      let parts = word.split(separator: ".", maxSplits: 1).map(String.init)
      return names(of: sort).contains(word) || parts.count == 2 && (hasOptions || members[parts[0]] != nil)
    // A key stands in parentheses: `alert(3)`.
    case .timer, .reading:
      return names(of: sort).contains(word) || names(of: sort).contains(String(word.prefix { $0 != "(" }))
    case .event, .output, .parameter, .member: return names(of: sort).contains(word)
    }
  }

  /// Whether each region of a state is one of the kind, or the beginning of one up to a dot. Data are not looked at.
  private func knowsState(_ word: String) -> Bool {
    let states = names(of: .state)
    // A state that is named by its data alone can be any word.
    if states.contains(Self.nameless) { return true }
    let name = word.hasSuffix(")") ? word.prefix { $0 != "(" } : word[...]
    // Data in the middle are those of a region.
    if name.contains("(") { return true }
    return name.split(separator: "+").allSatisfy { part in
      states.contains { state in
        state.split(separator: "+").contains { $0 == part || $0.hasPrefix("\(part).") }
      }
    }
  }

  private static let any = "*"
  private static let nameless = "state"
  private static let initial = "initial"
}
