import Simulations
import Simulator
import StateMachines
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
      var name: Name {
        switch self {
        case .off: .off
        case .on: .on
        case .free: .free
        case .held: .held
        case .list: .list
        }
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
    #expect(meant("off") == ["off"])
    #expect(meant(free) == [free])
    #expect(meant("cooling") == [free, held])
    #expect(meant("cooling.minOn") == [held])
    #expect(meant("normal") == [free, held])
    #expect(meant("open") == [held])
    #expect(meant("cooling+open") == [held])
    #expect(meant("open+cooling") == [held])
    #expect(meant("closed+normal") == [free])
    #expect(meant("cooling+closed+normal") == [free])
    #expect(meant("normal+closed+cooling") == nil, "all regions are in their order")
    #expect(meant("list") == ["list.all"])
  }

  @Test("a word that is no state of the kind")
  func unknown() {
    for word in [
      "", "of", "offf", "cool", "cooling.", "cooling.m", ".", "+", "off+", "+off", "closed+open", "Off", "minOn",
      "off.x",
    ] {
      #expect(meant(word) == nil, "\(word)")
    }
  }

  @Test("data in parentheses must be the same; without them any will do")
  func data() {
    #expect(meant("on", data: "5") == ["on"])
    #expect(meant("on(5)", data: "5") == ["on"])
    #expect(meant("on(5)", data: "6") == [])
    #expect(meant("on(5)", data: nil) == [])
    #expect(meant("on()", data: "") == ["on"])
    #expect(meant("on(http://u+1.x(y))", data: "http://u+1.x(y)") == ["on"])
    #expect(meant("list(5)", data: "5") == ["list.all"])
    #expect(meant("(5)") == nil)
    #expect(meant("on)") == nil)
    #expect(meant("of(5)") == nil)
    #expect(StateQuery("on(5)", of: Power.kind) == nil)
    #expect(StateQuery("on", of: Power.kind) != nil)
    #expect(Device.kind.stateWord(1, data: "a b") == "on(a b)")
    #expect(Device.kind.stateWord(1, data: nil) == "on")
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
          #expect(StateQuery(name, of: kind)?.matches(place, data: "x") == true, "\(kind.name) \(word) \(name)")
        }
      }
    }
  }
}
