public import MachineForms
public import StateMachines

/// The keyboard of a phone: a Shift key, a layout and dictation side by side.
///
/// The three do not know of each other. A tap is for the Shift key whatever is to be seen, and a character goes through it:
/// a small letter or a capital, as ``ShiftKey`` says, and Shift for one letter is used up, by a digit too, which has no
/// capital. `layout` and `dictation` set what they name, and are ignored where it is so already.
///
/// Eighteen states of eight: the Shift key's rule is that of ``ShiftKey``, and has not become longer by what stands
/// beside it.
public struct Keyboard: OrthogonalMachine {
  public struct State: MachineState {
    var shift: ShiftKey.State
    var layout: Layout
    var dictation: Dictation

    public typealias Name = Beside<Beside<ShiftKey.State.Name, Layout>, Dictation>
    public var name: Name { Beside(Beside(shift.name, layout), dictation) }
  }

  /// The keys that are to be seen.
  public enum Layout: String, Choice, StatechartLeaf, MachineState { case letters, digits, symbols }

  /// Whether somebody speaks instead of typing.
  public enum Dictation: String, Choice, StatechartLeaf, MachineState { case off, on }

  public enum Event: Sendable {
    case tap
    case character(Character)
    case layout(Layout)
    case dictation(Dictation)
  }

  public typealias TimerName = ShiftKey.TimerName
  public typealias Output = ShiftKey.Output
  public typealias Parameters = ShiftKey.Parameters

  public var state: State

  /// Starts with letters and without dictation, the Shift key as one that starts by itself.
  public init(initial: State.Name?, _ step: Step<Self>) {
    let shift = ShiftKey(initial: initial?.first.first, step.lent(to: ShiftKey.self))
    state = State(shift: shift.state, layout: initial?.first.second ?? .letters, dictation: initial?.second ?? .off)
  }

  public func visit(_ regions: inout State, _ pass: inout RegionPass<Self>, _ step: Step<Self>) {
    pass.visit(ShiftRegion(), &regions.shift, step)
    pass.visit(LayoutRegion(), &regions.layout, step)
    pass.visit(DictationRegion(), &regions.dictation, step)
  }

  public func reaction(to input: Signal, _ step: Step<Self>) -> Reaction<State> { .ignore }

  public func asksFor(_ timer: TimerName) -> Bool { ShiftKey(state: state.shift).asksFor(timer) }
}

extension Keyboard {
  /// The Shift key's own rule.
  struct ShiftRegion: Region {
    typealias Host = Keyboard
    typealias State = ShiftKey.State

    func reaction(in leaf: State, to input: Signal, _ step: Step<Host>) -> Answer {
      switch input {
      case .event(.tap): answer(of: leaf, to: .event(.tap), step)
      case .event(.character(let character)): answer(of: leaf, to: .event(.character(character)), step)
      case .expired(let timer): answer(of: leaf, to: .expired(timer), step)
      case .event(.layout), .event(.dictation): .inherit
      }
    }

    private func answer(
      of leaf: State, to input: Input<ShiftKey.Event, ShiftKey.TimerName>, _ step: Step<Host>
    ) -> Answer {
      var key = ShiftKey(state: leaf)
      return Answer(key.react(to: input, step.lent(to: ShiftKey.self)))
    }

    // The key sees to its timer itself.
    static func timers(of node: StatechartNode<State.Name, NoNames>) -> NameSet<TimerName> { [] }
  }

  struct LayoutRegion: Region {
    typealias Host = Keyboard
    typealias State = Layout

    func reaction(in leaf: Layout, to input: Signal, _ step: Step<Host>) -> Answer {
      switch (leaf, input) {
      case (_, .event(.layout(let next))):
        return next == leaf ? .ignore : .go(to: next)
      case (_, .event(.character)), (_, .event(.tap)), (_, .event(.dictation)), (_, .expired(.doubleTap)):
        return .inherit
      }
    }

    static func timers(of node: StatechartNode<Layout, NoNames>) -> NameSet<TimerName> { [] }
  }

  struct DictationRegion: Region {
    typealias Host = Keyboard
    typealias State = Dictation

    func reaction(in leaf: Dictation, to input: Signal, _ step: Step<Host>) -> Answer {
      switch (leaf, input) {
      case (_, .event(.dictation(let next))):
        return next == leaf ? .ignore : .go(to: next)
      case (_, .event(.character)), (_, .event(.tap)), (_, .event(.layout)), (_, .expired(.doubleTap)):
        return .inherit
      }
    }

    static func timers(of node: StatechartNode<Dictation, NoNames>) -> NameSet<TimerName> { [] }
  }
}
