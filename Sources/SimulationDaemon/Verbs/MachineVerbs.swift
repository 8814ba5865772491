import LineProtocol
import Simulator
import StateMachines
import Statecharts
import Surveys

/// Creates, drops and queries machines.
extension RequestContext {
  func new() {
    guard let entry = kind(words.plain[0]) else { return }
    guard let name = newName(words.plain[1]) else { return }
    switch entry {
    case .machine(let kind):
      guard let found = environment.library[kind] else { return new(kind, name) }
      // Its words are made for this world, which takes long for a large document.
      if found.document.size > ReceivedDocument.short || live.hasSlowCharts || kind.hasLongSteps, deferToWorker() {
        return
      }
      let (version, key) = live.world.next(kind.name)
      new(
        Kind(kind.name, key: key, version: version, origin: found.document.origin, found.program), name,
        of: found.document)
    case .composition(let composition): new(composition, name)
    }
  }

  /// - Parameter document: What the kind is made of, if the world has to define it first.
  private func new(_ kind: Kind, _ name: String, of document: KindDocument? = nil) {
    guard let (initial, parameters) = parameters(of: kind), admitsMachines(1, "for another \(kind.name)") else {
      return
    }
    var text = name
    let made = text.withUTF8 { bytes in
      Result { () throws(WorldCore.CreationFailure) in
        try live.world.create(
          kind, named: UnsafeRawBufferPointer(bytes), initial: initial, parameters: parameters, defining: document)
      }
    }
    if case .failure(.limit) = made, let interruption = live.slice.wait() {
      return fail(interruption.code, place, interruption.text)
    }
    guard succeeded(made, name, kind.name) else { return }
    let answer = live.world.answer
    succeedStamped(answer.sequence) { line in
      line.word(literal: "created")
      line.word(name)
      line.state(
        kind.words, answer.to,
        data: answer.hasDetails ? live.world.answerDetails.dataAfter : nil)
    }
  }

  /// What a request gives for a machine of a kind. Writes a failure if that does not fit.
  func parameters(of kind: Kind) -> (initial: Int?, given: [(parameter: Int, value: Value)])? {
    var initial: Int?
    var parameters: [(parameter: Int, value: Value)] = []
    for (key, text) in words.keyed {
      if key == "initial" {
        guard let place = kind.initialState(named: text) else {
          failArgument(
            key, text, among: kind.initialStates,
            "\(withArticle(kind.name)) cannot start as '\(text)'"
              + (text.contains("(") ? "; name the state without its data" : ""))
          return nil
        }
        initial = place
      } else {
        guard let found = self.parameters(key, text, [ParameterOwner(kind)]) else { return nil }
        parameters += found.map { ($0.place, $0.value) }
      }
    }
    return hasRequired(of: [ParameterOwner(kind)], kind.name) ? (initial, parameters) : nil
  }

  private func new(_ general: Composition, _ name: String) {
    guard let composition = variant(of: general), let parameters = parameters(of: composition, name),
      admitsMachines(composition.members.count, "for another \(composition.name)")
    else { return }
    let made = Result { () throws(WorldCore.CreationFailure) in
      try live.world.create(composition, named: name, parameters: parameters)
    }
    let isMade = succeeded(made, takenName(of: composition, name), composition.name, wires: composition.wires.count)
    guard isMade else { return }
    succeedStamped { line in
      line.word(literal: "created")
      line.word(name)
      line.key("members", UInt64(composition.members.count))
    }
  }

  /// The composition with the options that a request gives. Writes a failure if one does not fit.
  func variant(of composition: Composition) -> Composition? {
    var values: [(option: Int, value: Value)] = []
    for (key, text) in words.keyed {
      guard let option = composition.options.firstIndex(where: { $0.name == key }) else { continue }
      let type = composition.options[option].type
      guard let value = ArgumentText.value(text, as: type) else {
        failMisfit(key, text, [type])
        return nil
      }
      values.append((option, value))
    }
    return composition.with(values)
  }

