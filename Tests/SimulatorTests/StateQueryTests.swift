import Simulations
import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("A state as a request writes it")
struct StateQueryTests {
  /// A machine whose states have substates, regions and data.
  private struct Device: Machine {
    enum State: StateWithData {
      case off, on(String), free, held, list(String)
      enum Name: NamedCases {
        case off, on, free, held, list
        static let words = ["off", "on", "cooling.free+closed+normal", "cooling.minOn+open+normal", "list.all"]
      }
      var data: String? {
        switch self {
        case .on(let data), .list(let data): data
        case .off, .free, .held: nil
        }
      }
      static var carriesData: Bool { true }
    }
    enum Event: MachineEvent { case nothing }
    var state = State.off
    mutating func start(in name: State.Name, _ step: Step<Self>) -> State { .off }
    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> { .ignore }

    static let kind = Kind(Device.self, "device", "for words of states", events: [.event(.nothing, "")])
  }

  /// The matching states of the kind, with these data.
  private func meant(_ word: String, data: String? = nil) -> [String]? {
    StateQuery(word, of: Device.kind).map { query in
      Device.kind.states.indices.filter { query.matches($0, data: data) }.map { Device.kind.states[$0].word }
    }
  }

  @Test("exactly, by a prefix at a dot, by a region, by several regions")
  func words() {
    let free = "cooling.free+closed+normal"
    let held = "cooling.minOn+open+normal"
    expectEqual(meant("off"), ["off"])
    expectEqual(meant(free), [free])
    expectEqual(meant("cooling"), [free, held])
    expectEqual(meant("cooling.minOn"), [held])
    expectEqual(meant("normal"), [free, held])
    expectEqual(meant("open"), [held])
    expectEqual(meant("cooling+open"), [held])
    expectEqual(meant("open+cooling"), [held])
    expectEqual(meant("closed+normal"), [free])
    expectEqual(meant("cooling+closed+normal"), [free])
    expectNil(meant("normal+closed+cooling"), "all regions are in their order")
    expectEqual(meant("list"), ["list.all"])
  }

  @Test("a word that is no state of the kind")
  func unknown() {
    for word in [
      "", "of", "offf", "cool", "cooling.", "cooling.m", ".", "+", "off+", "+off", "closed+open", "Off", "minOn",
      "off.x",
    ] {
      expectNil(meant(word), "\(word)")
    }
  }

  @Test("data in parentheses must be the same; without them any will do")
  func data() {
    expectEqual(meant("on", data: "5"), ["on"])
    expectEqual(meant("on(5)", data: "5"), ["on"])
    expectEqual(meant("on(5)", data: "6"), [])
    expectEqual(meant("on(5)", data: nil), [])
    expectEqual(meant("on()", data: ""), ["on"])
    expectEqual(meant("on(http://u+1.x(y))", data: "http://u+1.x(y)"), ["on"])
    expectEqual(meant("list(5)", data: "5"), ["list.all"])
    expectNil(meant("(5)"))
    expectNil(meant("on)"))
    expectNil(meant("of(5)"))
    expectNil(StateQuery("on(5)", of: Power.kind))
    expect(StateQuery("on", of: Power.kind) != nil)
    expectEqual(Device.kind.stateWord(1, data: "a b"), "on(a b)")
    expectEqual(Device.kind.stateWord(1, data: nil), "on")
  }

  @Test("every state of every simulated kind is found by its own word, its regions and their prefixes")
  func simulations() {
    for entry in Catalogue.simulations.entries {
      guard case .machine(let kind) = entry else { continue }
      for place in kind.states.indices {
        let word = kind.states[place].word
        let regions = word.split(separator: "+").map(String.init)
        let prefixes = regions.flatMap { region in
          region.indices.filter { region[$0] == "." }.map { String(region[..<$0]) }
        }
        for name in [word] + regions + prefixes {
          expectEqual(StateQuery(name, of: kind)?.matches(place, data: "x"), true, "\(kind.name) \(word) \(name)")
        }
      }
    }
  }
}
