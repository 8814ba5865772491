package import LineProtocol

/// What a daemon says of kinds: those that every new world has, and those that a script defines in its own. And what it
/// says of the machines that are there before the script is played.
package struct KindBook: Sendable {
  private enum Entry {
    case known(KindWords)
    /// There is no such kind; what the daemon answers then.
    case unknown(ServerLine)
  }

  private var entries: [String: Entry] = [:]
  /// The words of a defined kind from a step on, in the order of the steps.
  private var versions: [String: [(step: Int, words: KindWords)]] = [:]
  /// Whether the script has a world of its own, which has no machines before.
  let isOfNewWorld: Bool
  /// The words that a machine of the world may have, by its name; none where there is no such machine.
  private var machines: [String: [KindWords]] = [:]
  /// Names of machines of the world, which may be meant by a mistyped one.
  package var names: [String] = []

  package init(ofNewWorld isOfNewWorld: Bool = true) {
    self.isOfNewWorld = isOfNewWorld
  }

  /// Whether the daemon was asked about a kind.
  package func has(_ kind: String) -> Bool { entries[kind] != nil }

  /// The words of a kind that the daemon was asked about; nil if it does not exist.
  package func words(_ kind: String) -> KindWords? {
    if case .known(let words)? = entries[kind] { words } else { nil }
  }

  /// The kinds of the members of a composed kind.
  package func members(of kind: String) -> [String] {
    words(kind).map { Array($0.members.values) } ?? []
  }

  /// Takes the answer to `describe KIND` of a world in which the script has defined nothing of this name.
  package mutating func learn(_ kind: String, _ rows: [ServerLine], _ last: ServerLine) {
    entries[kind] = last.lineClass == .success ? .known(KindWords(kind, rows)) : .unknown(last)
  }

  /// Takes the answer to `describe KIND` behind a step that defines it.
  package mutating func learn(_ kind: String, _ rows: [ServerLine], definedBy step: Int) {
    versions[kind, default: []].append((step, KindWords(kind, rows)))
  }

  /// Takes what a machine of the world may be; nothing for a name that no machine has.
  ///
  /// - Parameter name: With `*` in the place of a number that counts, what all machines may be that match.
  package mutating func learn(machine name: String, _ words: [KindWords]) { machines[name] = words }

  /// The words that a machine of the world may have before the script is played; nil if nobody knows.
  func machine(_ name: String) -> [KindWords]? { isOfNewWorld ? [] : machines[name] }

  /// The daemon's answer about a kind that does not exist; nil for one that does, or that nobody has asked about.
  func failure(_ kind: String) -> ServerLine? {
    if case .unknown(let line)? = entries[kind] { line } else { nil }
  }

  /// The words of the machines of a kind that a step makes.
  ///
  /// - Parameter isOrdered: Whether the steps are played in their order, each once.
  /// - Returns: Those of all kinds that they may have then; nil if that is not known.
  func words(_ kind: String, at step: Int, isOrdered: Bool) -> [KindWords]? {
    if let versions = versions[kind] {
      guard isOrdered else { return versions.map(\.words) }
      return versions.last { $0.step < step }.map { [$0.words] }
    }
    return self.words(kind).map { [$0] }
  }
}