  /// What a request gives for the members of a composition, in their order, beside its options. Writes a failure if
  /// that does not fit.
  func parameters(of composition: Composition, _ name: String) -> [[(parameter: Int, value: Value)]]? {
    let longest = composition.members.map { $0.name.utf8.count }.max() ?? 0
    guard name.utf8.count + 1 + longest <= limits.name else {
      failArgument(
        "name", name, allowed: "at most \(limits.name - 1 - longest) bytes",
        "the members of '\(name)' would have names that are too long")
      return nil
    }
    let owners = composition.members.map { ParameterOwner($0) }
    var parameters: [[(parameter: Int, value: Value)]] = composition.members.map { _ in [] }
    // A parameter of one member overrides one for all members, in any order.
    let keyed = words.keyed.filter { !$0.key.contains(".") } + words.keyed.filter { $0.key.contains(".") }
    let options = composition.options.map(\.name)
    for (key, text) in keyed where !options.contains(key) {
      guard let found = self.parameters(key, text, owners, besides: options) else { return nil }
      for parameter in found { parameters[parameter.owner].append((parameter.place, parameter.value)) }
    }
    return hasRequired(of: owners, composition.name) ? parameters : nil
  }

  /// The first name that the composition needs and that is in use; the composition's own name if none is.
  private func takenName(of composition: Composition, _ name: String) -> String {
    composition.members.map { "\(name).\($0.name)" }.first { machineIfAny($0) != nil } ?? name
  }

  /// Whose parameters a request can give: a kind's own, or those of a composition's members.
  private struct ParameterOwner {
    /// Empty, or the name of a member and a dot. `member.parameter` sets the parameter of that member only.
    let prefix: String
    let parameters: [(place: Int, entry: ParameterEntry)]

    init(_ kind: Kind) {
      prefix = ""
      parameters = kind.parameters.enumerated().map { ($0.offset, $0.element) }
    }

    init(_ member: Composition.Member) {
      prefix = "\(member.name)."
      parameters = member.settable
    }
  }

  /// A parameter of each of the owners that has it and admits the value. Writes a failure if none does.
  ///
  /// - Parameter options: What can be given besides.
  private func parameters(
    _ key: String, _ text: String, _ owners: [ParameterOwner], besides options: [String] = []
  ) -> [(owner: Int, place: Int, value: Value)]? {
    var found: [(owner: Int, place: Int, value: Value)] = []
    var misfits: [ParameterEntry] = []
    for (number, owner) in owners.enumerated() {
      guard
        let (place, entry) = owner.parameters.first(where: { _, entry in
          entry.name == key || owner.prefix + entry.name == key
        })
      else { continue }
      if let value = ArgumentText.value(text, as: entry.type) {
        found.append((number, place, value))
      } else {
        misfits.append(entry)
      }
    }
    if !found.isEmpty { return found }
    if !misfits.isEmpty {
      failMisfit(key, text, ArgumentText.union(misfits.map(\.type)))
      return nil
    }
    var names = options + owners.flatMap { $0.parameters.map(\.entry.name) }.distinct
    let isComposed = owners.contains { !$0.prefix.isEmpty }
    if !isComposed { names.append("initial") }
    let all = names + owners.flatMap { owner in owner.parameters.map { owner.prefix + $0.entry.name } }
    fail(key: key, text, allowed: names, among: all, "there is no parameter '\(key)'")
    return nil
  }

  func failMisfit(_ key: String, _ text: String, _ types: [ValueType]) {
    failArgument(
      key, text, allowed: types.map(ArgumentText.allowed).joined(separator: ","),
      "\(key) is \(types.map(ArgumentText.demanded).joined(separator: ", or ")), not '\(text)'")
  }

  /// Whether all parameters without a default are given. Writes a failure if not.
  private func hasRequired(of owners: [ParameterOwner], _ name: String) -> Bool {
    for owner in owners {
      for (_, missing) in owner.parameters where missing.standard == nil {
        if words[missing.name] != nil || words[owner.prefix + missing.name] != nil { continue }
        failArgument(
          missing.name, "", allowed: ArgumentText.allowed(missing.type),
          "\(withArticle(name)) needs \(missing.name)=, for instance \(missing.name)=\(ArgumentText.written(missing.example))"
        )
        return false
      }
    }
    return true
  }

