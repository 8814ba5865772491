import Foundation
import MachineGraphs
import Simulations
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// The ids by which a program finds states and transitions in a picture by Graphviz.
struct PictureIDTests {
  static let entries = Catalogue.simulations.entries

  @Test(
    "each transition names what is drawn for it, from its state to its target, with its label", arguments: entries,
    [Drawing.Detail.usual, .plain])
  func arrows(entry: CatalogueEntry, detail: Drawing.Detail) throws {
    let (detailed, picture) = try drawings(of: entry, show: detail)
    let text = Picture(picture.dotWithIDs)
    let facts = try Facts(detailed.json(picture: picture))
    let isBare = picture.isBare
    // Its ground, its distances and its title are others, too, since a page shows it.
    expect(!picture.dot.contains(" id=") && !picture.dot.contains("[id="), "the text for people has no ids")
    expectEqual(Set(text.ids).count, text.ids.count, "an id is given once")
    let nodes = Set(text.ids)
    for state in facts.states { expect(nodes.contains(state.id), "\(state)") }
    var drawn: Set<String> = []
    for move in facts.transitions where move.effect == "moved" {
      // A large composition leaves the labels away, and with them the moves of a state to itself.
      if move.arrows.isEmpty, isBare, move.from == move.to { continue }
      let lines = move.arrows.map { text.edges[$0] }
      guard !lines.isEmpty, !lines.contains(where: { $0 == nil }) else {
        Issue.record("\(move) has no arrow")
        continue
      }
      drawn.formUnion(move.arrows)
      if case .machine = entry, lines.count == 2 {
        expect(move.arrows[0].hasPrefix("w") && move.arrows[1].hasPrefix("a"), "\(move)")
      }
      let edges = lines.compactMap(\.self)
      let (tails, heads) = (facts.around(move.from), facts.around(move.to))
      expect(edges.contains { text.starts($0, at: tails) }, "\(move): \(edges)")
      expect(edges.contains { text.ends($0, at: heads) }, "\(move): \(edges)")
      for edge in edges where text.ends(edge, at: heads) && !isBare {
        expect(edge.label.contains(move.trigger), "\(move): \(edge)")
      }
      // An arrow alone, or ways to a point and the arrow from it: never an arrow of another state.
      for edge in edges { expect(text.starts(edge, at: tails) || edge.from.hasPrefix("hub_"), "\(move): \(edge)") }
    }
    for wire in facts.wires {
      expect(!wire.arrows.isEmpty && wire.arrows.allSatisfy { text.edges[$0] != nil }, "\(wire)")
      drawn.formUnion(wire.arrows)
    }
    expectEqual(drawn, Set(text.edges.keys), "no arrow stands for nothing")
  }

  @Test("arrows that meet in a point light the way of their state alone, and what leads on")
  func gathered() throws {
    let entry = try #require(Self.entries.first { $0.name == "smtp" })
    let (detailed, picture) = try drawings(of: entry)
    let facts = try Facts(detailed.json(picture: picture))
    let text = Picture(picture.dotWithIDs)
    let any = facts.transitions.filter { $0.trigger == "sessionTimeout" && $0.effect == "moved" }
    expect(any.count > 5 && Set(any.map(\.arrows.first)).count == any.count && Set(any.map(\.arrows.last)).count == 1)
    expect(any.last.flatMap { text.edges[$0.arrows[1]] }?.from, hasPrefix: "hub_")
  }

