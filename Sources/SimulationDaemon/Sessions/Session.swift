import LineProtocol
import Simulator
import StateMachines

/// One client's conversation: what it has sent, what waits for it, and what it is in the middle of.
///
/// It knows lines and nothing of descriptors; whoever owns the connection fills `input` and writes `outbox` out.
struct Session: ~Copyable {
  let environment: Environment
  let watcher: WatcherID
  /// What this client has of the daemon's memory.
  var share = ClientShare()
  var input: InputBuffer
  var outbox = Outbox()
  /// What this client is in the middle of; no other request of its is taken until that is done.
  var activity = Activity.none
  /// What its present activity was asked for with; kept for `activities`.
  var task: Task?
  /// Whether the rest of the activity is a worker's.
  var needsWorker = false
  /// What concerns more than this session and its realm, with the tag of its request; it waits for the service.
  var deferredEffect: (effect: DeferredEffect, tag: [UInt8])?
  /// The lines since `begin`, while they are collected.
  var batch: Batch?
  /// Whether the kept lines are being carried out, with nobody in between.
  var isRunningBatch = false
  /// Whether `quiet on` holds.
  var isQuiet = false
  /// Where the next notice comes from; nil while nothing is watched in the present world.
  var cursor: JournalReader?
  /// Inputs whose notices were dropped, and of which the client has not been told.
  var gap: ClosedRange<UInt64>?
  /// Whether the next lines wait: until the client has read more of its replies, others have had their turn, or the world
  /// is back from a worker.
  var isHeldUp = false
  /// Whether the client is gone: what only tells it something is not done any more.
  var hasReader = true
  /// About how many machines or inputs were looked at for this client since others had their turn.
  var effort = 0
  /// Lines of data of the reply that is being written.
  var replyLines = 0
  /// Whether the last reply was a failure.
  var didFail = false
  /// Whether it has been told of a chain without end.
  var knowsLivelock = false
  /// Whether the last reply holds whatever the store says.
  var isStanding = false
  var life = Life.open
  /// The time of the last reply as text, since most lines of a round share it.
  var stamp = TimeStamp()
  var printer = JournalPrinter()
  /// Notices on their way in front of a reply.
  var noticeScratch = ByteBuffer(capacity: 64)

  enum Life: Equatable {
    case open
    /// The client has closed its sending side: what is complete is answered, then the connection ends.
    case inputEnded
    /// The last line is in the outbox.
    case ended
  }

  init(number: UInt32, _ environment: Environment) {
    self.environment = environment
    watcher = WatcherID(number)
    input = InputBuffer(longestLine: environment.limits.line)
  }

  /// `! bye`, the last line of a connection.
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

/// What an activity was asked for with, as `activities` tells it.
struct Task {
  let verb: Verb
  /// The host time at which it began.
  var since: UInt64
  /// Its number; nil before it was listed.
  var number: UInt64?

  init(_ verb: Verb, since: UInt64 = 0) {
    self.verb = verb
    self.since = since
  }
}

extension Session {
  /// Writes a line of the daemon's own, `! …`.
  mutating func say(_ write: (inout ByteBuffer) -> Void) {
    noticeScratch.removeAll()
    noticeScratch.begin(.flow)
    write(&noticeScratch)
    noticeScratch.endLine()
    append(notices: noticeScratch.bytes)
  }

  /// Appends notices or lines of the daemon's own; behind the reply that is being written, if one is. Nothing comes behind
  /// the goodbye.
  mutating func append(notices: UnsafeRawBufferPointer) {
    if life == .ended { return }
    if activity.isReply { outbox.hold(notices) } else { outbox.insertNotices(notices, at: outbox.buffer.count) }
  }

  /// Ends what the session is in the middle of, whose last line has been written.
  mutating func endActivity() {
    activity = .none
    needsWorker = false
    outbox.release()
  }

  /// Ends what only reads when its reader is gone; what changes something goes on.
  ///
  /// - Returns: Whether something was ended.
  /// - Precondition: The activity is not with a worker.
  @discardableResult
  mutating func endWhatNobodyReads() -> Bool {
    guard !hasReader, activity.onlyReads else { return false }
    endActivity()
    return true
  }

  // MARK: On a worker

  /// A session that goes on with this one's activity on a worker, with an outbox of its own; ``resume(from:)`` brings it back.
  ///
  /// - Parameter environment: The worker's.
  mutating func standIn(_ environment: Environment) -> Session {
    var other = Session(standingInFor: self, environment)
    swap(&other.activity, &activity)
    activity = .away(Activity.Away(other.activity))
    return other
  }

  /// A session that reads what this one watches.
  func reader(_ environment: Environment) -> Session { Session(standingInFor: self, environment) }

  private init(standingInFor other: borrowing Session, _ environment: Environment) {
    self.environment = environment
    watcher = other.watcher
    input = InputBuffer(longestLine: environment.limits.line, capacity: 64)
    outbox = other.outbox.standIn()
    isQuiet = other.isQuiet
    cursor = other.cursor
    gap = other.gap
    task = other.task
    needsWorker = true
    hasReader = other.hasReader
    share.join(other.share.budget)
  }

