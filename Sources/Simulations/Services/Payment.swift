public import StateMachines

/// A payment by card: authorised, perhaps challenged, captured, and refunded when asked for.
///
/// What it is about is the doubt. A request that got no answer may still have been carried out, so a time-out never leads
/// to another charge: the machine goes to `unknown` and asks again and again what has become of the attempt, which
/// bears the same number all the time. Only the person, after a refusal, begins another attempt.
///
/// | state | moves on | stayed | refused |
/// | --- | --- | --- | --- |
/// | idle | checkout → entering | | all that belongs to a payment |
/// | entering | submit → authorizing, cancel → cancelled | | checkout, refund |
/// | authorizing | authorized → capturing, challenge → challenge, declined → declined, networkError and time-out → unknown | | checkout, submit, cancel, refund |
/// | challenge | challengePassed → capturing, challengeFailed and time-out → declined, cancel → cancelled | networkError | checkout, submit, refund |
/// | capturing | captured → paid, declined → declined, networkError and time-out → unknown | | checkout, submit, cancel, refund |
/// | unknown | authorized → capturing, captured → paid, declined → declined | networkError, time-out: asks again | checkout, submit, cancel, refund |
/// | paid | refund → refunding | | checkout, submit, cancel |
/// | declined | submit → authorizing, cancel → cancelled | captured: alert | refund, a submit too many |
/// | refunding | refundDone → refunded | networkError, time-out: asks again | checkout, submit, cancel, refund |
/// | cancelled, refunded | | captured: money back, alert | checkout, submit, refund |
///
/// All else is ignored: a duplicate, or an answer that comes too late. `timeout` can be sent, and it is what the timers
/// `authorize`, `challenge`, `capture` and `reconcile` mean when they expire.
///
/// Chosen here: money captured after a refusal of the card raises an alert, and money captured after a cancellation is
/// also sent back, so these are stayed, not ignored; a refund that gets no answer is asked for again every
/// `reconcile`, with the number of the attempt that it belongs to.
public struct Payment: LegacyMachine {
  public enum State: StateWithData {
    /// Nothing is to be paid.
    case idle
    /// The sum is known, and the card is being typed in.
    case entering
    /// The bank was asked. `authorize` is running.
    case authorizing
    /// The bank wants the person to prove who they are. `challenge` is running.
    case challenge
    /// The bank was asked to move the money. `capture` is running.
    case capturing
    /// A request got no answer: it may have been carried out. `reconcile` is running.
    case unknown
    /// The money has moved.
    case paid
    /// The attempt came to nothing. Another may follow.
    case declined(String)
    /// The bank was asked to move the money back. `reconcile` is running.
    case refunding
    /// Given up before any money moved.
    case cancelled
    /// The money is back.
    case refunded

    public enum Name: NamedCases {
      case idle, entering, authorizing, challenge, capturing, unknown, paid, declined, refunding, cancelled, refunded
    }

    public var name: Name {
      switch self {
      case .idle: .idle
      case .entering: .entering
      case .authorizing: .authorizing
      case .challenge: .challenge
      case .capturing: .capturing
      case .unknown: .unknown
      case .paid: .paid
      case .declined: .declined
      case .refunding: .refunding
      case .cancelled: .cancelled
      case .refunded: .refunded
      }
    }

    public var data: String? { if case .declined(let reason) = self { reason } else { nil } }
    public static var carriesData: Bool { true }
  }

  public enum Event: Sendable {
    case checkout(Double)
    case submit(String)
    case authorized, challenge, challengePassed, challengeFailed
    case declined(String)
    case captured, networkError, cancel, timeout, refund, refundDone
  }

  public enum TimerName: NamedCases { case authorize, challenge, capture, reconcile }

  public enum Output: OutputWithData {
    case authorize(attempt: Int, sum: Double)
    case capture(attempt: Int)
    case query(attempt: Int)
    case refund(attempt: Int)
    case alert(String)

    public enum Name: NamedCases { case authorize, capture, query, refund, alert }

