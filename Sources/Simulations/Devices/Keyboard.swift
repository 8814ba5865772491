public import MachineForms
public import StateMachines

/// The keyboard of a phone, with three regions: a Shift key, a layout and dictation.
///
/// The regions do not know of each other. A tap goes to the Shift key in every layout. A character passes through the
/// Shift key, which makes it small or capital, as ``ShiftKey`` says. A digit has no capital, but uses up Shift for one
/// letter too. `layout` and `dictation` set what they name, and are ignored when it is set already.
///
/// The regions have 3 + 3 + 2 states, which make eighteen combinations. The Shift key uses the rule of ``ShiftKey``
/// unchanged.
public struct Keyboard: OrthogonalMachine {
  public struct State: StateWithData {
    var shift: ShiftKey.State
    var layout: Layout
    var dictation: Dictation

    public typealias Name = Beside<Beside<ShiftKey.State.Name, Layout>, Dictation>
    public var name: Name { Beside(Beside(shift.name, layout), dictation) }
  }

  /// The keys that are shown.
  public enum Layout: String, Choice, StatechartLeaf, MachineState { case letters, digits, symbols }

  /// Whether the person speaks instead of typing.
  public enum Dictation: String, Choice, StatechartLeaf, MachineState { case off, on }

  public enum Event: MachineEvent {
    case tap, character(Character), windowClosed, layout(Layout), dictation(Dictation)
  }

  public typealias Output = ShiftKey.Output
  public typealias Parameters = ShiftKey.Parameters

  public var state = State(shift: ShiftKey().state, layout: .letters, dictation: .off)
  public init() {}

  /// Starts the Shift key as a ``ShiftKey`` starts.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    var key = ShiftKey()
    let shift = step.lend(to: ShiftKey.self) { key.start(in: name.first.first, $0) }
    return State(shift: shift, layout: name.first.second, dictation: name.second)
  }

  /// The Shift key's window, which continues through events of the other regions.
  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    state.shift.isWindowOpen ? .after(parameters.doubleTap, .windowClosed).continuing : .none
  }

  public func visit(_ regions: inout State, _ pass: inout RegionPass<Self>, _ step: Step<Self>) {
    pass.visit(ShiftRegion(), &regions.shift, step)
    pass.visit(LayoutRegion(), &regions.layout, step)
    pass.visit(DictationRegion(), &regions.dictation, step)
  }

  public func reaction(to event: Event, _ step: Step<Self>) -> Reaction<State> { .ignore }
}

extension Keyboard {
  /// The rule of ``ShiftKey``.
  struct ShiftRegion: Region {
    typealias Host = Keyboard
    typealias State = ShiftKey.State

    func reaction(in leaf: State, to event: Event, _ step: Step<Host>) -> Answer {
      switch event {
      case .tap: answer(of: leaf, to: .tap, step)
      case .character(let character): answer(of: leaf, to: .character(character), step)
      case .windowClosed: answer(of: leaf, to: .windowClosed, step)
      case .layout, .dictation: .inherit
      }
    }

    private func answer(of leaf: State, to event: ShiftKey.Event, _ step: Step<Host>) -> Answer {
      var key = ShiftKey()
      key.state = leaf
      return Answer(step.lend(to: ShiftKey.self) { key.react(to: event, $0) })
    }
  }

  struct LayoutRegion: Region {
    typealias Host = Keyboard
    typealias State = Layout

    func reaction(in leaf: Layout, to event: Event, _ step: Step<Host>) -> Answer {
      switch event {
      case .layout(let next): next == leaf ? .ignore : .go(to: next)
      case .tap, .character, .windowClosed, .dictation: .inherit
      }
    }
  }

  struct DictationRegion: Region {
    typealias Host = Keyboard
    typealias State = Dictation

    func reaction(in leaf: Dictation, to event: Event, _ step: Step<Host>) -> Answer {
      switch event {
      case .dictation(let next): next == leaf ? .ignore : .go(to: next)
      case .tap, .character, .windowClosed, .layout: .inherit
      }
    }
  }
}
