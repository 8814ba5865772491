import LineProtocol
import Simulator
import StateMachines
import Synchronization

/// One client's conversation: its input, its output and its activity.
///
/// It knows lines but no descriptors. The owner of the connection fills `input` and writes out `outbox`.
struct Session: ~Copyable {
  let environment: Environment
  let watcher: WatcherID
  let terms: SessionTerms
  /// Whether it may change the present world, by its terms and as a user of that world.
  var mayChange: Bool
  /// The client's part of the memory budget.
  var share = ClientShare()
  var input: InputBuffer
  var outbox = Outbox()
  /// What the session is doing. The client's next request waits until it is done.
  var activity = Activity.none
  /// The request that the activity carries out, for `activities`.
  var task: RequestUnderWay?
  /// The kinds from documents of the world, while requests are handled without it.
  var kindsOfLentWorld: [Kind] = []
  /// Whether a worker must do the rest of the activity.
  var needsWorker = false
  /// An effect beyond this session and its world, with its request's tag. The service runs it.
  var deferredEffect: (effect: DeferredEffect, tag: [UInt8])?
  /// Whether the last request was `world`. The next one then runs in the same turn.
  var keepsMoment = false
  /// Whether the last request ran in this turn for that reason. A second `world` does not extend the turn.
  var keptMoment = false
  /// The lines since `begin`, until `end`.
  var batch: Batch?
  /// The bytes after a `define` line, while some are missing.
  var incoming: IncomingDocument?
  /// Files that a later document of this connection may refer to.
  var resources: [DocumentResource] = []
  /// The document of the `define` that is being run.
  var document: ReceivedDocument?
  /// Whether a batch is running; nothing may run between its lines.
  var isRunningBatch = false
  /// Whether `quiet on` holds.
  var isQuiet = false
  /// The name under which `id=` numbers requests, after that of its user unless the daemon runs as that; nil without one.
  var client: String?
  /// The number of the request that is being run; nil if it has none.
  var number: UInt64?
  /// Where the next notice is read; nil while the client watches nothing in the present world.
  var cursor: JournalReader?
  /// Inputs whose notices were dropped without telling the client yet.
  var gap: ClosedRange<UInt64>?
  /// Whether the next lines wait for the client to read replies, for other clients, or for the world.
  var isHeldUp = false
  /// Whether its next line waits only because its turn, or that of its user, is over. Whether the line needs the world is
  /// not known yet.
  var isUnserved = false
  /// Whether the client is connected. Without a reader, requests that only read are skipped.
  var hasReader = true
  /// Data lines of the current reply.
  var replyLines = 0
  /// Whether the last reply was a failure.
  var didFail = false
  /// Whether a livelock was reported to the client.
  var wasToldOfLivelock = false
  /// Whether the last reply survives a rollback.
  var survivesRollback = false
  var life = Life.open
  /// The last reply's time as text: most lines of a round share it.
  var stamp = TimeStamp()
  var printer = JournalPrinter()
  /// Notices to insert before a reply.
  var noticeScratch = ByteBuffer(capacity: 64)
  /// Keeps the value in memory, so that the compiler passes its address and not its fields one by one: it checks them
  /// in a third of the time.
  private let isAddressOnly = Atomic(true)

  enum Life: Equatable {
    case open
    /// The client sends no more. Complete lines are answered, then the connection ends.
    case inputEnded
    /// The last line is in the outbox.
    case ended
  }

  init(number: UInt32, _ environment: Environment, _ terms: SessionTerms) {
    self.environment = environment
    self.terms = terms
    mayChange = terms.mayChange
    if terms.isSampled { outbox.pieceSize = SessionTerms.sampledPiece }
    watcher = WatcherID(number)
    input = InputBuffer(longestLine: environment.limits.line)
  }

  /// A world's name as this session's user writes it.
  func shown(_ key: String) -> String { environment.names.shown(key, to: terms.user) }

  /// Writes `! bye`, the last line of a connection.
  mutating func sayGoodbye(_ reason: String?) {
    guard life != .ended else { return }
    outbox.buffer.begin(.flow)
    outbox.buffer.word(literal: "bye")
    if let reason { outbox.buffer.key("reason", reason) }
    outbox.buffer.endLine()
    life = .ended
    activity = .none
    cursor = nil
    gap = nil
  }
}

/// The request that an activity carries out, as `activities` shows it.
struct RequestUnderWay {
  let verb: Verb
  /// The host time of its start.
  var since: UInt64
  /// Its number; nil until the service assigns it.
  var number: UInt64?

  init(_ verb: Verb, since: UInt64 = 0) {
    self.verb = verb
    self.since = since
  }
}

extension Session {
  /// Writes a message of the daemon, `! …`.
  mutating func say(_ write: (inout ByteBuffer) -> Void) {
    noticeScratch.removeAll()
    noticeScratch.begin(.flow)
    write(&noticeScratch)
    noticeScratch.endLine()
    append(notices: noticeScratch.bytes)
  }

