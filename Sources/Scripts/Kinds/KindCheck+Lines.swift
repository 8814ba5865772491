import LineProtocol

/// What the lines of a script say of machines and kinds.
extension KindCheck {
  /// A time that is over is told before anything is played: world time does not go back.
  mutating func checkTime(_ step: Script.Step, _ place: Int, _ now: Int64) {
    // A counted time as it is played first.
    let words = ScriptWords(Array(script.request(of: step).utf8))
    let arguments = Self.arguments(of: words)
    guard arguments.count == 2 else { return }
    let found = words.text(words.words[arguments[1]])
    guard let time = TimeText.time(found), time < now else { return }
    let answer = Self.answer(
      .badArgument, [("argument", "time"), ("got", found)], "", among: [],
      "it is \(TimeText.seconds(now)) already, and world time does not go back")
    tell(Place(step: step, index: place, expected: "ok"), arguments[1], answer)
  }

  static func namesSomething(_ verb: Verb) -> Bool {
    verb.entry.parsedForms.contains { form in
      form.places.contains { $0.placeholders.contains { Role(rawValue: $0) != nil } }
        || form.keys.contains { $0.value.placeholders == [Role.kind.rawValue] }
    }
  }

  /// - Returns: What the last of the machines is that a request names; nil behind a mistake, and without a machine.
  mutating func checkRequest(_ verb: Verb, _ words: borrowing ScriptWords, _ here: Place) -> Meaning? {
    let arguments = Self.arguments(of: words)
    let texts = arguments.map { words.text(words.words[$0]) }
    guard let form = verb.entry.parsedForms.first(where: { $0.misfit(of: texts) == nil }) else { return nil }
    if verb == .new { return checkNew(texts, words, arguments, here) }
    var subject: Meaning?
    var name = ""
    for (number, text) in texts.enumerated() {
      guard let placeholders = form.place(number)?.placeholders, let role = placeholders.last.flatMap(Role.init) else {
        continue
      }
      let word = arguments[number]
      switch role {
      case .kind: if !checkKind(text, word, here) { return nil }
      case .name where placeholders.contains(Role.kind.rawValue):
        if !checkMachineOrKind(text, word, here) { return nil }
      case .name, .from, .to:
        guard let found = checkMachine(text, word, here, canBeComposed: verb == .drop) else { return nil }
        (subject, name) = (found, text)
      case .pattern:
        guard let found = checkPattern(text, word, here, hasKindKey: Self.hasKindKey(verb)) else { return nil }
        (subject, name) = (found, text)
      case .event: if !check(.event, text, of: subject, name, word, here) { return nil }
      case .timer: if !check(.timer, text, of: subject, name, word, here) { return nil }
      case .output: if !check(.output, text, of: subject, name, word, here) { return nil }
      case .state: if !check(.state, text, of: subject, name, word, here) { return nil }
      }
    }
    for (place, word) in words.words.enumerated() where !word.isPlain && words.key(word) == "kind" {
      if form.keys.contains(where: { $0.name == "kind" }), !checkKind(words.text(word), place, here) { return nil }
    }
    return subject
  }

  mutating func checkNew(
    _ texts: [String], _ words: borrowing ScriptWords, _ arguments: [Int], _ here: Place
  ) -> Meaning? {
    guard checkKind(texts[0], arguments[0], here) else { return nil }
    if isTaken(texts[1], at: here.index) {
      tell(
        here, arguments[1], .nameTaken, [("machine", texts[1])], "", among: [],
        "there is a machine '\(texts[1])' already")
      return nil
    }
    guard let kinds = book.words(texts[0], at: here.index, isOrdered: isOrdered), !kinds.isEmpty else { return nil }
    var isRight = true
    for (place, word) in words.words.enumerated() where !word.isPlain {
      let key = words.key(word)
      guard !kinds.contains(where: { $0.knows(.parameter, key) }) else { continue }
      let names = kinds[0].names(of: .parameter)
      let members = kinds[0].members.keys.sorted().flatMap { member in names.map { "\(member).\($0)" } }
      tell(
        here, place, .badArgument,
        [("argument", key), ("got", words.text(word)), ("allowed", names.joined(separator: ","))],
        key, among: names + members, "there is no parameter '\(key)'")
      isRight = false
    }
    for (place, word) in words.words.enumerated() where !word.isPlain && words.key(word) == "initial" {
      let state = words.text(word)
      let states = kinds.flatMap(\.initialStates)
      guard isRight, !state.contains(ScriptMachines.number), !states.isEmpty, !states.contains(state) else { continue }
      tell(
        here, place, .badArgument,
        [("argument", "initial"), ("got", state), ("allowed", states.joined(separator: ","))], state, among: states,
        "\(withArticle(texts[0])) cannot start as '\(state)'"
          + (state.contains("(") ? "; name the state without its data" : ""))
      isRight = false
    }
    return isRight ? (kinds.contains(where: \.isComposed) ? nil : .machine(kinds)) : nil
  }