    public var name: Name {
      switch self {
      case .authorize: .authorize
      case .capture: .capture
      case .query: .query
      case .refund: .refund
      case .alert: .alert
      }
    }

    public var data: [Value] {
      switch self {
      case .authorize(let attempt, let sum): [.integer(attempt), .number(sum)]
      case .capture(let attempt), .query(let attempt), .refund(let attempt): [.integer(attempt)]
      case .alert(let text): [.text(text)]
      }
    }
  }

  public struct Parameters: ParameterSet {
    var authorize = Interval.seconds(30)
    var challenge = Interval.seconds(300)
    var capture = Interval.seconds(30)
    var reconcile = Interval.seconds(5)
    var maxAttempts = 3
    public init() {}
  }

  public var state: State
  private var sum: Double?
  /// The number of the present attempt: what makes asking twice harmless.
  private var attempt: Int

  public init(initial: State.Name?, _ step: Step<Self>) {
    let name = initial ?? .idle
    attempt = [.idle, .entering, .cancelled].contains(name) ? 0 : 1
    state = Payment.state(named: name)
    enter(step)
  }

  private static func state(named name: State.Name) -> State {
    switch name {
    case .idle: .idle
    case .entering: .entering
    case .authorizing: .authorizing
    case .challenge: .challenge
    case .capturing: .capturing
    case .unknown: .unknown
    case .paid: .paid
    case .declined: .declined("declined")
    case .refunding: .refunding
    case .cancelled: .cancelled
    case .refunded: .refunded
    }
  }

