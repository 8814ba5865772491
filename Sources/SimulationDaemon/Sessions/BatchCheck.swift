import LineProtocol
import StateMachines
import Simulator

/// What `begin strict` knows of its lines so far.
struct BatchCheck {
  /// The first line that is a mistake, counted from 1.
  private(set) var firstMistake: Int?
  /// The machines that earlier lines make, with their kinds; `nil` for those that they drop.
  private var machines: [String: Kind?] = [:]
  /// The machines of the composed names that earlier lines make.
  private var members: [String: [String]] = [:]
  /// How many names there are in ``members``.
  private var memberCount = 0

  /// Two words for a name, one for a kind, and the table's own.
  var storageBytes: Int { (machines.count + members.count + memberCount) * 64 }

  mutating func noteMistake(at index: Int) {
    if firstMistake == nil { firstMistake = index }
  }

  enum Presence {
    case made(Kind)
    case dropped
    /// As in the world.
    case unchanged
  }

  func presence(of name: String) -> Presence {
    switch machines[name] {
    case .some(.some(let kind)): .made(kind)
    case .some(.none): .dropped
    case .none: .unchanged
    }
  }

  func members(of name: String) -> [String]? { members[name] }

  mutating func make(_ name: String, _ kind: Kind) { machines[name] = .some(kind) }

  mutating func make(_ name: String, _ composition: Composition) {
    for member in composition.members { make("\(name).\(member.name)", member.kind) }
    let names = composition.members.map { "\(name).\($0.name)" }
    memberCount += names.count - (members.updateValue(names, forKey: name)?.count ?? 0)
  }

  mutating func drop(_ names: [String]) {
    for name in names { machines.updateValue(nil, forKey: name) }
  }
}

extension RequestContext {
  /// Checks a line of a strict batch: its words, and that the machines, kinds, events, outputs, timers and states that it
  /// names exist, or will by earlier lines. A mistake is answered as if the line were run now.
  ///
  /// - Complexity: O(words); of an unknown name also what the search for near ones takes.
  func check(_ line: InputBuffer.Line, _ request: inout Request) {
    session.didFail = false
    let mark = session.outbox.buffer.count
    do throws(Request.Failure) {
      try request.parse(line)
      if let verb = Verb(request.verb) {
        answering(request) { $0.checkWords(verb) }
      } else {
        let word = String(decoding: request.verb, as: UTF8.self)
        answering(request.tag) { $0.failUnknownVerb(word) }
      }
    } catch {
      if case .syntax(let text) = error { session.fail(request.tag, .syntax, [], text) }
    }
    guard session.didFail else { return }
    session.noteMistake()
    session.outbox.keepOnRollback(from: mark)
  }

  private func checkWords(_ verb: Verb) {
    let entry = verb.entry
    guard entry.inBatch else {
      return fail(.usage, "'\(verb.name)' cannot stand between 'begin' and 'end'")
    }
    if !session.mayRun(verb, hasArguments: !words.plain.isEmpty) {
      return session.failReadOnly(tag, verb)
    }
    if let outage = live.outage, verb.row.concernsContents, !outage.isReadable || !verb.row.mayRunReadOnly {
      return session.fail(tag, world: session.shown(live.name), outage)
    }
    guard check(entry) else { return }
    guard let form = entry.parsedForms.first(where: { $0.misfit(of: words.plain) == nil }) else {
      return failUsage(entry)
    }
    if verb == .new { return checkNew() }
    if verb == .drop { return checkDrop() }
    guard checkKeys(form) else { return }
    var subject: Subject?
    for (index, word) in words.plain.enumerated() {
      guard let place = form.place(index), check(word, of: verb, as: place.placeholders, &subject) else { return }
    }
  }

  /// The machine that the next words of a line are about.
  private struct Subject {
    let name: String
    let kind: Kind
    /// `nil` if an earlier line of the batch makes it.
    let machine: MachineID?
  }

