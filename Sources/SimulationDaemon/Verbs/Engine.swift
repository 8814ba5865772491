import LineProtocol
import Simulator
import StateMachines

/// What carries requests out: the verbs, given a session and the realm that it uses.
///
/// It holds only what never changes while the daemon runs, and the counters. What is to be done outside of the one realm comes back as an
/// ``DeferredEffect``.
struct Engine {
  let catalogue: Catalogue
  let limits: Limits
  let version: String
  let counters: Counters
  /// Whether worlds can be durable.
  let keepsWorlds: Bool
  let graphs: Graphs
}

/// What is left to do when a handler returns.
enum DeferredEffect {
  /// Nothing: the request is answered, or has become the session's activity.
  case none
  /// Something that concerns other worlds, other sessions or the daemon; the owner of those does it.
  case service(ServiceEffect)
}

enum ServiceEffect {
  case describeWorld
  case activities
  /// Ends what another session does.
  case cancel(UInt64)
  case use(String)
  case newWorld(String, clock: WorldClock.Mode, seed: UInt64, isDurable: Bool)
  case forkWorld(String)
  case dropWorld(String)
  case listWorlds
  case compare(String, String)
  /// Those who watch in full are to hear of a change of the clock, and then the request is answered.
  case changeClock(String, isShown: Bool)
  /// What the daemon sends to this client is to be written in this form, from the answer on.
  case changeForm(LineForm)
  /// All who use the realm are to hear of a chain without end.
  case announceLivelock
  case quit
  case shutdown
}

extension Engine {
  /// Carries out one request.
  ///
  /// Timers that are due fire first; `step` alone decides for itself which.
  @inline(__always)
  func run(_ request: borrowing Request, _ session: inout Session, _ realm: inout Realm) -> DeferredEffect {
    session.didFail = false
    guard let verb = Verb(request.verb) else {
      session.isStanding = realm.stored != nil
      failUnknownVerb(request, &session)
      return .none
    }
    if let outage = realm.outage {
      if verb.asksTheWorld, !outage.isReadable || !verb.leavesTheWorldAlone {
        session.failStorage(Array(request.tag), world: realm.name, outage.reason)
        return .none
      }
      // What is due stays due: nothing can be stored.
      return runSlowly(verb, request, &session, &realm)
    }
    // Compared as patterns: `==` of an enum from another target is a call.
    if case .send = verb {
      fireDue(&session, &realm)
      guard realm.hasRoomForInputs || admitsInput(request.tag, &session, &realm) else { return .none }
      send(request, &session, &realm)
      return .none
    }
    if case .step = verb {} else { fireDue(&session, &realm) }
    return runSlowly(verb, request, &session, &realm)
  }

  /// Fires the timers that are due. A chain without end that begins there is told of, and is not the request's failure.
  @inline(__always)
  func fireDue(_ session: inout Session, _ realm: inout Realm) {
    realm.world.fireDue()
    if realm.world.livelock != nil, let livelock = realm.takeLivelock() { tellLivelock(livelock, &session, realm) }
  }

  @inline(never)
  private func runSlowly(
    _ verb: Verb, _ request: borrowing Request, _ session: inout Session, _ realm: inout Realm
  ) -> DeferredEffect {
    let words = Words(request)
    guard check(words, verb.entry, &session), admits(verb, words, &session, &realm) else { return .none }
    session.task = Task(verb, since: realm.host)
    session.isStanding = realm.stored != nil && !verb.asksTheWorld
    if !verb.needsTheWorld { return run(verb, words, &session) }
    session.effort += effort(of: verb, bytes: 0, realm)
    switch verb {
    case .describe: describe(words, &session, isOnWorker: realm.slice.isOnWorker)
    case .new: new(words, &session, &realm)
    case .drop: drop(words, &session, &realm)
    case .list: list(words, &session, &realm)
    case .count: count(words, &session, &realm)
    case .show: show(words, &session, &realm)
    case .can: can(words, &session, &realm)
    case .send: send(request, &session, &realm)
    case .cast: cast(words, &session, &realm)
    case .wire: wire(words, &session, &realm)
    case .unwire: unwire(words, &session, &realm)
    case .wires: wires(words, &session, &realm)
    case .watch: watch(words, &session, &realm)
    case .unwatch: unwatch(words, &session, &realm)
    case .journal: journal(words, &session, &realm)
    case .graph: graph(words, &session, &realm)
    case .coverage: coverage(words, &session, &realm)
    case .clock: return clock(words, &session, &realm)
    case .speed: return speed(words, &session, &realm)
    case .pause: return pause(words, &session, &realm)
    case .resume: return resume(words, &session, &realm)
    case .advance: advance(words, &session, &realm)
    case .step: step(words, &session, &realm)
    case .agenda: agenda(words, &session, &realm)
    case .fire: fire(words, &session, &realm)
    case .await: awaitState(words, &session, &realm)
    case .expect: expect(words, &session, &realm)
    case .undo: undo(words, &session, &realm)
    case .goto: goTo(words, &session, &realm)
    case .limits: showLimits(words, &session, realm)
    case .stats: stats(words, &session, &realm)
    case .sync:
      flushNotices(&session, realm.world, mayDrop: true)
      tellGap(&session)
      succeed(words, &session)
    case .help, .kinds, .cancel, .world, .use, .worlds, .diff, .begin, .end, .quiet, .mode, .activities, .quit,
      .shutdown:
      break  // Carried out already, without the world.
    }
    return .none
  }

