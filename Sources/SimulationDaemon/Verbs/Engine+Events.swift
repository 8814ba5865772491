import LineProtocol
import Simulator
import StateMachines

/// Sending events, and the wires that bring them.
extension Engine {
  /// `send`, the hot path: found by bytes, answered in bytes, without a `String`.
  @inline(__always)
  func send(_ request: borrowing Request, _ session: inout Session, _ realm: inout Realm) {
    guard !request.hasKeys, request.words.count == 2,
      let words = realm.world.send(
        plain: request.bytes(of: request.words[1]), to: request.bytes(of: request.words[0]))
    else {
      sendSlowly(request, &session, &realm)
      return
    }
    answerSend(
      of: request.bytes(of: request.words[1]), to: request.bytes(of: request.words[0]), words, request.tag, &session,
      &realm)
  }

  /// Answers a `send` that was carried out.
  @inline(__always)
  func answerSend(
    of event: UnsafeRawBufferPointer, to name: UnsafeRawBufferPointer, _ words: KindWords,
    _ tag: UnsafeRawBufferPointer, _ session: inout Session, _ realm: inout Realm
  ) {
    let answer = realm.world.answer
    if case .refused = answer.verdict {
      failRefused(event, by: name, tag, &session, &realm)
    } else if !session.isQuiet {
      if answer.hasDetails {
        answerInFull(tag, words, &session, &realm)
      } else {
        self.answer(tag, words, answer, at: realm.world.now, &session)
      }
    }
  }

  /// `send` with arguments, keys or mistakes.
  @inline(never)
  private func sendSlowly(_ request: borrowing Request, _ session: inout Session, _ realm: inout Realm) {
    let words = Words(request)
    guard words.plain.count >= 2 else {
      session.fail(words.tag, .usage, "send is used as '\(Verb.send.entry.usages[0])'")
      return
    }
    guard let machine = machine(words.plain[0], words, &session, &realm) else { return }
    let kind = realm.world.kind(of: machine)
    guard let event = kind.events.firstIndex(where: { $0.name == words.plain[1] }) else {
      failUnknownEvent(words.plain[1], words.plain[0], kind, words.tag, &session)
      return
    }
    guard let arguments = arguments(of: kind.events[event], words, &session) else { return }
    realm.world.send(machine, event: event, arguments)
    if realm.world.answer.verdict == .refused {
      refuse(words.tag, machine, .event(words.plain[1]), &session, &realm)
    } else if !session.isQuiet {
      answerInFull(words.tag, kind.words, &session, &realm)
    }
  }

  /// `+ moved FROM TO t= seq=` and its like.
  @inline(__always)
  private func answer(
    _ tag: UnsafeRawBufferPointer, _ words: KindWords, _ answer: WorldCore.Answer, at now: Instant,
    _ session: inout Session
  ) {
    let to = words.states.word(at: Int(answer.to))
    let from = words.states.word(at: Int(answer.from))
    session.outbox.buffer.write(atMost: 128 + tag.count + from.count + to.count) { line in
      line.put(byte: LineClass.success.rawValue)
      if tag.count > 0 {
        line.put(literal: " @")
        line.put(tag)
      }
      switch answer.verdict {
      case .moved:
        line.put(literal: " moved ")
        line.put(padded: from)
        line.put(byte: 0x20)
      case .stayed: line.put(literal: " stayed ")
      case .ignored: line.put(literal: " ignored ")
      case .refused: line.put(literal: " refused ")
      }
      line.put(padded: to)
      session.stamp.put(now, answer.sequence, &line)
      line.put(byte: 0x0A)
    }
  }