  /// Appends notices or messages, after the current reply if there is one. Nothing follows the last line.
  mutating func append(notices: UnsafeRawBufferPointer) {
    if life == .ended { return }
    if activity.traits.isReply { outbox.hold(notices) } else { outbox.insertNotices(notices, at: outbox.buffer.count) }
  }

  /// Ends the activity after its last line was written.
  mutating func endActivity() {
    activity = .none
    needsWorker = false
    outbox.release()
  }

  /// Discards the requests that have not begun.
  mutating func discardUnread() {
    input = InputBuffer(longestLine: environment.limits.line)
    (batch, incoming, resources, deferredEffect) = (nil, nil, [], nil)
  }

  /// Ends an activity that only reads if its reader is gone.
  ///
  /// - Returns: Whether it was ended.
  /// - Precondition: The activity is not with a worker.
  @discardableResult
  mutating func endUnreadActivity() -> Bool {
    let onlyReads = activity.isDeferred ? task?.verb.row.onlyReads == true : activity.traits.onlyReads
    guard !hasReader, onlyReads else { return false }
    endActivity()
    return true
  }

  // MARK: Workers

  /// A session that continues this one's activity on a worker, with its own outbox; ``resume(from:readsOn:)`` brings it
  /// back.
  ///
  /// - Parameter environment: The worker's.
  mutating func standIn(_ environment: Environment) -> Session {
    var other = Session(standingInFor: self, environment)
    swap(&other.activity, &activity)
    activity = .away(Activity.Away(other.activity))
    return other
  }

  /// A session that reads the journal for this one's watches.
  func reader(_ environment: Environment) -> Session { Session(standingInFor: self, environment) }

  private init(standingInFor other: borrowing Session, _ environment: Environment) {
    self.environment = environment
    watcher = other.watcher
    terms = other.terms
    mayChange = other.mayChange
    input = InputBuffer(longestLine: environment.limits.line, capacity: 64)
    outbox = other.outbox.standIn()
    isQuiet = other.isQuiet
    client = other.client
    cursor = other.cursor
    gap = other.gap
    task = other.task
    needsWorker = true
    hasReader = other.hasReader
    share.join(other.share.budget, other.share.quota)
  }

  /// Continues where a stand-in stopped.
  ///
  /// - Parameter readsOn: Whether the client still watches the world whose journal the stand-in has read.
  mutating func resume(from other: borrowing Session, readsOn: Bool) {
    outbox.append(other.outbox)
    activity = other.activity
    needsWorker = !activity.isNone
    if !activity.traits.isReply { outbox.release() }
    didFail = other.didFail
    guard readsOn else { return }
    cursor = other.cursor
    gap = other.gap
  }

  /// Takes a reader's output.
  mutating func resume(reading other: borrowing Session) {
    append(notices: other.outbox.buffer.bytes)
    cursor = other.cursor
    gap = other.gap
  }
}

/// ` t=T seq=` as text, cached for the next line, which usually has the same moment and the next number.
struct TimeStamp: ~Copyable {
  private var moment = Instant(nanoseconds: -1)
  private var text = ByteBuffer(capacity: 64)
  private var number = DecimalCounter()

  @inline(__always)
  mutating func append(_ moment: Instant, _ sequence: UInt64, to buffer: inout ByteBuffer) {
    if moment.nanoseconds != self.moment.nanoseconds { renew(moment) }
    buffer.append(text.bytes)
    number.append(sequence, to: &buffer)
  }

  /// Writes the text where 64 bytes are free.
  @inline(__always)
  mutating func put(_ moment: Instant, _ sequence: UInt64, _ cursor: inout ByteCursor) {
    if moment.nanoseconds != self.moment.nanoseconds { renew(moment) }
    cursor.put(padded: text.bytes)
    cursor.put(padded: number.text(of: sequence))
  }

  @inline(never)
  private mutating func renew(_ moment: Instant) {
    self.moment = moment
    text.removeAll()
    text.append(literal: " t=")
    text.append(seconds: moment.nanoseconds)
    text.append(literal: " seq=")
  }
}

/// What a session is doing.
enum Activity {
  case none
  /// An `advance` to `target`.
  case advance(Advance)
  /// A `step` with timers left to fire.
  case step(Step)
  case await(Await)
  /// A rewind.
  case rewind(Rewind)
  /// A comparison of worlds.
  case compare(Comparison)
  /// A copy of a large world.
  case fork(Fork)
  /// Requests for a worker that have not begun.
  case deferred(Deferred)
  /// The activity is with a worker or the store's thread.
  case away(Away)
  /// A long reply, written as the client reads it.
  case reply(any LongReply, tag: [UInt8])

  struct Advance {
    let target: Instant
    var fired = 0
    let tag: [UInt8]
    /// The host time until which time waits for the client to read notices.
    var patience: UInt64?
  }

  struct Step {
    var remaining: Int
    var fired = 0
    let tag: [UInt8]
    var patience: UInt64?
  }

