import StateMachines

extension StateWithData {
  /// The state as it is printed.
  var printed: String { data.map { "\(name.word)(\($0))" } ?? name.word }
}

extension OutputForm {
  static var featureEffect: OutputForm { .told(("effect", .text(bytes: 1...64)), about: "an effect is applied") }
  static var featureState: OutputForm {
    .told(("state", .text(bytes: 1...512)), about: "the state after an effect")
  }
  static var featureBootstrapper: OutputForm {
    .told(("action", .text(bytes: 1...64)), about: "the bootstrapper's action, made of a signal; only with outside=on")
  }
  static var featureAction: OutputForm {
    .told(("action", .text(bytes: 1...64)), about: "the post-processor's next action")
  }
}
