/// The kinds of which a world can make machines, by name.
public struct Catalogue: Sendable {
  /// In the order in which they are shown.
  public private(set) var entries: [CatalogueEntry] = []
  private var places: [String: Int] = [:]
  /// The group of each entry that is in one.
  private var groups: [String: String] = [:]
  /// Makes kinds from the documents that worlds have; `nil` if no kind can be made so.
  package var compiler: DocumentCompiler?

  public init(_ entries: [CatalogueEntry] = []) {
    for entry in entries { add(entry) }
  }

  /// - Parameter groups: The names of groups, each with its entries, in any order that suits.
  public init(_ entries: [CatalogueEntry], groups: KeyValuePairs<String, [String]>) {
    self.init(entries)
    groupNames = groups.map(\.key)
    for (group, names) in groups {
      for name in names {
        precondition(places[name] != nil && self.groups[name] == nil, "\(name) is no entry, or in two groups")
        self.groups[name] = group
      }
    }
  }

  /// The names of the groups, in the order in which they were given.
  public private(set) var groupNames: [String] = []

  /// The group of an entry, for lists: what its machines are about. `nil` if it is in none.
  public func group(of name: String) -> String? { groups[name] }

  /// Adds an entry.
  ///
  /// - Precondition: No entry has this name yet.
  public mutating func add(_ entry: CatalogueEntry) {
    precondition(places[entry.name] == nil, "two kinds are named \(entry.name)")
    places[entry.name] = entries.count
    entries.append(entry)
  }

  /// Appends kinds to a catalogue.
  ///
  /// - Precondition: All names are distinct.
  public static func + (catalogue: Catalogue, kinds: [Kind]) -> Catalogue {
    var sum = catalogue
    for kind in kinds { sum.add(.machine(kind)) }
    return sum
  }

  /// The catalogue with kinds of a world, which hide entries of their names.
  package func with(_ own: [Kind]) -> Catalogue {
    var catalogue = self
    for kind in own {
      catalogue.groups[kind.name] = nil
      if let place = catalogue.places[kind.name] {
        catalogue.entries[place] = .machine(kind)
      } else {
        catalogue.add(.machine(kind))
      }
    }
    return catalogue
  }

  public subscript(_ name: String) -> CatalogueEntry? { places[name].map { entries[$0] } }
}

/// An entry that `new` can make: one machine, or several joined by wires.
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

/// A composed kind: member machines and the wires between them.
///
/// A composition named `p` with a member `phone` makes a machine `p.phone`. Its parameters are those of its members,
/// without those that it presets.
public struct Composition: Sendable {
  public let name: String
  public let about: String
  /// As in ``Kind``: the source, and the requests of a sample session.
  public let origin: String
  public let example: [String]
  public let members: [Member]
  public let wires: [Wire]

  public struct Member: Sendable {
    public let name: String
    public let kind: Kind
    /// Parameters that the composition needs as they are, by index in the kind's list. A request cannot give them.
    public let presets: [(parameter: Int, value: Value)]

    /// The parameters that a request can give, with their indices in the kind's list.
    public var settable: [(place: Int, entry: ParameterEntry)] {
      kind.parameters.enumerated().filter { place, _ in !presets.contains { $0.parameter == place } }
        .map { ($0.offset, $0.element) }
    }

    /// The parameters of the member: those of a request, and the presets, which take precedence.
    public func parameters(given: [(parameter: Int, value: Value)]) -> [(parameter: Int, value: Value)] {
      given.filter { given in !presets.contains { $0.parameter == given.parameter } } + presets
    }
  }

  /// Indices of two members, of an output in the first one's kind and of an event in the second one's kind.
  public struct Wire: Hashable, Sendable {
    public let from: Int
    public let output: Int
    public let to: Int
    public let event: Int
  }

  /// Creates a composition.
  ///
  /// - Parameters:
  ///   - name: The name that `new` takes.
  ///   - about: What the composition is, in one line.
  ///   - origin: The source that it follows, and how closely.
  ///   - example: The requests of a sample session; the first one makes the composition.
  ///   - members: The names of the members with their kinds, in the order in which they are made.
  ///   - presets: Parameters without which the composition does not work, written as `member.parameter`. They are
  ///     fixed: `new` cannot give them, and descriptions do not list them.
  ///   - wires: Pairs of `member.output` and `member.event`.
  /// - Precondition: Every end of a wire names a member and an output or event of its kind; no output is told. Every
  ///   preset names a parameter and has an allowed value.
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
      let outputs = members[source.member].kind.outputs
      guard let output = outputs.firstIndex(where: { $0.name == source.word && !$0.isTold }),
        let event = members[target.member].kind.events.firstIndex(where: { $0.name == target.word })
      else { preconditionFailure("\(name) cannot be wired from '\(from)' to '\(to)'") }
      return Wire(from: source.member, output: output, to: target.member, event: event)
    }
  }
}
