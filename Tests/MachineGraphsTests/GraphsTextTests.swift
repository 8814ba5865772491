@testable import MachineGraphs
import StateMachines
import Synchronization
import TestSupport
import Testing

/// The diagrams of machines with data, regions and states within states, to the letter.
struct GraphsTextTests {
  @Test("an event whose data lead elsewhere is labelled with their samples, a timer with how long it runs")
  func labels() throws {
    let graph = try SharedGraphs.graph(of: Turnstile.kind)
    let drawing = Drawing(graph, show: .plain)
    func moves(from state: String) -> [String] {
      drawing.arrows.filter { drawing.nodes[$0.from].name == state }
        .map { "\(drawing.nodes[$0.to].name) \($0.label.text)" }
    }
    let names = graph.states.map(\.word)
    expectEqual(
      moves(from: names[1]),
      [
        "\(names[0]) push", "\(names[1]) push", "\(names[2]) fail", "\(names[0]) patience after 10s",
      ])
    expectEqual(moves(from: names[0]), ["\(names[1]) coin(100)", "\(names[2]) fail"])
    expectEqual(graph.label(of: graph.inputs(ofEvent: 2).lowerBound + 1), "fail(jammed,0)")
  }

  @Test("the table says what comes of each input, by its data where they make a difference")
  func table() throws {
    let mark = GraphMark("c", state: 1, present: Crane.slowNow)
    expectEqual(
      GraphTable(Drawing(try SharedGraphs.graph(of: Crane.kind), mark: mark, show: .all)).text,
      """
        state    lift              finish   creep
                                            after 2s
        -------  ----------------  -------  -----------
        off      0: → on.slow      ignored  –
                 5|100: → on.fast
      > on.slow  0: ignored        ignored  → on.fast *
                 5|100: refused
        on.fast  → self            → end    –
        end      final             final    –

      4 states, 2 events: 8 pairs, 4 transitions
      16 pairs with the classes of data: 7 move, 3 ignored, 6 refused
      ignored: nothing happens; refused: not possible; – does not run; * possible now; > present state
      """)
  }

  private final class Pace: Sendable {
    let answer = Atomic(true)
    let questions = Atomic(0)

    var goesOn: Bool {
      questions.add(1, ordering: .relaxed)
      return answer.load(ordering: .relaxed)
    }
  }

  @Test("long drawings ask for each state and arrow whether they go on, and after a no they end soon")
  func pace() throws {
    let graph = try SharedGraphs.graph(of: Crane.kind)
    let pace = Pace()
    func asked(_ body: () -> Void) -> Int {
      let before = pace.questions.load(ordering: .relaxed)
      body()
      return pace.questions.load(ordering: .relaxed) - before
    }
    var drawing: Drawing?
    expect(asked { drawing = Drawing(graph, show: .all, while: { pace.goesOn }) } >= graph.states.count)
    let made = try #require(drawing)
    let writers: [(String, () -> String)] = [
      ("dot", { made.dot }), ("mermaid", { made.mermaid }), ("stateDiagram", { made.stateDiagram }),
      ("plantuml", { made.plantuml }), ("table", { GraphTable(made, width: 40).text }),
      ("ids", { made.pictureIDs(of: made.arrows).joined().joined() }),
    ]
    for (name, write) in writers {
      pace.answer.store(true, ordering: .relaxed)
      var whole = ""
      expect(asked { whole = write() } >= made.leaves.count, "\(name)")
      pace.answer.store(false, ordering: .relaxed)
      expect(write().utf8.count < whole.utf8.count, "\(name)")
    }
    expect(Drawing(graph, show: .all, while: { pace.goesOn }).arrows.isEmpty)
  }

  @Test("a table that is too wide for its reader is a list, and no line is longer than asked for")
  func narrowTable() throws {
    let table = GraphTable(Drawing(try SharedGraphs.graph(of: Crane.kind), show: .all), width: 40).text
    expect(table.split(separator: "\n").allSatisfy { $0.count <= 40 })
  }