  private func checkKeys(_ form: UsageForm) -> Bool {
    for (key, word) in words.keyed {
      guard let value = form.keys.first(where: { $0.name == key })?.value else { continue }
      if let allowed = value.problem(with: word) {
        failArgument(key, word, allowed: allowed, "\(key) is \(allowed)")
        return false
      }
      if value.placeholders == ["KIND"], kind(word) == nil { return false }
    }
    return true
  }

  /// Checks a plain word by its place in the verb table. Writes a failure if it is a mistake.
  private func check(_ word: String, of verb: Verb, as placeholders: [String], _ subject: inout Subject?) -> Bool {
    switch placeholders.last {
    case "VERB":
      if Verb.allCases.contains(where: { $0.name == word }) { return true }
      failUnknownVerb(word)
      return false
    case "KIND": return kind(word) != nil
    case "NAME" where placeholders.contains("KIND"):
      if hasMachines(named: word) || entry(named: word) != nil { return true }
      if verb == .graph { failNeitherMachineNorKind(word) } else { failNeitherKindNorMachine(word) }
      return false
    case "NAME", "FROM", "TO":
      subject = self.subject(word)
      return subject != nil
    case "PATTERN":
      subject = nil
      return pattern(word) != nil
    case "EVENT": return check(event: word, of: verb, for: subject)
    case "OUTPUT": return subject.map { output(word, of: $0.kind) != nil } ?? true
    case "TIMER":
      guard let subject, !subject.kind.timers.contains(where: { $0.name == TimerText.parts(word).name }) else {
        return true
      }
      return timer(word, of: subject.machine, subject.kind) != nil
    case "STATE": return subject.map { query(word, $0.kind) != nil } ?? true
    case _: return true
    }
  }

  private func check(event name: String, of verb: Verb, for subject: Subject?) -> Bool {
    guard let subject else {
      if live.world.kinds.contains(where: { $0.event(named: name) != nil }) || !catalogue.lacks(event: name) {
        return true
      }
      failUnknownEvent(name)
      return false
    }
    guard let event = subject.kind.event(named: name) else {
      failUnknownEvent(name, subject.name, subject.kind)
      return false
    }
    return verb != .send || arguments(of: subject.kind, event) != nil
  }

  private func subject(_ name: String) -> Subject? {
    switch session.batch?.check?.presence(of: name) ?? .unchanged {
    case .made(let kind): return Subject(name: name, kind: kind, machine: nil)
    case .dropped:
      fail(.unknownMachine, [("machine", name)], "an earlier line of this batch drops '\(name)'")
      return nil
    case .unchanged:
      return machine(name).map { Subject(name: name, kind: live.world.kind(of: $0), machine: $0) }
    }
  }

  private func isTaken(_ name: String) -> Bool {
    switch session.batch?.check?.presence(of: name) ?? .unchanged {
    case .made: return true
    case .dropped: return false
    case .unchanged: return machineIfAny(name) != nil
    }
  }

  private func hasMachines(named name: String) -> Bool { isTaken(name) || members(of: name) != nil }

  /// The names of the machines that a composed name stands for name.
  private func members(of name: String) -> [String]? {
    let members =
      session.batch?.check?.members(of: name)
      ?? live.world.members(of: name).map { $0.map { live.world.name(of: $0) } }
    return members?.contains(where: { isTaken($0) }) == true ? members : nil
  }

  private func checkNew() {
    guard let entry = kind(words.plain[0]), let name = newName(words.plain[1]) else { return }
    switch entry {
    case .machine(let kind):
      guard parameters(of: kind) != nil else { return }
      if hasMachines(named: name) { return failNameTaken(name) }
      session.batch?.check?.make(name, kind)
    case .composition(let general):
      guard let composition = variant(of: general), parameters(of: composition, name) != nil else { return }
      if let taken = composition.members.map({ "\(name).\($0.name)" }).first(where: { isTaken($0) }) {
        return failNameTaken(taken)
      }
      if hasMachines(named: name) { return failNameTaken(name) }
      session.batch?.check?.make(name, composition)
    }
  }

  private func checkDrop() {
    let name = words.plain[0]
    if let members = members(of: name) {
      session.batch?.check?.drop(members)
    } else if subject(name) != nil {
      session.batch?.check?.drop([name])
    }
  }
}