  struct Await {
    let machine: MachineID
    let name: String
    let query: StateQuery
    let deadline: Instant
    /// Where the search for the state continues in the journal.
    var reader: JournalReader
    let tag: [UInt8]
    /// Timers that have fired while it moved the clock.
    var fired = 0
    var patience: UInt64?
  }

  /// What the session keeps of an activity elsewhere.
  struct Away {
    let tag: [UInt8]
    let traits: Traits
    /// Bytes that it holds elsewhere.
    var bytes = 0
    /// Kept until the world that has grown counts by itself.
    private var growth: PromisedGrowth?

    init(_ activity: Activity) {
      (tag, growth) = (activity.tag, activity.growth)
      var traits = activity.traits
      traits.isForWorkers = true
      self.traits = traits
    }

    /// Reads a document on a worker.
    init(readingDocument tag: [UInt8], bytes: Int) {
      self.init(changingWorlds: tag, newWorld: nil, isCancellable: true)
      self.bytes = bytes
    }

    /// Creates or removes a world on the store's thread. It cannot be cancelled.
    init(changingWorlds tag: [UInt8], newWorld: String?, isCancellable: Bool = false) {
      self.tag = tag
      traits = Traits(isCancellable: isCancellable, isForWorkers: true, newWorld: newWorld)
    }
  }

  struct Fork {
    let name: String
    let tag: [UInt8]
    /// Whether the world that is copied is durable.
    let isOfDurable: Bool
    /// The input that the copy goes back to; nil if it is to be as the world is.
    var input: UInt64?
    /// Set when a worker is about to copy.
    var growth: PromisedGrowth?
    /// A copy that goes back to its input, slice by slice.
    var copy: (box: LiveWorld.Box, rewinding: Rewinding)?
  }

  struct Deferred {
    enum Requests {
      /// One line, as received.
      case line([UInt8])
      case batch(Batch)
      /// A `define` line with its bytes.
      case definition(line: [UInt8], ReceivedDocument)
    }
    let requests: Requests
    let tag: [UInt8]
  }

  struct Rewind {
    let rewinding: Rewinding
    /// How many requests to undo; nil if the goal is a moment.
    let count: UInt64?
    let tag: [UInt8]
    /// The progress of the last step, which rewinds the world after the replay.
    var end = End.open
    /// Whether the world was rewound, which the client must be told.
    var isDone: Bool { if case .done = end { true } else { false } }

    enum End {
      case open
      /// The store is asked what it could restore.
      case asked
      /// The store and the limits allow it; the world must still be rewound.
      case allowed(PromisedGrowth)
      /// The world was rewound; these inputs are undone.
      case done(ClosedRange<UInt64>?)
    }
  }

  /// What the daemon asks of an activity, whatever it does.
  struct Traits {
    /// Whether `cancel` ends it.
    var isCancellable = true
    /// Whether a long reply is being written; nothing else may be written between its lines.
    var isReply = false
    /// Whether only workers run it.
    var isForWorkers = false
    /// Whether it reads two worlds, which may both differ from the present one.
    var isComparison = false
    /// Whether it changes nothing, so that it is useless without a reader.
    var onlyReads = false
    /// The name of the world being created, which is reserved.
    var newWorld: String?
  }

  var traits: Traits {
    switch self {
    case .none: Traits(isCancellable: false)
    case .advance, .step: Traits()
    case .await: Traits(onlyReads: true)
    case .rewind(let rewind): Traits(isCancellable: !rewind.isDone, isForWorkers: true)
    case .compare: Traits(isReply: true, isForWorkers: true, isComparison: true, onlyReads: true)
    case .fork(let fork): Traits(isForWorkers: true, newWorld: fork.name)
    case .deferred: Traits(isForWorkers: true)
    case .away(let away): away.traits
    case .reply(let reply, _): Traits(isReply: true, isForWorkers: reply.isForWorkers, onlyReads: true)
    }
  }

  /// The room reserved for its result.
  fileprivate var growth: PromisedGrowth? {
    switch self {
    case .fork(let fork): fork.growth
    case .rewind(let rewind): if case .allowed(let growth) = rewind.end { growth } else { nil }
    case .none, .advance, .step, .await, .compare, .reply, .deferred, .away: nil
    }
  }

  /// Whether it has not begun.
  var isDeferred: Bool { if case .deferred = self { true } else { false } }

  /// The tag of its request.
  var tag: [UInt8] {
    switch self {
    case .none: []
    case .advance(let advance): advance.tag
    case .step(let step): step.tag
    case .await(let wait): wait.tag
    case .rewind(let rewind): rewind.tag
    case .compare(let comparison): comparison.tag
    case .fork(let fork): fork.tag
    case .deferred(let deferred): deferred.tag
    case .reply(_, let tag): tag
    case .away(let away): away.tag
    }
  }

  var isNone: Bool {
    if case .none = self { true } else { false }
  }
}