  @Test("Mermaid and PlantUML get names that they accept, and what means something to them is escaped")
  func names() throws {
    let graph = try SharedGraphs.graph(of: Crane.kind)
    let marked = Drawing(graph, mark: GraphMark("c", state: 1))
    expectEqual(
      Drawing(graph, show: .plain).mermaid,
      """
      graph TB;
      subgraph on["on"]
          on_slow["slow"];
          on_fast["fast"];
      end
      end_["end"];
      off --"lift(0)"--> on_slow;
      off --"lift(5|100)"--> on_fast;
      on_slow --"creep after 2s"--> on_fast;
      on_fast --finish--> end_;
      """)
    expectEqual(
      marked.mermaid,
      """
      ---
      title: "c: crane"
      config:
        flowchart:
          curve: linear
      ---
      graph LR;
      off("off");
      subgraph on["on"]
          on_slow("slow");
          on_fast("fast");
      end
      end_[["end"]];
      start_0((" "));
      class start_0 start;
      start_0 --> off;
      off --"lift(0)"--> on_slow;
      off --"lift(5|100)"--> on_fast;
      on_slow --"creep after 2s"--> on_fast;
      on_fast --"lift"--> on_fast;
      on_fast --"finish"--> end_;
      classDef current fill:#ffc233,color:#000000,stroke:#6b4a00,stroke-width:4px,font-weight:bold;
      classDef final stroke-width:4px;
      classDef unreachable stroke-dasharray:5 5;
      classDef start fill:#000000,stroke:#808080,color:#000000;
      class on_slow current;
      class end_ final;
      """)
    expectEqual(
      marked.stateDiagram,
      """
      ---
      title: "c: crane"
      ---
      stateDiagram-v2
          direction LR
          [*] --> off
          state "off" as off
          off : it rests#59; nothing moves
          state "on" as on {
              state "slow" as on_slow
              on_slow : it creeps
              state "fast" as on_fast
              on_fast : it runs
              on_slow --> on_fast : creep after 2s
              on_fast --> on_fast : lift
          }
          state "end" as end_
          end_ : it is over
          end_ --> [*]
          off --> on_slow : lift(0)
          off --> on_fast : lift(5|100)
          on_fast --> end_ : finish
          classDef current fill:#ffc233,color:#000000,stroke:#6b4a00,stroke-width:4px,font-weight:bold
          classDef final stroke-width:4px
          classDef unreachable stroke-dasharray:5 5
          class on_slow current
          class end_ final
      """)
    expectEqual(
      marked.plantuml,
      """
      @startuml
      title c: crane
      hide empty description
      skinparam defaultFontName Helvetica
      skinparam defaultFontSize 16
      left to right direction
      state "off" as off
      off : it rests; nothing moves
      state "on" as on {
        state "slow" as on_slow #ffc233;line:6b4a00;line.bold;text:black
        on_slow : it creeps
        state "fast" as on_fast
        on_fast : it runs
      }
      state "end" as end_
      end_ : it is over
      end_ --> [*]
      [*] --> off
      off --> on_slow : lift(0)
      off --> on_fast : lift(5|100)
      on_slow --> on_fast : creep after 2s
      on_fast --> on_fast : lift
      on_fast --> end_ : finish
      @enduml
      """)
    expectEqual(Mermaid.escaped("*a* $b$ _c_"), "#42;a#42; #36;b#36; #95;c#95;")
  }

  @Test("an o or an x beside the dashes of a plain Mermaid arrow is quoted, since it would be an arrow head")
  func arrowHeads() throws {
    let lines = Drawing(try SharedGraphs.graph(of: Lamps.kind), show: .all).mermaid
    expect(!lines.contains("--power"))
    expect(lines, contains: "--\"power\"-->")
  }

