@testable import MachineGraphs
import StateMachines
import Testing

/// The diagrams of machines with data, regions and states within states, to the letter.
struct GraphsTextTests {
  @Test("an event whose data lead elsewhere is labelled with their samples, a timer with how long it runs")
  func labels() throws {
    let graph = try StateGraph(of: Turnstile.kind)
    #expect(
      graph.edges(from: 1).map { "\($0.to) \($0.label)" } == [
        "1 push", "2 fail", "0 patience after 10s",
      ])
    #expect(graph.edges(from: 0).map { "\($0.to) \($0.label)" } == ["1 coin(100)", "2 fail"])
    #expect(graph.label(of: graph.inputs(ofEvent: 2).lowerBound + 1) == "fail(jammed,0)")
  }

  @Test("the table says what comes of each input, by its data where they make a difference")
  func table() throws {
    #expect(
      GraphTable(try StateGraph(of: Crane.kind), mark: GraphMark(state: 1, events: [0, 1], timers: [0])).text == """
          state    lift *            finish *  creep *
                                               after 2s
          -------  ----------------  --------  ---------
          off      0: → on.slow      ignore    –
                   5|100: → on.fast
        > on.slow  0: ignore         ignore    → on.fast
                   5|100: illegal
          on.fast  → self            → end     –
          end      final             final     –

        4 states, 2 events: 8 pairs, 4 transitions
        16 pairs with the classes of data: 7 move, 3 ignored, 6 refused
        """)
  }

  @Test("Mermaid and PlantUML get names that they accept, and what means something to them is escaped")
  func names() throws {
    let graph = try StateGraph(of: Crane.kind)
    #expect(
      graph.mermaid() == """
        graph TB;
        s2["on.slow"];
        s3["on.fast"];
        s4["end"];
        off --"lift(0)"--> s2;
        off --"lift(5|100)"--> s3;
        s2 --"creep after 2s"--> s3;
        s3 --finish--> s4;
        """)
    #expect(
      graph.stateDiagram(GraphMark(state: 1)) == """
        stateDiagram-v2
            direction LR
            [*] --> off
            state "off" as off
            off : it rests#59; nothing moves
            state on {
                [*] --> on_slow
                state "slow" as on_slow
                on_slow : it creeps
                state "fast" as on_fast
                on_fast : it runs
                on_slow --> on_fast : creep after 2s
                on_fast --> on_fast : lift
            }
            state "end" as end_
            end_ : it is over
            off --> on : lift(0) (off → slow)
            off --> on : lift(5|100) (off → fast)
            on --> end_ : finish (fast → end)
            classDef current stroke-width:4px,font-weight:bold
            class on_slow current
        """)
    #expect(
      graph.plantuml(GraphMark(state: 1)) == """
        @startuml
        title crane
        hide empty description
        state "off" as off : it rests; nothing moves
        state "on" as on {
          state "slow" as on_slow #palegreen : it creeps
          state "fast" as on_fast : it runs
          [*] --> on_slow
          on_slow --> on_fast : creep after 2s
          on_fast --> on_fast : lift
        }
        state "end" as end_ : it is over
        [*] --> off
        off --> on_slow : lift(0)
        off --> on_fast : lift(5|100)
        on_fast --> end_ : finish
        @enduml
        """)
  }

  @Test("Graphviz gets states by number, and the marked one in bold")
  func dot() throws {
    #expect(
      try StateGraph(of: Crane.kind).dot(GraphMark(state: 1)) == """
        digraph {
            graph [rankdir=LR]

            0 [label="", shape=plaintext]
            0 -> 1 [label="START"]

            1 [label="off"]
            2 [label="on.slow", style=bold]
            3 [label="on.fast"]
            4 [label="end"]

            1 -> 2 [label="lift(0)"]
            1 -> 3 [label="lift(5|100)"]
            2 -> 3 [label="creep after 2s"]
            3 -> 3 [label="lift"]
            3 -> 4 [label="finish"]
        }
        """)
  }

  @Test("regions stand side by side, each with what of the moves concerns it")
  func regions() throws {
    #expect(
      try StateGraph(of: Lamps.kind).stateDiagram() == """
        stateDiagram-v2
            direction LR
            [*] --> dark
            state "dark" as dark
            dark : no power
            state lit {
                %% left
                [*] --> red
                state "red" as red
                state "blue" as blue
                red --> blue : left
                blue --> red : left
                --
                %% right
                [*] --> dim
                state "dim" as dim
                state "bright" as bright
                dim --> bright : right
                bright --> dim : right
            }
            dark --> lit : power
            lit --> dark : power
        """)
  }
}

