internal import StateMachines

extension Step {
  /// Says something and gives the reaction back, so that a cell of a rule is one expression.
  @inline(__always)
  func emit(_ outputs: M.Output..., then reaction: Reaction<M.State>) -> Reaction<M.State> {
    for output in outputs { emit(output) }
    return reaction
  }
}
