public import StateMachines

/// The background image of a document: a picture is fetched from a URL, and the answer may come too late.
///
/// The document keeps the URL, and the machine follows it. A download is never cancelled, so several can be under way.
/// Each is a timer of the simulated network with its running number, `fetchSucceeded(2)` or `fetchFailed(2)`.
///
/// | state | backgroundChanged(nil) | backgroundChanged(u) | fetchSucceeded(v, image) | fetchFailed(v, error) |
/// | --- | --- | --- | --- | --- |
/// | any | → none | → fetching(u) | → found(image) if v is the document's URL, else ignored | → failed(error) |
///
/// A backgroundChanged to the document's present URL is ignored, so a failed URL can be tried again only after another
/// one. Data that are not a picture (`fetchSucceeded v` without an image) are a failure, `badImageData`.
///
/// The hole in the faithful mode: a success is checked against the document's URL, a failure is not. The late failure
/// of an unwanted picture therefore replaces the picture that is shown. `mode=hardened` checks both.
///
/// Chosen here: a state prints the error alone, `failed(timeout)`, and the reading failureReason is the sentence for
/// the person. A simulated picture is named after the last part of its URL.
public struct Background: Machine {
  public enum State: StateWithData {
    /// The document has no background.
    case none
    /// The document's URL is being fetched.
    case fetching(url: String)
    /// The document's picture is shown.
    case found(image: String, url: String?)
    /// A picture could not be loaded. In the faithful mode it may be one that the document no longer wants.
    case failed(error: String, url: String?)

    public enum Name: NamedCases { case none, fetching, found, failed }

    public var data: String? {
      switch self {
      case .none: nil
      case .fetching(let text), .found(let text, _), .failed(let text, _): text
      }
    }

    public static var carriesData: Bool { true }

    /// The picture that is shown.
    public var image: String? { if case .found(let image, _) = self { image } else { nil } }
    /// The URL of the picture that is being fetched.
    public var urlBeingFetched: String? { if case .fetching(let url) = self { url } else { nil } }
    /// The reason why there is no picture, as a sentence for the person.
    public var failureReason: String? {
      if case .failed(let error, _) = self { "couldn't set background: \(error)" } else { nil }
    }

    /// The document's URL.
    fileprivate var url: String? {
      switch self {
      case .none: nil
      case .fetching(let url): url
      case .found(_, let url), .failed(_, let url): url
      }
    }
  }

  public enum Event: MachineEvent {
    case backgroundChanged(String?)
    case fetchSucceeded(String, String?)
    case fetchFailed(String, String)
  }

  public enum Output: OutputWithData {
    case download(String)
    case zoomToFit
    case alert(String)

    public enum Name: NamedCases { case download, zoomToFit, alert }
  }

  public enum Mode: String, Choice { case faithful, hardened }

  public struct Parameters: ServedParameters {
    var mode = Mode.faithful
    var service = SimulatedService()
    public init() {}

    /// Whether the simulated network answers by itself. In an app it must not, because the app's network does.
    public var isSimulated: Bool {
      get { service.isAutomatic }
      set { service.mode = newValue ? .auto : .manual }
    }
  }

  /// The most downloads that may be under way. A download that is no longer wanted still runs to its end.
  public static let mostDownloads = 100

  private struct Download: Hashable, Codable {
    let number: Int
    let url: String
  }

  public var state = State.none
  private var downloads: [Download] = []
  private var requests = 0
  @Incidental private var lateDropped = 0
  public init() {}

