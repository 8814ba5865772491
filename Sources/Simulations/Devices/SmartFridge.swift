public import MachineForms
public import StateMachines

/// A household fridge: a compressor protected from short runs and short rests, a door with a light and a buzzer, an
/// alarm for a chamber that stays warm, defrosting, and loss of power.
///
/// With power three regions run side by side: the compressor, the door and the temperature alarm, each in its own file.
/// Each region is offered every input once, and sees the fridge as it was before that input. The strongest of their
/// outcomes counts. A state prints as `cooling.free+closed+normal`, and without power as `off`.
///
/// Without power no timer runs, and no crossing of the chamber's temperature is reported. doorOpened and doorClosed are
/// stayed, because the door's position must be kept. All other events but powerRestored are ignored.
///
/// When power is lost, the regions are exited in the order in which they are visited, not in reverse.
public struct SmartFridge: OrthogonalMachine {
  public enum State: StateWithData {
    /// No power. No timer is running; the temperature drifts.
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

  public enum Event: MachineEvent {
    case minTemperatureReached, maxTemperatureReached, highLimitReached, highLimitLeft
    case doorOpened, doorClosed, silence, acknowledge, powerLost, powerRestored
    case minOff, minOn, doorStopDelay, doorAlarm, highTemp, defrostInterval, defrostDuration, drip
  }

  public enum Output: MachineOutput {
    case compressorOn, compressorOff, lightOn, lightOff, buzzerOn, buzzerOff, alarmOn, alarmOff, heaterOn, heaterOff
  }

  public struct Parameters: CabinetParameters {
    var cabinet = Cabinet()
    var openTau = Nanoseconds.seconds(600)
    var openCoolingTau = Nanoseconds.seconds(900)
    var defrostTarget = 15.0
    var defrostTau = Nanoseconds.seconds(3600)
    var highLimit = 10.0
    var minOff = Nanoseconds.seconds(180)
    var minOn = Nanoseconds.seconds(60)
    var doorStopDelay = Nanoseconds.zero
    var doorAlarm = Nanoseconds.seconds(120)
    var highTemp = Nanoseconds.seconds(1800)
    var defrostInterval = Nanoseconds.seconds(21_600)
    var defrostDuration = Nanoseconds.seconds(1200)
    var drip = Nanoseconds.seconds(120)
    public init() {}
  }

  var chamber = Chamber(temperature: 0, since: .beginning)
  public var state = State.on(
    Regions(compressor: .resting(.init(demand: false, until: .beginning)), door: .closed, alarm: .normal))
  public init() {}

  /// Starts with the compressor's region in the state asked for, as if just entered. The door is closed, and the alarm
  /// follows from the temperature.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    chamber = step.parameters.cabinet.chamber(at: step.now)
    switch name {
    case .outside(.off): return begin(in: .off(doorIsOpen: false), step)
    case .inside(let name): return begin(in: .on(regions(in: name.first.first, door: .closed, step)), step)
    }
  }

  private func regions(in compressor: CompressorName, door: Door, _ step: Step<Self>) -> Regions {
    Regions(
      compressor: Compressor(fridge: self).start(in: compressor, step), door: door,
      alarm: Alarm.State(at: chamber.temperature, step))
  }

  public func visit(_ regions: inout Regions, _ pass: inout RegionPass<Self>, _ step: Step<Self>) {
    pass.visit(Compressor(fridge: self), &regions.compressor, step)
    pass.visit(DoorRegion(), &regions.door, step)
    pass.visit(Alarm(fridge: self), &regions.alarm, step)
  }

  /// Handles the power and, without it, the door. The compressor gets a full rest when the power is back, because the
  /// length of the loss is unknown.
  public mutating func reaction(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .powerLost:
      guard case .on(let regions) = state else { return .ignore }
      beginSegment(step)
      return .move(to: .off(doorIsOpen: regions.door != .closed))
    case .powerRestored:
      guard case .off(let doorIsOpen) = state else { return .ignore }
      beginSegment(step)
      return .move(to: .on(regions(in: .resting, door: step.when("door open", doorIsOpen) ? .open : .closed, step)))
    case .doorOpened, .doorClosed:
      guard case .off = state else { return .ignore }
      beginSegment(step)
      return .stayAs(.off(doorIsOpen: event == .doorOpened))
    case .minTemperatureReached, .maxTemperatureReached, .highLimitReached, .highLimitLeft, .silence, .acknowledge,
      .minOff, .minOn, .doorStopDelay, .doorAlarm, .highTemp, .defrostInterval, .defrostDuration, .drip:
      return .ignore
    }
  }

  /// Updates the physics when the conditions in the chamber have changed.
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

  public static var exitOrder: RegionOrder { .asVisited }
}
