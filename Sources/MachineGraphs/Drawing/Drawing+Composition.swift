public import StateMachines

extension Drawing {
  /// The picture of a composition: its members with their states, and what the wires between them carry.
  ///
  /// - Parameters:
  ///   - name: The name of the machines, if they are made.
  ///   - members: The graph of each member's kind, and the mark of its machine.
  ///   - isBrief: Whether members have only their moves, so that a picture of all of them can be read.
  ///   - goesOn: As for ``init(_:mark:show:while:)``.
  public init(
    _ composition: Composition, named name: String? = nil, members: [(graph: StateGraph, mark: GraphMark?)],
    show detail: Detail = .usual, isBrief: Bool = false, while goesOn: @escaping @Sendable () -> Bool = { true }
  ) {
    self.init(title: name.map { "\($0): \(composition.name)" } ?? composition.name, detail: detail, while: goesOn)
    isComposition = true
    var places: [Int] = []
    var all: [Arrow] = []
    for (member, (graph, mark)) in zip(composition.members, members) {
      places.append(nodes.count)
      top.nodes.append(nodes.count)
      all += add(Drawing(graph, mark: mark, show: isBrief ? .plain : detail, while: goesOn), as: member)
      whyPartial += graph.whyPartial.map { "\(member.name): \($0)" }
    }
    for wire in composition.wires {
      let (from, to) = (composition.members[wire.from].kind, composition.members[wire.to].kind)
      let label = Label(
        trigger: .wire(output: from.outputs[wire.output].name, event: to.events[wire.event].name))
      all.append(Arrow(from: places[wire.from], to: places[wire.to], label: label, effect: .moved))
    }
    connect(all)
  }

  /// Adds the nodes of a member.
  ///
  /// - Returns: Its arrows.
  private mutating func add(_ inner: Drawing, as member: Composition.Member) -> [Arrow] {
    let place = nodes.count
    let first = place + 1
    func shifted(_ region: Region) -> Region {
      Region(name: region.name, nodes: region.nodes.map { $0 + first }, initial: region.initial.map { $0 + first })
    }
    let title = member.name == member.kind.name ? member.name : "\(member.name): \(member.kind.name)"
    nodes.append(Node(name: member.name, title: title, parent: nil, region: "", regions: [shifted(inner.top)]))
    for node in inner.nodes {
      nodes.append(
        Node(
          name: "\(member.name).\(node.name)", title: node.title, about: node.about,
          parent: node.parent.map { $0 + first } ?? place, region: node.region, isInitial: node.isInitial,
          isFinal: node.isFinal, isUnreachable: node.isUnreachable, isCurrent: node.isCurrent,
          regions: node.regions.map(shifted), isOwnLeaf: node.isOwnLeaf))
    }
    return inner.arrows.map { arrow in
      var arrow = arrow
      arrow.from += first
      arrow.to += first
      return arrow
    }
  }
}
