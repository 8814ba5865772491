public import StateMachines

/// A payment by card: authorised, perhaps challenged, captured, and refunded on request.
///
/// The subject is doubt. A request without an answer may still have been carried out, so a time-out never leads to
/// another charge: the machine moves to `unknown` and keeps asking what became of the attempt, which keeps its number.
/// Only the person begins another attempt, after a refusal.
///
/// | state | moves on | stayed | refused |
/// | --- | --- | --- | --- |
/// | idle | checkout → entering | | all others but networkError and time-out |
/// | entering | submit → authorizing, cancel → cancelled | | checkout, refund |
/// | authorizing | authorized → capturing, challenge → challenge, declined → declined, networkError and time-out → unknown | | checkout, submit, cancel, refund |
/// | challenge | challengePassed → capturing, challengeFailed and time-out → declined, cancel → cancelled | networkError | checkout, submit, refund |
/// | capturing | captured → paid, declined → declined, networkError and time-out → unknown | | checkout, submit, cancel, refund |
/// | unknown | authorized → capturing, captured → paid, declined → declined | networkError, time-out: asks again | checkout, submit, cancel, refund |
/// | paid | refund → refunding | | checkout, submit, cancel |
/// | declined | submit → authorizing, cancel → cancelled | captured: alert | refund, submit after `maxAttempts` |
/// | refunding | refundDone → refunded | networkError, time-out: asks again | checkout, submit, cancel, refund |
/// | cancelled, refunded | | captured: money back, alert | checkout, submit, refund |
///
/// Everything else is ignored: a duplicate, or an answer that comes too late. `timeout` can be sent; the timers
/// `authorize`, `challenge`, `capture` and `reconcile` have the same effect when they expire.
///
/// With `service=auto` a simulated bank answers each request after `latency`. It declines the card `bad` and accepts
/// any other. A request that fails (`failures`, `failureRate`) is still carried out: only its answer is lost, so the
/// machine must ask what became of it.
///
/// Chosen here: money captured after a decline raises an alert, and money captured after the end is also sent back, so
/// these events are stayed, not ignored; a refund without an answer is requested again every `reconcile`, with the
/// number of its attempt.
public struct Payment: Machine {
  public enum State: StateWithData {
    case idle, entering, authorizing, challenge, capturing
    /// A request got no answer; it may have been carried out.
    case unknown
    case paid
    case declined(String)
    case refunding, cancelled, refunded

    public enum Name: NamedCases {
      case idle, entering, authorizing, challenge, capturing, unknown, paid, declined, refunding, cancelled, refunded
    }

    public var data: String? { if case .declined(let reason) = self { reason } else { nil } }
    public static var carriesData: Bool { true }
    public static var samples: [State] { [.declined("declined")] }
  }

  public enum Event: MachineEvent, Codable {
    case checkout(Double), submit(String)
    case authorized, challenge, challengePassed, challengeFailed
    case declined(String)
    case captured, networkError, cancel, timeout, refund, refundDone
    case expired(Wait)
  }

  /// The answer that a timer waits for.
  public enum Wait: Sendable, Codable { case authorize, challenge, capture, reconcile }

  public enum Output: OutputWithData {
    case authorize(attempt: Int, sum: Double)
    case capture(attempt: Int), query(attempt: Int), refund(attempt: Int)
    case alert(String)

    public enum Name: NamedCases { case authorize, capture, query, refund, alert }
  }

  public struct Parameters: ServedParameters {
    var service = SimulatedService(mode: .manual, latency: .seconds(1))
    var authorize = Duration.seconds(30)
    var challenge = Duration.seconds(300)
    var capture = Duration.seconds(30)
    var reconcile = Duration.seconds(5)
    var maxAttempts = 3
    public init() {}
  }

  public var state = State.idle
  private var sum: Double?
  /// The number of the present attempt, which makes a repeated request harmless.
  private var attempt = 0
  private var card = ""
  /// The simulated bank's result of the last request.
  private var outcome: Event?
  /// Whether the simulated bank is going to answer.
  private var isAnswering = false
  @RequestCount private var requests = 0
  public init() {}

