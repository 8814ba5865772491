import LineProtocol
import Simulator
import StateMachines
import Statecharts

/// Sends events.
extension RequestContext {
  /// `send`, the hot path: it looks up and answers in bytes, without a `String`.
  @inline(__always)
  func send(_ request: borrowing Request) {
    guard !request.hasKeys, request.words.count == 2,
      let words = live.world.send(
        plain: request.bytes(of: request.words[1]), to: request.bytes(of: request.words[0]))
    else {
      answering(request) { $0.once(.send) { $0.send() } }
      return
    }
    session.answerSend(
      of: request.bytes(of: request.words[1]), to: request.bytes(of: request.words[0]), words, request.tag, in: &live)
  }

  /// `send` with arguments, keys or mistakes.
  @inline(never)
  func send() {
    guard words.plain.count >= 2 else { return failUsage(Verb.send.entry) }
    guard let machine = machine(words.plain[0]) else { return }
    let kind = live.world.kind(of: machine)
    guard let event = kind.event(named: words.plain[1]) else {
      failUnknownEvent(words.plain[1], words.plain[0], kind)
      return
    }
    guard let arguments = arguments(of: kind, event) else { return }
    live.world.send(machine, event: event.place, arguments)
    if live.world.answer.verdict == .refused {
      refuse(machine, .event(words.plain[1]))
    } else if !session.isQuiet {
      session.answerInFull(tag, kind.words, in: &live)
    }
  }

  fileprivate func failRefused(_ event: UnsafeRawBufferPointer, by name: UnsafeRawBufferPointer) {
    guard let machine = live.world.find(name) else { return }
    refuse(machine, .event(String(decoding: event, as: UTF8.self)))
  }

  /// `- REFUSED machine= state= event= allowed= t= seq= : why`
  func refuse(_ machine: MachineID, _ input: RefusedInput) {
    let kind = live.world.kind(of: machine)
    let answer = live.world.answer
    let state = kind.stateWord(
      Int(answer.to), data: answer.hasDetails ? live.world.answerDetails.dataAfter : nil)
    if answer.hasDetails, let limit = live.world.answerDetails.exceeded {
      return failLimit(limit, machine, state, input)
    }
    var path: (from: String, way: String)?
    if case .event(let event) = input { path = self.path(of: machine, to: event) }
    session.didFail = true
    write(.failure) { line in
      line.word(FailureCode.refused.word)
      line.key("machine", live.world.name(of: machine))
      line.key("state", state)
      switch input {
      case .event(let event):
        let possible = live.world.prospects(of: machine).filter { $0.refusal == nil }
        func names(_ prospects: [Prospect]) -> String {
          prospects.map { kind.events[$0.event].name }.joined(separator: ",")
        }
        line.word(key: "event", event)
        line.key("allowed", names(possible.filter { !$0.isOnlyIgnored }))
        let ignored = possible.filter(\.isOnlyIgnored)
        if !ignored.isEmpty { line.key("ignores", names(ignored)) }
        line.key(path)
      case .timer(let timer):
        let running = TimerText.words(live.world.runningTimers(of: machine), kind)
        line.word(key: "timer", timer)
        line.key("allowed", running.joined(separator: ","))
      }
      line.key("t", seconds: live.world.now.nanoseconds)
      line.key("seq", answer.sequence)
      line.note(
        (answer.hasDetails ? live.world.answerDetails.reason : nil) ?? "not possible in \(state)")
    }
  }

  /// `- LIMIT name= value= machine= state= event= t= seq= : why`: the machine is as before.
  private func failLimit(_ limit: ExceededLimit, _ machine: MachineID, _ state: String, _ input: RefusedInput) {
    let subject =
      switch input {
      case .event(let event): ("event", event)
      case .timer(let timer): ("timer", timer)
      }
    let why = live.world.answerDetails.reason ?? ""
    fail(
      .limit,
      [
        ("name", limit.name), ("value", "\(limit.value)"), ("machine", live.world.name(of: machine)), ("state", state),
        subject, ("t", TimeText.seconds(live.world.now.nanoseconds)), ("seq", "\(live.world.answer.sequence)"),
      ], why)
  }

