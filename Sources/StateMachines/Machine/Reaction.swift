/// How an input was taken.
public enum Verdict: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// A transition: the state's word changed, or the machine left its state and entered it again.
  case moved
  /// Handled without leaving the state.
  case stayed
  /// A known input that legitimately means nothing here: a duplicate, a lost race.
  case ignored
  /// Not possible in this state; nothing has changed.
  case refused
}

/// What a rule decides: the next state together with the verdict.
///
/// The rule returns it and the runtime stores the state, so that a state is assigned in one place for all machines.
public enum Reaction<State> {
  /// A transition, to the same state too.
  case move(to: State)
  /// Handled; the state is as it was.
  case stay
  /// Handled within the state, whose data have changed.
  case stayAs(State)
  /// Nothing happens.
  case ignore
  /// Nothing happens, and the sender is told so. Return it through ``Step/refuse(_:)``, which takes the reason.
  case refuse
}