  private func succeeded<T>(
    _ made: Result<T, WorldCore.CreationFailure>, _ name: String, _ kind: String, wires: Int = 0
  ) -> Bool {
    switch made {
    case .success: return true
    case .failure(.nameTaken): failNameTaken(name)
    case .failure(.full) where live.world.wireCount + wires > limits.world.wires:
      failLimit(
        "wires", limits.world.wires,
        "this world has \(live.world.wireCount) wires; there is no room for those of another \(kind)")
    case .failure(.full):
      failLimit(
        "machines", limits.world.machines,
        "this world has \(live.world.machineCount) machines; there is no room for another \(kind)")
    case .failure(.tooManyKinds):
      failLimit(
        "kinds", limits.world.kinds,
        "this world has had machines of \(live.world.kindCount) kinds and versions of kinds")
    case .failure(.limit(let limit)):
      failLimit(
        limit.name, limit.value, with: [("kind", kind)],
        "the start of \(withArticle(kind)) would take more than \(limit.name) allows, \(limit.value)")
    case .failure(.conflict(let conflict)):
      failArgument(
        conflict.parameter, words[conflict.parameter] ?? "default", allowed: conflict.allowed,
        (words.keyed.count > 1 ? "with the other parameters, " : "")
          + "\(conflict.parameter) must be \(conflict.allowed)")
    }
    return false
  }

  func failNameTaken(_ name: String) {
    fail(.nameTaken, [("machine", name)], "there is a machine '\(name)' already")
  }

  func drop() {
    let name = words.plain[0]
    if let members = live.world.members(of: name) {
      let isWithinRequest = live.world.isWithinRequest
      if !isWithinRequest { live.world.beginRequest() }
      for member in members { live.world.drop(member) }
      if !isWithinRequest { live.world.endRequest() }
    } else {
      guard let machine = machine(name) else { return }
      live.world.drop(machine)
    }
    succeedStamped(live.world.answer.sequence) { line in
      line.word(literal: "dropped")
      line.word(name)
    }
  }

  func list() {
    guard let limit = number(words["limit"], "limit", in: 0...1_000_000_000, otherwise: .max >> 1)
    else { return }
    var wanted: WantedKind?
    if let name = words["kind"] {
      guard let entry = kind(name) else { return }
      if let state = words["state"] {
        guard isState(state, of: entry) else { return }
      }
      wanted = WantedKind(entry)
    } else if let state = words["state"] {
      guard isStateOfAnyKind(state) else { return }
    }
    guard let pattern = pattern(words[0]) else { return }
    begin(MachineList(cursor: NameCursor(pattern), kind: wanted, state: words["state"], remaining: Int(limit)))
  }

  /// Whether a kind, or a member of a composed kind, has a state. Writes a failure if not.
  private func isState(_ word: String, of entry: CatalogueEntry) -> Bool {
    switch entry {
    case .machine(let kind): return query(word, kind) != nil
    case .composition(let composition):
      let kinds = composition.members.map(\.kind)
      if kinds.contains(where: { StateQuery(word, of: $0) != nil }) { return true }
      let states = kinds.flatMap { $0.states.map(\.word) }.distinct
      failArgument("state", word, among: states, "no member of a \(composition.name) has a state '\(word)'")
      return false
    }
  }

  /// Whether any kind has a state. Writes a failure if not.
  private func isStateOfAnyKind(_ word: String) -> Bool {
    // A kind that accepts any name as a state counts only if it has machines; otherwise no misspelling would be found.
    let present = live.world.kinds
    let kinds = catalogue.kinds.filter { kind in
      !kind.states.contains(where: \.isNameless) || present.contains { $0 === kind }
    }
    if kinds.contains(where: { StateQuery(word, of: $0) != nil }) { return true }
    let states = kinds.lazy.flatMap { $0.states.lazy.flatMap { $0.word.split(separator: "+").map(String.init) } }
    fail(
      .badArgument,
      [("argument", "state"), ("got", word), ("allowed", "a state of some kind")] + suggestion(word, amongAll: states),
      "no kind has a state '\(word)'")
    return false
  }

