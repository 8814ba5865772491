import StateMachines

/// What takes the inputs and the states of a lane in order.
protocol LanePen {
  mutating func add(_ tick: Waveform.Tick)

  /// Adds a state that has ended, or that goes on at the end of the stretch.
  mutating func add(_ segment: Waveform.Segment)
}

/// Goes through a lane in pieces: through what is in effect, or through one undone stretch.
struct LaneWalk: Sendable {
  let branch: UInt32
  private var place: Int
  private var open: Waveform.Segment?

  /// Through what is in effect.
  init(of lane: Waveform.Lane, in wave: Waveform) {
    self.init(branch: 0, place: 0, start: lane.start, from: wave.from.nanoseconds)
  }

  /// Through an undone stretch.
  init(of undone: Waveform.Undone, in lane: Waveform.Lane) {
    self.init(
      branch: undone.branch, place: undone.first, start: undone.start, from: lane.ticks[undone.first].moment)
  }

  private init(branch: UInt32, place: Int, start: UInt32, from: Int64) {
    self.branch = branch
    self.place = place
    open =
      start == Waveform.noState
      ? nil : Waveform.Segment(from: from, to: from, start: 0, end: .max, state: start, branch: branch)
  }

  /// Continues.
  ///
  /// - Parameter inputs: The most inputs looked at.
  /// - Returns: Whether it is done.
  mutating func advance(
    by inputs: Int, through lane: Waveform.Lane, of wave: Waveform, _ pen: inout some LanePen
  ) -> Bool {
    let ticks = lane.ticks
    let stop = min(ticks.count, place + inputs)
    while place < stop {
      let tick = ticks[place]
      guard tick.branch == branch else {
        // An undone stretch ends here; what is in effect continues after it.
        if branch != 0 { return finish(wave, &pen) }
        place += 1
        continue
      }
      pen.add(tick)
      switch tick.outcome {
      case .moved, .created, .dropped:
        if var ended = open {
          ended.to = tick.moment
          ended.end = tick.sequence
          // In which an undone stretch began is no state of it.
          if branch == 0 || ended.start != 0 || ended.to > ended.from { pen.add(ended) }
        }
        open =
          tick.state == Waveform.noState
          ? nil
          : Waveform.Segment(
            from: tick.moment, to: tick.moment, start: tick.sequence, end: .max, state: tick.state, branch: branch)
      case .stayed, .ignored, .refused, .wired, .unwired, .undone, .redone, .restarted, .defined, .undefined: break
      }
      place += 1
    }
    return place == ticks.count && finish(wave, &pen)
  }

  private mutating func finish(_ wave: Waveform, _ pen: inout some LanePen) -> Bool {
    if var last = open {
      last.to = branch == 0 ? wave.to.nanoseconds : max(last.from, wave.branches[Int(branch) - 1].end)
      pen.add(last)
      open = nil
    }
    return true
  }
}
