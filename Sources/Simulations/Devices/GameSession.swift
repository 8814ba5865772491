public import StateMachines

/// A game between menu, play and pause: the same signal, a frame, draws something else in each, or nothing.
///
/// | state | start | pause | resume | toMenu | gameOver | frame |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | menu | → playing | refused | refused | ignored | refused | stayed, drawMenu |
/// | playing | refused | → paused | ignored | → menu | → over | stayed, update, drawWorld |
/// | paused | refused | ignored | → playing | → menu | refused | ignored: nothing is drawn |
/// | over | → playing, a new world | refused | refused | → menu | ignored | stayed, drawResult |
///
/// A clock brings the frames while the game is played: frame *k* of a world is due when that world is ⌊*k*·10⁹/rate⌋
/// nanoseconds old, so the sixtieth comes exactly after a second, and the millionth is no later than it should be.
/// World time goes on in `playing` only. A pause freezes it within a frame, and the rest of that frame comes after
/// the pause; a paused game has no timer and costs nothing.
///
/// Chosen here: with `frames=auto` the clock moves the world, and a frame sent by hand is drawn beside those of the
/// clock without moving it. With `frames=manual` there is no clock, and each frame moves the world by its dt. The
/// world remains in `over`, frozen, until a new one is made or the menu is entered.
public struct GameSession: LegacyMachine {
  public enum State: StateWithData {
    /// There is no world. No timer is running.
    case menu
    /// The world goes on since a moment. With `frames=auto`, `frame` is running.
    case playing(World, since: Moment)
    /// The world stands still. No timer is running.
    case paused(World)
    /// The world has come to its end. No timer is running.
    case over(World)

    public enum Name: NamedCases { case menu, playing, paused, over }

    public var name: Name {
      switch self {
      case .menu: .menu
      case .playing: .playing
      case .paused: .paused
      case .over: .over
      }
    }
  }

  /// A world as it was when its time last stopped or began to go on.
  public struct World: Hashable, Sendable, Codable {
    fileprivate(set) var age = Interval.zero
    /// How many frames the clock has brought.
    fileprivate(set) var ticks = 0
    /// How many frames were drawn, those sent by hand included.
    fileprivate(set) var drawn = 0
  }

  public enum Frames: String, Choice { case auto, manual }

  public enum Event: Sendable {
    case start, pause, resume, toMenu, gameOver
    case frame(Interval)
  }

  public enum TimerName: NamedCases { case frame }

  public enum Output: OutputWithData {
    case update(Interval)
    case drawMenu, drawWorld, drawResult

    public enum Name: NamedCases { case update, drawMenu, drawWorld, drawResult }

    public var name: Name {
      switch self {
      case .update: .update
      case .drawMenu: .drawMenu
      case .drawWorld: .drawWorld
      case .drawResult: .drawResult
      }
    }

    public var data: [Value] {
      switch self {
      case .update(let dt): [.interval(dt)]
      case .drawMenu, .drawWorld, .drawResult: []
      }
    }
  }

  public struct Parameters: ParameterSet {
    var frames = Frames.auto
    /// Frames per second.
    var frameRate = 60
    public init() {}

    /// How old a world is when a frame of it is due.
    fileprivate func age(at frame: Int) -> Interval {
      let (seconds, rest) = frame.quotientAndRemainder(dividingBy: frameRate)
      return Interval(nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(rest) * 1_000_000_000 / Int64(frameRate))
    }
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .menu {
    case .menu: state = .menu
    case .playing: state = GameSession.play(World(), step)
    case .paused: state = .paused(World())
    case .over: state = .over(World())
    }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.menu, .event(.start)), (.over, .event(.start)):
      return .move(to: GameSession.play(World(), step))
    case (.playing(let world, let since), .event(.pause)):
      return .move(to: .paused(stop(world, since, step)))
    case (.playing(let world, let since), .event(.gameOver)):
      return .move(to: .over(stop(world, since, step)))
    case (.paused(let world), .event(.resume)):
      return .move(to: GameSession.play(world, step))
    case (.playing, .event(.toMenu)):
      step.disarm(.frame)
      return .move(to: .menu)
    case (.paused, .event(.toMenu)), (.over, .event(.toMenu)):
      return .move(to: .menu)

    case (.menu, .event(.frame)):
      step.emit(.drawMenu)
      return .stay
    case (.playing(var world, let since), .event(.frame(let dt))):
      step.emit(.update(dt))
      step.emit(.drawWorld)
      world.drawn += 1
      switch step.parameters.frames {
      case .auto: break
      case .manual: world.age = min(world.age + min(dt, .longest - world.age), .longest)
      }
      return .stayAs(.playing(world, since: since))
    case (.playing(var world, let since), .expired(.frame)):
      let parameters = step.parameters
      step.emit(.update(parameters.age(at: world.ticks + 1) - parameters.age(at: world.ticks)))
      step.emit(.drawWorld)
      world.ticks += 1
      world.drawn += 1
      GameSession.awaitFrame(of: world, aged: world.age(at: step.now, since: since, parameters), step)
      return .stayAs(.playing(world, since: since))
    case (.over, .event(.frame)):
      step.emit(.drawResult)
      return .stay

