public import StateMachines

/// A character in a game, strong while it has mechanical armor and a charged laser.
///
/// | state | pickUp(armor) | pickUp(laser) | hit(1) | hit(100) | powerExpired | power expires |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | weak | stayed | stayed | ignored | ignored | ignored | – |
/// | armored | stayed | → strong(armor,laser) > became strong | stayed | stayed | ignored | – |
/// | with a laser | → strong(armor,laser) > became strong | stayed | ignored | ignored | ignored | – |
/// | strong | stayed | stayed | stayed | → weak > became weak | → weak > became weak | → weak > became weak |
///
/// The timer `power` sends powerExpired, which can also be sent by hand.
///
/// Chosen here: how items are lost. A new armor has `armor` points, and each hit subtracts its damage. At zero points
/// the armor is gone, and the laser remains. Picking up an armor restores the points. Power runs while the character
/// has both items; when it expires, both are used up. A single item uses no power, so a weak character keeps it without
/// limit.
///
/// `became` fits an ``Enemy``'s characterBecame.
public struct GameCharacter: Machine {
  public enum State: StateWithData {
    /// Lacks armor, laser or both. No timer is running.
    case weak(Equipment)
    /// Has a laser, and an armor with this many points, at least one. `power` is running.
    case strong(armor: Int)

    public enum Name: NamedCases { case weak, strong }

    public var data: String? {
      switch self {
      case .weak: nil
      case .strong: "armor,laser"
      }
    }

    public static var carriesData: Bool { true }
  }

  /// The items of a weak character.
  public enum Equipment: Hashable, Sendable, Codable {
    case nothing
    /// An armor with this many points, at least one.
    case armor(Int)
    case laser
  }

  public enum Item: String, Choice { case armor, laser }

  public enum Event: MachineEvent { case pickUp(Item), hit(Int), powerExpired }

  public enum Output: OutputWithData {
    case became(Strength)

    public enum Name: NamedCases { case became }
  }

  public struct Parameters: ParameterSet {
    var power = Duration.seconds(30)
    var armor = 100
    public init() {}
  }

  public var state = State.weak(.nothing)
  public init() {}

  public func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .weak: .weak(.nothing)
    case .strong: .strong(armor: step.parameters.armor)
    }
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .weak: .none
    case .strong: .after(parameters.power, .powerExpired)
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .pickUp(.armor):
      switch state {
      case .weak(let equipment):
        step.when("has laser", equipment == .laser)
          ? strengthen(step.parameters.armor, step) : .stayAs(.weak(.armor(step.parameters.armor)))
      case .strong: beginPowerAnew(step.parameters.armor, step)
      }
    case .pickUp(.laser):
      switch state {
      case .weak: step.when("has armor", state.armor > 0) ? strengthen(state.armor, step) : .stayAs(.weak(.laser))
      case .strong(let armor): beginPowerAnew(armor, step)
      }
    case .hit(let damage):
      switch state {
      case .weak(.nothing), .weak(.laser): .ignore
      case .weak(.armor(let armor)): .stayAs(.weak(armor > damage ? .armor(armor - damage) : .nothing))
      case .strong(let armor):
        step.when("enough armor", armor > damage) ? .stayAs(.strong(armor: armor - damage)) : weaken(.laser, step)
      }
    case .powerExpired:
      switch state {
      case .weak: .ignore
      case .strong: weaken(.nothing, step)
      }
    }
  }

  private func strengthen(_ armor: Int, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.became(.strong), then: .move(to: .strong(armor: armor)))
  }

  private func beginPowerAnew(_ armor: Int, _ step: Step<Self>) -> Reaction<State> {
    step.arm(.powerExpired, after: step.parameters.power)
    return .stayAs(.strong(armor: armor))
  }

  private func weaken(_ left: Equipment, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.became(.weak), then: .move(to: .weak(left)))
  }
}

/// The strength of a character, as enemies see it.
public enum Strength: String, Choice { case weak, strong }

extension GameCharacter.State {
  /// The armor's points; 0 without one.
  fileprivate var armor: Int {
    switch self {
    case .weak(.armor(let armor)), .strong(let armor): armor
    case .weak(.nothing), .weak(.laser): 0
    }
  }

  fileprivate var hasLaser: Bool {
    switch self {
    case .weak(.laser), .strong: true
    case .weak(.nothing), .weak(.armor): false
    }
  }
}

/// The points of an armor decide nothing but how many hits it stands. A machine with the most of them, which is found
/// first, does all that one with fewer does.
extension GameCharacter.State: PartlyIncidental {
  public func essence(for parameters: any ParameterSet) -> Int {
    switch self {
    case .weak(.nothing): 0
    case .weak(.armor): 1
    case .weak(.laser): 2
    case .strong: 3
    }
  }
}

extension GameCharacter {
  public static let kind = Kind(
    GameCharacter.self, "character",
    "a character in a game, strong until a hit or a timer takes its armor or laser",
    origin: "a talk on state machines in iOS apps: armor, laser and strength; how they are lost is designed here",
    source: "talk",
    example: [
      "new character hero power=30s", "new enemy ogre", "wire hero became ogre characterBecame",
      "send ogre characterSeen weak", "send hero pickUp armor", "send hero pickUp laser", "expect ogre fleeing",
      "advance 30s", "expect ogre attacking",
    ],
    states: {
      switch $0 {
      case .weak: "the character lacks armor or laser"
      case .strong: "the character has both, and power is running"
      }
    },
    events: [
      .event(Event.pickUp, .choice("item"), about: "the character picks up an item"),
      .event(Event.hit, .integer("damage", 1...1_000_000, like: [1, 1_000_000]), about: "the character is hit"),
      .event(.powerExpired, "the power is used up early"),
    ],
    timers: [.timer(.powerExpired, named: "power", after: "power", "armor and laser are used up")],
    outputs: {
      switch $0 {
      case .became: .output(("strength", Strength.valueType), about: "the character's strength has changed")
      }
    },
    readings: [
      .reading("armor", .integer(0...1_000_000), \.state.armor, "the armor's points; 0 without armor"),
      .reading("laser", .flag, \.state.hasLaser, "whether the character has a laser"),
    ],
    parameters: [
      .parameter("power", \.power, .delay, "how long armor and laser work together"),
      .parameter("armor", \.armor, .integer(1...1_000_000), "the points of a new armor"),
    ])
}
