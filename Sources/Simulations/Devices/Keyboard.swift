public import StateMachines

/// The keyboard of a phone: a Shift key, a layout and dictation side by side.
///
/// The three do not know of each other but for one thing, which of them writes a character that comes:
///
/// | layout | dictation | who writes | how |
/// | --- | --- | --- | --- |
/// | letters | off | the Shift key | as ``ShiftKey`` says: a small letter or a capital; Shift for one letter is used up |
/// | digits, symbols | off | the layout | as it comes; Shift stays as it is |
/// | any | on | dictation | as it was heard; Shift stays as it is |
///
/// The Shift key is there with the letters only, so that a tap means nothing with another layout; what it has been
/// set to, and the window for a second tap, outlast a look at the digits. `layout` and `dictation` set what they
/// name, and are ignored where it is so already.
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
    pass.visit(ShiftRegion(keyboard: state), &regions.shift, step)
    pass.visit(LayoutRegion(keyboard: state), &regions.layout, step)
    pass.visit(DictationRegion(), &regions.dictation, step)
  }

  public func reaction(to input: Signal, _ step: Step<Self>) -> Reaction<State> { .ignore }

  public func asksFor(_ timer: TimerName) -> Bool { ShiftKey(state: state.shift).asksFor(timer) }
}

extension Keyboard.State {
  fileprivate var showsShift: Bool { layout == .letters }
  fileprivate var isDictated: Bool { dictation == .on }
}

extension Keyboard {
  /// The Shift key's own rule.
  struct ShiftRegion: Region {
    typealias Host = Keyboard
    typealias State = ShiftKey.State

    /// As it was before the step.
    let keyboard: Keyboard.State

    func reaction(in leaf: State, to input: Signal, _ step: Step<Host>) -> Answer {
      switch input {
      case .event(.tap): keyboard.showsShift ? answer(of: leaf, to: .event(.tap), step) : .inherit
      case .event(.character(let character)):
        keyboard.showsShift && !keyboard.isDictated
          ? answer(of: leaf, to: .event(.character(character)), step) : .inherit
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

    /// As it was before the step.
    let keyboard: Keyboard.State

    func reaction(in leaf: Layout, to input: Signal, _ step: Step<Host>) -> Answer {
      switch (leaf, input) {
      case (_, .event(.layout(let next))):
        return next == leaf ? .ignore : .go(to: next)
      case (.digits, .event(.character(let character))) where !keyboard.isDictated,
        (.symbols, .event(.character(let character))) where !keyboard.isDictated:
        step.emit(.text(String(character)))
        return .stay
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
      case (.on, .event(.character(let character))):
        step.emit(.text(String(character)))
        return .stay
      case (.off, .event(.character)), (_, .event(.tap)), (_, .event(.layout)), (_, .expired(.doubleTap)):
        return .inherit
      }
    }

    static func timers(of node: StatechartNode<Dictation, NoNames>) -> NameSet<TimerName> { [] }
  }
}
