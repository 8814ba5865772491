/// A composed kind: member machines and the wires between them.
///
/// A composition named `p` with a member `phone` makes a machine `p.phone`. Its parameters are those of its members,
/// without those that it presets, and its ``options``, which decide what its members are.
public struct Composition: Sendable {
  public let name: String
  public let about: String
  /// As in ``Kind``: the source, and the requests of a sample session.
  public let origin: String
  public let source: String
  public let example: [String]
  public let members: [Member]
  public let wires: [Wire]
  /// Parameters of the composition itself, which decide its members, presets and wires.
  public private(set) var options: [ParameterEntry] = []
  /// The values of the options from which this composition was made, in their order.
  public private(set) var chosen: [Value] = []
  private var make: (@Sendable ([Value]) -> Composition)?

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
  ///   - source: The name of that source in a list of sources, if it is in one.
  ///   - example: The requests of a sample session; the first one makes the composition.
  ///   - members: The names of the members with their kinds, in the order in which they are made.
  ///   - presets: Parameters without which the composition does not work, written as `member.parameter`. They are
  ///     fixed: `new` cannot give them, and descriptions do not list them.
  ///   - wires: Pairs of `member.output` and `member.event`; a pair that is listed twice is one wire.
  /// - Precondition: Every end of a wire names a member and an output or event of its kind; no output is told. Every
  ///   preset names a parameter and has an allowed value.
  public init(
    _ name: String, _ about: String, origin: String = "", source: String = "", example: [String] = [],
    members: KeyValuePairs<String, Kind>, presets: KeyValuePairs<String, any ValueConvertible> = [:],
    wires: KeyValuePairs<String, String>
  ) {
    self.init(
      name, about, origin: origin, source: source, example: example, members: members.map { ($0.key, $0.value) },
      presets: presets.map { ($0.key, $0.value) }, wires: wires.map { ($0.key, $0.value) })
  }

  /// Creates a composition whose members and wires are listed by code; see
  /// ``init(_:_:origin:source:example:members:presets:wires:)``.
  public init(
    _ name: String, _ about: String, origin: String = "", source: String = "", example: [String] = [],
    members: [(String, Kind)], presets: [(String, any ValueConvertible)] = [], wires: [(String, String)]
  ) {
    let members = members.map { member, kind in
      let own = presets.filter { $0.0.hasPrefix("\(member).") }
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
    self.source = source
    self.example = example
    self.members = members
    var found: Set<Wire> = []
    self.wires = wires.compactMap { from, to in
      let source = end(from)
      let target = end(to)
      let outputs = members[source.member].kind.outputs
      guard let output = outputs.firstIndex(where: { $0.name == source.word && !$0.isTold }),
        let event = members[target.member].kind.events.firstIndex(where: { $0.name == target.word })
      else { preconditionFailure("\(name) cannot be wired from '\(from)' to '\(to)'") }
      let wire = Wire(from: source.member, output: output, to: target.member, event: event)
      return found.insert(wire).inserted ? wire : nil
    }
  }

  // MARK: Options

  /// Creates a composition with options, as it is with their defaults.
  ///
  /// - Parameters:
  ///   - options: Flags, words or whole numbers, all with defaults.
  ///   - make: The composition for their values, always with the same name.
  public init<Options: ParameterSet>(
    options: [ParameterForm<Options>], _ make: @escaping @Sendable (Options) -> Composition
  ) {
    let entries = options.map {
      ParameterEntry(
        name: $0.name, type: $0.type, standard: $0.get(Options()), example: $0.get(Options()), about: $0.about)
    }
    self = Self.made(by: entries, entries.map(\.example)) { values in
      var chosen = Options()
      for (option, value) in zip(options, values) { option.set(&chosen, value) }
      return make(chosen)
    }
  }

  private static func made(
    by options: [ParameterEntry], _ values: [Value], _ make: @escaping @Sendable ([Value]) -> Composition
  ) -> Composition {
    var made = make(values)
    (made.options, made.chosen, made.make) = (options, values, make)
    return made
  }

  /// The composition with other values of some options; the others keep theirs.
  ///
  /// ```swift
  /// try world.make(.proxy.with(["clients": 3]), named: "p")
  /// ```
  ///
  /// - Precondition: There are options of these names, which admit the values.
  public func with(_ values: KeyValuePairs<String, any ValueConvertible>) -> Composition {
    with(
      values.map { name, value in
        guard let option = options.firstIndex(where: { $0.name == name }) else {
          preconditionFailure("\(self.name) has no option '\(name)'")
        }
        return (option, value.value)
      })
  }

  package func with(_ values: [(option: Int, value: Value)]) -> Composition {
    guard let make, !values.isEmpty else { return self }
    var chosen = chosen
    for (option, value) in values {
      precondition(options[option].type.admits(value), "\(name) cannot be made with \(options[option].name)")
      chosen[option] = value
    }
    return Self.made(by: options, chosen, make)
  }

  /// The options whose values are not the defaults.
  package var choices: [(option: Int, value: Value)] {
    options.indices.filter { chosen[$0] != options[$0].standard }.map { ($0, chosen[$0]) }
  }

  /// The name in stored bytes: the name, and the options whose values are not the defaults.
  package var key: String {
    ([name] + choices.map { "\(options[$0.option].name)=\(Self.word($0.value))" }).joined(separator: " ")
  }

  /// The variant that a ``key`` names; `nil` if there is none.
  package func variant(key: String) -> Composition? {
    var values: [(option: Int, value: Value)] = []
    for pair in key.split(separator: " ").dropFirst() {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let option = options.firstIndex(where: { $0.name == parts[0] }),
        let value = Self.values(String(parts[1])).first(where: options[option].type.admits)
      else { return nil }
      values.append((option, value))
    }
    return with(values)
  }

  private static func word(_ value: Value) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .flag(let flag): flag ? "on" : "off"
    case .none, .number, .interval, .moment:
      preconditionFailure("an option is a word, a whole number or a flag")
    }
  }

  /// What a word may stand for.
  private static func values(_ word: String) -> [Value] {
    (Int(word).map { [.integer($0)] } ?? []) + (word == "on" ? [.flag(true)] : word == "off" ? [.flag(false)] : [])
      + [.text(word)]
  }
}
