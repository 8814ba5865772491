public import StateMachines

extension Composition {
  /// A ``GameCharacter`` and an ``Enemy`` that sees it: each change of the character's strength is sent to the enemy.
  public static let encounter = Composition(
    "encounter", "a character and an enemy that sees it: pick up and hit on hero, come and go on ogre",
    origin: "a game sketched in a talk on state machines in iOS applications, with both of its machines",
    source: "talk",
    example: [
      "new encounter e", "watch e.*", "send e.ogre characterSeen weak", "send e.hero pickUp armor",
      "send e.hero pickUp laser", "advance 30s",
    ],
    members: ["hero": GameCharacter.kind, "ogre": Enemy.kind],
    wires: ["hero.became": "ogre.characterBecame"])
}