  /// An answer that may have outputs, or states with data.
  @inline(never)
  func answerInFull(
    _ tag: UnsafeRawBufferPointer, _ words: KindWords, _ session: inout Session, _ realm: inout Realm
  ) {
    let answer = realm.world.answer
    let details = answer.hasDetails ? realm.world.answerDetails : WorldCore.AnswerDetails()
    session.outbox.buffer.begin(.success, tag: tag)
    session.outbox.buffer.word(literal: answer.verdict.word)
    if case .moved = answer.verdict {
      session.outbox.buffer.state(words.states.word(at: Int(answer.from)), data: details.dataBefore)
    }
    session.outbox.buffer.state(words.states.word(at: Int(answer.to)), data: details.dataAfter)
    session.stamp.append(realm.world.now, answer.sequence, to: &session.outbox.buffer)
    let outputs = details.outputs
    if !outputs.isEmpty {
      session.outbox.buffer.append(literal: " outputs=")
      for (number, output) in outputs.enumerated() {
        if number > 0 { session.outbox.buffer.append(byte: UInt8(ascii: ",")) }
        session.outbox.buffer.append(words.outputs.word(at: Int(output)))
      }
    }
    session.outbox.buffer.endLine()
  }

  @inline(never)
  private func failRefused(
    _ event: UnsafeRawBufferPointer, by name: UnsafeRawBufferPointer, _ tag: UnsafeRawBufferPointer,
    _ session: inout Session, _ realm: inout Realm
  ) {
    guard let machine = realm.world.find(name) else { return }
    refuse(tag, machine, .event(String(decoding: event, as: UTF8.self)), &session, &realm)
  }

  /// `- REFUSED machine= state= event= allowed= t= seq= : why`
  func refuse(
    _ tag: UnsafeRawBufferPointer, _ machine: MachineID, _ input: RefusedInput, _ session: inout Session,
    _ realm: inout Realm
  ) {
    let kind = realm.world.kind(of: machine)
    let answer = realm.world.answer
    let state = kind.states[Int(answer.to)].word(data: answer.hasDetails ? realm.world.answerDetails.dataAfter : nil)
    session.didFail = true
    session.outbox.buffer.begin(.failure, tag: tag)
    session.outbox.buffer.word(FailureCode.refused.word)
    session.outbox.buffer.key("machine", realm.world.name(of: machine))
    session.outbox.buffer.key("state", state)
    switch input {
    case .event(let event):
      let allowed = realm.world.possibleEvents(of: machine).map { kind.events[$0].name }
      session.outbox.buffer.word(key: "event", event)
      session.outbox.buffer.key("allowed", allowed.joined(separator: ","))
      tellWay(of: machine, to: event, &session, &realm)
    case .timer(let timer):
      let running = TimerText.words(realm.world.runningTimers(of: machine), kind)
      session.outbox.buffer.word(key: "timer", timer)
      session.outbox.buffer.key("allowed", running.joined(separator: ","))
    }
    session.outbox.buffer.key("t", seconds: realm.world.now.nanoseconds)
    session.outbox.buffer.key("seq", answer.sequence)
    session.outbox.buffer.note(
      (answer.hasDetails ? realm.world.answerDetails.reason : nil) ?? "not possible in \(state)")
    session.outbox.buffer.endLine()
  }

