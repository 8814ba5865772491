public import StateMachines

/// A fridge as it is sold: a compressor that is protected from short runs and short rests, a door with a light and
/// a buzzer, an alarm for a chamber that stays warm, defrosting, and loss of power.
///
/// While it has power three regions run side by side, each offered every input once and each seeing the others as they
/// were before it: the compressor, the door, the temperature alarm (`SmartFridge+Regions.swift`). The outcome
/// is the strongest of theirs. A state prints as `cooling.free+closed+normal`, without power as `off`.
///
/// Without power no timer runs, the crossings of the chamber's temperature included; doorOpened and doorClosed are
/// stayed, because somebody must remember where the door is, and all other events but powerRestored are ignored.
public struct SmartFridge: Machine {
  public enum State: MachineState {
    /// No power. Nothing runs; the temperature drifts.
    case off(doorIsOpen: Bool)
    /// Power. `defrostInterval` is running except while the evaporator thaws.
    case on(Regions)
  }

  public struct Regions: Hashable, Sendable {
    var compressor: Compressor
    var door: Door
    var alarm: Alarm
  }

  enum Compressor: Hashable {
    /// Off, and not yet allowed to start. `minOff` is running.
    case resting(Rest)
    /// Off, and allowed to start. `demand` is true only while the door is open.
    case ready(demand: Bool)
    /// On, and not yet to be stopped but for the door. `minOn` is running; `doorStopDelay` may be.
    case coolingMinOn(Pending)
    /// On. `doorStopDelay` may be running.
    case coolingFree
    /// Off, the heater on. `defrostDuration` is running.
    case defrosting(Rest)
    /// Off, the water drains. `drip` is running.
    case dripping(Rest)

    struct Rest: Hashable {
      /// Cooling is wanted: the chamber is at or above the upper set-point.
      var demand: Bool
      /// The compressor must not start before this moment.
      let until: Moment
    }

    /// What is done when `minOn` expires.
    struct Pending: Hashable {
      var stop = false
      var defrost = false
    }

    var isCooling: Bool {
      switch self {
      case .coolingMinOn, .coolingFree: true
      case .resting, .ready, .defrosting, .dripping: false
      }
    }

    /// Whether the evaporator is being freed of ice: the chamber is warm on purpose.
    var isThawing: Bool {
      switch self {
      case .defrosting, .dripping: true
      case .resting, .ready, .coolingMinOn, .coolingFree: false
      }
    }

    /// Whether cooling is wanted; `nil` while it is done.
    var demand: Bool? {
      switch self {
      case .resting(let rest), .defrosting(let rest), .dripping(let rest): rest.demand
      case .ready(let demand): demand
      case .coolingMinOn, .coolingFree: nil
      }
    }
  }

  enum Door: UInt8, CaseIterable, Vocabulary {
    /// The light is off.
    case closed
    /// The light is on. `doorAlarm` is running.
    case open
    /// The light and the buzzer are on; `silence` has stopped the buzzer while `doorAlarm` is running.
    case openTooLong
  }

  enum Alarm: Hashable {
    /// The chamber is colder than the high limit.
    case normal
    /// It is not, for a while already; `peak` is the warmest it has been. `highTemp` is running except while thawing.
    case pendingHigh(peak: Double)
    /// It was too warm for too long, and nobody has acknowledged that. `isHigh` tells whether it still is.
    case highAlarm(peak: Double, isHigh: Bool)

    var isHigh: Bool {
      switch self {
      case .normal: false
      case .pendingHigh: true
      case .highAlarm(_, let isHigh): isHigh
      }
    }

    var peak: Double? {
      switch self {
      case .normal: nil
      case .pendingHigh(let peak), .highAlarm(let peak, _): peak
      }
    }

