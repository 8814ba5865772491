public import StateMachines

extension OrthogonalMachine {
  @inlinable
  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    let first = step.effectCount
    guard let before = Self.regions(of: state) else {
      return follow(reaction(to: event, step), from: nil, actionsFrom: first, step)
    }
    var regions = before
    var pass = RegionPass<Self>(.offer(event), step)
    visit(&regions, &pass, step)
    if pass.overruled != 0 { reportOverruled(pass, step) }
    if let target = pass.departure { return follow(.move(to: target), from: before, actionsFrom: first, step) }
    switch pass.verdict {
    case .moved, .stayed: return conclude(regions, from: before, pass, step)
    case .ignored: return .ignore
    case .refused: return pass.refusals == pass.place ? .refuse : .ignore
    case nil: return follow(reaction(to: event, step), from: before, actionsFrom: first, step)
    }
  }

  /// Completes a step in which a region has moved or stayed.
  @inlinable
  @inline(__always)
  mutating func conclude(
    _ regions: Regions, from before: Regions, _ pass: RegionPass<Self>, _ step: Step<Self>
  ) -> Reaction<State> {
    var regions = regions
    settle(&regions, from: before, step)
    guard pass.verdict == .moved else { return .stayAs(Self.state(of: regions)) }
    if pass.areAllFinal {
      let first = step.effectCount
      switch completion(of: regions, step) {
      case .move(to: let next): return follow(.move(to: next), from: regions, actionsFrom: first, step)
      case .stayAs(let next): return .move(to: next)
      case .stay, .ignore, .refuse: break
      }
    }
    return .move(to: Self.state(of: regions))
  }

  /// Carries out the decision of the machine's own rule: leaves and enters regions as needed.
  @inlinable
  mutating func follow(
    _ reaction: Reaction<State>, from before: Regions?, actionsFrom first: Int, _ step: Step<Self>
  ) -> Reaction<State> {
    guard case .move(to: let next) = reaction else { return reaction }
    if var before {
      let middle = step.effectCount
      var pass = RegionPass<Self>(.leave, step)
      visit(&before, &pass, step)
      step.disarmAll()
      step.putEffects(from: middle, before: first)
    }
    return .move(to: entering(next, step))
  }

  /// Enters the regions of a state, if it has any.
  @inlinable
  mutating func entering(_ state: State, _ step: Step<Self>) -> State {
    guard var regions = Self.regions(of: state) else { return state }
    var pass = RegionPass<Self>(.enter, step)
    visit(&regions, &pass, step)
    settle(&regions, from: nil, step)
    return Self.state(of: regions)
  }

  @inlinable
  mutating func reportOverruled(_ pass: RegionPass<Self>, _ step: Step<Self>) {
    for region in 0..<pass.place where pass.overruled & (1 << UInt64(region)) != 0 { overruled(region, step) }
  }

  /// Enters the initial state; call it at the end of `Machine.start(in:_:)`.
  @inlinable
  public mutating func begin(in state: State, _ step: Step<Self>) -> State { entering(state, step) }
}

/// One pass over the regions of a composite, which offers them an event, enters them or leaves them.
public struct RegionPass<M: OrthogonalMachine> {
  @usableFromInline
  enum Task {
    case offer(M.Event)
    case enter
    case leave
  }

  @usableFromInline let task: Task
  @usableFromInline let first: Int
  /// The number of regions visited.
  @usableFromInline var place = 0
  /// The strongest verdict so far.
  @usableFromInline var verdict: Verdict?
  @usableFromInline var refusals = 0
  /// The target of the first region that wants to leave.
  @usableFromInline var departure: M.State?
  @usableFromInline var departing: (place: Int, effects: Range<Int>) = (0, 0..<0)
  /// Bit set of the regions whose request to leave was overruled.
  @usableFromInline var overruled: UInt64 = 0
  @usableFromInline var areAllFinal = true

  @inlinable
  init(_ task: Task, _ step: Step<M>) {
    self.task = task
    first = step.effectCount
  }

  /// Visits the next region.
  ///
  /// - Precondition: There are at most 64 regions.
  @inlinable
  @inline(__always)
  public mutating func visit<R: Region>(_ region: R, _ state: inout R.State, _ step: Step<M>) where R.Host == M {
    var region = region
    switch task {
    case .offer(let event):
      let begin = step.effectCount
      switch region.take(event, in: state, step) {
      case .reaction(.move(to: let next)):
        state = next
        take(.moved, step)
      case .reaction(.stayAs(let next)):
        state = next
        take(.stayed, step)
      case .reaction(.stay): take(.stayed, step)
      case .reaction(.ignore): take(.ignored, step)
      case .reaction(.refuse):
        refusals += 1
        take(.refused, step)
      case .departure(let target): leave(to: target, effects: begin..<step.effectCount, step)
      case .unhandled: break
      }
      areAllFinal = areAllFinal && R.isFinal(state.name)
    case .enter:
      region.enterAll(state, step)
    case .leave:
      let begin = step.effectCount
      region.exitPath(from: state, upTo: nil, step)
      if M.exitOrder == .reverse { step.putEffects(from: begin, before: first) }
    }
    place += 1
  }

  /// Records a region's verdict. If it moved or stayed, an earlier request to leave is overruled.
  @inlinable
  @inline(__always)
  mutating func take(_ verdict: Verdict, _ step: Step<M>) {
    if let strongest = self.verdict, strongest.rawValue <= verdict.rawValue { return }
    self.verdict = verdict
    if departure != nil && hasActed { overruleDeparture(step) }
  }

  @inlinable
  var hasActed: Bool { verdict == .moved || verdict == .stayed }

  @inlinable
  mutating func overruleDeparture(_ step: Step<M>) {
    step.withdrawEffects(departing.effects)
    overruled |= 1 << UInt64(departing.place)
    departure = nil
  }

  @inlinable
  mutating func leave(to target: M.State, effects: Range<Int>, _ step: Step<M>) {
    if hasActed || departure != nil {
      step.withdrawEffects(effects)
      overruled |= 1 << UInt64(place)
    } else {
      departure = target
      departing = (place, effects)
    }
  }
}