  /// Carries out a request while the world is with a worker.
  ///
  /// - Precondition: Its verb does not need the world.
  func runWithoutWorld(_ request: borrowing Request, _ session: inout Session) -> DeferredEffect {
    session.didFail = false
    guard let verb = Verb(request.verb) else {
      failUnknownVerb(request, &session)
      return .none
    }
    let words = Words(request)
    guard check(words, verb.entry, &session) else { return .none }
    return run(verb, words, &session)
  }

  /// Carries out a request that does not need the world.
  private func run(_ verb: Verb, _ words: borrowing Words, _ session: inout Session) -> DeferredEffect {
    switch verb {
    case .help: help(words, &session)
    case .kinds: kinds(words, &session)
    case .quiet: quiet(words, &session)
    case .begin: begin(words, &session)
    case .end: session.fail(words.tag, .usage, "there is no 'begin' for this 'end'")
    case .cancel: return cancel(words, &session)
    case .activities: return .service(.activities)
    case .world: return world(words, &session)
    case .use: return use(words, &session)
    case .worlds: return .service(.listWorlds)
    case .diff: return .service(.compare(words.plain[0], words.plain[1]))
    case .mode: return mode(words, &session)
    case .quit:
      succeed(words, &session)
      return .service(.quit)
    case .shutdown:
      succeed(words, &session)
      return .service(.shutdown)
    case .describe, .new, .drop, .list, .count, .show, .can, .send, .cast, .wire, .unwire, .wires, .watch, .unwatch,
      .journal, .graph, .coverage, .clock, .speed, .pause, .resume, .advance, .step, .agenda, .fire, .await, .expect,
      .undo, .goto, .limits, .stats, .sync:
      preconditionFailure("'\(verb.name)' needs a world")
    }
    return .none
  }

  /// `cancel` alone ends what this connection has under way, and that has ended when its line was seen; `cancel N` ends
  /// an activity by its number.
  private func cancel(_ words: borrowing Words, _ session: inout Session) -> DeferredEffect {
    guard let text = words[0] else {
      succeed(words, &session)
      return .none
    }
    guard let number = number(text, "activity", in: 0...UInt64.max, otherwise: 0, words, &session) else { return .none }
    return .service(.cancel(number))
  }

  // MARK: What every verb needs

  /// A bare `+`.
  func succeed(_ words: borrowing Words, _ session: inout Session) {
    session.outbox.buffer.begin(.success, tag: words.tag)
    session.outbox.buffer.endLine()
  }

  /// Checks a request's words against the verb table: how many, and which keys.
  private func check(_ words: borrowing Words, _ entry: VerbEntry, _ session: inout Session) -> Bool {
    guard entry.plainWords.contains(words.plain.count) else {
      session.fail(
        words.tag, .usage,
        "\(entry.verb.name) is used as \(entry.usages.map { "'\($0)'" }.joined(separator: " or "))")
      return false
    }
    var seen: Set<String> = []
    for (key, value) in words.keyed {
      if !seen.insert(key).inserted {
        session.fail(words.tag, .badArgument, [("argument", key), ("got", value)], "'\(key)=' is given twice")
        return false
      }
      if case .only(let keys) = entry.keys, !keys.contains(key) {
        session.fail(
          words.tag, .badArgument,
          [("argument", key), ("got", value), ("allowed", keys.joined(separator: ","))]
            + suggestion(key, among: keys),
          keys.isEmpty
            ? "\(entry.verb.name) takes no '\(key)='; write \"\(key)=…\" in quotes if it is a plain word"
            : "\(entry.verb.name) takes no '\(key)='")
        return false
      }
    }
    return true
  }

