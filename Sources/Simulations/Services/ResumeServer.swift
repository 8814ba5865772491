public import StateMachines

/// A server of résumés, as an app sees it that has subscribed to its reports: it says what has changed.
///
/// | state | edit(1) | edit(2) | sort | disconnect | connect |
/// | --- | --- | --- | --- | --- | --- |
/// | online | stayed > resumeChanged 1 | stayed > resumeChanged 2 | stayed > listChanged | → offline(0) | ignored |
/// | offline | stayed | stayed | stayed | ignored | → online |
///
/// A change while nobody is connected is reported to nobody. After the next connection the server does not tell them one
/// by one: it reports once that the list has changed.
///
/// Somebody else edits the résumés, so nothing here is refused. How many there are never changes.
public struct ResumeServer: Machine {
  public enum State: StateWithData, PartlyIncidental {
    /// Reports arrive.
    case online
    /// Reports are lost; the number of changes so far.
    case offline(missed: Int)

    public enum Name: NamedCases { case online, offline }

    public var data: String? { if case .offline(let missed) = self { "\(missed)" } else { nil } }

    public static var carriesData: Bool { true }
    public static var samples: [State] { [.offline(missed: 0)] }

    /// How many changes were missed decides nothing, but whether there were any.
    public func essence(for parameters: any ParameterSet) -> [Bool] {
      switch self {
      case .online: []
      case .offline(let missed): [missed > 0]
      }
    }
  }

  public enum Event: MachineEvent { case edit(Int), sort, disconnect, connect }

  public enum Output: OutputWithData {
    case resumeChanged(Int), listChanged

    public enum Name: NamedCases { case resumeChanged, listChanged }
  }

  /// The most changes that are counted while nobody is connected.
  static let mostMissed = 1_000

  public var state = State.online
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .edit(let id):
      switch state {
      case .online: step.emit(.resumeChanged(id), then: .stay)
      case .offline(let missed): .stayAs(.offline(missed: min(missed + 1, Self.mostMissed)))
      }
    case .sort:
      switch state {
      case .online: step.emit(.listChanged, then: .stay)
      case .offline(let missed): .stayAs(.offline(missed: min(missed + 1, Self.mostMissed)))
      }
    case .disconnect:
      switch state {
      case .online: .move(to: .offline(missed: 0))
      case .offline: .ignore
      }
    case .connect:
      switch state {
      case .online: .ignore
      case .offline(let missed): reconnect(!step.when("no change missed", missed == 0), step)
      }
    }
  }

  private func reconnect(_ hasMissed: Bool, _ step: Step<Self>) -> Reaction<State> {
    if hasMissed { step.emit(.listChanged) }
    return .move(to: .online)
  }

  public static let kind = Kind(
    ResumeServer.self, "resumeServer", "a server of résumés, which reports to an app what has changed",
    origin: "slides on MVI: a bootstrapper subscribes to outside services; this service is designed here",
    source: "slides",
    example: [
      "new resumeServer s", "watch s", "send s edit 7", "send s disconnect", "send s sort", "send s connect",
    ],
    states: {
      switch $0 {
      case .online: "the app gets a report of each change"
      case .offline: "nobody is connected; this many changes were not reported"
      }
    },
    events: [
      .event(Event.edit, .integer("id", 0...1_000_000_000, like: [1, 2]), about: "somebody edits this résumé"),
      .event(.sort, "somebody changes the order of the list"),
      .event(.disconnect, "the connection is lost"),
      .event(.connect, "the connection is there again"),
    ],
    outputs: {
      switch $0 {
      case .resumeChanged: .output(("id", .integer(0...1_000_000_000)), about: "this résumé has changed")
      case .listChanged: "the list has changed, or something in it while nobody was connected"
      }
    })
}
