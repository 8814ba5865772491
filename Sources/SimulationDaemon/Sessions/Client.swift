import LineProtocol
import Simulator

extension Service {
  /// One client, with the world it uses.
  final class Client {
    /// Nobody else has it, now or later.
    let number: UInt32
    var session: Session
    private(set) var hosted: HostedWorld
    /// How often it has changed worlds: what was read for it in an earlier one is not told.
    private(set) var stay = 0
    /// A worker's time for its activity, while that is with a worker.
    var slot: WorkerSlot?
    /// The tags of `cancel` lines that wait until its activity is back.
    var cancels: [[UInt8]] = []
    /// Whether somebody has cancelled its activity while that was with a worker.
    var isCancelled = false
    /// Whether the lines of it that were looked at ahead end within a batch.
    var isWithinBatchAhead = false
    /// Its last turn with a worker.
    var turn: UInt64 = 0
    /// The host time at which a drawing is looked at again.
    var nextGlance: UInt64 = 0
    /// Whether it was told something since the last commit that the store must have first.
    var owesStore = false
    // In which of the service's lists this client stands, so that it stands there once.
    var isDirty = false
    var isWaitingForStore = false
    var isBusy = false
    var isWatching = false

    init(number: UInt32, _ environment: Environment, hosted: HostedWorld) {
      self.number = number
      session = Session(number: number, environment)
      self.hosted = hosted
    }

    /// The number of what it has under way, for `activities`; nil if nothing is.
    var activity: UInt64? { session.activity.isNone ? nil : session.task?.number }

    /// Whether its activity is with a worker or the store's thread.
    var isAway: Bool { if case .away = session.activity { true } else { false } }

    func move(to hosted: HostedWorld) {
      self.hosted = hosted
      stay += 1
    }

    /// Throws away what can no longer be sent.
    func discardOutput() {
      session.outbox = Outbox()
    }
  }
}