  /// In `unknown` the money has moved, and nobody has been told.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    if name == .unknown { outcome = .captured }
    attempt = [.idle, .entering, .cancelled].contains(name) ? 0 : 1
    return State(sampleNamed: name)
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .authorizing: .after(parameters.authorize, .expired(.authorize)) + answer(parameters)
    case .challenge: .after(parameters.challenge, .expired(.challenge))
    case .capturing: .after(parameters.capture, .expired(.capture)) + answer(parameters)
    case .unknown, .refunding: .after(parameters.reconcile, .expired(.reconcile)) + answer(parameters)
    case .idle, .entering, .paid, .declined, .cancelled, .refunded: .none
    }
  }

  /// The answer of the simulated bank.
  private func answer(_ parameters: Parameters) -> StateTimers<Self> {
    guard isAnswering, let outcome else { return .none }
    return .after(parameters.service.latency, outcome)
  }

  /// Asks the bank.
  public mutating func entered(_ state: State, _ step: Step<Self>) {
    isAnswering = false
    switch state {
    case .authorizing:
      ask(.authorize(attempt: attempt, sum: sum ?? 0), for: card == "bad" ? .declined("funds") : .authorized, step)
    case .capturing: ask(.capture(attempt: attempt), for: .captured, step)
    case .refunding: ask(.refund(attempt: attempt), for: .refundDone, step)
    case .idle, .entering, .challenge, .unknown, .paid, .declined, .cancelled, .refunded: break
    }
  }

  /// Asks the bank. A simulated bank carries the request out, and decides now whether its answer arrives.
  private mutating func ask(_ question: Output, for outcome: Event?, _ step: Step<Self>) {
    step.emit(question)
    guard step.parameters.service.isAutomatic else { return }
    requests += 1
    self.outcome = outcome
    // A request that fails loses its own answer, not that of an earlier one.
    if !step.parameters.service.fails(request: requests, step) { isAnswering = true }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .checkout(let sum):
      switch state {
      case .idle: begin(sum)
      case .entering, .authorizing, .challenge, .capturing, .unknown, .refunding: step.refuse("a payment is under way")
      case .paid, .cancelled, .refunded: step.refuse("this payment is over: make another")
      case .declined: .ignore
      }
    case .submit(let card):
      switch state {
      case .idle: step.refuse("there is no payment yet: send checkout")
      case .declined where step.when("no attempt left", attempt >= step.parameters.maxAttempts):
        step.refuse("\(attempt) attempts were made, which is the limit")
      case .entering, .declined: beginAttempt(card)
      case .authorizing, .challenge, .capturing, .unknown:
        step.refuse("the card was submitted already")
      case .paid, .refunding: step.refuse("the payment is complete")
      case .cancelled, .refunded: step.refuse("this payment is over: make another")
      }
    case .authorized:
      switch state {
      case .idle: step.refuse(Self.isNotBegun)
      case .authorizing, .unknown: .move(to: .capturing)
      case .entering, .challenge, .capturing, .paid, .declined, .refunding, .cancelled, .refunded: .ignore
      }
    case .challenge:
      switch state {
      case .idle: step.refuse(Self.isNotBegun)
      case .authorizing: .move(to: .challenge)
      case .entering, .challenge, .capturing, .unknown, .paid, .declined, .refunding, .cancelled, .refunded: .ignore
      }
    case .challengePassed, .challengeFailed:
      switch state {
      case .idle: step.refuse(Self.isNotBegun)
      case .challenge: .move(to: event == .challengePassed ? .capturing : .declined("challengeFailed"))
      case .entering, .authorizing, .capturing, .unknown, .paid, .declined, .refunding, .cancelled, .refunded: .ignore
      }
    case .declined(let reason):
      switch state {
      case .idle: step.refuse(Self.isNotBegun)
      case .authorizing, .capturing, .unknown: .move(to: .declined(reason))
      case .entering, .challenge, .paid, .declined, .refunding, .cancelled, .refunded: .ignore
      }
    case .captured:
      switch state {
      case .idle: step.refuse(Self.isNotBegun)
      case .capturing, .unknown: .move(to: .paid)
      case .declined: step.emit(.alert("captured after it was declined"), then: .stay)
      case .cancelled, .refunded: step.emit(.refund(attempt: attempt), .alert("captured after the end"), then: .stay)
      case .entering, .authorizing, .challenge, .paid, .refunding: .ignore
      }
    case .cancel:
      switch state {
      case .idle: step.refuse(Self.isNotBegun)
      case .entering, .challenge, .declined: .move(to: .cancelled)
      case .authorizing, .capturing, .unknown: step.refuse("the bank was asked, and its answer is not known yet")
      case .paid: step.refuse("the payment is complete: send refund")
      case .refunding: step.refuse("the refund is under way")
      case .cancelled, .refunded: .ignore
      }
    case .refund:
      switch state {
      case .paid: .move(to: .refunding)
      case .idle, .entering, .authorizing, .challenge, .capturing, .unknown, .declined, .cancelled:
        step.refuse("nothing was paid")
      case .refunding, .refunded: step.refuse("a refund was requested already")
      }
    case .refundDone:
      switch state {
      case .idle: step.refuse(Self.isNotBegun)
      case .refunding: .move(to: .refunded)
      case .entering, .authorizing, .challenge, .capturing, .unknown, .paid, .declined, .cancelled, .refunded: .ignore
      }
    case .networkError, .timeout, .expired:
      switch state {
      case .authorizing, .capturing: .move(to: .unknown)
      // A lost message is no reason to give up: the person can still pass the challenge.
      case .challenge: event == .networkError ? .stay : .move(to: .declined("expired"))
      case .unknown: askAgain(.query(attempt: attempt), step)
      case .refunding: askAgain(.refund(attempt: attempt), step)
      case .idle, .entering, .paid, .declined, .cancelled, .refunded: .ignore
      }
    }
  }

  private static let isNotBegun = "there is no payment yet"

  private mutating func begin(_ sum: Double) -> Reaction<State> {
    self.sum = sum
    return .move(to: .entering)
  }

  private mutating func beginAttempt(_ card: String) -> Reaction<State> {
    attempt += 1
    self.card = card
    return .move(to: .authorizing)
  }

  /// Repeats an unanswered request under the same number, so that nothing is charged twice.
  private mutating func askAgain(_ question: Output, _ step: Step<Self>) -> Reaction<State> {
    ask(question, for: outcome, step)
    step.arm(.expired(.reconcile), after: step.parameters.reconcile)
    return .stay
  }

  public static let kind = Kind(
    Payment.self, "payment", "a card payment that never charges twice, even if messages are lost",
    origin: "a conference talk on state machines in iOS applications names payments; this table is designed here",
    source: "talk",
    example: [
      "new payment p", "send p checkout 25", "send p submit visa", "advance 30s", "send p submit visa", "advance 5s",
      "send p captured", "send p refund", "send p refundDone", "show p",
      "new payment q service=auto failures=1", "send q checkout 25", "send q submit visa", "advance 36s", "show q",
    ],
    states: {
      switch $0 {
      case .idle: "there is no payment"
      case .entering: "the person is entering the card"
      case .authorizing: "the bank was asked to authorise the sum"
      case .challenge: "the bank asks the person for a proof of identity"
      case .capturing: "the bank was asked to capture the money"
      case .unknown: "a request got no answer; it may have been carried out"
      case .paid: "the money was captured"
      case .declined: "the attempt was declined, for this reason"
      case .refunding: "the bank was asked for a refund"
      case .cancelled: "the payment was cancelled before any money was captured"
      case .refunded: "the money was refunded"
      }
    },
    events: [
      .event(Event.checkout, .number("sum", 0.01...1_000_000_000, unit: "", like: [25]), about: "starts a payment"),
      .event(Event.submit, .text("card", bytes: 1...64, like: ["card"]), about: "the person submits the card"),
      .event(.authorized, "the bank has authorised the sum"),
      .event(.challenge, "the bank asks the person for a proof of identity"),
      .event(.challengePassed, "the person has passed the challenge"),
      .event(.challengeFailed, "the person has failed the challenge"),
      .event(Event.declined, .text("reason", bytes: 1...64, like: ["funds"]), about: "the bank has declined it"),
      .event(.captured, "the bank has captured the money"),
      .event(.networkError, "a request or its answer was lost"),
      .event(.cancel, "the person cancels the payment"),
      .event(.timeout, "the request has timed out, as when its timer expires"),
      .event(.refund, "requests a refund"),
      .event(.refundDone, "the bank has refunded the money"),
    ],
    timers: [
      .timer(.expired(.authorize), named: "authorize", after: "authorize", "the authorisation has timed out"),
      .timer(.expired(.challenge), named: "challenge", after: "challenge", "the challenge has timed out"),
      .timer(.expired(.capture), named: "capture", after: "capture", "the capture has timed out"),
      .timer(.expired(.reconcile), named: "reconcile", after: "reconcile", "the bank is asked again"),
      .timer(.authorized, after: "latency", "the simulated bank authorises the sum"),
      .timer(.declined(""), after: "latency", "the simulated bank declines the card"),
      .timer(.captured, after: "latency", "the simulated bank captures the money"),
      .timer(.refundDone, after: "latency", "the simulated bank refunds the money"),
    ],
    outputs: {
      switch $0 {
      case .authorize: .output(("attempt", .attempt), ("sum", .sum), about: "asks the bank to authorise the sum")
      case .capture: .output(("attempt", .attempt), about: "asks the bank to capture the money")
      case .query: .output(("attempt", .attempt), about: "asks the bank for the result of an attempt")
      case .refund: .output(("attempt", .attempt), about: "asks the bank for a refund")
      case .alert: .output(("text", .text(bytes: 1...64)), about: "a problem that a person must look at")
      }
    },
    readings: [
      .reading("sum", .sum, \.sum, "the sum to pay"),
      .reading("attempts", .attempt, \.attempt, "the number of attempts"),
    ],
    parameters: [
      .parameter("authorize", \.authorize, .delay, "the timeout of an authorisation"),
      .parameter("challenge", \.challenge, .delay, "the timeout of a challenge"),
      .parameter("capture", \.capture, .delay, "the timeout of a capture"),
      .parameter(
        "reconcile", \.reconcile, .interval(.milliseconds(1) ... .days(365)),
        "how often the bank is asked about an unanswered request"),
      .parameter("maxAttempts", \.maxAttempts, .integer(1...100), "the maximum number of attempts"),
    ] + Parameters.serviceForms)
}

extension ValueType {
  fileprivate static let attempt = ValueType.integer(0...1_000_000)
  fileprivate static let sum = ValueType.number(0...1_000_000_000, unit: "")
}