    case (.playing, .event(.start)):
      return step.refuse("the game has started already")
    case (.paused, .event(.start)):
      return step.refuse("a paused game is resumed, not started")
    case (.menu, .event(.pause)), (.menu, .event(.resume)), (.menu, .event(.gameOver)):
      return step.refuse("no game has started")
    case (.over, .event(.pause)), (.over, .event(.resume)):
      return step.refuse("the game is over")
    case (.paused, .event(.gameOver)):
      return step.refuse("a world that stands still does not end")
    case (.menu, .event(.toMenu)), (.playing, .event(.resume)), (.paused, .event(.pause)), (.over, .event(.gameOver)):
      return .ignore
    case (.paused, .event(.frame)):
      return .ignore  // Nothing is drawn.
    case (.menu, .expired(.frame)), (.paused, .expired(.frame)), (.over, .expired(.frame)):
      return .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state) {
    case (.frame, .playing): true
    case (.frame, .menu), (.frame, .paused), (.frame, .over): false
    }
  }

  /// Lets a world go on from now.
  private static func play(_ world: World, _ step: Step<Self>) -> State {
    awaitFrame(of: world, aged: world.age, step)
    return .playing(world, since: step.now)
  }

  /// Waits for the clock's next frame, if there is a clock.
  private static func awaitFrame(of world: World, aged age: Interval, _ step: Step<Self>) {
    let parameters = step.parameters
    switch parameters.frames {
    case .auto: step.arm(.frame, after: max(.zero, parameters.age(at: world.ticks + 1) - age))
    case .manual: break
    }
  }

  /// The world as it stands when its time stops now.
  private func stop(_ world: World, _ since: Moment, _ step: Step<Self>) -> World {
    step.disarm(.frame)
    var world = world
    world.age = world.age(at: step.now, since: since, step.parameters)
    return world
  }
}

extension GameSession.World {
  /// How old the world is at a moment, when it goes on since another one.
  fileprivate func age(at now: Moment, since: Moment, _ parameters: GameSession.Parameters) -> Interval {
    switch parameters.frames {
    case .auto: age + (now - since)
    case .manual: age
    }
  }
}

extension GameSession.State {
  fileprivate func age(at now: Moment, _ parameters: GameSession.Parameters) -> Interval? {
    switch self {
    case .menu: nil
    case .playing(let world, let since): world.age(at: now, since: since, parameters)
    case .paused(let world), .over(let world): world.age
    }
  }

  fileprivate var drawn: Int? {
    switch self {
    case .menu: nil
    case .playing(let world, since: _), .paused(let world), .over(let world): world.drawn
    }
  }
}

extension GameSession {
  public static let kind = Kind(
    GameSession.self, "game", "a game between menu, play and pause, where only play costs frames",
    origin: """
      a game sketched in a Spanish talk on state machines in iOS applications, with the states that the documentation \
      of GameplayKit uses as its example
      """,
    example: [
      "new game chess", "send chess start", "advance 500ms", "send chess pause", "advance 500ms", "show chess",
      "send chess resume", "advance 500ms", "show chess",
    ],
    states: [
      .menu: "there is no world",
      .playing: "the world goes on, and frames draw it",
      .paused: "the world stands still, and nothing is drawn",
      .over: "the world has come to its end, and frames draw the result",
    ],
    events: [
      .event(.start, "a new world begins"),
      .event(.pause, "the world stands still"),
      .event(.resume, "the world goes on"),
      .event(.toMenu, "the world is given up"),
      .event(.gameOver, "the world comes to its end"),
      .event(
        Event.frame, .interval("dt", like: [Interval.milliseconds(16)]),
        about: "something is to be drawn, dt after the last time"),
    ],
    timers: [.frame: .computed("the clock's next frame, counted in world time")],
    outputs: [
      .update: .output(("dt", .interval(.zero ... .longest)), about: "the world is moved by dt"),
      .drawMenu: .output(about: "the menu is drawn"),
      .drawWorld: .output(about: "the world is drawn"),
      .drawResult: .output(about: "the result is drawn"),
    ],
    readings: [
      .reading("worldTime", .interval(.zero ... .longest), "how old the world is; none in the menu") {
        $0.state.age(at: $1, $2)
      },
      .reading("frames", .integer(0...Int.max), "how often the world was drawn; none in the menu") {
        machine, _, _ in machine.state.drawn
      },
    ],
    parameters: [
      .parameter(
        "frames", \.frames, .choice(Frames.allCases.map(\.rawValue)),
        "auto: a clock brings them while the game is played; manual: only events do"),
      .parameter("frameRate", \.frameRate, .integer(1...1_000), "frames of the clock per second"),
    ])
}
