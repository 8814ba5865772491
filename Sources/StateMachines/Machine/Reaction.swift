/// How a machine handled an input.
public enum Verdict: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// A transition: the state's name changed, or the machine left its state and entered it again.
  case moved
  /// The input was handled without leaving the state.
  case stayed
  /// A known input that means nothing in this state, such as a duplicate or a lost race.
  case ignored
  /// The input is not possible in this state; nothing changed.
  case refused
}

/// A rule's decision: the verdict with the next state.
///
/// The rule returns it and the runtime stores the state, so all machines assign their state in one place.
public enum Reaction<State> {
  /// A transition, possibly to the same state.
  case move(to: State)
  /// The input is handled; the state is unchanged.
  case stay
  /// The input is handled without leaving the state, and the state's data change.
  case stayAs(State)
  /// Nothing happens.
  case ignore
  /// Nothing happens, and the sender gets a refusal. Return it through
  /// ``Step/refuse(_:keepingChanges:)``, which takes the reason.
  case refuse
}
