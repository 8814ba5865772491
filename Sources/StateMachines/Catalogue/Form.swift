/// The form in which a machine's rule is written, by its common name.
///
/// Each form is a type of this library; the first is the ``Machine`` protocol itself.
public enum Form: String, CaseIterable, Sendable {
  /// One exhaustive `switch` over state and event.
  case enumAndSwitch = "enum and switch"
  /// A pure function from a state and a wish to the next state.
  case reducer
  /// Wishes, an actor, effects, a reducer and news: model, view, intent.
  case feature = "MVI feature"
  /// One object per state, which handles every signal and chooses its successor.
  case statePattern = "State pattern"
  /// One object per state, which says which states may follow; states are entered by type.
  case stateObjects = "state objects"
  /// States and events are objects with blocks, sources and destinations.
  case eventObjects = "event objects"
  /// Named states on any object, with blocks that run around a change.
  case anyObject = "states on any object"
  /// An immutable table from state and event to the next state, shared by many machines.
  case schema
  /// A formal automaton that accepts or rejects words.
  case acceptor
  /// Nested states, which inherit reactions.
  case hierarchical
  /// Hierarchical, with orthogonal regions.
  case orthogonal
}
