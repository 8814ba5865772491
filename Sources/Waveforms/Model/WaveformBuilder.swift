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
  /// Lanes with inputs in the present branch.
  private var branchLanes: [Int] = []
  /// The last input added, for what it does to timers.
  private var present = Present(lane: 0, moment: 0, sequence: 0, isOver: true, isLate: false)

  /// The state of a lane while inputs are added.
  private struct Course: Sendable {
    /// Whether anything is known of what the machine was in.
    var isKnown = false
    var isKnownUndone = false
    /// Whether it has inputs in the present branch.
    var isInBranch = false
    /// The places of timers in the lane, by word.
    var timers: [UInt32: Int] = [:]
    var lastTimer: (word: UInt32, place: Int) = (.max, 0)
    /// Timers with an open bar, in effect and in the present branch.
    var running = RunningTimers()
    var runningUndone = RunningTimers()
    /// Timers of which is known what they did at the stretch's end.
    var late: Set<Int> = []
  }

  private struct Present: Sendable {
    let lane: Int
    let moment: Int64
    let sequence: UInt64
    /// Whether nothing is drawn of it.
    let isOver: Bool
    let isLate: Bool
  }

  package init(from: Instant, to: Instant, mostLanes: Int) {
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

  // MARK: Inputs

  /// Adds an input of a machine. What it did to timers follows with ``expired(_:)``, ``disarmed(_:)`` and
  /// ``armed(_:)``.
  ///
  /// - Parameters:
  ///   - before: The state before it; ``Waveform/noState`` for a creation.
  ///   - after: The state after it; ``Waveform/noState`` for a drop. Of an input that brings or takes a wire both are
  ///     ``Waveform/noState``.
  ///   - failure: The word for what failed in it.
  ///   - undoer: The input that undid it; 0 if it is in effect.
  package mutating func note(
    lane: Int, at moment: Instant, _ sequence: UInt64, _ source: Waveform.Source, _ outcome: Waveform.Outcome,
    word: UInt32, from before: UInt32, to after: UInt32, failure: UInt32? = nil, undoer: UInt64 = 0
  ) {
    let moment = moment.nanoseconds
    if undoer != branchUndoer { enterBranch(undoer) }
    let isLate = moment > wave.to.nanoseconds
    let isOver = moment < wave.from.nanoseconds || isLate && undoer != 0
    present = Present(lane: lane, moment: moment, sequence: sequence, isOver: isOver, isLate: isLate)
    if isOver { return }
    if undoer != 0 { note(inBranch: lane, moment) }
    if undoer == 0 ? !courses[lane].isKnown : !courses[lane].isKnownUndone { noteStart(lane, outcome, before) }
    if !isLate {
      append(
        Waveform.Tick(
          moment: moment, sequence: sequence, word: word, state: after, branch: branch, source: source,
          outcome: outcome, failure: failure), lane)
    }
    if outcome == .dropped { endTimers(of: lane) }
  }

  private mutating func append(_ tick: Waveform.Tick, _ lane: Int) {
    wave.lanes[lane].ticks.append(tick)
    wave.inputCount += 1
    wave.clusters.note(tick.moment, tick.sequence)
    wave.legend.add(tick.outcome, isOfTimer: tick.isOfTimer)
  }

  /// Notes what a machine was in before its first input.
  private mutating func noteStart(_ lane: Int, _ outcome: Waveform.Outcome, _ before: UInt32) {
    // Of the state these say nothing.
    if outcome == .wired || outcome == .unwired { return }
    if branch == 0 {
      courses[lane].isKnown = true
      wave.lanes[lane].start = before
    } else {
      courses[lane].isKnownUndone = true
      wave.lanes[lane].undone[wave.lanes[lane].undone.count - 1].start = before
    }
  }

  private mutating func note(inBranch lane: Int, _ moment: Int64) {
    wave.branches[Int(branch) - 1].end = max(wave.branches[Int(branch) - 1].end, moment)
    guard !courses[lane].isInBranch else { return }
    courses[lane].isInBranch = true
    branchLanes.append(lane)
    wave.lanes[lane].undone.append(
      Waveform.Undone(branch: branch, first: wave.lanes[lane].ticks.count, start: Waveform.noState))
  }

  /// Adds an input of the whole world.
  package mutating func noteWorld(
    at moment: Instant, _ sequence: UInt64, _ outcome: Waveform.Outcome, _ text: String, undoer: UInt64 = 0
  ) {
    // Going back begins another branch, even within inputs that were undone together.
    if outcome == .undone || outcome == .redone { enterBranch(0) }
    if undoer != branchUndoer { enterBranch(undoer) }
    guard moment >= wave.from, moment <= wave.to else { return }
    wave.worldInputs.append(
      Waveform.Tick(
        moment: moment.nanoseconds, sequence: sequence, word: word(text), state: Waveform.noState,
        branch: undoer == 0 ? 0 : branch, source: .world, outcome: outcome, failure: nil))
    wave.inputCount += 1
    wave.clusters.note(moment.nanoseconds, sequence)
  }

  /// Adds an output that was delivered through a wire.
  ///
  /// - Parameter name: The word for the machine that said it.
  package mutating func noteDelivery(
    at moment: Instant, _ sequence: UInt64, from source: Int?, named name: UInt32, _ output: UInt32, to target: Int,
    _ event: UInt32, isUndone: Bool
  ) {
    guard moment >= wave.from, moment <= wave.to else { return }
    wave.deliveries.append(
      Waveform.Delivery(
        moment: moment.nanoseconds, sequence: sequence, from: source, to: target, source: name, output: output,
        event: event, branch: isUndone ? branch : 0))
  }

  // MARK: Timers

  /// The timer expired, or was fired, with the last input.
  package mutating func expired(_ timer: UInt32) { end(timer, .expired) }

  /// The last input disarmed the timer.
  package mutating func disarmed(_ timer: UInt32) { end(timer, .disarmed) }

  /// The last input armed the timer, perhaps anew.
  package mutating func armed(_ timer: UInt32) { begin(timer) }

  /// Adds a timer that was restarted without an input of its machine.
  package mutating func restart(_ timer: UInt32, lane: Int, at moment: Instant, _ sequence: UInt64) {
    guard moment >= wave.from, branch == 0 else { return }
    present = Present(
      lane: lane, moment: moment.nanoseconds, sequence: sequence, isOver: false, isLate: moment > wave.to)
    end(timer, .disarmed)
    begin(timer)
  }

  private mutating func begin(_ timer: UInt32) {
    if present.isOver { return }
    let lane = present.lane
    let place = place(of: timer, lane)
    if present.isLate {
      courses[lane].late.insert(place)
      return
    }
    if isRunning(place, lane) { end(timer, .disarmed) }
    open(place, lane, from: present.moment, present.sequence)
  }

  private mutating func open(_ timer: Int, _ lane: Int, from moment: Int64, _ sequence: UInt64) {
    let bar = Waveform.Bar(
      from: moment, to: wave.to.nanoseconds, start: sequence, finish: .max, branch: branch, end: .running)
    append(bar, timer, lane)
    if branch == 0 {
      courses[lane].running.begin(timer, wave.lanes[lane].timers[timer].bars.count - 1)
    } else {
      courses[lane].runningUndone.begin(timer, wave.lanes[lane].timers[timer].undone.count - 1)
    }
  }

  private mutating func append(_ bar: Waveform.Bar, _ timer: Int, _ lane: Int) {
    wave.lanes[lane].bars += 1
    if bar.branch == 0 {
      wave.lanes[lane].timers[timer].bars.append(bar)
    } else {
      wave.lanes[lane].timers[timer].undone.append(bar)
    }
  }

  private mutating func end(_ timer: UInt32, _ how: Waveform.End) {
    if present.isOver { return }
    end(place(of: timer, present.lane), how)
  }

  private mutating func end(_ place: Int, _ how: Waveform.End) {
    let lane = present.lane
    if present.isLate {
      // It ran to the stretch's end; known now, so it need not be reported again.
      if !isRunning(place, lane), courses[lane].late.insert(place).inserted {
        append(
          Waveform.Bar(
            from: wave.from.nanoseconds, to: wave.to.nanoseconds, start: 0, finish: .max, branch: 0, end: .running),
          place, lane)
      }
      courses[lane].late.insert(place)
      return
    }
    if how == .disarmed { wave.legend.hasDisarmed = true }
    let open = branch == 0 ? courses[lane].running.end(place) : courses[lane].runningUndone.end(place)
    if let open {
      close(open, place, lane, at: present.moment, present.sequence, how)
    } else {
      // It began before the stretch, or before the branch.
      let start = branch == 0 ? wave.from.nanoseconds : present.moment
      append(
        Waveform.Bar(
          from: start, to: present.moment, start: 0, finish: present.sequence, branch: branch, end: how),
        place, lane)
    }
  }

  private mutating func close(
    _ bar: Int, _ timer: Int, _ lane: Int, at moment: Int64, _ sequence: UInt64, _ how: Waveform.End
  ) {
    if branch == 0 {
      wave.lanes[lane].timers[timer].bars[bar].to = moment
      wave.lanes[lane].timers[timer].bars[bar].finish = sequence
      wave.lanes[lane].timers[timer].bars[bar].end = how
    } else {
      wave.lanes[lane].timers[timer].undone[bar].to = moment
      wave.lanes[lane].timers[timer].undone[bar].finish = sequence
      wave.lanes[lane].timers[timer].undone[bar].end = how
    }
  }

  /// The timers of a machine that was dropped.
  private mutating func endTimers(of lane: Int) {
    while let timer = branch == 0 ? courses[lane].running.last : courses[lane].runningUndone.last {
      if present.isLate { break }
      end(timer, .disarmed)
    }
    courses[lane].late = []
  }

  private func isRunning(_ timer: Int, _ lane: Int) -> Bool {
    branch == 0 ? courses[lane].running.has(timer) : courses[lane].runningUndone.has(timer)
  }

  private mutating func place(of timer: UInt32, _ lane: Int) -> Int {
    if courses[lane].lastTimer.word == timer { return courses[lane].lastTimer.place }
    let place: Int
    if let known = courses[lane].timers[timer] {
      place = known
    } else {
      place = wave.lanes[lane].timers.count
      wave.lanes[lane].timers.append(Waveform.Timer(word: timer))
      courses[lane].timers[timer] = place
    }
    courses[lane].lastTimer = (timer, place)
    return place
  }

  // MARK: What follows from no input

  /// Adds the state and timers of a living machine at the end, as far as they follow from no input.
  ///
  /// - Parameter timers: The timers that run now.
  package mutating func notePresent(lane: Int, _ state: UInt32, timers: [UInt32]) {
    enterBranch(0)
    if !courses[lane].isKnown {
      courses[lane].isKnown = true
      wave.lanes[lane].start = state
    }
    for timer in timers {
      let place = place(of: timer, lane)
      if !courses[lane].running.has(place), !courses[lane].late.contains(place) {
        open(place, lane, from: wave.from.nanoseconds, 0)
      }
    }
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
    if wave.lanes[lane].curves[place].points.last == point { return }
    wave.lanes[lane].curves[place].points.append(point)
    wave.lanes[lane].points += 1
  }

  /// Orders the lanes by name.
  package consuming func finish() -> Waveform {
    enterBranch(0)
    wave.clusters.order()
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
      let end = wave.branches[Int(branch) - 1].end
      while let timer = courses[lane].runningUndone.last {
        guard let bar = courses[lane].runningUndone.end(timer) else { break }
        wave.lanes[lane].timers[timer].undone[bar].to = end
      }
      courses[lane].isInBranch = false
      courses[lane].isKnownUndone = false
    }
    branchLanes = []
    branchUndoer = undoer
    if undoer == 0 {
      branch = 0
    } else {
      wave.branches.append(Waveform.Branch(undoer: undoer, end: 0))
      branch = UInt32(wave.branches.count)
    }
  }
}

/// The open bars of a lane's timers, by place in the lane.
private struct RunningTimers: Sendable {
  /// For each timer the place of its bar and its place in `running`; -1 for none.
  private var bars: [(bar: Int32, place: Int32)] = []
  private var running: [Int] = []

  var last: Int? { running.last }

  func has(_ timer: Int) -> Bool { timer < bars.count && bars[timer].bar >= 0 }

  mutating func begin(_ timer: Int, _ bar: Int) {
    while bars.count <= timer { bars.append((-1, -1)) }
    bars[timer] = (Int32(bar), Int32(running.count))
    running.append(timer)
  }

  /// - Returns: The place of its bar; `nil` if it was not running.
  mutating func end(_ timer: Int) -> Int? {
    guard has(timer) else { return nil }
    let (bar, place) = bars[timer]
    bars[timer] = (-1, -1)
    let moved = running.removeLast()
    if moved != timer {
      running[Int(place)] = moved
      bars[moved].place = place
    }
    return Int(bar)
  }
}
