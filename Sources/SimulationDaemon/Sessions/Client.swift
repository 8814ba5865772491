import LineProtocol
import Simulator

extension Service {
  /// A client and the world it uses.
  final class Client {
    /// Unique for the life of the daemon.
    let number: UInt32
    let user: User
    var session: Session
    private(set) var hosted: HostedWorld
    /// The host times at which it connected and sent something last.
    let since: UInt64
    var lastInput: UInt64
    /// How often the client changed worlds. A reader's output from an earlier stay is discarded.
    private(set) var stay = 0
    /// The worker's slot while its activity is there.
    var slot: WorkerSlot?
    /// The tags of `cancel` lines to answer when its activity is back.
    var cancels: [[UInt8]] = []
    /// Worlds that its deferred effect is about and that are not in the store.
    var unknownWorlds: Set<String> = []
    /// Whether its activity was cancelled while it was with a worker.
    var isCancelled = false
    /// Whether the lines scanned ahead for `cancel` end within a batch.
    var isScanInBatch = false
    /// The number of its last turn with a worker.
    var turn: UInt64 = 0
    /// The host time at which its drawing is checked again.
    var nextGlance: UInt64 = 0
    /// The host time of its next delivery of notices, if its session is sampled.
    var nextSample: UInt64 = 0
    /// Whether it has output that may depend on unstored changes.
    var hasUnstoredReplies = false
    // Which lists of the service hold this client, so that none holds it twice.
    var isDirty = false
    var isWaitingForStore = false
    var isBusy = false
    var isWatching = false

    init(
      number: UInt32, _ user: User, _ environment: Environment, hosted: HostedWorld, _ terms: SessionTerms, host: UInt64
    ) {
      self.number = number
      self.user = user
      since = host
      lastInput = host
      session = Session(number: number, environment, terms)
      self.hosted = hosted
    }

    /// The number of the activity that stands for all its remaining requests; nil while it is connected.
    var backlog: UInt64?

    /// The number of its activity, for `activities`; nil without one.
    var activity: UInt64? {
      if session.life == .ended { return nil }
      return backlog ?? (session.activity.isNone ? nil : session.task?.number)
    }

    /// Whether its activity is with a worker or the store's thread.
    var isAway: Bool { if case .away = session.activity { true } else { false } }

    func move(to hosted: HostedWorld) {
      self.hosted = hosted
      stay += 1
      reviewAccess()
    }

    /// Sets what the session may do in its world.
    func reviewAccess() {
      session.mayChange = session.terms.mayChange && hosted.access(of: user.id) == .write
    }

    /// Discards output that can no longer be sent.
    func discardOutput() {
      session.outbox = Outbox()
    }
  }
}

/// What a client may do, and how much is reported to it, as long as the session lasts.
struct SessionTerms {
  var user = UserID.owner
  /// Whether it may change worlds, the daemon, or what others have under way.
  var mayChange = true
  /// Whether it gets samples where much happens: notices now and then, about the last inputs, and a gap for the others.
  var isSampled = false
  /// The form of the greeting.
  var form = LineForm.text

  /// The time between two deliveries of notices to a sampled session, in nanoseconds.
  static let sampleDistance: UInt64 = 50_000_000
  /// The most inputs that one delivery is about.
  static let inputsInASample: UInt64 = 128
  /// Bytes of unread notices of a sampled session.
  static let sampledQueue = 16 << 10
  /// Bytes of objects that are made at once for one; a browser takes little at a time.
  static let sampledPiece = 8 << 10
}
