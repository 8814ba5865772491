public import StateMachines

/// An enemy in a game: attacks a weak character and flees from a strong one.
///
/// The one signal characterSeen means something else in each state and for each strength, which is what the machine is
/// there to show.
///
/// | state | characterSeen(weak) | characterSeen(strong) | characterLost | characterBecame(weak) | characterBecame(strong) | killed |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | idle | → attacking | → fleeing | ignored | ignored | ignored | → dead |
/// | attacking | stayed | → fleeing | → idle | stayed | → fleeing | → dead |
/// | fleeing | → attacking | stayed | → idle | → attacking | stayed | → dead |
/// | dead | ignored | ignored | ignored | ignored | ignored | refused |
///
/// An enemy does not know how strong a character has become that it does not see; characterSeen tells it.
public struct Enemy: LegacyMachine {
  public enum State: MachineState {
    /// Sees nobody.
    case idle
    /// Sees a weak character.
    case attacking
    /// Sees a strong character.
    case fleeing
    /// For ever.
    case dead
  }

  public enum Event: Sendable {
    case characterSeen(Strength)
    case characterLost
    case characterBecame(Strength)
    case killed
  }

  public var state: State

  public init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .idle
  }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.idle, .event(.characterSeen(.weak))), (.fleeing, .event(.characterSeen(.weak))),
      (.fleeing, .event(.characterBecame(.weak))):
      return .move(to: .attacking)
    case (.idle, .event(.characterSeen(.strong))), (.attacking, .event(.characterSeen(.strong))),
      (.attacking, .event(.characterBecame(.strong))):
      return .move(to: .fleeing)
    case (.attacking, .event(.characterLost)), (.fleeing, .event(.characterLost)):
      return .move(to: .idle)
    case (.idle, .event(.killed)), (.attacking, .event(.killed)), (.fleeing, .event(.killed)):
      return .move(to: .dead)

    case (.attacking, .event(.characterSeen(.weak))), (.attacking, .event(.characterBecame(.weak))),
      (.fleeing, .event(.characterSeen(.strong))), (.fleeing, .event(.characterBecame(.strong))):
      return .stay

    case (.dead, .event(.killed)):
      return step.refuse("the enemy is dead already")
    case (.idle, .event(.characterLost)), (.idle, .event(.characterBecame)):
      return .ignore
    case (.dead, .event(.characterSeen)), (.dead, .event(.characterLost)), (.dead, .event(.characterBecame)):
      return .ignore
    }
  }
}

extension Enemy {
  public static let kind = Kind(
    Enemy.self, "enemy", "an enemy in a game, which attacks a weak character and flees from a strong one",
    origin: """
      a game sketched in a Spanish talk on state machines in iOS applications: that enemies attack or flee is its, \
      the states and the rest of the table are ours
      """,
    example: [
      "new enemy ogre", "send ogre characterSeen weak", "send ogre characterBecame strong", "expect ogre fleeing",
      "send ogre characterLost", "send ogre killed", "send ogre killed",
    ],
    states: [
      .idle: "the enemy sees nobody",
      .attacking: "the enemy sees a weak character",
      .fleeing: "the enemy sees a strong character",
      .dead: "the enemy is dead, for ever",
    ],
    events: [
      .event(Event.characterSeen, .choice("strength"), about: "a character comes into sight"),
      .event(.characterLost, "the character is out of sight"),
      .event(Event.characterBecame, .choice("strength"), about: "the character has changed"),
      .event(.killed, "somebody kills the enemy"),
    ])
}
