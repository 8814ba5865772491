public import StateMachines

extension Composition {
  /// A list of résumés, the screen of one résumé, and the coordinator that shows one or the other.
  ///
  /// The features know neither each other nor the coordinator. `list` reports in its news which résumé was selected,
  /// and `resume` opens it. `resume` reports where to go. The coordinator shows the list's screen, and requests the
  /// list's items.
  public static let resumeApp = Composition(
    "resumeApp", "a list of résumés and the screen of one résumé, connected by a coordinator",
    origin: "a talk on MVI: the news of one feature are the wishes of another, and routing is a signal",
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
