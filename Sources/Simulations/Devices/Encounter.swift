public import StateMachines

extension Composition {
  /// A ``GameCharacter`` that an ``Enemy`` has in sight: the enemy hears of it when the character becomes strong or weak.
  public static let encounter = Composition(
    "encounter", "a character and an enemy that sees it: pick up and hit on hero, come and go on ogre",
    origin: "a game sketched in a Spanish talk on state machines in iOS applications, with both of its machines",
    example: [
      "new encounter e", "watch e.*", "send e.ogre characterSeen weak", "send e.hero pickUp armor",
      "send e.hero pickUp laser", "advance 30s",
    ],
    members: ["hero": GameCharacter.kind, "ogre": Enemy.kind],
    wires: ["hero.became": "ogre.characterBecame"])
}
