import JournalStore
import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// A world lent to a worker for one slice, and the sessions that act or read there meanwhile.
///
/// The work is the activity of a session. Its stand-in goes with the world and brings the written output back. Other
/// watchers of the world have readers there, so that the event loop need not print their notices.
final class Loan: @unchecked Sendable {
  // Safety: the event loop makes it, hands it to one worker through the lock of the worker's queue, and takes it back
  // through another lock. Both sides use only `slot`, which allows that.

  /// A session that acts or reads on the worker.
  final class Part {
    let client: Service.Client
    /// The client's `stay` when the loan began.
    let stay: Int
    var session: Session

    init(_ client: Service.Client, _ session: consuming Session) {
      self.client = client
      stay = client.stay
      self.session = session
    }
  }

  let slot: WorkerSlot
  /// The lent worlds: one, or two for a comparison.
  let worlds: [HostedWorld]
  /// The same with their worlds.
  let boxes: [(hosted: HostedWorld, box: LiveWorld.Box)]
  private let environment: Environment
  private let hostTime: HostTime
  /// The session whose activity continues; nil if a world only catches up.
  let actor: Part?
  /// Sessions that await a state here. Time moves on for all of them together.
  let awaiting: [Part]
  let readers: [Part]
  /// The most of them. Each is made on the event loop.
  static let mostReaders = 64
  private let catchesUp: Bool
  private let notes: WorkNotes?
  /// The store's number for the world; nil if it is not stored.
  private let identity: Int64?
  private var request = Request()
  /// The copy that a `fork` asked for.
  private(set) var fork: LiveWorld.Box?
  /// Whether the loan ran a whole request.
  let isOfRequest: Bool
  /// How long the work took, in host nanoseconds.
  private(set) var time: UInt64 = 0

  /// - Parameter environment: The environment of the loan's sessions, with its own counters.
  /// - Precondition: No world is lent.
  init(
    _ worlds: [HostedWorld], _ slot: WorkerSlot, _ environment: Environment, _ hostTime: HostTime, actor: Part?,
    awaiting: [Part],
    readers: [Part], catchesUp: Bool, notes: WorkNotes?
  ) {
    self.slot = slot
    self.worlds = worlds
    self.notes = notes
    identity = worlds[0].progress?.lease.identity
    boxes = worlds.map { ($0, $0.lend(slot)) }
    self.environment = environment
    self.hostTime = hostTime
    self.actor = actor
    self.awaiting = awaiting
    self.readers = readers
    self.catchesUp = catchesUp
    isOfRequest = if case .deferred? = actor?.session.activity { true } else { false }
  }

  /// Clients whose replies already told them of a livelock.
  var clientsThatKnow: [Service.Client] {
    ((actor.map { [$0] } ?? []) + awaiting).filter { $0.session.wasToldOfLivelock }.map(\.client)
  }

  /// Counts from the worker.
  var counters: Counters { environment.counters }

  // MARK: On the worker

  func perform() {
    slot.begin()
    let begun = HostClock.now()
    let home = boxes[0].box
    home.live.slice = Slice(slot)
    if catchesUp { home.noting(in: notes, identity) { home.live.catchUp(hostTime) } }
    home.live.host = hostTime.monotonic
    home.noting(in: notes, identity, request: actor?.session.task?.verb.name ?? "") {
      if let actor { work(actor, home) }
      time = HostClock.now() &- begun
      if !awaiting.isEmpty { drive(home) }
    }
    home.live.world.keepCheckpointIfDue()
    tellReaders(home)
    home.live.reportMemory()
    home.live.slice = .onEventLoop
  }

  /// Prints notices for the other watchers as long as another slice lasts. The next loan goes on.
  private func tellReaders(_ home: LiveWorld.Box) {
    slot.begin()
    for reader in readers {
      while reader.session.flushNotices(home.live.world, mayDrop: true, atMost: Session.inputsToldAtOnce) {
        if slot.isTimeOver { return }
      }
      if slot.isTimeOver { return }
    }
  }