  /// The arguments of an event, from the plain words after its name and from `key=value` words. Writes a failure if
  /// they do not fit.
  ///
  /// - Parameter found: The event's place, and arguments that its name has brought.
  func arguments(of kind: Kind, _ found: (place: Int, first: [Value])) -> [Value]? {
    let event = kind.events[found.place]
    if event.arguments.last?.type == .json { return openArguments(of: event, of: kind, found.first) }
    var values: [Value?] = event.arguments.map { _ in nil }
    let given = words.plain.dropFirst(2)
    guard given.count <= values.count else {
      failArgument(
        "\(values.count + 1)", words.plain[2 + values.count], allowed: "",
        "\(event.name) takes \(event.usage)\(values.isEmpty ? "" : ", and no more")")
      return nil
    }
    func take(_ text: String, _ place: Int) -> Bool {
      let argument = event.arguments[place]
      guard let value = ArgumentText.value(text, as: argument.type) else {
        failMisfit(argument.name, text, [argument.type])
        return false
      }
      values[place] = value
      return true
    }
    for (place, text) in given.enumerated() { guard take(text, place) else { return nil } }
    for (key, text) in words.keyed {
      guard let place = event.arguments.firstIndex(where: { $0.name == key }) else {
        let names = event.arguments.map(\.name)
        fail(key: key, text, allowed: names, among: names, "\(event.name) has no argument '\(key)'")
        return nil
      }
      guard values[place] == nil else {
        failArgument(key, text, "'\(key)' is given twice")
        return nil
      }
      guard take(text, place) else { return nil }
    }
    for place in values.indices where values[place] == nil {
      let argument = event.arguments[place]
      guard argument.type.admits(.none) else {
        failArgument(
          argument.name, "", allowed: ArgumentText.allowed(argument.type),
          "\(event.name) takes \(event.usage); \(argument.name) is missing")
        return nil
      }
      values[place] = Value.none
    }
    return values.map { $0 ?? .none }
  }

  /// The arguments of an event that takes any data: the members of an object, from `key=value` words. One that is named
  /// as a condition of the document, which it replaces, has a value of that.
  private func openArguments(of event: EventEntry, of kind: Kind, _ first: [Value]) -> [Value]? {
    if words.plain.count == 3, words.keyed.isEmpty, event.takesValue,
      let data = ChartData.object(of: [("value", words.plain[2])])
    {
      return first + [data]
    }
    if words.plain.count > 2 {
      failArgument("1", words.plain[2], allowed: "key=value", "\(words.plain[1]) takes data as key=value")
      return nil
    }
    if words.keyed.isEmpty { return first.isEmpty ? [] : first + [.none] }
    var given: [String: String] = [:]
    for (key, value) in words.keyed where given.updateValue(value, forKey: key) != nil {
      failArgument(key, value, "'\(key)' is given twice")
      return nil
    }
    // The first parameter is 'strict'. Of the words for yes and no, data may have any.
    let conditions = kind.parameters.dropFirst()
    for condition in conditions {
      guard let text = given[condition.name], ArgumentText.value(text, as: condition.type) == nil,
        condition.type != .flag || !["yes", "no", "1", "0"].contains(text)
      else { continue }
      failMisfit(condition.name, text, [condition.type])
      return nil
    }
    let names = conditions.map(\.name)
    for (key, text) in words.keyed where !names.isEmpty && !names.contains(key) && !event.mayRead(key) {
      // The document does not read this key; it is probably a misspelled condition.
      guard Nearest.match(key, among: names) != nil else { continue }
      fail(key: key, text, allowed: names, among: names, "\(kind.name) asks for no '\(key)'")
      return nil
    }
    guard let data = ChartData.object(of: words.keyed.map { ($0.key, $0.value) }) else {
      failArgument(words.keyed[0].key, "", "the data are nested too deeply")
      return nil
    }
    return first + [data]
  }

  /// `- UNKNOWN-EVENT event=`: no kind has it.
  func failUnknownEvent(_ name: String) {
    let events = catalogue.kinds.lazy.flatMap { $0.events.lazy.map(\.name) }
    fail(.unknownEvent, [("event", name)] + suggestion(name, amongAll: events), "no kind has an event '\(name)'")
  }

  /// Machines that a `cast` sends to between two checks for an interruption.
  private static let machinesAtOnce = 64

  func cast() {
    guard let pattern = pattern(words.plain[0]) else { return }
    let machines = live.world.machines(matching: pattern)
    let name = words.plain[1]
    // Arguments are checked for every kind before anything is sent, so that a wrong one changes nothing.
    var plans: [Int: (event: Int, arguments: [Value])] = [:]
    var lacking: Set<Int> = []
    for machine in machines {
      let place = live.world.kindPlace(of: machine)
      guard plans[place] == nil, !lacking.contains(place) else { continue }
      let kind = live.world.kind(at: place)
      guard let event = kind.event(named: name) else {
        lacking.insert(place)
        continue
      }
      guard let arguments = arguments(of: kind, event) else { return }
      plans[place] = (event.place, arguments)
    }
    guard !plans.isEmpty || !catalogue.lacks(event: name) else { return failUnknownEvent(name) }
    var verdicts: [Verdict: UInt64] = [:]
    var done = 0
    let isWithinRequest = live.world.isWithinRequest
    if !isWithinRequest { live.world.beginRequest() }
    defer { if !isWithinRequest { live.world.endRequest() } }
    for (index, machine) in machines.enumerated() {
      guard let plan = plans[live.world.kindPlace(of: machine)] else { continue }
      guard live.hasRoomForInputs || live.mayGrow() else {
        return failMemory([("done", "\(done)")] + place)
      }
      // Endless deliveries would repeat for the next machine. Endless timers have already stopped.
      if let livelock = live.world.livelock, livelock.isFailure { break }
      if done % RequestContext.machinesAtOnce == 0 || live.world.hasDocuments, let interruption = live.slice.wait() {
        failInterrupted(interruption, done: done)
        return
      }
      if index + WorldCore.sendsAhead < machines.count {
        live.world.expectSend(to: machines[index + WorldCore.sendsAhead])
      }
      live.world.send(machine, event: plan.event, plan.arguments)
      verdicts[live.world.answer.verdict, default: 0] += 1
      done += 1
    }
    succeedStamped { line in
      line.word(verdicts.values.reduce(0, +))
      line.key("moved", verdicts[.moved] ?? 0)
      line.key("stayed", verdicts[.stayed] ?? 0)
      line.key("ignored", verdicts[.ignored] ?? 0)
      line.key("refused", verdicts[.refused] ?? 0)
    }
  }
}

