public import StateMachines

/// A game with menu, play and pause. What a frame draws depends on the state.
///
/// | state | start | pause | resume | toMenu | gameOver | frame |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | menu | → playing | refused | refused | ignored | refused | stayed, drawMenu |
/// | playing | refused | → paused | ignored | → menu | → over | stayed, update, drawWorld |
/// | paused | refused | ignored | → playing | → menu | refused | ignored: nothing is drawn |
/// | over | → playing, a new world | refused | refused | → menu | ignored | stayed, drawResult |
///
/// A clock sends the frames while the game is played. Frame *k* of a world is due when that world is ⌊*k*·10⁹/rate⌋
/// nanoseconds old, so that the sixtieth comes exactly after a second, and errors do not add up. World time runs in
/// `playing` only. A pause stops it within a frame, and the rest of that frame follows the pause. A paused game has no
/// timer and costs nothing.
///
/// Chosen here: with `frames=auto` the clock moves the world, and a frame sent by hand is drawn without moving it. With
/// `frames=manual` there is no clock, and each frame moves the world by its dt. In `over` the world is kept, frozen,
/// until start makes a new one or toMenu leaves it.
public struct GameSession: Machine {
  public enum State: MachineState { case menu, playing, paused, over }

  private struct World: Codable, PartlyIncidental {
    /// The world's age when its time last stopped or started.
    var age = Nanoseconds.zero
    /// The moment since which the clock moves the world; `nil` while it does not.
    var since: Instant?
    /// The number of frames from the clock.
    var ticks = 0
    /// The number of frames drawn, including those sent by hand.
    var drawn = 0

    /// The age of a world and the frames decide nothing.
    func essence(for parameters: any ParameterSet) -> Bool { since != nil }

    func age(at now: Instant) -> Nanoseconds { since.map { age + (now - $0) } ?? age }
  }

  public enum Frames: String, Choice { case auto, manual }

  public enum Event: MachineEvent { case start, pause, resume, toMenu, gameOver, frame(Nanoseconds), tick }

  public enum Output: OutputWithData {
    case update(Nanoseconds)
    case drawMenu, drawWorld, drawResult

    public enum Name: NamedCases { case update, drawMenu, drawWorld, drawResult }
  }

  public struct Parameters: ParameterSet {
    var frames = Frames.auto
    /// Frames per second.
    var frameRate = 60
    public init() {}

    /// The age of a world when a frame is due.
    fileprivate func age(at frame: Int) -> Nanoseconds {
      let (seconds, rest) = frame.quotientAndRemainder(dividingBy: frameRate)
      return Nanoseconds(nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(rest) * 1_000_000_000 / Int64(frameRate))
    }
  }

  private var world = World()
  public var state = State.menu
  public init() {}

  public mutating func start(in state: State, _ step: Step<Self>) -> State {
    if state == .playing { play(World(), step) }
    return state
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    guard state == .playing, let since = world.since else { return .none }
    return .at(since + (parameters.age(at: world.ticks + 1) - world.age), .tick)
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .start:
      switch state {
      case .menu, .over: play(World(), step)
      case .playing: step.refuse("the game has started already")
      case .paused: step.refuse("the game is paused: send resume")
      }
    case .pause:
      switch state {
      case .menu: step.refuse("no game has started")
      case .playing: stop(in: .paused, step)
      case .paused: .ignore
      case .over: step.refuse("the game is over")
      }
    case .resume:
      switch state {
      case .menu: step.refuse("no game has started")
      case .playing: .ignore
      case .paused: play(world, step)
      case .over: step.refuse("the game is over")
      }
    case .toMenu:
      switch state {
      case .menu: .ignore
      case .playing, .paused, .over: .move(to: .menu)
      }
    case .gameOver:
      switch state {
      case .menu: step.refuse("no game has started")
      case .playing: stop(in: .over, step)
      case .paused: step.refuse("a paused game cannot end: send resume first")
      case .over: .ignore
      }
    case .frame(let dt):
      switch state {
      case .menu: step.emit(.drawMenu, then: .stay)
      case .playing: moveByHand(dt, step)
      case .paused: .ignore
      case .over: step.emit(.drawResult, then: .stay)
      }
    case .tick:
      switch state {
      case .playing: moveByClock(step)
      case .menu, .paused, .over: .ignore
      }
    }
  }

  /// Starts a world's time now.
  @discardableResult
  private mutating func play(_ world: World, _ step: Step<Self>) -> Reaction<State> {
    self.world = world
    self.world.since = step.parameters.frames == .auto ? step.now : nil
    return .move(to: .playing)
  }

  /// Stops the world's time now.
  private mutating func stop(in next: State, _ step: Step<Self>) -> Reaction<State> {
    world.age = world.age(at: step.now)
    world.since = nil
    return .move(to: next)
  }

  /// Draws the world, and moves it if no clock does.
  private mutating func moveByHand(_ dt: Nanoseconds, _ step: Step<Self>) -> Reaction<State> {
    world.drawn += 1
    if world.since == nil { world.age = min(world.age + min(dt, .longest - world.age), .longest) }
    return step.emit(.update(dt), .drawWorld, then: .stay)
  }

  private mutating func moveByClock(_ step: Step<Self>) -> Reaction<State> {
    let last = step.parameters.age(at: world.ticks)
    world.ticks += 1
    world.drawn += 1
    step.emit(.update(step.parameters.age(at: world.ticks) - last))
    // The next frame keeps its own moment, even if this one came early.
    step.arm(.tick, after: step.parameters.age(at: world.ticks + 1) - world.age(at: step.now))
    return step.emit(.drawWorld, then: .stay)
  }

  public static let kind = Kind(
    GameSession.self, "game", "a game with menu, play and pause, where a clock sends frames only during play",
    origin: "a talk on state machines in iOS apps, with the states of an example in GameplayKit's documentation",
    source: "talk",
    example: [
      "new game chess", "send chess start", "advance 500ms", "send chess pause", "advance 500ms", "show chess",
      "send chess resume", "advance 500ms", "show chess",
    ],
    states: {
      switch $0 {
      case .menu: "there is no world"
      case .playing: "world time runs, and frames draw the world"
      case .paused: "world time is stopped, and nothing is drawn"
      case .over: "the game is over, and frames draw the result"
      }
    },
    events: [
      .event(.start, "a new world starts"),
      .event(.pause, "world time stops"),
      .event(.resume, "world time runs again"),
      .event(.toMenu, "the world is discarded"),
      .event(.gameOver, "the game ends"),
      .event(Event.frame, .interval("dt", like: [Nanoseconds.milliseconds(16)]), about: "a frame, dt after the last"),
    ],
    timers: [.timer(.tick, named: "frame", "the clock's next frame, counted in world time")],
    outputs: {
      switch $0 {
      case .update: .output(("dt", .interval(.zero ... .longest)), about: "the world advances by dt")
      case .drawMenu: "the menu is drawn"
      case .drawWorld: "the world is drawn"
      case .drawResult: "the result is drawn"
      }
    },
    readings: [
      .reading("worldTime", .interval(.zero ... .longest), "the world's age; none in the menu") {
        machine, now, _ in machine.state == .menu ? nil : machine.world.age(at: now)
      },
      .reading("frames", .count, "how often the world was drawn; none in the menu") {
        machine, _, _ in machine.state == .menu ? nil : machine.world.drawn
      },
    ],
    parameters: [
      .parameter("frames", \.frames, "auto: a clock sends frames during play; manual: only events do"),
      .parameter("frameRate", \.frameRate, .integer(1...1_000), "frames of the clock per second"),
    ])
}