  private func failUnknownVerb(_ request: borrowing Request, _ session: inout Session) {
    let verb = String(decoding: request.verb, as: UTF8.self)
    session.fail(
      request.tag, .unknownVerb, [("verb", verb)] + suggestion(verb, among: Verb.allCases.lazy.map(\.name)),
      "there is no verb '\(verb)'; 'help' lists them")
  }

  /// `did-you-mean=`, where something is near.
  func suggestion(_ word: String, among candidates: some Sequence<String>) -> [(String, String)] {
    Nearest.match(word, among: candidates).map { [("did-you-mean", $0)] } ?? []
  }

  /// A machine by its name; a failure is written if there is none.
  func machine(
    _ name: String, _ words: borrowing Words, _ session: inout Session, _ realm: inout Realm
  ) -> MachineID? {
    var text = name
    if let machine = text.withUTF8({ realm.world.find(UnsafeRawBufferPointer($0)) }) { return machine }
    if let members = realm.world.members(of: name) {
      let names = members.map { realm.world.name(of: $0) }
      session.fail(
        words.tag, .unknownMachine, [("machine", name), ("did-you-mean", names[0])],
        "'\(name)' is composed; its machines are \(names.joined(separator: ", "))")
      return nil
    }
    guard session.hasReader else {
      session.fail(words.tag, .unknownMachine, [("machine", name)], "there is no such machine")
      return nil
    }
    // To compare two names takes some times as long as to look at a machine.
    session.effort += 8 * min(Nearest.candidates, realm.world.machineCount)
    session.fail(
      words.tag, .unknownMachine,
      [("machine", name)] + suggestion(name, among: realm.world.someNames(Nearest.candidates)),
      "there is no machine '\(name)' in world \(realm.name)")
    return nil
  }

  /// A kind by its name; a failure is written if there is none.
  func kind(_ name: String, _ words: borrowing Words, _ session: inout Session) -> CatalogueEntry? {
    if let entry = catalogue[name] { return entry }
    session.fail(
      words.tag, .unknownKind, [("kind", name)] + suggestion(name, among: catalogue.entries.lazy.map(\.name)),
      "there is no kind '\(name)'; 'kinds' lists them")
    return nil
  }

  /// A name for a new machine or world, checked; a failure is written if it may not be one.
  func newName(_ name: String, _ words: borrowing Words, _ session: inout Session) -> String? {
    var text = name
    if text.withUTF8({ TextRules.isName(UnsafeRawBufferPointer($0), longest: limits.name) }) { return name }
    session.fail(
      words.tag, .badArgument,
      [("argument", "name"), ("got", name), ("allowed", "1 to \(limits.name) of A-Z a-z 0-9 . _ -, first a letter")],
      "'\(name)' cannot be a name")
    return nil
  }

