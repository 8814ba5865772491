public import MachineForms
public import StateMachines

/// Opens a résumé: the feature of ``OpenResume``, which can be used without it.
///
/// It does not fetch. Where its actor keeps a stream open, whoever fetches asks ``isAwaited(_:in:)`` when the answer
/// has come, and brings `loaded` or `failed`, or ends the stream.
public struct OpenResumeFeature: Feature {
  public enum State: StateWithData {
    /// No résumé is wanted.
    case closed
    /// The résumé with this number is on its way.
    case loading(Int)
    /// It is shown.
    case shown(Resume)
    /// The résumé with this number could not be loaded.
    case failed(Int, error: String)

    public enum Name: NamedCases { case closed, loading, shown, failed }

    public var name: Name {
      switch self {
      case .closed: .closed
      case .loading: .loading
      case .shown: .shown
      case .failed: .failed
      }
    }

    public var data: String? {
      switch self {
      case .closed: nil
      case .loading(let id): "\(id)"
      case .shown(let resume): "\(resume.id),\(resume.isViewed ? "viewed" : "unviewed")"
      case .failed(let id, let error): "\(id),\(error)"
      }
    }

    public static var carriesData: Bool { true }
  }

  public struct Resume: Hashable, Sendable, Codable {
    public let id: Int
    /// Whether it counts as viewed. A version that has just come does not.
    public let isViewed: Bool

    public init(id: Int, isViewed: Bool) {
      self.id = id
      self.isViewed = isViewed
    }
  }

  public enum Wish: Hashable, Sendable, Codable { case open(Int), retry, close }

  public enum Action: Hashable, Sendable, Codable {
    case wish(Wish)
    /// From outside, by the bootstrapper's subscription: this résumé has another version.
    case changedOutside(Int)
    /// From the post-processor: this résumé has just been shown.
    case markViewed(Int)
  }

  public enum Effect: Hashable, Sendable {
    case started(Int), loaded(Resume), failed(Int, error: String), viewed(Int), closed
  }

  public enum News: Hashable, Sendable { case route(Int), toast(String), closeScreen }

  public init() {}

  public func wishToAction(_ wish: Wish) -> Action { .wish(wish) }

  public func actor(_ state: State, _ action: Action, _ effects: inout Effects<Effect>) {
    switch (action, state) {
    case (.wish(.open(let id)), .closed), (.wish(.open(let id)), .failed):
      load(id, &effects)
    case (.wish(.open(let id)), .loading(let other)):
      if id != other { load(id, &effects) }
    case (.wish(.open(let id)), .shown(let resume)):
      if id != resume.id { load(id, &effects) }
    case (.wish(.retry), .failed(let id, error: _)):
      load(id, &effects)
    case (.wish(.close), .loading), (.wish(.close), .shown), (.wish(.close), .failed):
      effects.emit(.closed)
    case (.changedOutside(let id), .shown(let resume)):
      if id == resume.id { effects.later() }  // Silently: no `started`.
    case (.markViewed(let id), .shown(let resume)):
      if id == resume.id { effects.emit(.viewed(id)) }
    case (.wish(.retry), .closed), (.wish(.retry), .loading), (.wish(.retry), .shown), (.wish(.close), .closed),
      (.changedOutside, .closed), (.changedOutside, .loading), (.changedOutside, .failed),
      (.markViewed, .closed), (.markViewed, .loading), (.markViewed, .failed):
      break
    }
  }

  private func load(_ id: Int, _ effects: inout Effects<Effect>) {
    effects.emit(.started(id))
    effects.later()
  }

  /// The résumé that an open stream is to fetch.
  public func id(of stream: FeatureStore<OpenResumeFeature>.Stream) -> Int? {
    switch (stream.action, stream.state) {
    case (.wish(.open(let id)), _), (.changedOutside(let id), _): id
    case (.wish(.retry), .failed(let id, error: _)): id
    case (.wish(.retry), .closed), (.wish(.retry), .loading), (.wish(.retry), .shown), (.wish(.close), _),
      (.markViewed, _):
      nil
    }
  }

  /// Whether the answer to a request still means something: the résumé that was opened is still being loaded, the one
  /// that is to be replaced is still shown.
  public func isAwaited(_ stream: FeatureStore<OpenResumeFeature>.Stream, in state: State) -> Bool {
    switch (stream.action, state) {
    case (.wish, .loading(let id)): id == self.id(of: stream)
    case (.changedOutside, .shown(let resume)): resume.id == id(of: stream)
    case (.wish, .closed), (.wish, .shown), (.wish, .failed), (.changedOutside, .closed), (.changedOutside, .loading),
      (.changedOutside, .failed), (.markViewed, _):
      false
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
    switch (effect, action) {
    case (.loaded(let resume), .wish): .route(resume.id)
    case (.failed(_, let error), _): .toast(error)
    case (.closed, _): .closeScreen
    case (.loaded, .changedOutside), (.loaded, .markViewed), (.started, _), (.viewed, _): nil
    }
  }
}
