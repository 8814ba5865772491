/// The form that a machine's rule is written in: what an engineer knows it as.
///
/// Each is a type of this library, or (of the first) the ``Machine`` protocol as it stands.
public enum Form: String, CaseIterable, Sendable {
  /// One exhaustive `switch` over state and event.
  case enumAndSwitch = "enum and switch"
  /// A pure function from state and wish to the next state.
  case reducer
  /// Wishes, an actor, effects, a reducer, news: model, view, intent.
  case feature = "MVI feature"
  /// An object per state that handles every signal and chooses its successor.
  case statePattern = "State pattern"
  /// An object per state that says which states may follow, entered by type.
  case stateObjects = "state objects"
  /// States and events as objects with blocks, sources and destinations.
  case eventObjects = "event objects"
  /// Named states on any object, with blocks that run around a change.
  case anyObject = "states on any object"
  /// An immutable table from state and event to the next state, shared by subjects.
  case schema
  /// A formal automaton that accepts words or does not.
  case acceptor
  /// States within states, which inherit reactions.
  case hierarchical
  /// Hierarchical, with regions side by side.
  case orthogonal
}
