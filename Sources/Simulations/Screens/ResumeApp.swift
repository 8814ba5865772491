public import StateMachines

extension Composition {
  /// A list of résumés, the screen of one résumé, and the coordinator that shows one or the other.
  ///
  /// The features know neither each other nor the coordinator. `list` reports in its news which résumé was selected,
  /// and `resume` opens it. `resume` reports where to go. The coordinator shows the list's screen, and requests the
  /// list's items.
  public static let resumeApp = Composition(
    "resumeApp", "a list of résumés and the screen of one, joined by a coordinator: features that talk in news",
    origin: """
      the features of a talk on model, view, intent at a job site, joined as it recommends: what one has to say is a wish \
      of another, and routing is a signal
      """,
    example: [
      "new resumeApp a", "wires", "send a.coordinator start", "advance 1s", "send a.list select 7", "advance 1s",
      "list a.*", "send a.resume close", "list a.*",
    ],
    members: ["list": Pagination.kind, "resume": OpenResume.kind, "coordinator": ListDetailCoordinator.kind],
    wires: [
      "coordinator.pushList": "list.refresh",
      "list.selected": "resume.open",
      "resume.route": "coordinator.selected",
      "resume.closeScreen": "coordinator.allTapped",
    ])
}
