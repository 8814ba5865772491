public import StateMachines

/// An enemy in a game: it attacks a weak character and flees from a strong one.
///
/// The reaction to characterSeen depends on both the state and the strength.
///
/// | state | characterSeen(weak) | characterSeen(strong) | characterLost | characterBecame(weak) | characterBecame(strong) | killed |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | idle | → attacking | → fleeing | ignored | ignored | ignored | → dead |
/// | attacking | stayed | → fleeing | → idle | stayed | → fleeing | → dead |
/// | fleeing | → attacking | stayed | → idle | → attacking | stayed | → dead |
/// | dead | ignored | ignored | ignored | ignored | ignored | refused |
///
/// An enemy does not follow the strength of a character that it does not see. characterSeen carries it.
public struct Enemy: Machine {
  public enum State: MachineState { case idle, attacking, fleeing, dead }

  public enum Event: MachineEvent {
    case characterSeen(Strength), characterLost, characterBecame(Strength), killed
  }

  public var state = State.idle
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .characterSeen(let strength):
      switch state {
      case .idle, .attacking, .fleeing: face(strength)
      case .dead: .ignore
      }
    case .characterLost:
      switch state {
      case .attacking, .fleeing: .move(to: .idle)
      case .idle, .dead: .ignore
      }
    case .characterBecame(let strength):
      switch state {
      case .attacking, .fleeing: face(strength)
      case .idle, .dead: .ignore
      }
    case .killed:
      switch state {
      case .idle, .attacking, .fleeing: .move(to: .dead)
      case .dead: step.refuse("the enemy is dead already")
      }
    }
  }

  private func face(_ strength: Strength) -> Reaction<State> {
    switch strength {
    case .weak: state == .attacking ? .stay : .move(to: .attacking)
    case .strong: state == .fleeing ? .stay : .move(to: .fleeing)
    }
  }

  public static let kind = Kind(
    Enemy.self, "enemy", "an enemy in a game, which attacks a weak character and flees from a strong one",
    origin: "a talk on state machines in iOS apps: enemies attack or flee; the rest of the table is designed here",
    source: "talk",
    example: [
      "new enemy ogre", "send ogre characterSeen weak", "send ogre characterBecame strong", "expect ogre fleeing",
      "send ogre characterLost", "send ogre killed", "send ogre killed",
    ],
    states: {
      switch $0 {
      case .idle: "the enemy sees nobody"
      case .attacking: "the enemy sees a weak character"
      case .fleeing: "the enemy sees a strong character"
      case .dead: "the enemy is dead"
      }
    },
    events: [
      .event(Event.characterSeen, .choice("strength"), about: "a character comes into sight"),
      .event(.characterLost, "the character is out of sight"),
      .event(Event.characterBecame, .choice("strength"), about: "the visible character's strength has changed"),
      .event(.killed, "the enemy is killed"),
    ])
}