  func count() {
    var wanted: WantedKind?
    if let name = words["kind"] {
      guard let entry = kind(name) else { return }
      wanted = WantedKind(entry)
    }
    guard let pattern = pattern(words[0]) else { return }
    begin(MachineCount(pattern, wanted))
  }

  func show() {
    guard let machine = machine(words.plain[0]) else { return }
    let kind = live.world.kind(of: machine)
    line { line in
      line.word(literal: "state")
      line.word(live.world.state(of: machine))
    }
    for (entry, reading) in zip(kind.readings, live.world.readings(of: machine)) {
      guard let reading else { continue }
      line { line in
        line.word(literal: "reading")
        line.word(entry.name)
        ArgumentText.append(reading, to: &line)
        let unit = entry.type.unit
        if !unit.isEmpty { line.word(unit) }
      }
    }
    for (timer, key, due) in live.world.runningTimers(of: machine) {
      line { line in
        line.word(literal: "timer")
        line.word(TimerText.word(kind.timers[timer].name, key: key))
        line.key("due", seconds: due.nanoseconds)
        line.key("left", seconds: max(0, (due - live.world.now).nanoseconds))
      }
    }
    for failure in live.world.lastFailures(of: machine) {
      line { line in
        line.word(literal: "error")
        line.word(failure)
      }
    }
    line { line in
      line.word(literal: "allowed")
      for event in live.world.possibleEvents(of: machine) { line.word(kind.events[event].name) }
    }
    succeedWithLines()
  }

  func can() {
    guard let machine = machine(words.plain[0]) else { return }
    let kind = live.world.kind(of: machine)
    if let name = words[1] {
      guard let event = kind.event(named: name) else {
        failUnknownEvent(name, words.plain[0], kind)
        return
      }
      let prospect = live.world.prospect(of: event.place, for: machine)
      guard let why = prospect.refusal else {
        return succeed { line in
          line.word(literal: "yes")
          line.key("effect", prospect.effects.map { "\($0)" }.joined(separator: ","))
          if !prospect.into.isEmpty {
            line.key("into", prospect.into.map { kind.stateWord($0.state, data: $0.data) }.joined(separator: ","))
          }
        }
      }
      let path = path(of: machine, to: name)
      return succeed { line in
        line.word(literal: "no")
        line.key(path)
        line.note(why)
      }
    }
    let possible = live.world.prospects(of: machine).filter { $0.refusal == nil }
    for prospect in possible.filter({ !$0.isOnlyIgnored }) + possible.filter(\.isOnlyIgnored) {
      let event = kind.events[prospect.event]
      line { line in
        line.word(event.name)
        for argument in event.arguments { line.word(argument.name) }
        if prospect.isOnlyIgnored { line.key("effect", "ignored") }
      }
    }
    succeedWithLines()
  }

  func expect() {
    guard let machine = machine(words.plain[0]) else { return }
    guard let query = query(words.plain[1], live.world.kind(of: machine)) else { return }
    let state = live.world.state(of: machine)
    guard query.matches(live.world.stateIndex(of: machine), data: live.world.stateData(of: machine)) else {
      fail(
        .expected, [("expected", words.plain[1]), ("got", state)],
        "\(words.plain[0]) is in \(state), not in \(words.plain[1])")
      return
    }
    succeed { line in
      line.word(state)
      line.key("t", seconds: live.world.now.nanoseconds)
    }
  }

  func failUnknownEvent(_ name: String, _ machine: String, _ kind: Kind) {
    let events = kind.events.indices.filter { $0 != kind.otherEvents?.place }.map { kind.events[$0].name }
    let timer = kind.timers.first { $0.event == name } ?? kind.timers.first { $0.name == name }
    let text = timer.map { timer in
      let what =
        timer.event == name ? "only the timer '\(timer.name)' brings the event '\(name)'" : "'\(name)' is a timer"
      return "\(what); 'fire \(machine) \(TimerText.form(timer))' lets it expire now"
    }
    fail(
      .unknownEvent,
      [("machine", machine), ("event", name), ("allowed", events.joined(separator: ","))]
        + suggestion(name, among: events),
      text ?? "\(withArticle(kind.name)) has no event '\(name)'")
  }
}
