import StateMachines

/// The way of a request through the phases.
extension HTTPRequest {
  /// How often a URI may change, each time going back to findConfig.
  static let mostURIChanges = 10

  func handle(_ request: Request, _ step: Step<Self>) -> Reaction<State> {
    run(Handling(request: request, phase: .postRead), from: .postRead, step)
  }

  /// Enters a phase and those after it, until a handler is to be asked or there is an answer.
  private func run(
    _ handling: Handling, from phase: Phase, isURIChanged: Bool = false, _ step: Step<Self>
  ) -> Reaction<State> {
    var handling = handling
    var phase = phase
    var isURIChanged = isURIChanged
    while true {
      step.emit(.phase(phase))
      switch phase {
      case .postRead:
        if isAsked(.postRead, &handling, step) { return .move(to: .handling(handling)) }
        phase = .serverRewrite
      case .serverRewrite:
        if isAsked(.serverRewrite, &handling, step) { return .move(to: .handling(handling)) }
        phase = .findConfig
      case .findConfig:
        phase = .rewrite
      case .rewrite:
        if isAsked(.rewrite, &handling, step) { return .move(to: .handling(handling)) }
        phase = .postRewrite
      case .postRewrite:
        guard isURIChanged else {
          phase = .preaccess
          continue
        }
        isURIChanged = false
        handling.uriChanges += 1
        guard handling.uriChanges <= Self.mostURIChanges else { return finish(500, handling, step) }
        phase = .findConfig
      case .preaccess:
        if isAsked(.preaccess, &handling, step) { return .move(to: .handling(handling)) }
        phase = .access
      case .access:
        if isAsked(.access, &handling, step) { return .move(to: .handling(handling)) }
        phase = .postAccess
      case .postAccess:
        if let denial = handling.denial { return finish(denial, handling, step) }
        phase = .precontent
      case .precontent:
        phase = .content
      case .content:
        if isAsked(.content, &handling, step) { return .move(to: .handling(handling)) }
        return finish(404, handling, step)
      case .log:
        preconditionFailure("the phase log comes with the answer")
      }
    }
  }

  /// Whether a phase has a handler; if so, its first one is the next to be asked.
  private func isAsked(_ phase: HandlerPhase, _ handling: inout Handling, _ step: Step<Self>) -> Bool {
    guard step.parameters.handlerCount(of: phase) > 0 else { return false }
    handling.phase = phase
    handling.handler = 1
    return true
  }

  /// Sends a response, logs, and waits for the next request if there may be one.
  private func finish(_ status: Int, _ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.response(status: status))
    step.emit(.phase(.log))
    guard handling.request.isKeptAlive, ![400, 408, 413, 500, 501].contains(status) else { return .move(to: .closed) }
    step.arm(.keepAlive, after: step.parameters.keepAlive)
    return .move(to: .keepAlive)
  }

  // MARK: What handlers answer

  /// The next handler of the phase, or what comes after the last one.
  func goOn(_ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    guard handling.handler < step.parameters.handlerCount(of: handling.phase) else { return leave(handling, step) }
    var next = handling
    next.handler += 1
    return .move(to: .handling(next))
  }

  func accept(_ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    switch handling.phase {
    case .content: return finish(200, handling, step)
    case .access where step.parameters.satisfy == .all: return goOn(handling, step)
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
    // 401 asks for a password, which may help; so it outlives a 403.
    if next.denial != 401 { next.denial = status }
    return goOn(next, step)
  }

  func changeURI(_ uri: String, _ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    guard uri.first == "/" else { return step.refuse("a URI begins with a slash, not as '\(uri)'") }
    var next = handling
    next.request.uri = uri
    switch handling.phase {
    case .rewrite: return run(next, from: .postRewrite, isURIChanged: true, step)
    case .serverRewrite: return leave(next, step)
    case .postRead, .preaccess, .access, .content:
      return step.refuse("only the handlers of serverRewrite and rewrite change the URI")
    }
  }

  private func leave(_ handling: Handling, _ step: Step<Self>) -> Reaction<State> {
    switch handling.phase {
    case .postRead: run(handling, from: .serverRewrite, step)
    case .serverRewrite: run(handling, from: .findConfig, step)
    case .rewrite: run(handling, from: .postRewrite, step)
    case .preaccess: run(handling, from: .access, step)
    case .access: run(handling, from: .postAccess, step)
    case .content: finish(404, handling, step)
    }
  }
}