// Plain `send` passes the world as a parameter: a context would cost an indirection at each access.
extension Session {
  /// Answers a `send` that was run.
  @inline(__always)
  mutating func answerSend(
    of event: UnsafeRawBufferPointer, to name: UnsafeRawBufferPointer, _ words: KindWords,
    _ tag: UnsafeRawBufferPointer, in live: inout LiveWorld
  ) {
    let answer = live.world.answer
    if case .refused = answer.verdict {
      failRefused(event, by: name, tag, in: &live)
    } else if !isQuiet {
      if answer.hasDetails {
        answerInFull(tag, words, in: &live)
      } else {
        self.answer(answer, words, at: live.world.now, tag)
      }
    }
  }

  @inline(never)
  private mutating func failRefused(
    _ event: UnsafeRawBufferPointer, by name: UnsafeRawBufferPointer, _ tag: UnsafeRawBufferPointer,
    in live: inout LiveWorld
  ) {
    use(&live) { $0.answering(tag) { $0.failRefused(event, by: name) } }
  }

  /// Answers with outputs and with the data of states.
  @inline(never)
  mutating func answerInFull(_ tag: UnsafeRawBufferPointer, _ words: KindWords, in live: inout LiveWorld) {
    let answer = live.world.answer
    let details = answer.hasDetails ? live.world.answerDetails : WorldCore.AnswerDetails()
    outbox.buffer.begin(.success, tag: tag)
    outbox.buffer.word(literal: answer.verdict.word)
    if case .moved = answer.verdict {
      outbox.buffer.state(words, answer.from, data: details.dataBefore)
    }
    outbox.buffer.state(words, answer.to, data: details.dataAfter)
    stamp.append(live.world.now, answer.sequence, to: &outbox.buffer)
    let outputs = details.outputs
    if !outputs.isEmpty {
      outbox.buffer.append(literal: " outputs=")
      for (number, output) in outputs.enumerated() {
        if number > 0 { outbox.buffer.append(byte: UInt8(ascii: ",")) }
        outbox.buffer.append(words.outputs.word(at: Int(output)))
      }
    }
    // Also of a move, whose actions can fail.
    if let reason = details.reason { outbox.buffer.note(reason) }
    outbox.buffer.endLine()
  }

  /// `+ moved FROM TO t= seq=` and the like.
  @inline(__always)
  fileprivate mutating func answer(
    _ answer: WorldCore.Answer, _ words: KindWords, at now: Instant, _ tag: UnsafeRawBufferPointer
  ) {
    let to = words.states.word(at: Int(answer.to))
    let from = words.states.word(at: Int(answer.from))
    outbox.buffer.write(atMost: 128 + tag.count + from.count + to.count) { line in
      line.put(byte: LineClass.success.rawValue)
      if tag.count > 0 {
        line.put(literal: " @")
        line.put(tag)
      }
      line.put(answer.verdict, from: from, to: to)
      stamp.put(now, answer.sequence, &line)
      line.put(byte: 0x0A)
    }
  }
}

extension EventEntry {
  /// The arguments in words, for messages.
  var usage: String {
    arguments.isEmpty
      ? "no argument" : arguments.map { "\($0.name) (\(ArgumentText.name(of: $0.type)))" }.joined(separator: ", ")
  }
}

extension Catalogue {
  /// Every kind, including the members of composed kinds.
  var kinds: [Kind] { entries.flatMap(\.kinds) }

  func lacks(event: String) -> Bool {
    !kinds.contains { $0.events.contains { $0.name == event } }
  }
}

/// A refused input, in the words of the request.
enum RefusedInput {
  case event(String)
  case timer(String)
}

extension EventEntry {
  /// Whether the rule may look at a member of the event's data: one that is worth trying, or any one.
  fileprivate func mayRead(_ key: String) -> Bool {
    guard let data = arguments.last, data.isSampledFully else { return true }
    return data.samples.contains { sample in
      if case .text(let text) = sample { ChartData.members(of: text).contains { $0.key == key } } else { false }
    }
  }

  /// Whether a document asks this event for a value alone, as `push(softly)` does: a request has it as a plain word.
  fileprivate var takesValue: Bool {
    arguments.last?.samples.contains { sample in
      if case .text(let text) = sample { ChartData.members(of: text).map(\.key) == ["value"] } else { false }
    } ?? false
  }
}