  /// Checks what is expected of the state and the outputs of a machine behind an arrow.
  mutating func checkOutcome(_ outcome: ScriptOutcome, _ verb: Verb, of machine: Meaning, _ here: Place) {
    guard [.send, .fire, .await, .expect, .new].contains(verb) else { return }
    let arrow = script.arrow(of: here.step) + 1
    for word in 0..<outcome.wordCount {
      guard let state = outcome.state(at: word) else { continue }
      guard check(.state, state, of: machine, "", arrow + word, here.withoutAnswer) else { return }
    }
    guard let field = outcome.fields.firstIndex(where: { $0.key == "outputs" }) else { return }
    for output in outcome.fields[field].value.split(separator: ",") {
      guard check(.output, String(output), of: machine, "", arrow + outcome.wordCount + field, here.withoutAnswer)
      else { return }
    }
  }

  mutating func check(_ place: Int32, _ step: Script.Step, _ index: Int) {
    let check = script.checkPattern(place)
    var expected = ""
    if case .never = check { expected = "a machine and a state of its kind" }
    let here = Place(step: step, index: index, expected: expected)
    switch check {
    case .timers(let machine, let names): self.check(.timer, names, of: machine, 3, here)
    case .reading(let machine, let name, _): self.check(.reading, [name], of: machine, 3, here)
    case .never(let machine, let state): self.check(.state, [state.word], of: machine, 2, here)
    case .noErrors(let machine): _ = checkMachine(machine, 1, here)
    case .coverage(let pattern, _): _ = checkPattern(pattern, 2, here, hasKindKey: false)
    case .output(let machine, let name, _):
      guard let found = checkMachine(machine, 2, here) else { return }
      _ = self.check(.output, name, of: found, "", 3, here)
    }
  }

  mutating func check(
    _ sort: KindWords.Sort, _ names: [String], of machine: String, _ word: Int, _ here: Place
  ) {
    guard let found = checkMachine(machine, 1, here) else { return }
    for name in names where !check(sort, name, of: found, "", word, here) { return }
  }

  /// Whether a word names something that the machine can have.
  mutating func check(
    _ sort: KindWords.Sort, _ name: String, of meaning: Meaning?, _ machine: String, _ word: Int, _ here: Place
  ) -> Bool {
    guard case .machine(let kinds)? = meaning, !name.contains(ScriptMachines.number),
      !kinds.contains(where: { $0.knows(sort, name) })
    else { return true }
    let names = kinds.flatMap { $0.names(of: sort) }.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let owners = kinds.map(\.kind).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    var text = "\(owners.map(withArticle).joined(separator: " or ")) has no \(sort.rawValue) '\(name)'"
    if sort == .event, kinds.contains(where: { $0.knows(.timer, name) }) {
      text = "'\(name)' is a timer; 'fire \(machine) \(name)' lets it expire now"
    }
    if sort == .state, name == "timers" || name == "reading" {
      text += name == "timers" ? "; 'timers T,…' and 'timers none' expect timers" : "; 'reading K VALUE' expects one"
    }
    let code: FailureCode =
      switch sort {
      case .event: .unknownEvent
      case .timer: .unknownTimer
      // Under this code the prompt lists what there is.
      case .output, .reading: here.expected.isEmpty ? .unknownTimer : .badArgument
      case .state, .parameter, .member: .badArgument
      }
    // Of several regions one is wrong.
    let regions = sort == .state ? name.split(separator: "+").map(String.init) : [name]
    let wrong = regions.first { region in !kinds.contains { $0.knows(sort, region) } } ?? name
    // The first word behind an arrow may be meant to be an outcome.
    let others =
      switch sort {
      case .state where here.expected.isEmpty: ScriptOutcome.words
      case .timer where here.expected.isEmpty: ["none"]
      case _: [String]()
      }
    tell(
      here, word, code, [(sort.rawValue, name), ("allowed", names.joined(separator: ","))],
      String(wrong.prefix { $0 != "(" }), among: names + others, text, sort: "a known \(sort.rawValue)")
    return false
  }
}