  @Test("without the present state the picture of a machine is that of its kind, whatever it did")
  func withoutPresent() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new shiftKey key", "send key tap")
    let kind = guest.say("graph shiftKey format=dot")
    expectEqual(guest.say("graph key format=dot present=no"), kind)
    expect(guest.say("graph key format=dot") != kind)
    expect(!guest.say("graph key format=json present=no").joined().contains("current"))
    _ = guest.say("new phoneCall pc")
    expectEqual(guest.say("graph pc format=dot present=no"), guest.say("graph phoneCall format=dot"))
    let failure = "- BAD-ARGUMENT argument=present got=maybe allowed=yes,no"
    expect(guest.say("graph key present=maybe")[0], hasPrefix: failure)
  }

  @Test("a machine that is drawn with places has no ids in JSON, since its states are not in the picture")
  func places() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new acceptor r pattern=hello", "new power p")
    expect(!guest.say("graph r format=json").joined().contains("\"id\""))
    expect(guest.say("graph p format=json").joined(), contains: "\"id\"")
  }

  @Test("a picture that was drawn is kept, the oldest ones as long as there is room")
  func kept() {
    let graphs = Graphs()
    expectNil(graphs.picture(of: "a"))
    graphs.keep("A", of: "a")
    expectEqual(graphs.picture(of: "a"), "A")
    graphs.keep(String(repeating: "x", count: 4 << 20), of: "too large")
    expect(graphs.picture(of: "too large") == nil && graphs.picture(of: "a") == "A")
    graphs.keep(String(repeating: "x", count: (4 << 20) - 1), of: "b")
    expect(graphs.picture(of: "a") == nil && graphs.picture(of: "b") != nil)
    graphs.forgetAll()
    expectNil(graphs.picture(of: "b"))
  }

  // MARK: The means

  /// What `graph` gives for programs, and what it gives to be drawn.
  private func drawings(of entry: CatalogueEntry, show detail: Drawing.Detail = .usual) throws -> (
    detailed: Drawing, picture: Drawing
  ) {
    switch entry {
    case .machine(let kind):
      let drawing = Drawing(try SharedGraphs.graph(of: kind), show: detail)
      return (drawing, drawing)
    case .composition(let composition):
      let members = try composition.members.map { (graph: try SharedGraphs.graph(of: $0.kind), mark: GraphMark?.none) }
      return (
        Drawing(composition, members: members, show: detail),
        Drawing(composition, members: members, show: detail, isBrief: detail == .usual)
      )
    }
  }

  /// The lines of a text for Graphviz.
  private struct Picture {
    struct Edge {
      let from: String
      let to: String
      let label: String
      let attributes: String
    }

    private(set) var ids: [String] = []
    private(set) var edges: [String: Edge] = [:]
    /// The ids of nodes by their names, clusters included.
    private var names: [String: String] = [:]

    init(_ text: String) {
      var cluster = ""
      for line in text.split(separator: "\n") {
        let words = line.drop { $0 == " " }.split(separator: " ", maxSplits: 3)
        if words.first == "subgraph" { cluster = String(words[1]) }
        guard let id = Picture.value(of: "id", in: line) else { continue }
        ids.append(id)
        if words.count > 3, words[1] == "->" {
          edges[id] = Edge(
            from: String(words[0]), to: String(words[2]),
            label: Picture.value(of: "label", in: line)?.replacing("\\n", with: " ") ?? "", attributes: String(line))
        } else {
          names[words.count > 1 && words[1].hasPrefix("[") ? String(words[0]) : cluster] = id
        }
      }
    }

    /// What stands behind a name and `=` at the beginning of a word: up to the quote that ends it, or as far as letters,
    /// digits and `_` go.
    private static func value(of name: String, in line: some StringProtocol) -> String? {
      for mark in [" ", "["] {
        guard let place = line.range(of: "\(mark)\(name)=", options: .literal) else { continue }
        let rest = line[place.upperBound...]
        guard rest.first == "\"" else { return String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
        var isEscaped = false
        return String(
          rest.dropFirst().prefix { character in
            defer { isEscaped = character == "\\" && !isEscaped }
            return character != "\"" || isEscaped
          })
      }
      return nil
    }

    func starts(_ edge: Edge, at ids: Set<String>) -> Bool {
      if edge.from.hasPrefix("any_") { return true }
      let tail = Picture.value(of: "ltail", in: edge.attributes) ?? edge.from
      return isPort(edge.from, of: ids) || names[tail].map(ids.contains) ?? false
    }

    func ends(_ edge: Edge, at ids: Set<String>) -> Bool {
      let head = Picture.value(of: "lhead", in: edge.attributes) ?? edge.to
      return isPort(edge.to, of: ids) || names[head].map(ids.contains) ?? false
    }

    private func isPort(_ name: String, of ids: Set<String>) -> Bool {
      name.hasPrefix("port") && ids.contains("s\(name.dropFirst(4))")
    }
  }

  /// What the JSON says.
  private struct Facts {
    struct State: Decodable {
      let name: String
      let parent: String?
      let id: String
    }

    struct Transition: Decodable {
      let from: String
      let to: String
      let event: String?
      let timer: String?
      let effect: String?
      let arrows: [String]

      enum Key: CodingKey { case from, to, event, timer, effect, arrows }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        from = try values.decode(String.self, forKey: .from)
        to = try values.decode(String.self, forKey: .to)
        event = try values.decodeIfPresent(String.self, forKey: .event)
        timer = try values.decodeIfPresent(String.self, forKey: .timer)
        effect = try values.decodeIfPresent(String.self, forKey: .effect)
        arrows = try values.decodeIfPresent([String].self, forKey: .arrows) ?? []
      }

      var trigger: String { event ?? timer ?? "" }
    }

    private struct All: Decodable {
      let states: [State]
      let transitions: [Transition]
      let wires: [Transition]?
    }

    let states: [State]
    let transitions: [Transition]
    let wires: [Transition]

    init(_ json: String) throws {
      let all = try JSONDecoder().decode(All.self, from: Data(json.utf8))
      (states, transitions, wires) = (all.states, all.transitions, all.wires ?? [])
    }

    /// The ids of a state and of all states around it; names can be the same in several regions.
    func around(_ name: String) -> Set<String> {
      var ids: Set<String> = []
      var names = [name]
      while let next = names.popLast() {
        for state in states where state.name == next && ids.insert(state.id).inserted {
          if let parent = state.parent { names.append(parent) }
        }
      }
      return ids
    }
  }
}

extension Drawing {
  /// Whether its moves are bare lines.
  fileprivate var isBare: Bool { !nodes.contains { $0.isComposite } ? false : dot.contains("moves have labels in") }
}
