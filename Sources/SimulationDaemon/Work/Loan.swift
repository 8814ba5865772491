import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// A world with a worker for one slice, and the sessions for which something is done or read there meanwhile.
///
/// What is to be done is the activity of a session: its stand-in goes with the world and comes back with what was written
/// for the client. Everybody else who watches the world has a reader there, so that printing costs the event loop nothing.
final class Loan: @unchecked Sendable {
  // Safety: made by the event loop, handed to one worker through the lock of its queue, and back through another. Only
  // `slot` is used from both sides, and that is made for it.

  /// A session's part in the work, or in what is read.
  final class Part {
    let client: Service.Client
    /// The client's stay in the world when the loan began.
    let stay: Int
    var session: Session

    init(_ client: Service.Client, _ session: consuming Session) {
      self.client = client
      stay = client.stay
      self.session = session
    }
  }

  let slot: WorkerSlot
  /// What is lent; two worlds for a comparison.
  let worlds: [HostedWorld]
  /// With what was lent of each.
  let boxes: [(hosted: HostedWorld, box: RealmBox)]
  private let environment: Environment
  private let host: UInt64
  /// Whose activity is gone on with; nil if a world only catches up.
  let actor: Part?
  /// Those who await a state here: time goes on for all of them together.
  let awaiting: [Part]
  let readers: [Part]
  private let catchesUp: Bool
  private var request = Request()
  /// A copy that was asked for.
  private(set) var fork: RealmBox?
  /// Whether a whole request was carried out.
  let isOfRequest: Bool
  /// How long it took, in nanoseconds of the host.
  private(set) var time: UInt64 = 0

  /// - Parameter environment: The one that the sessions of the loan have too, with counters of its own.
  /// - Precondition: Every world is home.
  init(
    _ worlds: [HostedWorld], _ slot: WorkerSlot, _ environment: Environment, host: UInt64, actor: Part?,
    awaiting: [Part],
    readers: [Part], catchesUp: Bool
  ) {
    self.slot = slot
    self.worlds = worlds
    boxes = worlds.map { ($0, $0.lend(slot)) }
    self.environment = environment
    self.host = host
    self.actor = actor
    self.awaiting = awaiting
    self.readers = readers
    self.catchesUp = catchesUp
    isOfRequest = if case .deferred? = actor?.session.activity { true } else { false }
  }

  /// Those who were told of a chain without end with their replies.
  var clientsThatKnow: [Service.Client] {
    ((actor.map { [$0] } ?? []) + awaiting).filter { $0.session.knowsLivelock }.map(\.client)
  }

  /// What was counted meanwhile.
  var counters: Counters { environment.counters }

  // MARK: On the worker

  func perform() {
    slot.begin()
    let begun = HostClock.now()
    let home = boxes[0].box
    home.realm.slice = Slice(slot)
    if catchesUp { home.realm.catchUp(host: host) }
    home.realm.host = host
    if let actor { work(actor, home) }
    time = HostClock.now() &- begun
    if !awaiting.isEmpty { drive(home) }
    home.realm.world.keepCheckpointIfDue()
    for reader in readers { reader.session.flushNotices(home.realm.world, mayDrop: true) }
    home.realm.reportMemory()
    home.realm.slice = .onEventLoop
  }

  private func work(_ actor: Part, _ home: RealmBox) {
    switch actor.session.activity {
    case .compare(let comparison):
      repeat {
        actor.session.work(comparison, &boxes[0].box.realm, &boxes[1].box.realm)
      } while goesOn(actor)
      return
    case .fork(let wanted):
      fork = RealmBox(Realm(forking: home.realm, as: wanted.name))
      actor.session.endActivity()
      actor.session.answer("created", wanted.name, wanted.tag)
      return
    case .rewind(var rewind):
      if case .allowed = rewind.end {
        rewind.end = .done(home.realm.world.rewind(rewind.rewinding))
        actor.session.activity = .rewind(rewind)
        return
      }
    case .deferred(let deferred):
      actor.session.use(&home.realm) { $0.carryOut(deferred, &request) }
    case .none, .advance, .step, .await, .reply, .away:
      break
    }
    while goesOn(actor), actor.session.use(&home.realm, { $0.work() }) {}
  }

  /// Whether there is something to go on with, and time for it, and the client takes what it gets.
  private func goesOn(_ actor: Part) -> Bool {
    switch actor.session.activity {
    case .none: false
    case .reply, .compare: !slot.isOver && actor.session.hasRoomForReply
    case .rewind(let rewind): !slot.isOver && !rewind.rewinding.hasArrived
    // Time moves on for all who await something together, or each would read later what it moved for the others.
    case .await: false
    case .advance, .step, .fork, .deferred, .away: !slot.isOver
    }
  }

  /// Moves a virtual clock on until nobody waits any more, or the time is over.
  private func drive(_ home: RealmBox) {
    while true {
      var deadline: Instant?
      var drivers: [Part] = []
      for part in awaiting {
        guard case .until(let end, let mayDrive) = part.session.use(&home.realm, { $0.attend() }), mayDrive else {
          continue
        }
        drivers.append(part)
        deadline = min(deadline ?? end, end)
      }
      guard let deadline, !slot.isOver else { return }
      let progress = home.realm.drive(until: deadline)
      for part in drivers {
        switch progress {
        case .fired: part.session.countFiring()
        case .full, .livelocked: part.session.use(&home.realm) { $0.endAwait(progress) }
        case .arrived:
          if part.session.isAwaiting(until: home.realm) { part.session.use(&home.realm) { $0.endAwait(progress) } }
        }
      }
    }
  }
}

extension Session {
  /// Counts a timer that has fired for the sake of an `await`.
  mutating func countFiring() {
    guard case .await(var wait) = activity else { return }
    wait.fired += 1
    activity = .await(wait)
  }

  /// Whether it awaits something for which time is over: its deadline is there, or nothing is to come.
  fileprivate func isAwaiting(until realm: borrowing Realm) -> Bool {
    guard case .await(let wait) = activity else { return false }
    return wait.deadline <= realm.world.now || realm.world.runningTimerCount == 0
  }
}