  // Column by column, since the compiler gives up on checking so large a table at once.
  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(.checkout(let sum)):
      switch state {
      case .idle:
        self.sum = sum
        return go(to: .entering, step)
      case .entering, .authorizing, .challenge, .capturing, .unknown, .refunding:
        return step.refuse("a payment is under way")
      case .paid, .cancelled, .refunded: return step.refuse("this payment is over: make another")
      case .declined: return .ignore
      }
    case .event(.submit):
      switch state {
      case .idle: return step.refuse("there is nothing to pay yet: begin with checkout")
      case .entering: return beginAttempt(step)
      case .declined:
        guard attempt < step.parameters.maxAttempts else {
          return step.refuse("\(attempt) attempts were made, and no more are allowed")
        }
        return beginAttempt(step)
      case .authorizing, .challenge, .capturing, .unknown:
        return step.refuse("the card was submitted, and a second charge must not follow")
      case .paid, .refunding: return step.refuse("it is paid")
      case .cancelled, .refunded: return step.refuse("this payment is over: make another")
      }
    case .event(.authorized):
      switch state {
      case .idle: return step.refuse("there is no payment yet")
      case .authorizing, .unknown: return go(to: .capturing, step)
      case .entering, .challenge, .capturing, .paid, .declined, .refunding, .cancelled, .refunded: return .ignore
      }
    case .event(.challenge):
      switch state {
      case .idle: return step.refuse("there is no payment yet")
      case .authorizing: return go(to: .challenge, step)
      case .entering, .challenge, .capturing, .unknown, .paid, .declined, .refunding, .cancelled, .refunded:
        return .ignore
      }
    case .event(.challengePassed):
      switch state {
      case .idle: return step.refuse("there is no payment yet")
      case .challenge: return go(to: .capturing, step)
      case .entering, .authorizing, .capturing, .unknown, .paid, .declined, .refunding, .cancelled, .refunded:
        return .ignore
      }
    case .event(.challengeFailed):
      switch state {
      case .idle: return step.refuse("there is no payment yet")
      case .challenge: return go(to: .declined("challengeFailed"), step)
      case .entering, .authorizing, .capturing, .unknown, .paid, .declined, .refunding, .cancelled, .refunded:
        return .ignore
      }
    case .event(.declined(let reason)):
      switch state {
      case .idle: return step.refuse("there is no payment yet")
      case .authorizing, .capturing, .unknown: return go(to: .declined(reason), step)
      case .entering, .challenge, .paid, .declined, .refunding, .cancelled, .refunded: return .ignore
      }
    case .event(.captured):
      switch state {
      case .idle: return step.refuse("there is no payment yet")
      case .capturing, .unknown: return go(to: .paid, step)
      case .declined:
        step.emit(.alert("captured after it was declined"))
        return .stay
      case .cancelled, .refunded:
        step.emit(.refund(attempt: attempt))
        step.emit(.alert("captured after the end"))
        return .stay
      case .entering, .authorizing, .challenge, .paid, .refunding: return .ignore
      }
    case .event(.cancel):
      switch state {
      case .idle: return step.refuse("there is no payment yet")
      case .entering, .challenge, .declined: return go(to: .cancelled, step)
      case .authorizing, .capturing, .unknown:
        return step.refuse("the bank has been asked, and nobody knows yet what it did")
      case .paid: return step.refuse("it is paid: ask for a refund")
      case .refunding: return step.refuse("the money is on its way back")
      case .cancelled, .refunded: return .ignore
      }
    case .event(.refund):
      switch state {
      case .paid: return go(to: .refunding, step)
      case .idle, .entering, .authorizing, .challenge, .capturing, .unknown, .declined, .cancelled:
        return step.refuse("nothing was paid")
      case .refunding, .refunded: return step.refuse("it is refunded already")
      }
    case .event(.refundDone):
      switch state {
      case .idle: return step.refuse("there is no payment yet")
      case .refunding: return go(to: .refunded, step)
      case .entering, .authorizing, .challenge, .capturing, .unknown, .paid, .declined, .cancelled, .refunded:
        return .ignore
      }
    case .event(.networkError):
      if case .challenge = state { return .stay }  // The person can still prove it.
      return doubt(step)
    case .event(.timeout), .expired(.authorize), .expired(.challenge), .expired(.capture), .expired(.reconcile):
      if case .challenge = state { return go(to: .declined("expired"), step) }
      return doubt(step)
    }
  }

  /// No answer came: nobody knows what was done, so it is asked and nothing is sent twice.
  private func doubt(_ step: Step<Self>) -> Reaction<State> {
    switch state {
    case .authorizing, .capturing:
      return go(to: .unknown, step)
    case .unknown:
      step.emit(.query(attempt: attempt))
      step.arm(.reconcile, after: step.parameters.reconcile)
      return .stay
    case .refunding:
      step.emit(.refund(attempt: attempt))
      step.arm(.reconcile, after: step.parameters.reconcile)
      return .stay
    case .idle, .entering, .challenge, .paid, .declined, .cancelled, .refunded:
      return .ignore  // Nothing is being asked.
    }
  }

  private mutating func beginAttempt(_ step: Step<Self>) -> Reaction<State> {
    attempt += 1
    return go(to: .authorizing, step)
  }

  /// Leaves the present state with its timer and enters the next.
  private func go(to next: State, _ step: Step<Self>) -> Reaction<State> {
    for timer in TimerName.allCases where asksFor(timer) { step.disarm(timer) }
    var entered = self
    entered.state = next
    entered.enter(step)
    return .move(to: next)
  }

  /// What is asked and waited for on entering the present state.
  private func enter(_ step: Step<Self>) {
    switch state {
    case .authorizing:
      step.emit(.authorize(attempt: attempt, sum: sum ?? 0))
      step.arm(.authorize, after: step.parameters.authorize)
    case .challenge: step.arm(.challenge, after: step.parameters.challenge)
    case .capturing:
      step.emit(.capture(attempt: attempt))
      step.arm(.capture, after: step.parameters.capture)
    case .unknown: step.arm(.reconcile, after: step.parameters.reconcile)
    case .refunding:
      step.emit(.refund(attempt: attempt))
      step.arm(.reconcile, after: step.parameters.reconcile)
    case .idle, .entering, .paid, .declined, .cancelled, .refunded: break
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state) {
    case (.authorize, .authorizing), (.challenge, .challenge), (.capture, .capturing), (.reconcile, .unknown),
      (.reconcile, .refunding):
      true
    case (.authorize, _), (.challenge, _), (.capture, _), (.reconcile, _): false
    }
  }

  fileprivate var facts: (sum: Double?, attempts: Int) { (sum, attempt) }
}

