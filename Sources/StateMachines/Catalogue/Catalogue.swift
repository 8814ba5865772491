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

  /// The entry that stored bytes name: a kind's name, or a composition's ``Composition/key``.
  package func entry(stored key: String) -> CatalogueEntry? {
    if let entry = self[key] { return entry }
    guard let name = key.split(separator: " ").first, case .composition(let composition)? = self[String(name)] else {
      return nil
    }
    return composition.variant(key: key).map(CatalogueEntry.composition)
  }
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
