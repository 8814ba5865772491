public import MachineForms
public import StateMachines

/// The feature that opens a résumé. ``OpenResume`` uses it, and it can be used alone.
///
/// It does not fetch. When its actor keeps a stream open, the caller fetches. The caller then asks
/// ``isAwaited(_:in:)``, and delivers `loaded` or `failed`, or ends the stream.
public struct OpenResumeFeature: Feature {
  public enum State: StateWithData {
    /// No résumé is wanted.
    case closed
    /// The résumé with this number is on its way.
    case loading(Int)
    /// This résumé is shown.
    case shown(Resume)
    /// The résumé with this number could not be loaded.
    case failed(Int, error: String)

    public enum Name: NamedCases { case closed, loading, shown, failed }

    public var data: String? {
      switch self {
      case .closed: nil
      case .loading(let id): "\(id)"
      case .shown(let resume): "\(resume.id),\(resume.isViewed ? "viewed" : "unviewed")"
      case .failed(let id, let error): "\(id),\(error)"
      }
    }

    public static var carriesData: Bool { true }

    /// The résumé that is shown.
    var resume: Resume? { if case .shown(let resume) = self { resume } else { nil } }
  }

  public struct Resume: Hashable, Sendable, Codable {
    public let id: Int
    /// Whether it counts as viewed. A newly loaded version does not.
    public let isViewed: Bool

    public init(id: Int, isViewed: Bool) {
      self.id = id
      self.isViewed = isViewed
    }
  }

  public enum Wish: Hashable, Sendable, Codable { case open(Int), retry, close }

  public enum Action: Hashable, Sendable, Codable {
    case wish(Wish)
    /// From outside, by the bootstrapper's subscription: this résumé has a new version.
    case changedOutside(Int)
    /// From the post-processor: this résumé has just been shown.
    case markViewed(Int)
  }

  public enum Effect: Hashable, Sendable {
    case started(Int), loaded(Resume), failed(Int, error: String), viewed(Int), closed
  }

  public enum News: Hashable, Sendable { case route(Int), toast(String), closeScreen }

  /// What the server of résumés reports.
  public enum Signal: Hashable, Sendable { case resumeChanged(Int) }

  /// Whether a résumé that is shown is closed before another one is opened, so that the app leaves its screen.
  let closesFirst: Bool

  public init(closesFirst: Bool = false) {
    self.closesFirst = closesFirst
  }

  public func bootstrapper(_ signal: Signal) -> Action? {
    switch signal {
    case .resumeChanged(let id): .changedOutside(id)
    }
  }

  public func wishToAction(_ wish: Wish) -> Action { .wish(wish) }

  public func actor(_ state: State, _ action: Action, _ effects: inout Effects<Effect>) {
    switch action {
    case .wish(.open(let id)):
      if state == .loading(id) || state.resume?.id == id { return }
      if closesFirst, state.resume != nil { effects.emit(.closed) }
      load(id, &effects)
    case .wish(.retry):
      switch state {
      case .failed(let id, error: _): load(id, &effects)
      case .closed, .loading, .shown: break
      }
    case .wish(.close):
      switch state {
      case .closed: break
      case .loading, .shown, .failed: effects.emit(.closed)
      }
    case .changedOutside(let id):
      if id == state.resume?.id { effects.later() }  // No `started`: the load is not shown.
    case .markViewed(let id):
      if id == state.resume?.id { effects.emit(.viewed(id)) }
    }
  }

  private func load(_ id: Int, _ effects: inout Effects<Effect>) {
    effects.emit(.started(id))
    effects.later()
  }

  /// The résumé that an open stream fetches.
  public func id(of stream: FeatureStore<OpenResumeFeature>.Stream) -> Int? {
    switch stream.action {
    case .wish(.open(let id)), .changedOutside(let id): id
    case .wish(.retry): if case .failed(let id, error: _) = stream.state { id } else { nil }
    case .wish(.close), .markViewed: nil
    }
  }

  /// Whether the answer to a request still counts: the opened résumé is still being loaded, or the résumé to replace is
  /// still shown.
  public func isAwaited(_ stream: FeatureStore<OpenResumeFeature>.Stream, in state: State) -> Bool {
    guard let id = id(of: stream) else { return false }
    return switch stream.action {
    case .wish: state == .loading(id)
    case .changedOutside: state.resume?.id == id
    case .markViewed: false
    }
  }

  public func reducer(_ state: State, _ effect: Effect) -> State {
    switch effect {
    case .started(let id): .loading(id)
    case .loaded(let resume): .shown(resume)
    case .failed(let id, let error): .failed(id, error: error)
    case .viewed(let id): .shown(Resume(id: id, isViewed: true))
    case .closed: .closed
    }
  }

  public func postProcessor(_ action: Action, _ effect: Effect, _ state: State) -> Action? {
    switch effect {
    case .loaded(let resume): resume.isViewed ? nil : .markViewed(resume.id)
    case .started, .failed, .viewed, .closed: nil
    }
  }

  public func newsPublisher(_ action: Action, _ effect: Effect, _ state: State) -> News? {
    switch effect {
    case .loaded(let resume):
      switch action {
      case .wish: .route(resume.id)
      case .changedOutside, .markViewed: nil
      }
    case .failed(_, let error): .toast(error)
    case .closed: .closeScreen
    case .started, .viewed: nil
    }
  }
}