extension Payment {
  public static let kind = Kind(
    Payment.self, "payment", "a card payment that never charges twice, whatever gets lost on the way",
    origin: """
      a conference talk on state machines in iOS applications names a payment module as the thing with many states; \
      the table is designed here, after what card payments are like
      """,
    example: [
      "new payment p", "send p checkout 25", "send p submit visa", "advance 30s", "send p submit visa", "advance 5s",
      "send p captured", "send p refund", "send p refundDone", "show p",
    ],
    states: [
      .idle: "nothing is to be paid",
      .entering: "the card is being typed in",
      .authorizing: "the bank was asked whether the card is good for the sum",
      .challenge: "the person must prove who they are",
      .capturing: "the bank was asked to move the money",
      .unknown: "a request got no answer, and may have been carried out",
      .paid: "the money has moved",
      .declined: "the attempt came to nothing, for the reason in parentheses",
      .refunding: "the bank was asked to move the money back",
      .cancelled: "given up before any money moved",
      .refunded: "the money is back",
    ],
    events: [
      .event(
        Event.checkout, .number("sum", 0.01...1_000_000_000, unit: "", like: [25]), about: "there is a sum to pay"),
      .event(Event.submit, .text("card", bytes: 1...64, like: ["card"]), about: "the person sends the card's number"),
      .event(.authorized, "the bank says that the card is good for the sum"),
      .event(.challenge, "the bank wants the person to prove who they are"),
      .event(.challengePassed, "the person has proved it"),
      .event(.challengeFailed, "the person has not"),
      .event(Event.declined, .text("reason", bytes: 1...64, like: ["funds"]), about: "the bank refuses"),
      .event(.captured, "the bank has moved the money"),
      .event(.networkError, "a request did not get through, or its answer did not"),
      .event(.cancel, "the person gives up"),
      .event(.timeout, "no answer has come for too long; what the timers mean when they expire"),
      .event(.refund, "the money is wanted back"),
      .event(.refundDone, "the bank has moved it back"),
    ],
    timers: [
      .authorize: .after("authorize", "the bank has not said whether the card is good"),
      .challenge: .after("challenge", "the person has not proved who they are"),
      .capture: .after("capture", "the bank has not said that the money moved"),
      .reconcile: .after("reconcile", "it is time to ask again what became of the request"),
    ],
    outputs: [
      .authorize: .output(("attempt", .attempt), ("sum", .sum), about: "asks the bank for the sum"),
      .capture: .output(("attempt", .attempt), about: "asks the bank to move the money"),
      .query: .output(("attempt", .attempt), about: "asks the bank what became of an attempt"),
      .refund: .output(("attempt", .attempt), about: "asks the bank to move the money back"),
      .alert: .output(("text", .text(bytes: 1...64)), about: "somebody must look at this"),
    ],
    readings: [
      .reading("sum", .sum, "that is to be paid") { machine, _, _ in machine.facts.sum },
      .reading("attempts", .attempt, "that were made") { machine, _, _ in machine.facts.attempts },
    ],
    parameters: [
      .parameter("authorize", \.authorize, .delay, "how long the bank may take to authorise"),
      .parameter("challenge", \.challenge, .delay, "how long the person may take to prove who they are"),
      .parameter("capture", \.capture, .delay, "how long the bank may take to move the money"),
      .parameter(
        "reconcile", \.reconcile, .interval(.milliseconds(1) ... .days(365)),
        "how often an unanswered request is asked about"),
      .parameter("maxAttempts", \.maxAttempts, .integer(1...100), "how many attempts a payment may have"),
    ])
}

extension ValueType {
  fileprivate static let attempt = ValueType.integer(0...1_000_000)
  fileprivate static let sum = ValueType.number(0...1_000_000_000, unit: "")
}
