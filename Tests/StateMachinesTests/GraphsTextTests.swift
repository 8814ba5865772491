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
private struct Crane: Machine {
  enum State: MachineState {
    case off, slow, fast, end
    static let words = ["off", "on.slow", "on.fast", "end"]
  }
  enum Event: MachineEvent { case lift(Int), finish, creep }
  var state = State.off

  func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> {
    switch state {
    case .slow: .after(.seconds(2), .creep)
    case .off, .fast, .end: .none
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .lift(let weight):
      switch state {
      case .off: .move(to: weight == 0 ? .slow : .fast)
      case .slow: weight == 0 ? .ignore : step.refuse("too slow")
      case .fast: .move(to: .fast)
      case .end: step.refuse("finished")
      }
    case .finish:
      switch state {
      case .off, .slow: .ignore
      case .fast: .move(to: .end)
      case .end: step.refuse("finished")
      }
    case .creep: .move(to: .fast)
    }
  }

  static let kind = Kind(
    Crane.self, "crane", "lifts",
    states: {
      switch $0 {
      case .off: "it rests; nothing moves"
      case .slow: "it creeps"
      case .fast: "it runs"
      case .end: "it is over"
      }
    },
    events: [
      .event(Event.lift, .integer("weight", 0...100, like: [0, 5, 100]), about: "lifts"), .event(.finish, "ends"),
    ],
    timers: [.timer(.creep, "it has crept enough")])
}

/// Two lamps side by side, both dark without power.
private struct Lamps: Machine {
  enum State: StateWithData {
    case dark
    case lit(blue: Bool, bright: Bool)

    enum Name: NamedCases {
      case dark, redDim, redBright, blueDim, blueBright
      static let words = ["dark", "red+dim", "red+bright", "blue+dim", "blue+bright"]
    }
    var name: Name {
      switch self {
      case .dark: .dark
      case .lit(blue: false, bright: false): .redDim
      case .lit(blue: false, bright: true): .redBright
      case .lit(blue: true, bright: false): .blueDim
      case .lit(blue: true, bright: true): .blueBright
      }
    }
  }
  enum Event: MachineEvent { case power, left, right }
  var state = State.dark

  mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .dark: .dark
    case .redDim: .lit(blue: false, bright: false)
    case .redBright: .lit(blue: false, bright: true)
    case .blueDim: .lit(blue: true, bright: false)
    case .blueBright: .lit(blue: true, bright: true)
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch (state, event) {
    case (.dark, .power): .move(to: .lit(blue: false, bright: false))
    case (.lit, .power): .move(to: .dark)
    case (.lit(let blue, let bright), .left): .move(to: .lit(blue: !blue, bright: bright))
    case (.lit(let blue, let bright), .right): .move(to: .lit(blue: blue, bright: !bright))
    case (.dark, .left), (.dark, .right): .ignore
    }
  }

  static let kind = Kind(
    Lamps.self, "lamps", "two lamps", regions: .init(of: "lit", ["left", "right"]),
    states: { $0 == .dark ? "no power" : "power" },
    initialStates: [("dark", .dark)],
    events: [
      .event(.power, "the switch"), .event(.left, "changes the left one"), .event(.right, "changes the right one"),
    ])
}
