public import MachineForms
public import StateMachines

/// A fridge as it is sold: a compressor that is protected from short runs and short rests, a door with a light and
/// a buzzer, an alarm for a chamber that stays warm, defrosting, and loss of power.
///
/// While it has power three regions run side by side, each offered every input once and each seeing the fridge as it
/// was before it: the compressor, the door, the temperature alarm, a file each. The outcome
/// is the strongest of theirs. A state prints as `cooling.free+closed+normal`, without power as `off`.
///
/// Without power no timer runs, the crossings of the chamber's temperature included; doorOpened and doorClosed are
/// stayed, because somebody must remember where the door is, and all other events but powerRestored are ignored.
///
/// Loss of power is no transition that anybody has planned: the regions go off in their order, not in reverse.
public struct SmartFridge: OrthogonalMachine {
  public enum State: MachineState {
    /// No power. Nothing runs; the temperature drifts.
    case off(doorIsOpen: Bool)
    /// Power.
    case on(Regions)

    public typealias Name = Either<PowerlessName, Beside<Beside<CompressorName, Door>, AlarmName>>

    public var name: Name {
      switch self {
      case .off: .outside(.off)
      case .on(let on): .inside(Beside(Beside(on.compressor.name, on.door), on.alarm.name))
      }
    }
  }

  public struct Regions: Hashable, Sendable, Codable {
    var compressor: Compressor.State
    var door: Door
    var alarm: Alarm.State
  }

  public enum Event: Sendable {
    case minTemperatureReached, maxTemperatureReached, highLimitReached, highLimitLeft
    case doorOpened, doorClosed, silence, acknowledge, powerLost, powerRestored
  }

  public enum TimerName: UInt8, CaseIterable, Vocabulary {
    case minOff, minOn, doorStopDelay, doorAlarm, highTemp, defrostInterval, defrostDuration, drip
    case minTemperatureReached, maxTemperatureReached, highLimitReached, highLimitLeft
  }

  public enum Output: UInt8, CaseIterable, Vocabulary, MachineOutput {
    case compressorOn, compressorOff, lightOn, lightOff, buzzerOn, buzzerOff, alarmOn, alarmOff, heaterOn, heaterOff
  }

  public struct Parameters: CabinetParameters {
    var cabinet = Cabinet()
    var openTau = Interval.seconds(600)
    var openCoolingTau = Interval.seconds(900)
    var defrostTarget = 15.0
    var defrostTau = Interval.seconds(3600)
    var highLimit = 10.0
    var minOff = Interval.seconds(180)
    var minOn = Interval.seconds(60)
    var doorStopDelay = Interval.zero
    var doorAlarm = Interval.seconds(120)
    var highTemp = Interval.seconds(1800)
    var defrostInterval = Interval.seconds(21_600)
    var defrostDuration = Interval.seconds(1200)
    var drip = Interval.seconds(120)
    public init() {}
  }

  var chamber: Chamber
  public var state: State

  /// Starts as after powerRestored, or with the compressor's region in the state of `initial`, as if just entered; the
  /// door is closed, and the alarm follows from the temperature.
  public init(initial: State.Name?, _ step: Step<Self>) {
    chamber = step.parameters.cabinet.chamber(at: step.now)
    state = .off(doorIsOpen: false)
    switch initial {
    case .outside(.off): break
    case .inside(let name): state = .on(regions(in: name.first.first, door: .closed, step))
    case nil: state = .on(regions(in: .resting, door: .closed, step))
    }
    begin(step)
  }

  private func regions(in compressor: CompressorName, door: Door, _ step: Step<Self>) -> Regions {
    Regions(
      compressor: Compressor(fridge: self).start(in: compressor, step), door: door,
      alarm: Alarm.State(at: chamber.temperature, step.parameters))
  }

  public func visit(_ regions: inout Regions, _ pass: inout RegionPass<Self>, _ step: Step<Self>) {
    pass.visit(Compressor(fridge: self), &regions.compressor, step)
    pass.visit(DoorRegion(), &regions.door, step)
    pass.visit(Alarm(fridge: self), &regions.alarm, step)
  }

  /// The power and, without it, the door. The compressor gets a full rest when the power is back, because nobody
  /// knows how short the loss was for it.
  public mutating func reaction(to signal: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, signal) {
    case (.on(let regions), .event(.powerLost)):
      beginSegment(step)
      return .move(to: .off(doorIsOpen: regions.door != .closed))
    case (.off(let doorIsOpen), .event(.powerRestored)):
      beginSegment(step)
      return .move(to: .on(regions(in: .resting, door: doorIsOpen ? .open : .closed, step)))
    case (.off, .event(.doorOpened)):
      beginSegment(step)
      return .stayAs(.off(doorIsOpen: true))
    case (.off, .event(.doorClosed)):
      beginSegment(step)
      return .stayAs(.off(doorIsOpen: false))

    case (.on, .event(.powerRestored)), (.off, .event(.powerLost)), (.on, .event(.doorOpened)),
      (.on, .event(.doorClosed)), (_, .event(.minTemperatureReached)), (_, .event(.maxTemperatureReached)),
      (_, .event(.highLimitReached)), (_, .event(.highLimitLeft)), (_, .event(.silence)), (_, .event(.acknowledge)),
      (_, .expired):
      return .ignore
    }
  }

  /// The physics follow where the conditions in the chamber have changed.
  public mutating func settle(_ regions: inout Regions, from before: Regions?, _ step: Step<Self>) {
    let regime = regime(of: regions, step.parameters)
    if let before {
      let isNews = regime != self.regime(of: before, step.parameters)
      guard isNews || alarmHasOutrun(regime, from: before.alarm, to: regions.alarm, step) else { return }
      beginSegment(step)
      regions.alarm = regions.alarm.noting(chamber.temperature)
    }
    expectCrossings(in: regions, regime, step)
  }

  public static func regions(of state: State) -> Regions? {
    switch state {
    case .off: nil
    case .on(let regions): regions
    }
  }

  public static func state(of regions: Regions) -> State { .on(regions) }

  public var ownTimers: NameSet<TimerName> { .all }

  public static var exitOrder: RegionOrder { .asVisited }

  public func asksFor(_ timer: TimerName) -> Bool {
    guard case .on(let regions) = state else { return false }
    let compressor = regions.compressor.name
    return switch timer {
    case .minOff, .minOn, .defrostInterval, .defrostDuration, .drip: Compressor.owns(timer, in: compressor)
    case .doorStopDelay: Compressor.owns(timer, in: compressor) && !doorIsClosed
    case .doorAlarm: DoorRegion.owns(timer, in: regions.door)
    case .highTemp: Alarm.owns(timer, in: regions.alarm.name) && !isThawing
    case .maxTemperatureReached: compressor.parent != .cooling
    case .minTemperatureReached, .highLimitReached, .highLimitLeft: true
    }
  }

  /// A crossing is what the chamber reports, whether a client or its timer brings it.
  public func signal(of input: Input<Event, TimerName>) -> Input<Event, TimerName> {
    switch input {
    case .expired(.minTemperatureReached): .event(.minTemperatureReached)
    case .expired(.maxTemperatureReached): .event(.maxTemperatureReached)
    case .expired(.highLimitReached): .event(.highLimitReached)
    case .expired(.highLimitLeft): .event(.highLimitLeft)
    case .event, .expired(.minOff), .expired(.minOn), .expired(.doorStopDelay), .expired(.doorAlarm),
      .expired(.highTemp), .expired(.defrostInterval), .expired(.defrostDuration), .expired(.drip):
      input
    }
  }
}
