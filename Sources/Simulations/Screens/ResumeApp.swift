public import StateMachines

extension Composition {
  /// A list of résumés, the screen of one résumé, and the coordinator that shows one or the other.
  ///
  /// The features know neither each other nor the coordinator. `list` reports in its news which résumé was selected,
  /// and `resume` opens it. `resume` reports where to go. The coordinator shows the list's screen, and requests the
  /// list's items.
  ///
  /// The coordinator allows no way from one résumé to another: from the details only the list can be shown. A résumé that
  /// is selected while another is shown must therefore close that one first. `resume` does so in the mode hardened, which
  /// is the default here. With `mode=faithful` it does not: then the screen shows one résumé, and the coordinator is at
  /// another.
  ///
  /// With `outside=on` there is a `server` besides. The bootstrappers of both features have subscribed to its reports.
  public static let resumeApp = Composition(options: resumeOptions) { (options: ResumeAppOptions) in
    let isConnected = options.outside
    let server: [(String, Kind)] = isConnected ? [("server", ResumeServer.kind)] : []
    let reports = [("server.resumeChanged", "resume.changedOnServer"), ("server.listChanged", "list.changedOnServer")]
    return Composition(
      "resumeApp", "a list of résumés and the screen of one résumé, connected by a coordinator",
      origin: "a talk on MVI: the news of one feature are the wishes of another, and routing is a signal",
      source: "slides",
      example: [
        "new resumeApp a", "wires", "send a.coordinator start", "advance 1s", "send a.list select 7", "advance 1s",
        "list a.*", "send a.list select 9", "advance 1s", "list a.*", "send a.resume close", "list a.*",
      ],
      members: [("list", Pagination.kind), ("resume", OpenResume.kind), ("coordinator", ListDetailCoordinator.kind)]
        + server,
      presets: [("list.outside", isConnected), ("resume.outside", isConnected), ("resume.mode", options.mode)],
      wires: [
        ("coordinator.pushList", "list.refresh"),
        ("list.selected", "resume.open"),
        ("resume.route", "coordinator.selected"),
        ("resume.closeScreen", "coordinator.allTapped"),
      ] + (isConnected ? reports : []))
  }

  private struct ResumeAppOptions: ParameterSet {
    var mode = OpenResume.Mode.hardened
    var outside = false
  }

  private static let resumeOptions: [ParameterForm<ResumeAppOptions>] = [
    .parameter("mode", \.mode, "hardened closes a résumé that is shown before it opens another"),
    .parameter("outside", \.outside, "on: a member server reports changes to the features' bootstrappers"),
  ]
}