  /// A machine that is made in `found` or `failed` has no URL, so every URL is a change.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .none: .none
    case .fetching: fetch("url", step)
    case .found: .found(image: "image", url: nil)
    case .failed: .failed(error: "error", url: nil)
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .backgroundChanged(nil):
      switch state {
      case .none: return .ignore
      case .fetching, .found, .failed: return .move(to: .none)
      }
    case .backgroundChanged(let url?):
      if step.when("same URL", url == state.url) { return .ignore }
      guard downloads.count < Self.mostDownloads else {
        return step.refuse("\(Self.mostDownloads) downloads are under way, which is the limit")
      }
      return .move(to: fetch(url, step))
    case .fetchSucceeded(let url, let image):
      if let url = end(step.key) { return finish(url, String(url.split(separator: "/").last ?? "image"), step) }
      return finish(url, image, step)
    case .fetchFailed(let url, let error):
      return fail(end(step.key) ?? url, error, step)
    }
  }

  private mutating func finish(_ url: String, _ image: String?, _ step: Step<Self>) -> Reaction<State> {
    if step.when("late", url != state.url) { return drop() }
    guard let image else { return fail(url, "badImageData", step) }
    step.emit(.zoomToFit)
    return .move(to: .found(image: image, url: url))
  }

  private mutating func fail(_ url: String, _ error: String, _ step: Step<Self>) -> Reaction<State> {
    switch step.parameters.mode {
    case .hardened where step.when("late", url != state.url): return drop()
    case .faithful, .hardened:
      let failed = State.failed(error: error, url: state.url)
      if let reason = failed.failureReason { step.emit(.alert(reason)) }
      return .move(to: failed)
    }
  }

  private mutating func drop() -> Reaction<State> {
    lateDropped += 1
    return .ignore
  }

  /// Asks the simulated network, which answers after its latency. The first `failures` requests fail.
  private mutating func fetch(_ url: String, _ step: Step<Self>) -> State {
    step.emit(.download(url))
    requests += 1
    let service = step.parameters.service
    if service.isAutomatic {
      downloads.append(Download(number: requests, url: url))
      // The download has the URL; a timer has only its key.
      let fails = service.fails(request: requests, step)
      step.arm(fails ? .fetchFailed("", "timeout") : .fetchSucceeded("", nil), key: requests, after: service.latency)
    }
    return .fetching(url: url)
  }

  /// Ends the download whose timer has expired.
  ///
  /// - Returns: Its URL; `nil` for an answer sent by hand, which has no number.
  private mutating func end(_ number: Int) -> String? {
    guard let place = downloads.firstIndex(where: { $0.number == number }) else { return nil }
    return downloads.remove(at: place).url
  }
}

extension Background {
  public static let kind = Kind(
    Background.self, "background", "a document's background image, downloaded from a URL that may change meanwhile",
    origin: "a university lecture on a document app; its check for late answers is kept, with its defect",
    source: "lecture",
    example: [
      "new background b", "send b backgroundChanged http://example.org/cat.png", "advance 1s",
      "send b backgroundChanged http://example.org/dog.png", "agenda", "fire b fetchSucceeded(2)",
      "send b fetchFailed http://example.org/cat.png timeout", "show b",
    ],
    states: {
      switch $0 {
      case .none: "the document has no background"
      case .fetching: "the image at this URL is being downloaded"
      case .found: "this image is shown"
      case .failed: "the download has failed, for this reason"
      }
    },
    events: [
      .event(
        Event.backgroundChanged, .optional(.text("url", like: ["u1"])),
        about: "the document's URL is set or removed; ignored if it is the same"),
      .event(
        Event.fetchSucceeded, .text("url", like: ["u1", "u2"]), .optional(.text("image", like: ["i1"])),
        about: "a download has succeeded; without an image the data are invalid"),
      .event(
        Event.fetchFailed, .text("url", like: ["u1", "u2"]), .text("error", bytes: 1...256, like: ["timeout"]),
        about: "a download has failed"),
    ],
    timers: [
      .timer(.fetchSucceeded("", nil), after: "latency", keyed: "download", "a download succeeds"),
      .timer(.fetchFailed("", "timeout"), after: "latency", keyed: "download", "a download fails"),
    ],
    outputs: {
      switch $0 {
      case .download: .output(("url", .text(bytes: 1...1024)), about: "starts a download")
      case .zoomToFit: "another image is shown, zoomed to fit"
      case .alert: .output(("text", .text(bytes: 1...1024)), about: "tells the person why the download has failed")
      }
    },
    readings: [
      .reading("image", .text(bytes: 1...1024), \.state.image, "the image that is shown"),
      .reading("urlBeingFetched", .text(bytes: 1...1024), \.state.urlBeingFetched, "the URL that is being downloaded"),
      .reading("failureReason", .text(bytes: 1...1024), \.state.failureReason, "why the download has failed"),
      .reading("isFetching", .flag, "whether a download is awaited") { machine, _, _ in
        machine.state.urlBeingFetched != nil
      },
      .reading("lateDropped", .count, \.lateDropped, "the number of answers that came too late"),
    ],
    parameters: [
      .parameter("mode", \.mode, "faithful shows the late failure of another URL, hardened ignores it")
    ] + Parameters.serviceForms)
}
