/// The kinds that a world can make machines of, by name.
public struct Catalogue: Sendable {
  /// In the order in which they are shown.
  public private(set) var entries: [CatalogueEntry] = []
  private var places: [String: Int] = [:]

  public init(_ entries: [CatalogueEntry] = []) {
    for entry in entries { add(entry) }
  }

  /// - Precondition: No entry has this name yet.
  public mutating func add(_ entry: CatalogueEntry) {
    precondition(places[entry.name] == nil, "two kinds are named \(entry.name)")
    places[entry.name] = entries.count
    entries.append(entry)
  }

  /// This catalogue with some kinds behind its own.
  ///
  /// - Precondition: No two have the same name.
  public static func + (catalogue: Catalogue, kinds: [Kind]) -> Catalogue {
    var sum = catalogue
    for kind in kinds { sum.add(.machine(kind)) }
    return sum
  }

  public subscript(_ name: String) -> CatalogueEntry? { places[name].map { entries[$0] } }
}

/// What `new` can make: one machine, or several joined by wires.
public enum CatalogueEntry: Sendable {
  case machine(Kind)
  case composition(Composition)

  public var name: String {
    switch self {
    case .machine(let kind): kind.name
    case .composition(let composition): composition.name
    }
  }

  public var about: String {
    switch self {
    case .machine(let kind): kind.about
    case .composition(let composition): composition.about
    }
  }
}

/// A composed kind: no machine of its own, but members that are machines like any other, and the wires between them.
///
/// A composition named `p` with a member `phone` makes a machine `p.phone`. Its parameters are those of its members.
public struct Composition: Sendable {
  public let name: String
  public let about: String
  /// Where it comes from, and requests of a session that shows what it does; see ``Kind``.
  public let origin: String
  public let example: [String]
  public let members: [Member]
  public let wires: [Wire]

  public struct Member: Sendable {
    public let name: String
    public let kind: Kind
    /// Parameters that it is made with where nobody says otherwise, as places in the kind's list.
    public let presets: [(parameter: Int, value: Value)]

    /// What it is made with, when some parameters are given.
    public func parameters(given: [(parameter: Int, value: Value)]) -> [(parameter: Int, value: Value)] {
      presets.filter { preset in !given.contains { $0.parameter == preset.parameter } } + given
    }
  }

  /// Places of members, of an output in the first one's kind, and of an event in the second one's.
  public struct Wire: Hashable, Sendable {
    public let from: Int
    public let output: Int
    public let to: Int
    public let event: Int
  }

  /// - Parameters:
  ///   - presets: Parameters that differ here from what the kind has, written as `member.parameter`.
  ///   - wires: Ends written as `member.output` and `member.event`.
  /// - Precondition: Every end names a member and an output or event of its kind, and every preset a parameter.
  public init(
    _ name: String, _ about: String, origin: String = "", example: [String] = [],
    members: KeyValuePairs<String, Kind>, presets: KeyValuePairs<String, any ValueConvertible> = [:],
    wires: KeyValuePairs<String, String>
  ) {
    let members = members.map { member, kind in
      let own = presets.filter { $0.key.hasPrefix("\(member).") }
      return Member(
        name: member, kind: kind,
        presets: own.map { key, value in
          guard let place = kind.parameters.firstIndex(where: { key == "\(member).\($0.name)" }),
            kind.parameters[place].type.admits(value.value)
          else { preconditionFailure("\(name) cannot be made with \(key)") }
          return (place, value.value)
        })
    }
    func end(_ text: String) -> (member: Int, word: Substring) {
      let parts = text.split(separator: ".")
      guard parts.count == 2, let member = members.firstIndex(where: { $0.name == parts[0] }) else {
        preconditionFailure("\(name) has no member for '\(text)'")
      }
      return (member, parts[1])
    }
    self.name = name
    self.about = about
    self.origin = origin
    self.example = example
    self.members = members
    self.wires = wires.map { from, to in
      let source = end(from)
      let target = end(to)
      guard let output = members[source.member].kind.outputs.firstIndex(where: { $0.name == source.word }),
        let event = members[target.member].kind.events.firstIndex(where: { $0.name == target.word })
      else { preconditionFailure("\(name) cannot be wired from '\(from)' to '\(to)'") }
      return Wire(from: source.member, output: output, to: target.member, event: event)
    }
  }
}