  private func work(_ actor: Part, _ home: LiveWorld.Box) {
    switch actor.session.activity {
    case .compare(let comparison):
      repeat {
        actor.session.work(comparison, &boxes[0].box.live, &boxes[1].box.live)
      } while goesOn(actor)
      return
    case .fork(let wanted):
      copy(home, as: wanted, for: actor)
      return
    case .rewind(var rewind):
      if case .allowed = rewind.end {
        rewind.end = .done(home.live.rewind(rewind.rewinding))
        actor.session.activity = .rewind(rewind)
        return
      }
    case .deferred(let deferred):
      actor.session.use(&home.live) { $0.carryOut(deferred, &request) }
    case .none, .advance, .step, .await, .reply, .away:
      break
    }
    while goesOn(actor), actor.session.use(&home.live, { $0.work() }) {}
  }

  /// Copies a world, and takes the copy back to an input if one is wanted, as far as this slice goes.
  private func copy(_ home: LiveWorld.Box, as wanted: Activity.Fork, for actor: Part) {
    let copy = wanted.copy?.box ?? LiveWorld.Box(LiveWorld(forking: home.live, as: wanted.name))
    var moment: (Instant, UInt64, Bool)?
    if let input = wanted.input {
      let rewinding = wanted.copy?.rewinding ?? Rewinding(of: copy.live.world, to: .input(input))
      if wanted.copy == nil {
        var begun = wanted
        begun.copy = (copy, rewinding)
        actor.session.activity = .fork(begun)
      }
      while goesOn(actor), actor.session.use(&home.live, { $0.work(wanted, copy, rewinding) }) {}
      guard rewinding.hasArrived else { return }
      let wasRunning = copy.live.clock.isRunning
      _ = copy.live.rewind(rewinding)
      if wasRunning { copy.live.clock.pause() }
      moment = (copy.live.world.now, rewinding.lastInEffect ?? 0, wasRunning)
    }
    fork = copy
    actor.session.endActivity()
    actor.session.answerFork(WorldKey(wanted.name).name, lasts: !wanted.isOfDurable, at: moment, wanted.tag)
  }

  /// Whether the activity can continue: it is not done, there is time, and the client reads its output.
  private func goesOn(_ actor: Part) -> Bool {
    switch actor.session.activity {
    case .none: false
    // A diagram is explored and drawn without the world.
    case .reply(let graph as GraphReply, _) where graph.needsNoWorld: false
    case .reply, .compare: !slot.isOver && actor.session.hasRoomForReply
    case .rewind(let rewind): !slot.isOver && !rewind.rewinding.hasArrived
    // `await` requests move time together in `drive`. Alone, one would make the others read its inputs later.
    case .await: false
    case .advance, .step, .fork, .deferred, .away: !slot.isOver
    }
  }

  /// Moves a virtual clock until no session waits any more or the time is over.
  private func drive(_ home: LiveWorld.Box) {
    while true {
      var deadline: Instant?
      var drivers: [Part] = []
      for part in awaiting {
        guard case .until(let end, let mayDrive) = part.session.use(&home.live, { $0.attend() }), mayDrive else {
          continue
        }
        drivers.append(part)
        deadline = min(deadline ?? end, end)
      }
      guard let deadline, !slot.isOver else { return }
      let progress = home.live.drive(until: deadline)
      for part in drivers {
        switch progress {
        case .fired: part.session.countFiring()
        case .full, .livelocked: part.session.use(&home.live) { $0.endAwait(progress) }
        case .arrived:
          if part.session.isAwaiting(until: home.live) { part.session.use(&home.live) { $0.endAwait(progress) } }
        }
      }
    }
  }
}

extension Session {
  /// Counts a timer that fired for an `await`.
  mutating func countFiring() {
    guard case .await(var wait) = activity else { return }
    wait.fired += 1
    activity = .await(wait)
  }

  /// Whether its `await` has reached its end: the deadline has come, or no timer is left.
  fileprivate func isAwaiting(until live: borrowing LiveWorld) -> Bool {
    guard case .await(let wait) = activity else { return false }
    return wait.deadline <= live.world.now || live.world.runningTimerCount == 0
  }
}
