internal import LineProtocol
internal import UnixHost

/// A request that may let much time pass in a world whose clock stands still.
struct TimeRequest {
  enum Extent: Equatable {
    /// `advance`, in nanoseconds.
    case span(Int64)
    /// `step`
    case steps(Int)
    /// `await`, and how long at most, in nanoseconds, if the request says so.
    case state(String, of: String, within: Int64?)
  }

  /// Without its tag.
  let text: String
  let extent: Extent

  /// A request for less time than this is sent without a trial, in nanoseconds.
  private static let shortest: Int64 = 10_000_000_000
  private static let fewSteps = 1_000

  /// - Returns: `nil` for any other request, and for one that lets little time pass.
  init?(_ request: RequestText, in place: PresentWorld) {
    guard place.clock == "virtual" || place.isPaused, let verb = request.verb.flatMap(Verb.named) else { return nil }
    let words = request.words.filter { !CompletionContext.isKeyed($0) }
    let within = request.words.first { $0.hasPrefix("within=") }.map { TimeText.duration(String($0.dropFirst(7))) ?? 0 }
    switch (verb, words.count) {
    case (.advance, 1): extent = .span(TimeText.duration(words[0]) ?? 0)
    case (.advance, 2) where words[0] == "until":
      extent = .span((TimeText.time(words[1]) ?? 0) - (TimeText.time(place.time) ?? 0))
    case (.step, 1): extent = .steps(Int(words[0]) ?? 0)
    case (.await, 2) where place.clock == "virtual" && within ?? .max >= Self.shortest:
      extent = .state(words[1], of: words[0], within: within)
    case _: return nil
    }
    switch extent {
    case .span(let span) where span < Self.shortest: return nil
    case .steps(let count) where count < Self.fewSteps: return nil
    case .span, .steps, .state: break
    }
    text = ([verb.name] + request.words).joined(separator: " ")
  }
}

/// What such a request has done in a fork of its world, which is dropped afterwards.
struct TimeTrial: Equatable {
  /// The answer to the request; `nil` if the trial was cut short.
  let answer: ServerLine?
  /// The time that has passed, in nanoseconds.
  let passed: Int64
  /// How many inputs the world had meanwhile: mostly timers that fired.
  let inputs: Int
  /// How many inputs the world's journal keeps.
  let most: Int?

  /// How long a trial takes at most, in nanoseconds of the host's time.
  static let longest: UInt64 = 250_000_000
  /// With fewer inputs than this the limit of the journal is not asked for.
  private static let fewInputs = 1_000
  private static let hour: Int64 = 3_600_000_000_000

  /// What to ask about a request before it is sent; `nil` if there is nothing to ask.
  static func question(
    about request: TimeRequest, in world: String, of endpoint: Endpoint, style: Style
  ) -> ScreenText? {
    if let trial = run(request, in: world, of: endpoint) { return trial.question(about: request, style: style) }
    guard case .state(_, _, within: nil) = request.extent else { return nil }
    return "the daemon makes no fork here, so nobody knows how long that takes; wait up to a day?"
  }

  /// Tries a request.
  ///
  /// - Returns: `nil` if that is not possible.
  static func run(_ request: TimeRequest, in world: String, of endpoint: Endpoint) -> TimeTrial? {
    try? Trial.run(in: world, of: endpoint) { side -> TimeTrial? in
      guard let before = side.ask("clock virtual")?.last, let start = Moment(before) else { return nil }
      let answer = side.ask(request.text, within: longest)?.last
      guard let end = side.ask("world")?.last.flatMap({ Moment($0) }) else { return nil }
      let inputs = end.sequence - start.sequence
      let limits = inputs < fewInputs && answer != nil ? nil : side.ask(Verb.limits.name)
      let most = limits?.first { $0.words.first == "journal" }.flatMap { $0.words.count > 1 ? Int($0.words[1]) : nil }
      return TimeTrial(answer: answer, passed: end.time - start.time, inputs: inputs, most: most)
    }
  }

  private struct Moment {
    let time: Int64
    let sequence: Int

    init?(_ line: ServerLine) {
      guard let time = line["t"].flatMap({ TimeText.time($0) }), let sequence = line["seq"].flatMap({ Int($0) }) else {
        return nil
      }
      (self.time, self.sequence) = (time, sequence)
    }
  }

  /// How many inputs all of a request will bring, if it goes on as it has begun.
  func forecast(_ request: TimeRequest) -> Int {
    guard answer == nil else { return inputs }
    switch request.extent {
    case .steps(let count): return count
    case .state(_, _, within: nil): return inputs
    case .span(let span), .state(_, _, within: let span?):
      let share = Double(inputs) * Double(span) / Double(max(passed, 1))
      return share < 1e15 ? Int(share) : .max
    }
  }

  /// What to ask before the request is sent; `nil` if there is nothing to ask.
  func question(about request: TimeRequest, style: Style) -> ScreenText? {
    let forecast = forecast(request)
    if let most, forecast > most {
      let number: ScreenText = forecast == .max ? "more than 1000000000000000" : "some \(forecast)"
      // The state may be reached before.
      let brings = if answer == nil, case .state = request.extent { "may bring" } else { "brings" }
      return "this \(brings) \(number) inputs, and the journal keeps \(most): it cannot be undone; go on?"
    }
    guard case .state(let state, let machine, within: nil) = request.extent else { return nil }
    let (name, wanted) = (style(.name, machine), style(.state, state))
    let time = TimeText.people(TimeText.seconds(passed)) ?? "?"
    let inputs: ScreenText = "\(self.inputs) input\(self.inputs == 1 ? "" : "s")"
    switch answer?.lineClass {
    case nil: return "\(name) does not reach \(wanted) within \(time) and \(inputs); go on up to a day?"
    case .success where passed > Self.hour: return "\(name) reaches \(wanted) after \(time) and \(inputs); go on?"
    case .failure where passed > Self.hour:
      return "\(name) does not reach \(wanted) within \(time) and \(inputs); go on all the same?"
    case _: return nil
    }
  }
}