  /// The arguments of an event from the plain words after its name and from `key=value` words; a failure is written if
  /// they do not fit.
  private func arguments(
    of event: EventEntry, _ words: borrowing Words, _ session: inout Session
  ) -> [Value]? {
    var values: [Value?] = event.arguments.map { _ in nil }
    let given = words.plain.dropFirst(2)
    guard given.count <= values.count else {
      session.fail(
        words.tag, .badArgument,
        [("argument", "\(values.count + 1)"), ("got", words.plain[2 + values.count]), ("allowed", "")],
        "\(event.name) takes \(event.usage), and no more")
      return nil
    }
    func take(_ text: String, _ place: Int) -> Bool {
      let argument = event.arguments[place]
      guard let value = ArgumentText.value(text, as: argument.type) else {
        session.fail(
          words.tag, .badArgument,
          [("argument", argument.name), ("got", text), ("allowed", ArgumentText.allowed(argument.type))],
          "\(argument.name) is \(ArgumentText.demanded(argument.type)), not '\(text)'")
        return false
      }
      values[place] = value
      return true
    }
    for (place, text) in given.enumerated() { guard take(text, place) else { return nil } }
    for (key, text) in words.keyed {
      guard let place = event.arguments.firstIndex(where: { $0.name == key }) else {
        let names = event.arguments.map(\.name)
        session.fail(
          words.tag, .badArgument,
          [("argument", key), ("got", text), ("allowed", names.joined(separator: ","))] + suggestion(key, among: names),
          "\(event.name) has no argument '\(key)'")
        return nil
      }
      guard values[place] == nil else {
        session.fail(words.tag, .badArgument, [("argument", key), ("got", text)], "'\(key)' is given twice")
        return nil
      }
      guard take(text, place) else { return nil }
    }
    for place in values.indices where values[place] == nil {
      let argument = event.arguments[place]
      guard argument.type.admits(.none) else {
        session.fail(
          words.tag, .badArgument,
          [("argument", argument.name), ("got", ""), ("allowed", ArgumentText.allowed(argument.type))],
          "\(event.name) takes \(event.usage); \(argument.name) is missing")
        return nil
      }
      values[place] = Value.none
    }
    return values.map { $0 ?? .none }
  }

  /// Machines that a `cast` goes to before it is asked again whether it is to end.
  private static let machinesAtOnce = 64

  func cast(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let pattern = pattern(words.plain[0], words, &session) else { return }
    let machines = realm.world.machines(matching: pattern)
    let name = words.plain[1]
    // Arguments are checked for each kind before anything is sent, so that a wrong one changes nothing.
    var plans: [Int: (event: Int, arguments: [Value])] = [:]
    var lacking: Set<Int> = []
    for machine in machines {
      let place = realm.world.kindPlace(of: machine)
      guard plans[place] == nil, !lacking.contains(place) else { continue }
      let kind = realm.world.kind(at: place)
      guard let event = kind.events.firstIndex(where: { $0.name == name }) else {
        lacking.insert(place)
        continue
      }
      guard let arguments = arguments(of: kind.events[event], words, &session) else { return }
      plans[place] = (event, arguments)
    }
    guard !plans.isEmpty || !catalogue.lacks(event: name) else {
      let events = Set(catalogue.kinds.flatMap { $0.events.map(\.name) }).sorted()
      session.fail(
        words.tag, .unknownEvent, [("event", name)] + suggestion(name, among: events),
        "no kind has an event '\(name)'")
      return
    }
    var verdicts: [Verdict: UInt64] = [:]
    var done = 0
    let isWithinRequest = realm.world.isWithinRequest
    if !isWithinRequest { realm.world.beginRequest() }
    defer { if !isWithinRequest { realm.world.endRequest() } }
    for (place, machine) in machines.enumerated() {
      guard let plan = plans[realm.world.kindPlace(of: machine)] else { continue }
      guard realm.hasRoomForInputs || realm.mayGrow() else {
        failMemory(
          words.tag,
          [
            ("done", "\(done)"), ("t", TimeText.seconds(realm.world.now.nanoseconds)),
            ("seq", "\(realm.world.lastSequence)"),
          ], &session, realm)
        return
      }
      // Deliveries without end would go on without end for the next machine too; timers stand still already.
      if let livelock = realm.world.livelock, livelock.isFailure { break }
      if done % Engine.machinesAtOnce == 0, let interruption = realm.slice.wait() {
        failInterrupted(interruption, done: done, words.tag, &session, realm)
        return
      }
      if place + WorldCore.sendsAhead < machines.count {
        realm.world.expectSend(to: machines[place + WorldCore.sendsAhead])
      }
      realm.world.send(machine, event: plan.event, plan.arguments)
      verdicts[realm.world.answer.verdict, default: 0] += 1
      done += 1
    }
    guard !session.isQuiet else { return }
    session.outbox.buffer.begin(.success, tag: words.tag)
    session.outbox.buffer.word(verdicts.values.reduce(0, +))
    session.outbox.buffer.key("moved", verdicts[.moved] ?? 0)
    session.outbox.buffer.key("stayed", verdicts[.stayed] ?? 0)
    session.outbox.buffer.key("ignored", verdicts[.ignored] ?? 0)
    session.outbox.buffer.key("refused", verdicts[.refused] ?? 0)
    session.endLine(realm.world.now, realm.world.lastSequence)
  }