    /// The alarm with a temperature taken into its peak.
    func noting(_ temperature: Double) -> Alarm {
      switch self {
      case .normal: self
      case .pendingHigh(let peak): .pendingHigh(peak: max(peak, temperature))
      case .highAlarm(let peak, let isHigh): .highAlarm(peak: max(peak, temperature), isHigh: isHigh)
      }
    }
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
    guard initial != State.Name.off else { return }
    let temperature = chamber.temperature
    let compressor = enter(initial?.regions?.compressor ?? .resting, at: temperature, step)
    if !compressor.isThawing { step.arm(.defrostInterval, after: step.parameters.defrostInterval) }
    let alarm = assessAlarm(at: temperature, isThawing: compressor.isThawing, step)
    let regions = Regions(compressor: compressor, door: .closed, alarm: alarm)
    state = .on(regions)
    expectCrossings(in: regions, step)
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    let signal = Signal(input)
    switch (state, signal) {
    case (.on(let regions), .powerLost):
      return .move(to: losePower(regions, step))
    case (.off(let doorIsOpen), .powerRestored):
      return .move(to: restorePower(doorIsOpen: doorIsOpen, step))
    case (.off, .doorOpened):
      beginSegment(at: temperature(at: step.now, step.parameters), step)
      return .stayAs(.off(doorIsOpen: true))
    case (.off, .doorClosed):
      beginSegment(at: temperature(at: step.now, step.parameters), step)
      return .stayAs(.off(doorIsOpen: false))

    case (.on(let regions), .doorOpened) where regions.door != .closed,
      (.on(let regions), .doorClosed) where regions.door == .closed:
      return .ignore  // The door is there already, and no region hears of it.
    case (.on(let regions), _):
      return react(in: regions, to: signal, step)

    case (.off, .minTemperatureReached), (.off, .maxTemperatureReached), (.off, .highLimitReached),
      (.off, .highLimitLeft), (.off, .silence), (.off, .acknowledge), (.off, .powerLost), (.off, .minOff),
      (.off, .minOn), (.off, .doorStopDelay), (.off, .doorAlarm), (.off, .highTemp), (.off, .defrostInterval),
      (.off, .defrostDuration), (.off, .drip):
      return .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    guard case .on(let regions) = state else { return false }
    return switch timer {
    case .minOff: if case .resting = regions.compressor { true } else { false }
    case .minOn: if case .coolingMinOn = regions.compressor { true } else { false }
    case .doorStopDelay: regions.compressor.isCooling && regions.door != .closed
    case .doorAlarm: regions.door != .closed
    case .highTemp: if case .pendingHigh = regions.alarm { !regions.compressor.isThawing } else { false }
    case .defrostInterval: !regions.compressor.isThawing
    case .defrostDuration: if case .defrosting = regions.compressor { true } else { false }
    case .drip: if case .dripping = regions.compressor { true } else { false }
    case .maxTemperatureReached: !regions.compressor.isCooling
    case .minTemperatureReached, .highLimitReached, .highLimitLeft: true
    }
  }

  /// What an input tells, whether a client or the chamber brings it.
  enum Signal: Hashable {
    case minTemperatureReached, maxTemperatureReached, highLimitReached, highLimitLeft
    case doorOpened, doorClosed, silence, acknowledge, powerLost, powerRestored
    case minOff, minOn, doorStopDelay, doorAlarm, highTemp, defrostInterval, defrostDuration, drip

    init(_ input: Input<Event, TimerName>) {
      self =
        switch input {
        case .event(.minTemperatureReached), .expired(.minTemperatureReached): .minTemperatureReached
        case .event(.maxTemperatureReached), .expired(.maxTemperatureReached): .maxTemperatureReached
        case .event(.highLimitReached), .expired(.highLimitReached): .highLimitReached
        case .event(.highLimitLeft), .expired(.highLimitLeft): .highLimitLeft
        case .event(.doorOpened): .doorOpened
        case .event(.doorClosed): .doorClosed
        case .event(.silence): .silence
        case .event(.acknowledge): .acknowledge
        case .event(.powerLost): .powerLost
        case .event(.powerRestored): .powerRestored
        case .expired(.minOff): .minOff
        case .expired(.minOn): .minOn
        case .expired(.doorStopDelay): .doorStopDelay
        case .expired(.doorAlarm): .doorAlarm
        case .expired(.highTemp): .highTemp
        case .expired(.defrostInterval): .defrostInterval
        case .expired(.defrostDuration): .defrostDuration
        case .expired(.drip): .drip
        }
    }
  }
}
