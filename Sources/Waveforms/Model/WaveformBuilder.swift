package import StateMachines

/// Makes a ``Waveform`` from inputs in the order of their numbers.
///
/// Only inputs from the stretch's beginning on are needed: what a machine was in before its first input is what that
/// input says, and a timer that ends without having begun ran from before. Inputs after the stretch's end may be added
/// for the same reason; they leave no tick.
package struct WaveformBuilder: Sendable {
  package private(set) var wave: Waveform
  private let mostLanes: Int
  private var courses: [Course] = []
  private var lanesByName: [String: Int] = [:]
  private var branch: UInt32 = 0
  private var branchUndoer: UInt64 = 0
  /// Lanes with a course in the present branch.
  private var branchLanes: [Int] = []
  private var branchEnd: Int64 = 0

  /// The state of a lane while inputs are added: in effect, and in the present branch.
  private struct Course: Sendable {
    var effective = Track()
    var undone = Track()
  }

  private struct Track: Sendable {
    /// Whether anything is known of the machine at this place.
    var isKnown = false
    /// The place of the open segment.
    var open: Int?
    /// Running timers: name, and place of the bar.
    var running: [(timer: UInt32, bar: Int)] = []
    /// Timers that began after the stretch.
    var late: [UInt32] = []
  }

  /// An effect on a timer.
  package enum TimerChange: Sendable {
    case armed(UInt32)
    case disarmed(UInt32)
  }

  package init(from: Instant, to: Instant, mostLanes: Int = 1_000) {
    wave = Waveform(from: from, to: to)
    self.mostLanes = mostLanes
  }

  package mutating func word(_ text: String) -> UInt32 { wave.words.number(of: text) }

  /// The lane of a machine, made if there is none; `nil` if there is no room for another.
  package mutating func lane(named name: String, kind: String, regions: [String]) -> Int? {
    if let known = lanesByName[name] {
      if wave.lanes[known].kind != kind {
        wave.lanes[known].kind = kind
        wave.lanes[known].regions = regions
      }
      return known
    }
    guard wave.lanes.count < mostLanes else { return nil }
    wave.lanes.append(Waveform.Lane(name: name, kind: kind, regions: regions))
    courses.append(Course())
    lanesByName[name] = wave.lanes.count - 1
    return wave.lanes.count - 1
  }

  package mutating func noteOmittedMachine() { wave.omittedMachines += 1 }

  package mutating func noteOmittedInput() { wave.omittedInputs += 1 }

  /// Adds an input of a machine.
  ///
  /// - Parameters:
  ///   - before: The state before it; `nil` for a creation.
  ///   - after: The state after it; `nil` for a drop.
  ///   - timer: The timer that expired or was fired with it.
  ///   - undoer: The input that undid it; 0 if it is in effect.
  @inline(__always)
  package mutating func note(
    lane: Int, at moment: Instant, _ sequence: UInt64, _ source: Waveform.Source, _ outcome: Waveform.Outcome,
    word: UInt32, from before: UInt32?, to after: UInt32?, timer: UInt32? = nil, changes: [TimerChange] = [],
    undoer: UInt64 = 0
  ) {
    let moment = moment.nanoseconds
    if undoer != branchUndoer { enterBranch(undoer) }
    guard moment >= wave.from.nanoseconds else { return }
    let isLate = moment > wave.to.nanoseconds
    if outcome == .wired || outcome == .unwired {
      // Of the state it says nothing.
      guard !isLate else { return }
      wave.lanes[lane].ticks.append(
        Waveform.Tick(
          moment: moment, sequence: sequence, word: word, branch: branch, source: source, outcome: outcome))
      return
    }
    if undoer == 0, !isLate, timer == nil, changes.isEmpty, outcome != .dropped, courses[lane].effective.isKnown {
      // Nearly all inputs take this path, in which no timer changes.
      wave.lanes[lane].ticks.append(
        Waveform.Tick(
          moment: moment, sequence: sequence, word: word, branch: branch, source: source, outcome: outcome))
      guard outcome == .moved || outcome == .created, let after else { return }
      if let open = courses[lane].effective.open {
        wave.lanes[lane].segments[open].to = moment
        wave.lanes[lane].segments[open].end = sequence
      }
      courses[lane].effective.open = open(lane, moment, sequence, after)
      return
    }
    if undoer != 0 {
      if isLate { return }
      branchEnd = max(branchEnd, moment)
      if !courses[lane].undone.isKnown { branchLanes.append(lane) }
    }
    var track = undoer == 0 ? courses[lane].effective : courses[lane].undone
    if undoer == 0 { courses[lane].effective = Track() } else { courses[lane].undone = Track() }
    if !track.isKnown {
      track.isKnown = true
      if let before {
        let start = undoer == 0 ? wave.from.nanoseconds : moment
        track.open = open(lane, start, 0, before)
        if isLate { close(lane, &track, wave.to.nanoseconds, .max) }
      }
    }
    if !isLate {
      wave.lanes[lane].ticks.append(
        Waveform.Tick(
          moment: moment, sequence: sequence, word: word, branch: branch, source: source, outcome: outcome))
      if outcome == .moved || outcome == .created || outcome == .dropped {
        close(lane, &track, moment, sequence)
        if let after { track.open = open(lane, moment, sequence, after) }
      }
    }
    if let timer { end(lane, &track, timer, moment, sequence, .expired, isLate) }
    for change in changes {
      switch change {
      case .disarmed(let timer): end(lane, &track, timer, moment, sequence, .disarmed, isLate)
      case .armed(let timer): begin(lane, &track, timer, moment, sequence, isLate)
      }
    }
    if outcome == .dropped {
      for (timer, _) in track.running { end(lane, &track, timer, moment, sequence, .disarmed, isLate) }
      track.late = []
    }
    if undoer == 0 { courses[lane].effective = track } else { courses[lane].undone = track }
  }

  /// Adds an input of the whole world.
  package mutating func noteWorld(
    at moment: Instant, _ sequence: UInt64, _ outcome: Waveform.Outcome, _ text: String, undoer: UInt64 = 0
  ) {
    // Going back begins another branch, even within inputs that were undone together.
    if outcome == .undone { enterBranch(0) }
    if undoer != branchUndoer { enterBranch(undoer) }
    guard moment >= wave.from, moment <= wave.to else { return }
    wave.worldInputs.append(
      Waveform.Tick(
        moment: moment.nanoseconds, sequence: sequence, word: word(text), branch: undoer == 0 ? 0 : branch,
        source: .world, outcome: outcome))
  }

  /// Adds timers that were restarted without an input of their machine.
  package mutating func restart(_ timer: UInt32, lane: Int, at moment: Instant, _ sequence: UInt64) {
    guard moment >= wave.from, branch == 0 else { return }
    var track = courses[lane].effective
    let isLate = moment > wave.to
    end(lane, &track, timer, moment.nanoseconds, sequence, .disarmed, isLate)
    begin(lane, &track, timer, moment.nanoseconds, sequence, isLate)
    courses[lane].effective = track
  }

  /// Adds an output that was delivered through a wire.
  package mutating func noteDelivery(
    at moment: Instant, _ sequence: UInt64, from source: Int?, named name: String, _ output: UInt32, to target: Int,
    _ event: UInt32, isUndone: Bool
  ) {
    guard moment >= wave.from, moment <= wave.to else { return }
    wave.deliveries.append(
      Waveform.Delivery(
        moment: moment.nanoseconds, sequence: sequence, from: source, to: target, source: name, output: output,
        event: event, branch: isUndone ? branch : 0))
  }

  /// Adds what a living machine is in at the end, for what no input has told.
  ///
  /// - Parameter timers: The timers that run now.
  package mutating func notePresent(lane: Int, _ state: UInt32, timers: [UInt32]) {
    enterBranch(0)
    var track = courses[lane].effective
    if !track.isKnown {
      track.isKnown = true
      track.open = open(lane, wave.from.nanoseconds, 0, state)
    }
    for timer in timers where !track.running.contains(where: { $0.timer == timer }) && !track.late.contains(timer) {
      begin(lane, &track, timer, wave.from.nanoseconds, 0, false)
    }
    courses[lane].effective = track
  }

  /// Adds a point of a reading.
  package mutating func notePoint(lane: Int, _ name: String, unit: String, at moment: Instant, _ value: Double) {
    guard moment >= wave.from, moment <= wave.to, value.isFinite else { return }
    let point = Waveform.Curve.Point(moment: moment.nanoseconds, value: value)
    let place: Int
    if let known = wave.lanes[lane].curves.firstIndex(where: { $0.name == name }) {
      place = known
    } else {
      wave.lanes[lane].curves.append(Waveform.Curve(name: name, unit: unit))
      place = wave.lanes[lane].curves.count - 1
    }
    if wave.lanes[lane].curves[place].points.last != point { wave.lanes[lane].curves[place].points.append(point) }
  }

  /// Ends what goes on at the stretch's end, and orders the lanes by name.
  package consuming func finish() -> Waveform {
    enterBranch(0)
    for lane in courses.indices {
      var track = courses[lane].effective
      close(lane, &track, wave.to.nanoseconds, .max)
    }
    let order = wave.lanes.indices.sorted {
      wave.lanes[$0].name.utf8.lexicographicallyPrecedes(wave.lanes[$1].name.utf8)
    }
    if order != Array(wave.lanes.indices) {
      var places = Array(repeating: 0, count: order.count)
      for (place, lane) in order.enumerated() { places[lane] = place }
      for delivery in wave.deliveries.indices {
        wave.deliveries[delivery].from = wave.deliveries[delivery].from.map { places[$0] }
        wave.deliveries[delivery].to = places[wave.deliveries[delivery].to]
      }
      wave.lanes = order.map { wave.lanes[$0] }
    }
    return wave
  }

  /// Ends the present branch and begins another one, or none for 0.
  private mutating func enterBranch(_ undoer: UInt64) {
    for lane in branchLanes {
      var track = courses[lane].undone
      close(lane, &track, branchEnd, .max)
      for (_, bar) in track.running { wave.lanes[lane].bars[bar].to = branchEnd }
      courses[lane].undone = Track()
    }
    branchLanes = []
    branchEnd = 0
    branchUndoer = undoer
    if undoer == 0 {
      branch = 0
    } else {
      wave.branches.append(Waveform.Branch(undoer: undoer))
      branch = UInt32(wave.branches.count)
    }
  }

  private mutating func open(_ lane: Int, _ moment: Int64, _ sequence: UInt64, _ state: UInt32) -> Int {
    wave.lanes[lane].segments.append(
      Waveform.Segment(
        from: moment, to: wave.to.nanoseconds, start: sequence, end: .max, state: state, branch: branch))
    return wave.lanes[lane].segments.count - 1
  }

  private mutating func close(_ lane: Int, _ track: inout Track, _ moment: Int64, _ sequence: UInt64) {
    guard let open = track.open else { return }
    wave.lanes[lane].segments[open].to = moment
    wave.lanes[lane].segments[open].end = sequence
    track.open = nil
  }

  private mutating func begin(
    _ lane: Int, _ track: inout Track, _ timer: UInt32, _ moment: Int64, _ sequence: UInt64, _ isLate: Bool
  ) {
    if isLate {
      if !track.late.contains(timer) { track.late.append(timer) }
      return
    }
    // Armed anew.
    if track.running.contains(where: { $0.timer == timer }) {
      end(lane, &track, timer, moment, sequence, .disarmed, false)
    }
    wave.lanes[lane].bars.append(
      Waveform.Bar(
        from: moment, to: wave.to.nanoseconds, start: sequence, finish: .max, timer: timer, branch: branch,
        end: .running))
    track.running.append((timer, wave.lanes[lane].bars.count - 1))
  }

  private mutating func end(
    _ lane: Int, _ track: inout Track, _ timer: UInt32, _ moment: Int64, _ sequence: UInt64, _ how: Waveform.End,
    _ isLate: Bool
  ) {
    let place = track.running.firstIndex { $0.timer == timer }
    if isLate {
      // It ran to the stretch's end; known now, so it need not be told again.
      if place == nil, !track.late.contains(timer) {
        begin(lane, &track, timer, wave.from.nanoseconds, 0, false)
        track.running.removeLast()
      }
      if !track.late.contains(timer) { track.late.append(timer) }
      return
    }
    if let place {
      let bar = track.running[place].bar
      wave.lanes[lane].bars[bar].to = moment
      wave.lanes[lane].bars[bar].finish = sequence
      wave.lanes[lane].bars[bar].end = how
      track.running.remove(at: place)
    } else {
      // It began before the stretch, or before the branch.
      let start = branch == 0 ? wave.from.nanoseconds : moment
      wave.lanes[lane].bars.append(
        Waveform.Bar(
          from: start, to: moment, start: 0, finish: sequence, timer: timer, branch: branch, end: how))
    }
  }
}