/// A machine with states within a state, and with words that mean something in diagrams.
private struct Crane: LegacyMachine {
  enum State: StateWithData {
    case off, slow, fast, end

    struct Name: NamedCases {
      let index: Int
      init(at index: Int) { self.index = index }
      static let words = ["off", "on.slow", "on.fast", "end"]
    }
    var name: Name {
      switch self {
      case .off: Name(at: 0)
      case .slow: Name(at: 1)
      case .fast: Name(at: 2)
      case .end: Name(at: 3)
      }
    }
  }
  enum Event: Sendable { case lift(Int), finish }
  enum TimerName: NamedCases { case creep }
  var state: State

  init(initial: State.Name?, _ step: Step<Self>) {
    state = [State.off, .slow, .fast, .end][initial?.index ?? 0]
    if state == .slow { step.arm(.creep, after: .seconds(2)) }
  }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.off, .event(.lift(0))):
      step.arm(.creep, after: .seconds(2))
      return .move(to: .slow)
    case (.off, .event(.lift)), (.fast, .event(.lift)), (.slow, .expired): return .move(to: .fast)
    case (.slow, .event(.lift(let weight))): return weight == 0 ? .ignore : step.refuse("too slow")
    case (.fast, .event(.finish)): return .move(to: .end)
    case (.end, .event): return step.refuse("finished")
    case (.off, .event(.finish)), (.slow, .event(.finish)), (.off, .expired), (.fast, .expired), (.end, .expired):
      return .ignore
    }
  }

  func asksFor(_ timer: TimerName) -> Bool { state == .slow }

  static let kind = Kind(
    Crane.self, "crane", "lifts",
    states: [
      (State.Name(at: 0), "it rests; nothing moves"), (State.Name(at: 1), "it creeps"), (State.Name(at: 2), "it runs"),
      (State.Name(at: 3), "it is over"),
    ],
    initialStates: State.Name.words.indices.map { (State.Name.words[$0], State.Name(at: $0)) },
    events: [
      .event(Event.lift, .integer("weight", 0...100, like: [0, 5, 100]), about: "lifts"), .event(.finish, "ends"),
    ],
    timers: [.creep: .computed("it has crept enough")])
}

/// Two lamps side by side, both dark without power.
private struct Lamps: LegacyMachine {
  enum State: StateWithData {
    case dark
    case lit(blue: Bool, bright: Bool)

    struct Name: NamedCases {
      let index: Int
      init(at index: Int) { self.index = index }
      static let words = ["dark", "red+dim", "red+bright", "blue+dim", "blue+bright"]
    }
    var name: Name {
      switch self {
      case .dark: Name(at: 0)
      case .lit(let blue, let bright): Name(at: 1 + (blue ? 2 : 0) + (bright ? 1 : 0))
      }
    }
  }
  enum Event: Sendable { case power, left, right }
  var state = State.dark

  init(initial: State.Name?, _ step: Step<Self>) {
    if let place = initial?.index, place > 0 { state = .lit(blue: place > 2, bright: place % 2 == 0) }
  }

  mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.dark, .event(.power)): .move(to: .lit(blue: false, bright: false))
    case (.lit, .event(.power)): .move(to: .dark)
    case (.lit(let blue, let bright), .event(.left)): .move(to: .lit(blue: !blue, bright: bright))
    case (.lit(let blue, let bright), .event(.right)): .move(to: .lit(blue: blue, bright: !bright))
    case (.dark, .event(.left)), (.dark, .event(.right)): .ignore
    }
  }

  static let kind = Kind(
    Lamps.self, "lamps", "two lamps", regions: .init(of: "lit", ["left", "right"]),
    states: State.Name.words.indices.map { (State.Name(at: $0), $0 == 0 ? "no power" : "power") },
    initialStates: [("dark", State.Name(at: 0))],
    events: [
      .event(.power, "the switch"), .event(.left, "changes the left one"), .event(.right, "changes the right one"),
    ])
}