  @Test("Graphviz gets states by number; a plain drawing has the bare lines, and the marked state in bold")
  func dot() throws {
    let graph = try SharedGraphs.graph(of: Crane.kind)
    expectEqual(
      Drawing(graph, mark: GraphMark("c", state: 1), show: .plain).dot,
      """
      digraph {
          graph [rankdir=LR, compound=true, newrank=true]

          0 [label="", shape=plaintext]
          0 -> 1 [label="START"]

          1 [label="off"]
          subgraph cluster_1 {
              label="on";
              2 [label="slow", style=bold]
              3 [label="fast"]
          }
          4 [label="end"]

          1 -> 2 [label="lift(0)"]
          1 -> 3 [label="lift(5|100)"]
          2 -> 3 [label="creep after 2s"]
          3 -> 3 [label="lift"]
          3 -> 4 [label="finish"]
      }
      """)
    expectEqual(
      Drawing(graph, mark: GraphMark("c", state: 1, present: Crane.slowNow)).dot,
      """
      digraph {
          graph [rankdir=LR, compound=true, newrank=true, labelloc=t, fontname="Helvetica", fontsize=20, nodesep=0.15, ranksep=0.3, bgcolor=white, label="c: crane"]
          node [shape=box, style="rounded,filled", fillcolor="#f4f6f8", fontname="Helvetica", fontsize=16]
          edge [fontname="Helvetica", fontsize=14]

          0 [label="", shape=circle, fillcolor=black, style=filled, width=0.15, height=0.15, fixedsize=true]
          0 -> 1
          1 [label="off", tooltip="it rests; nothing moves"]
          subgraph cluster_1 {
              label="on"; style="rounded"; color="#708090"; fontsize=16;
              2 [label="slow", tooltip="it creeps", class=current, fillcolor="#ffc233", color="#6b4a00", penwidth=3]
              3 [label="fast", tooltip="it runs"]
          }
          4 [label="end", tooltip="it is over", peripheries=2]

          1 -> 2 [label="lift(0)"]
          1 -> 3 [label="lift(5|100)"]
          2 -> 3 [label="creep after 2s", penwidth=3, color="#20262d"]
          3 -> 3 [label="lift"]
          3 -> 4 [label="finish"]
      }
      """)
    // A page shows a plain picture in its own look, and leads it where there is room.
    var shown = Drawing(graph, show: .plain)
    shown.direction = .down
    expect(shown.dotWithIDs, contains: "rankdir=TB")
    expect(shown.dotWithIDs, contains: "shape=box")
    expect(!shown.dotWithIDs.contains("START"))
    // The label of an arrow from a state to itself stands at the right, where no other arrow leaves the state.
    let others = Drawing(graph).dotWithIDs.matches(of: /(\d) -> (\d) \[.*tailport=sw/)
    expectEqual(others.map { "\($0.output.1) \($0.output.2)" }, ["3 4"])
  }

  @Test("regions stand side by side, each with what of the moves concerns it")
  func regions() throws {
    let drawing = Drawing(try SharedGraphs.graph(of: Lamps.kind))
    expectEqual(
      drawing.stateDiagram,
      """
      ---
      title: "lamps"
      ---
      stateDiagram-v2
          direction TB
          [*] --> dark
          state "dark" as dark
          dark : no power
          state "lit" as lit {
              state "left" as lit_1 {
                  [*] --> red
                  state "red" as red
                  state "blue" as blue
                  red --> blue : left
                  blue --> red : left
              }
              --
              state "right" as lit_2 {
                  [*] --> dim
                  state "dim" as dim
                  state "bright" as bright
                  dim --> bright : right
                  bright --> dim : right
              }
          }
          dark --> lit : power
          lit --> dark : power
      """)
    expectEqual(Lamps.kind.regionSizes, "2 + 2, and 1 outside them")
    // In the order of the word: Graphviz writes rows as they are listed, and columns from right to left.
    expect(drawing.dotWithIDs, contains: "rankdir=LR")
    var shown = drawing
    for (direction, order) in [(Drawing.Direction.right, ["left", "right"]), (.down, ["right", "left"])] {
      shown.direction = direction
      expectEqual(shown.dotWithIDs.matches(of: /label="(left|right)";/).map { String($0.output.1) }, order)
    }
  }

  @Test("in PlantUML, which can lose one of two labels there, moves leave the states of a node within another")
  func nested() throws {
    let drawing = Drawing(try SharedGraphs.graph(of: Oven.kind))
    func moves(_ text: String) -> [Substring] { text.split(separator: "\n").filter { $0.contains(" : ") } }
    let plantUML = moves(drawing.plantuml).filter { $0.contains(" --> ") }
    expectEqual(
      plantUML,
      [
        "on_warm_low --> on_cold : open", "on_warm_low --> on_done : ring", "on_warm_low --> on_warm_high : more",
        "on --> off : stop", "on_warm_high --> on_cold : open", "on_warm_high --> on_done : ring",
        "on_warm_high --> on_warm_low : more",
      ])
    let strokes = drawing.strokes.map { "\(drawing.nodes[$0.from].name) \(drawing.nodes[$0.to].name)" }
    expect(strokes.contains("on.warm on.cold") && strokes.contains("on.warm on.done") && strokes.contains("on off"))
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

  /// What a crane does that creeps.
  static let slowNow = [
    PresentOutcome(.event(0, [.integer(0)]), .ignored, state: 1), PresentOutcome(.timer(0), .moved, state: 2),
  ]

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

/// A machine with states within a state within a state, from which two moves lead to different states.
private struct Oven: Machine {
  enum State: MachineState {
    case low, high, cold, done, off
    static let words = ["on.warm.low", "on.warm.high", "on.cold", "on.done", "off"]
  }
  enum Event: MachineEvent { case open, ring, more, stop }
  var state = State.low

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch (event, state) {
    case (.open, .low), (.open, .high): .move(to: .cold)
    case (.ring, .low), (.ring, .high): .move(to: .done)
    case (.more, .low): .move(to: .high)
    case (.more, .high): .move(to: .low)
    case (.stop, .low), (.stop, .high), (.stop, .cold), (.stop, .done): .move(to: .off)
    case (.open, .cold), (.ring, .cold), (.more, .cold), (.open, .done), (.ring, .done), (.more, .done), (_, .off):
      .ignore
    }
  }

  static let kind = Kind(
    Oven.self, "oven", "heats", states: { _ in "" },
    events: [
      .event(.open, "the door"), .event(.ring, "the time is up"), .event(.more, "the other heat"),
      .event(.stop, "the switch"),
    ])
}