  /// A number among the words; a failure is written if it is none or out of range.
  func number(
    _ text: String?, _ argument: String, in range: ClosedRange<UInt64>, otherwise: UInt64, _ words: borrowing Words,
    _ session: inout Session
  ) -> UInt64? {
    guard let text else { return otherwise }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text), range.contains(number) {
      return number
    }
    session.fail(
      words.tag, .badArgument,
      [("argument", argument), ("got", text), ("allowed", "\(range.lowerBound)..\(range.upperBound)")],
      "\(argument) is a whole number from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// A duration among the words, in nanoseconds; a failure is written if it is none.
  func duration(
    _ text: String, _ argument: String, _ words: borrowing Words, _ session: inout Session
  ) -> Int64? {
    if let nanoseconds = TimeText.duration(text) { return nanoseconds }
    session.fail(
      words.tag, .badArgument, [("argument", argument), ("got", text), ("allowed", TimeText.durationForm)],
      "'\(text)' is no duration")
    return nil
  }

  /// A time among the words; a failure is written if it is none.
  func time(_ text: String, _ words: borrowing Words, _ session: inout Session) -> Instant? {
    if let nanoseconds = TimeText.time(text) { return Instant(nanoseconds: nanoseconds) }
    session.fail(
      words.tag, .badArgument, [("argument", "time"), ("got", text), ("allowed", TimeText.timeForm)],
      "'\(text)' is no time")
    return nil
  }

  /// A state of a kind; a failure is written if the word is none.
  func query(
    _ word: String, _ kind: Kind, _ words: borrowing Words, _ session: inout Session
  ) -> StateQuery? {
    if let query = StateQuery(word, of: kind) { return query }
    // The states of the regions, of which any may be given: all their combinations would be too many to read.
    var states: [String] = []
    for state in kind.states.flatMap({ $0.word.split(separator: "+").map(String.init) }) where !states.contains(state) {
      states.append(state)
    }
    session.fail(
      words.tag, .badArgument,
      [("argument", "state"), ("got", word), ("allowed", states.joined(separator: ","))]
        + suggestion(word, among: states + kind.states.map(\.word)),
      "\(withArticle(kind.name)) has no state '\(word)'")
    return nil
  }

  /// A pattern, no text means all; a failure is written if it is too long.
  func pattern(_ text: String?, _ words: borrowing Words, _ session: inout Session) -> Pattern? {
    guard let text else { return .all }
    let bytes = text.utf8.count
    guard bytes > Pattern.mostBytes else { return Pattern(text.utf8) }
    session.fail(
      words.tag, .badArgument,
      [("argument", "pattern"), ("got", "\(bytes) bytes"), ("allowed", "at most \(Pattern.mostBytes) bytes")],
      "a pattern has at most \(Pattern.mostBytes) bytes")
    return nil
  }

  /// One of a few words; a failure is written if it is none of them.
  func choice<Choice>(
    _ text: String?, _ argument: String, _ choices: KeyValuePairs<String, Choice>, otherwise: Choice,
    _ words: borrowing Words, _ session: inout Session
  ) -> Choice? {
    guard let text else { return otherwise }
    if let found = choices.first(where: { $0.key == text }) { return found.value }
    let allowed = choices.map(\.key).joined(separator: ",")
    session.fail(
      words.tag, .badArgument, [("argument", argument), ("got", text), ("allowed", allowed)],
      "\(argument) is one of \(allowed)")
    return nil
  }

  /// Ends a reply of several lines.
  func endLines(_ count: Int, _ words: borrowing Words, _ session: inout Session) {
    session.outbox.buffer.begin(.success, tag: words.tag)
    session.outbox.buffer.word(UInt64(count))
    session.outbox.buffer.endLine()
  }
}

/// The words of a request as text, for the verbs that are not on the hot path.
struct Words {
  let tagBytes: [UInt8]
  // Safety: into the request's line, which stays while the request is carried out.
  let tag: UnsafeRawBufferPointer
  let plain: [String]
  let keyed: [(key: String, value: String)]

  init(_ request: borrowing Request) {
    tag = request.tag
    tagBytes = Array(request.tag)
    var plain: [String] = []
    var keyed: [(key: String, value: String)] = []
    for word in request.words {
      let text = String(decoding: request.bytes(of: word), as: UTF8.self)
      if word.isPlain {
        plain.append(text)
      } else {
        keyed.append((String(decoding: request.key(of: word), as: UTF8.self), text))
      }
    }
    self.plain = plain
    self.keyed = keyed
  }

  /// The plain word at a place; nil if there are not so many.
  subscript(_ place: Int) -> String? { place < plain.count ? plain[place] : nil }

  /// The value of a key; nil if it is not given.
  subscript(_ key: String) -> String? { keyed.first { $0.key == key }?.value }
}

/// A kind's name as a sentence takes it: `a shiftKey`, `an enemy`, `an http`.
func withArticle(_ name: String) -> String {
  let isSpokenWithVowel = name.first.map { "aeioAEIO".contains($0) } ?? false
  // Abbreviations are spelled out: aitch, em, ess.
  let isSpelled = ["http", "mviTrace", "smtp"].contains(name)
  return (isSpokenWithVowel || isSpelled ? "an " : "a ") + name
}
