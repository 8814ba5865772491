public import StateMachines

/// A composition as boxes and wires: its members, with nothing inside them, and what the wires between them carry.
public struct MembersPicture: Sendable {
  /// The composition's name, after that of its machines, if they are made.
  public let title: String
  public let members: [Member]
  public let wires: [Wire]

  public struct Member: Sendable {
    public let name: String
    /// The name of its kind, and what that is.
    public let kind: String
    public let about: String
  }

  public struct Wire: Sendable {
    /// Places in ``MembersPicture/members``.
    public let from: Int
    public let to: Int
    public let output: String
    public let event: String

    fileprivate var trigger: Drawing.Trigger { .wire(output: output, event: event) }
  }

  /// - Parameters:
  ///   - name: The name of the machines, if they are made.
  ///   - isThere: Whether a member, or a wire between two, is there; members may have been dropped, and wires removed.
  public init(
    of composition: Composition, named name: String? = nil,
    where isThere: (_ member: Composition.Member) -> Bool = { _ in true },
    isWired: (_ wire: Composition.Wire) -> Bool = { _ in true }
  ) {
    title = name.map { "\($0): \(composition.name)" } ?? composition.name
    let present = composition.members.indices.filter { isThere(composition.members[$0]) }
    members = present.map { place in
      let member = composition.members[place]
      return Member(name: member.name, kind: member.kind.name, about: member.kind.about)
    }
    wires = composition.wires.compactMap { wire in
      guard let from = present.firstIndex(of: wire.from), let to = present.firstIndex(of: wire.to), isWired(wire) else {
        return nil
      }
      return Wire(
        from: from, to: to, output: composition.members[wire.from].kind.outputs[wire.output].name,
        event: composition.members[wire.to].kind.events[wire.event].name)
    }
  }

  /// The picture for the formats of diagrams: the members as states, the wires as arrows.
  public func drawing() -> Drawing {
    var drawing = Drawing(title: "\(title), members", detail: .usual, while: { true })
    drawing.nodes = members.map { member in
      let title = member.name == member.kind ? member.name : "\(member.name): \(member.kind)"
      return Drawing.Node(name: member.name, title: title, about: member.about, parent: nil, region: "")
    }
    drawing.top.nodes = Array(members.indices)
    drawing.connect(
      wires.map {
        Drawing.Arrow(from: $0.from, to: $0.to, label: Drawing.Label(trigger: $0.trigger), effect: .moved)
      })
    return drawing
  }

  /// The members with their kinds, then what each pair of them exchanges, a line each; without a line feed at the end.
  ///
  /// - Parameter width: Columns per line. Names that do not fit go on in the next line.
  public func table(width: Int) -> String {
    var rows = TextRows(width: width, longest: members.map(\.name.count).max() ?? 0)
    rows.add("\(title): the members")
    for member in members { rows.add(member.name, "\(member.kind): \(member.about)") }
    rows.add("")
    rows.add(wires.isEmpty ? "no wires" : "what the wires carry")
    var pairs: [(from: Int, to: Int, what: [String])] = []
    for wire in wires {
      if let place = pairs.firstIndex(where: { $0.from == wire.from && $0.to == wire.to }) {
        pairs[place].what.append(wire.trigger.text)
      } else {
        pairs.append((wire.from, wire.to, [wire.trigger.text]))
      }
    }
    for pair in pairs {
      rows.add(members[pair.from].name, pair.what.joined(separator: ", "), to: members[pair.to].name)
    }
    return rows.text
  }
}

/// Rows of a name and a text, which goes on below itself.
struct TextRows {
  private let width: Int
  private let longest: Int
  private var lines: [String] = []

  var text: String { lines.joined(separator: "\n") }

  /// - Parameter longest: The columns of the longest name.
  init(width: Int, longest: Int) {
    self.width = width
    self.longest = longest
  }

  mutating func add(_ line: String) { lines.append(line) }

  /// - Parameter target: Where an arrow at the end of the text leads; `nil` for none.
  mutating func add(_ name: String, _ text: String, to target: String? = nil) {
    let head = "  \(name)" + String(repeating: " ", count: max(0, longest - name.count)) + "  "
    let end = target.map { " → \($0)" } ?? ""
    let wrapped = TextLines.wrapped(text, to: max(24, width - head.count - end.count))
    let indent = String(repeating: " ", count: head.count)
    lines += wrapped.enumerated().map { place, line in
      (place == 0 ? head : indent) + line + (place == wrapped.count - 1 ? end : "")
    }
  }
}
