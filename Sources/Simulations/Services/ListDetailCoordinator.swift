import MachineForms
public import StateMachines

/// The navigation between a list and the details of one of its items. Each screen has a state object.
///
/// | current \ signal | start | selected(item) | allTapped |
/// | --- | --- | --- | --- |
/// | none | → All, pushList | ignored | ignored |
/// | All | ignored | → Detail(item), pushDetail(item) | refused: All may be followed by Detail only |
/// | Detail | ignored | refused: Detail may be followed by All only | → All, popToRoot |
///
/// `All` pushes the list when it is the first screen, and otherwise pops to it. There is no back button: all navigation
/// uses signals.
///
/// The item is stored *before* the machine is asked to enter `detail`. An item that is selected while another is shown
/// is therefore kept, although its entry is refused. Only the reading `item` shows it: the screen, and the state's
/// data, keep the item that was pushed. The next selection overwrites it.
///
/// A coordinator that is made in `detail` has no item, so it pushes none.
public struct ListDetailCoordinator: Machine {
  public enum State: StateWithData {
    /// Not started.
    case none
    /// The list is on top.
    case all
    /// The details of an item are on top of the list; `nil` if the coordinator was made here.
    case detail(String?)

    public enum Name: NamedCases {
      case none, all, detail

      /// The states have the names of their classes.
      public static var words: [String] { ["none", "All", "Detail"] }
    }

    public var data: String? { if case .detail(let item) = self { item } else { nil } }

    public static var carriesData: Bool { true }
  }

  public enum Event: MachineEvent {
    case start, selected(String), allTapped
  }

  public enum Output: OutputWithData {
    case pushList, pushDetail(String), popToRoot

    public enum Name: NamedCases { case pushList, pushDetail, popToRoot }
  }

  /// The subject of the state objects.
  struct Navigation: StateSubject {
    /// The item that `detail` shows on entry.
    var item: String?
    let step: Step<ListDetailCoordinator>
  }

  final class All: StateObject {
    func isValidNextState(_ next: StateType<Navigation>, in machine: StateObjectMachine<Navigation>) -> Bool {
      next == Detail.self
    }

    func didEnter(from previous: (any StateObject<Navigation>)?, in machine: inout StateObjectMachine<Navigation>) {
      machine.subject.step.emit(previous == nil ? .pushList : .popToRoot)
    }
  }

  final class Detail: StateObject {
    func isValidNextState(_ next: StateType<Navigation>, in machine: StateObjectMachine<Navigation>) -> Bool {
      next == All.self
    }

    func didEnter(from previous: (any StateObject<Navigation>)?, in machine: inout StateObjectMachine<Navigation>) {
      if let item = machine.subject.item { machine.subject.step.emit(.pushDetail(item)) }
    }
  }

  /// In the order of the states' names after `none`.
  static let screens = StateObjects<Navigation>(All(), Detail())

  public var state = State.none
  /// The item of the last selection, whether or not it is shown.
  fileprivate var item: String?
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .none: .none
    case .all: state(entering: All.self, step) ?? .none
    case .detail: state(entering: Detail.self, step) ?? .none
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .start:
      switch state {
      case .none: return enter(All.self, step)
      case .all, .detail: return .ignore
      }
    case .selected(let item):
      switch state {
      case .none: return .ignore
      case .all, .detail:
        self.item = item
        return enter(Detail.self, step)
      }
    case .allTapped:
      switch state {
      case .none: return .ignore
      case .all, .detail: return enter(All.self, step)
      }
    }
  }

  private func enter(_ screen: StateType<Navigation>, _ step: Step<Self>) -> Reaction<State> {
    if let next = state(entering: screen, step) { return .move(to: next) }
    // The sample stores the item before it asks whether the entry is allowed.
    return step.refuse(
      state == .all
        ? "from the list only the details of an item can be shown" : "from the details only the list can be shown",
      keepingChanges: true)
  }

  /// The state after a screen was entered; `nil` if the present state does not allow it.
  private func state(entering screen: StateType<Navigation>, _ step: Step<Self>) -> State? {
    let place = state.name == .none ? nil : state.name.index - 1
    var machine = StateObjectMachine(Self.screens, at: place, subject: Navigation(item: item, step: step))
    guard machine.enter(screen) else { return nil }
    return screen == All.self ? .all : .detail(item)
  }
}

extension ListDetailCoordinator {
  public static let kind = Kind(
    ListDetailCoordinator.self, "listDetailCoordinator", "the navigation between a list and the details of one item",
    form: .stateObjects,
    origin: "a GameplayKit sample from a talk on state machines in iOS apps; its states and rules are unchanged",
    source: "talk",
    example: [
      "new listDetailCoordinator c", "send c start", "send c allTapped", "send c selected apple",
      "send c selected pear", "show c", "send c allTapped", "send c selected plum", "show c",
    ],
    states: {
      switch $0 {
      case .none: "not started"
      case .all: "the list is on top"
      case .detail: "the details of an item are on top of the list"
      }
    },
    events: [
      .event(.start, "show the first screen"),
      .event(Event.selected, .text("item", bytes: 1...64, like: ["apple"]), about: "an item of the list is selected"),
      .event(.allTapped, "the person goes back to the list"),
    ],
    outputs: {
      switch $0 {
      case .pushList: "pushes the list on the empty stack"
      case .pushDetail: .output(("item", .text(bytes: 1...64)), about: "pushes the details of an item")
      case .popToRoot: "pops all screens but the list"
      }
    },
    readings: [
      .reading("item", .text(bytes: 1...64), \.item, "the item selected last, even if it is not shown")
    ])
}