  // MARK: Wires

  func wire(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let wire = wireEnds(words, &session, &realm) else { return }
    do throws(WorldCore.WireFailure) {
      try realm.world.wire(wire)
    } catch {
      switch error {
      case .exists, .missing:
        session.fail(
          words.tag, .badArgument, [("argument", "wire"), ("got", words.plain.joined(separator: " "))],
          "there is such a wire already")
      case .full:
        session.fail(
          words.tag, .limit, [("name", "wires"), ("value", "\(limits.world.wires)")],
          "this world has \(realm.world.wireCount) wires, and no room for another")
      }
      return
    }
    answerWire(words, &session, realm.world)
  }

  func unwire(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let wire = wireEnds(words, &session, &realm) else { return }
    do throws(WorldCore.WireFailure) {
      try realm.world.unwire(wire)
    } catch {
      session.fail(
        words.tag, .badArgument, [("argument", "wire"), ("got", words.plain.joined(separator: " "))],
        "there is no such wire; 'wires' lists them")
      return
    }
    answerWire(words, &session, realm.world)
  }

  private func answerWire(_ words: borrowing Words, _ session: inout Session, _ world: borrowing WorldCore) {
    guard !session.isQuiet else { return }
    session.outbox.buffer.begin(.success, tag: words.tag)
    session.endLine(world.now, world.lastSequence)
  }

  private func wireEnds(
    _ words: borrowing Words, _ session: inout Session, _ realm: inout Realm
  ) -> Wire? {
    guard let from = machine(words.plain[0], words, &session, &realm) else { return nil }
    let source = realm.world.kind(of: from)
    guard let output = source.outputs.firstIndex(where: { $0.name == words.plain[1] && !$0.isTold }) else {
      let outputs = source.outputs.filter { !$0.isTold }.map(\.name)
      session.fail(
        words.tag, .badArgument,
        [("argument", "output"), ("got", words.plain[1]), ("allowed", outputs.joined(separator: ","))]
          + suggestion(words.plain[1], among: outputs),
        "\(withArticle(source.name)) has no output '\(words.plain[1])'")
      return nil
    }
    guard let to = machine(words.plain[2], words, &session, &realm) else { return nil }
    let target = realm.world.kind(of: to)
    guard let event = target.events.firstIndex(where: { $0.name == words.plain[3] }) else {
      failUnknownEvent(words.plain[3], words.plain[2], target, words.tag, &session)
      return nil
    }
    return Wire(from: from, output: output, to: to, event: event)
  }

  func wires(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    session.activity = .reply(
      .wires(items: realm.world.allWires(), next: 0, written: 0), tag: words.tagBytes)
  }
}

extension EventEntry {
  /// The arguments in words, for messages.
  fileprivate var usage: String {
    arguments.isEmpty
      ? "no argument" : arguments.map { "\($0.name) (\(ArgumentText.name(of: $0.type)))" }.joined(separator: ", ")
  }
}

extension Catalogue {
  /// Every kind, the members of composed ones included.
  var kinds: [Kind] {
    entries.flatMap { entry in
      switch entry {
      case .machine(let kind): [kind]
      case .composition(let composition): composition.members.map(\.kind)
      }
    }
  }

  func lacks(event: String) -> Bool {
    !kinds.contains { $0.events.contains { $0.name == event } }
  }
}

/// What a machine has refused, in the words of the request.
enum RefusedInput {
  case event(String)
  case timer(String)
}