  /// Goes on where a stand-in stopped.
  ///
  /// - Parameter readsOn: Whether what it has read of the journal was of the world that is still watched.
  mutating func resume(from other: borrowing Session, readsOn: Bool) {
    outbox.append(other.outbox)
    activity = other.activity
    needsWorker = !activity.isNone
    if !activity.isReply { outbox.release() }
    didFail = other.didFail
    guard readsOn else { return }
    cursor = other.cursor
    gap = other.gap
  }

  /// Takes what a reader has read.
  mutating func resume(reading other: borrowing Session) {
    append(notices: other.outbox.buffer.bytes)
    cursor = other.cursor
    gap = other.gap
  }
}

/// ` t=T seq=` as text, kept for the next line, which nearly always has the same moment and the number that follows.
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

  /// Puts the text where there is room for 64 bytes.
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

/// What a session can be in the middle of.
enum Activity {
  case none
  /// An `advance` on its way to `target`.
  case advance(Advance)
  /// A `step` with so many timers to go.
  case step(Step)
  case await(Await)
  /// Going back in time.
  case rewind(Rewind)
  /// A comparison of worlds.
  case compare(Comparison)
  /// A copy of a large world on its way.
  case fork(Fork)
  /// Requests that may take long, which nobody has begun.
  case deferred(Deferred)
  /// What is under way is with a worker or the store's thread.
  case away(Away)
  /// A reply with many lines, written as the client takes it.
  case reply(LongReply, tag: [UInt8])

  struct Advance {
    let target: Instant
    var fired = 0
    let tag: [UInt8]
    /// The host time until which the client may take its notices before time goes on without waiting.
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
    /// Where the search for the state goes on in the journal.
    var reader: JournalReader
    let tag: [UInt8]
    /// Timers that have fired while it drove the clock.
    var fired = 0
    var patience: UInt64?
  }

  /// What is known here of an activity that is with a worker or the store's thread.
  struct Away {
    let tag: [UInt8]
    let isReply: Bool
    let isCancellable: Bool
    let onlyReads: Bool
    let isComparison: Bool
    /// The name of the world that is being made.
    let newWorld: String?

    init(_ activity: Activity) {
      tag = activity.tag
      isReply = activity.isReply
      isCancellable = activity.isCancellable
      onlyReads = activity.onlyReads
      isComparison = activity.isComparison
      newWorld = activity.newWorld
    }

    /// A change of the worlds that the store's thread makes. Nothing ends it before it is done.
    init(changingWorlds tag: [UInt8], newWorld: String?) {
      self.tag = tag
      self.newWorld = newWorld
      isReply = false
      isCancellable = false
      onlyReads = false
      isComparison = false
    }
  }

  struct Fork {
    let name: String
    let tag: [UInt8]
  }

  struct Deferred {
    enum Requests {
      /// One line, as it was sent.
      case line([UInt8])
      case batch(Batch)
    }
    let requests: Requests
    let tag: [UInt8]
  }

  struct Rewind {
    let rewinding: Rewinding
    /// How many requests were to be undone; nil where the way is to a moment.
    let count: UInt64?
    let tag: [UInt8]
    /// What is left to do, once the way is found.
    var end = End.open
    /// Whether the world was put back, which is to be told.
    var isDone: Bool { if case .done = end { true } else { false } }

    enum End {
      case open
      /// Nothing speaks against it; the world is to be put back.
      case allowed
      /// It was, and these inputs are undone.
      case done(ClosedRange<UInt64>?)
    }
  }

  /// Whether `cancel` ends it.
  var isCancellable: Bool {
    switch self {
    case .advance, .step, .await, .compare, .fork, .deferred, .reply: true
    case .rewind(let rewind): !rewind.isDone
    case .away(let away): away.isCancellable
    case .none: false
    }
  }

  /// Whether a reply of many lines is being written, into which nothing may come.
  var isReply: Bool {
    switch self {
    case .reply, .compare: true
    case .away(let away): away.isReply
    case .none, .advance, .step, .await, .rewind, .fork, .deferred: false
    }
  }

  /// Whether none of it is done on the event loop.
  var isForWorkers: Bool {
    switch self {
    case .rewind, .compare, .fork, .deferred, .away: true
    case .reply(let reply, _): reply.isForWorkers
    case .none, .advance, .step, .await: false
    }
  }

  /// Whether it looks at two worlds, of which neither need be the present one.
  var isComparison: Bool {
    switch self {
    case .compare: true
    case .away(let away): away.isComparison
    case .none, .advance, .step, .await, .rewind, .fork, .deferred, .reply: false
    }
  }

  /// The name of the world that is being made; nobody else may have it.
  var newWorld: String? {
    switch self {
    case .fork(let fork): fork.name
    case .away(let away): away.newWorld
    case .none, .advance, .step, .await, .rewind, .compare, .reply, .deferred: nil
    }
  }

  /// Whether nobody has begun with it.
  var isDeferred: Bool { if case .deferred = self { true } else { false } }

  /// Whether it changes nothing: without a reader there is no sense in it.
  var onlyReads: Bool {
    switch self {
    case .await, .compare, .reply: true
    case .away(let away): away.onlyReads
    case .none, .advance, .step, .rewind, .fork, .deferred: false
    }
  }

  /// The tag of the request that it answers.
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
