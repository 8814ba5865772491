import StateMachines

/// A request's way through the phases.
extension HTTPRequest {
  /// The most changes of a URI in rewrite, each of which goes back to findConfig.
  static let mostURIChanges = 10

  func handle(_ request: Request, _ step: Step<Self>) -> Reaction<State> {
    run(Handling(request: request, phase: .postRead), from: .postRead, step)
  }

  /// Runs the phases from `first` until a handler must answer or there is a response.
  private func run(_ handling: Handling, from first: Phase, _ step: Step<Self>) -> Reaction<State> {
    for phase in (first.index..<Phase.log.index).map(Phase.init(at:)) {
      step.emit(.phase(phase))
      if phase == .postAccess, let denial = handling.denial { return finish(denial, handling, step) }
      if let asked = HandlerPhase.allCases.first(where: { $0.phase == phase }), step.parameters.handlers(of: asked) > 0
      {
        var next = handling
        (next.phase, next.handler) = (asked, 1)
        return .move(to: .handling(next))
      }
    }
    return finish(404, handling, step)
  }

  private func leave(_ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    run(handling, from: Phase(at: handling.phase.phase.index + 1), step)
  }

  /// Sends a response, logs, and waits for the next request if the connection is kept alive.
  private func finish(_ status: Int, _ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    let goesOn = step.when("kept alive", handling.request.isKeptAlive && ![400, 408, 413, 500, 501].contains(status))
    return step.emit(.response(status: status), .phase(.log), then: .move(to: goesOn ? .keepAlive : .closed))
  }

  // MARK: Handlers' results

  /// Asks the next handler of the phase; after the last one the next phase begins.
  func goOn(_ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    if step.when("last handler", handling.handler >= step.parameters.handlers(of: handling.phase)) {
      return leave(handling, step)
    }
    var next = handling
    next.handler += 1
    return .move(to: .handling(next))
  }

  func accept(_ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    switch handling.phase {
    case .content: return finish(200, handling, step)
    case .access where step.when("satisfy=all", step.parameters.satisfy == .all): return goOn(handling, step)
    case .access:
      var next = handling
      next.denial = nil
      return leave(next, step)
    case .postRead, .serverRewrite, .rewrite, .preaccess: return leave(handling, step)
    }
  }

  func answer(_ status: Int, _ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    guard handling.phase == .access, step.parameters.satisfy == .any, status == 401 || status == 403 else {
      return finish(status, handling, step)
    }
    var next = handling
    // A 401 asks for a password, which may help, so a 403 does not replace it.
    if next.denial != 401 { next.denial = status }
    return goOn(next, step)
  }

  func changeURI(_ uri: String, _ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    guard uri.first == "/" else { return step.refuse("a URI must begin with a slash, unlike '\(uri)'") }
    var next = handling
    next.request.uri = uri
    switch handling.phase {
    case .rewrite:
      next.uriChanges += 1
      step.emit(.phase(.postRewrite))
      return step.when("too many changes", next.uriChanges > Self.mostURIChanges)
        ? finish(500, next, step) : run(next, from: .findConfig, step)
    case .serverRewrite: return leave(next, step)
    case .postRead, .preaccess, .access, .content:
      return step.refuse("only handlers of serverRewrite and rewrite may change the URI")
    }
  }
}
