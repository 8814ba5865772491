internal import LineProtocol
internal import Scripts

/// Turns lines from the daemon into words for people. Stateless: one line in, some text out.
struct Wording: Equatable {
  let style: Style
  /// Whether an answer is reported with its time and the number of its input.
  var reportsWhen = true

  // MARK: Replies

  func success(_ line: ServerLine, answering verb: Verb?) -> ScreenText {
    let words = line.words
    switch (verb, words.first) {
    case (_, "moved") where words.count >= 3:
      return "\(change(words[1], words[2]))\(note(line))\(outputs(line))\(when(line))"
    case (_, "stayed") where words.count >= 2:
      return "stayed in \(style(.state, words[1]))\(note(line))\(outputs(line))\(when(line))"
    case (_, "ignored") where words.count >= 2:
      return "ignored, still \(style(.state, words[1]))\(note(line))\(when(line))"
    case (.new, "created") where words.count >= 3:
      return "\(style(.name, words[1])) created, \(style(.state, words[2]))\(note(line))\(when(line))"
    case (.new, "created") where words.count == 2:
      let members: ScreenText = line["members"].map { ", \(counted($0, "member"))" } ?? ""
      return "\(style(.name, words[1])) created\(members)\(when(line))"
    case (.drop, "dropped") where words.count >= 2:
      return "\(style(.name, words[1])) dropped\(when(line))"
    case (.await, "reached") where words.count >= 2:
      return "reached \(style(.state, words[1]))\(when(line))"
    case (.advance, _), (.step, _):
      return "\(fired(line) ?? "done")\(when(line))"
    case (.can, "yes"):
      return style(.good, "yes")
    case (.can, "no"):
      let hint: ScreenText = way(line).map { "\n  \($0)" } ?? ""
      return "\(style(.bad, "no"))\(note(line))\(hint)"
    case (.expect, _) where words.count == 1:
      return "\(style(.good, style.usesUnicode ? "✓" : "ok")) \(style(.state, words[0]))\(when(line))"
    case (.watch, "watching") where words.count >= 2, (.unwatch, "watching") where words.count >= 2:
      return words[1] == "0" ? "nothing is watched" : "\(counted(words[1], "watch", "watches"))"
    case (.world, "created") where words.count >= 2, (.world, "dropped") where words.count >= 2:
      let lasts: ScreenText = line["durable"] == "no" ? "; it is not durable, as 'durable=yes' makes it" : ""
      return "world \(style(.name, words[1])) \(words[0])\(lasts)\(when(line))"
    case (.use, _):
      return "now in \(style(.name, line["world"] ?? "?"))\(pace(line))\(when(line))"
    case (.world, nil):
      return "in \(style(.name, line["world"] ?? "?"))\(pace(line))\(when(line))"
    case (.clock, "clock") where words.count >= 2:
      return "\(words[1]) clock\(rate(line))\(when(line))"
    case (.pause, _), (.resume, _), (.speed, _):
      return "clock \(line["paused"] == "yes" ? "paused" : "running")\(rate(line))\(when(line))"
    case (.undo, nil), (.redo, nil), (.goto, nil):
      let paused: ScreenText = line["paused"] == "yes" ? "; the clock is paused, 'resume' lets it go on" : ""
      return "now at \(moment(line["t"]))\(paused)\(when(line, showsTime: false))"
    case (.begin, nil):
      return "a batch begins: \(style(.name, "end")) runs it, \(style(.name, "discard")) drops it"
    case (.end, nil) where line["batch"] != nil:
      return "the batch has run, \(counted(line["batch"] ?? "", "line"))\(when(line))"
    case (.discard, "discarded") where words.count >= 2:
      return "the batch is dropped, \(counted(words[1], "line")); nothing was run"
    case (.point, nil):
      return "shown to all who watch"
    case (.sync, nil):
      return "all done\(when(line))"
    default:
      return plain(line)
    }
  }

  func failure(_ line: ServerLine) -> ScreenText {
    let text = times(in: line.note ?? "", of: line)
    let lines: [ScreenText]
    switch FailureCode(rawValue: line.code) {
    case .refused:
      let what = [line["machine"], line["event"] ?? line["timer"]].compactMap(\.self).joined(separator: " ")
      let why = text.isEmpty ? "\(what) is not possible in \(line["state"] ?? "this state")" : text
      lines = ["\(style(.bad, "refused")): \(why)\(when(line))"]
    case .expected:
      let expected = line["expected"] ?? "?"
      let got = line["got"] ?? "?"
      let found: ScreenText = "\(style(.state, expected)) wanted, \(style(.state, got)) found"
      lines = ["\(style(.bad, "not as expected")): \(text.isEmpty ? found : ScreenText(text))"]
    case .timeout:
      let reason = text.isEmpty ? "still \(line["state"] ?? "not there")" : text
      lines = ["\(style(.bad, "timed out")): \(reason)\(when(line))"]
    case .cancelled:
      let timers: ScreenText = fired(line).map { ", \($0)" } ?? ""
      let done: ScreenText = line["done"].map { ", \($0) done" } ?? ""
      lines = ["\(style(.attention, "cancelled"))\(timers)\(done)\(when(line))"]
    case .batch where text == "not run":
      lines = [style(.quiet, "line \(line["index"] ?? "?") was not run")]
    case .batch:
      let reason: ScreenText = text.isEmpty ? "" : ": \(text)"
      lines = ["\(style(.bad, "batch stopped")) at line \(line["index"] ?? "?")\(reason)"]
    default:
      let reason = text.isEmpty ? plain(line.fields) : text
      lines = ["\(style(.bad, "error")): \(reason) \(style(.quiet, "(\(line.code))"))"]
    }
    return (lines + hints(line).map { "  \($0)" }).joined(separator: "\n")
  }

  /// What helps against a failure, below what has failed: what was meant, what is allowed, and what leads there.
  func hints(_ line: ServerLine) -> [ScreenText] {
    let text = times(in: line.note ?? "", of: line)
    var hints: [ScreenText] = []
    // The daemon does not know the words of the prompt.
    let own = line.code == FailureCode.unknownVerb.word ? line["verb"].flatMap(LocalVerb.meant) : nil
    if let meant = own ?? line["did-you-mean"], !text.includes("'\(meant)'") {
      hints.append("did you mean \(style(.name, meant))?")
    }
    if line["argument"] == "state", line["did-you-mean"] == nil,
      let outcome = Nearest.match(line["got"] ?? "", among: ScriptOutcome.words.dropFirst())
    {
      hints.append("\(style(.name, outcome)) is an outcome: it stands after '=>', after the request")
    }
    if let meant = duration(meantBy: line) { hints.append("did you mean \(style(.name, meant))?") }
    if let allowed = line["allowed"], let hint = hint(times(in: allowed, of: line), line, text) { hints.append(hint) }
    if let ignores = line["ignores"] {
      let events = ignores.split(separator: ",").map { style(.quiet, String($0)) }.joined(separator: ", ")
      hints.append("would do nothing: \(events)")
    }
    if let way = way(line) { hints.append(way) }
    return hints
  }

  /// The duration that is meant by one with several units, where a time or a duration is wanted.
  private func duration(meantBy failure: ServerLine) -> String? {
    guard let got = failure["got"], let allowed = failure["allowed"], let meant = TimeText.meant(by: got) else {
      return nil
    }
    // A parameter has a range: `1ms..10s`.
    let most = allowed.cut(at: "..")?.after ?? ""
    let isInRange =
      most.last?.isLetter == true && (TimeText.time(meant) ?? .max) <= (TimeText.time(String(most)) ?? -1)
    return isInRange || [TimeText.durationForm, TimeText.timeForm].contains(allowed) ? meant : nil
  }

  /// What helps at the prompt alone, where a world has a past: against a time that is over, and a name that is taken.
  static func remedy(_ line: ServerLine) -> String? {
    switch FailureCode(rawValue: line.code) {
    case .badArgument where line["argument"] == "time":
      line["got"].map { "'goto \($0)' goes back there; 'world new NAME clock=virtual' and 'use NAME' begin at 0" }
    case .nameTaken:
      line["machine"].map { "'drop \($0)' removes it" }
        ?? line["kind"].map { _ in "'load FILE as NAME' gives the kind of a file another name" }
    case _: nil
    }
  }

  /// How to reach a state in which the refused event is possible, or the one that was awaited.
  private func way(_ line: ServerLine) -> ScreenText? {
    guard let way = line["way"] else { return nil }
    let steps = way.split(separator: ",").map { style(.good, String($0)) }.joined(separator: ", ")
    guard let state = line["from"] else { return "by way of: \(steps)" }
    return "possible in \(style(.state, state)), by way of: \(steps)"
  }

  /// What is allowed instead, unless the text already says so.
  private func hint(_ allowed: String, _ line: ServerLine, _ text: String) -> ScreenText? {
    let choices = allowed.split(separator: ",").map { style(.good, String($0)) }.joined(separator: ", ")
    switch FailureCode(rawValue: line.code) {
    case .refused where line["timer"] != nil:
      return allowed.isEmpty ? "no timer is running" : "running: \(choices)"
    case .refused: return allowed.isEmpty ? "no event is possible now" : "possible now: \(choices)"
    case .unknownEvent, .unknownTimer: return allowed.isEmpty ? "it has none" : "it has: \(choices)"
    default: return allowed.isEmpty || text.includes(allowed) ? nil : "allowed: \(style(.good, allowed))"
    }
  }

  // MARK: Notices and journal lines

  /// A notice or a journal line: `SEQ T NAME WHAT …`.
  ///
  /// - Returns: `nil` if the words do not have this shape.
  func event(_ line: ServerLine, showsSequence: Bool) -> ScreenText? {
    let words = line.words
    guard words.count >= 4 else { return nil }
    let rest = Array(words.dropFirst(4))
    let moment = time(words[1])
    var text = style(.quiet, showsSequence ? "#\(words[0]) \(moment)" : moment)
    if let at = line["at"] { text += style(.quiet, "  \(dateAndTime(at))") }
    if words[2] != "-" { text += "  \(style(.name, words[2]))" }
    text += "  "
    switch (words[3], rest.count) {
    case ("moved", 2...): text += change(rest[0], rest[1])
    case ("output", 1...):
      text += "\(style.emits) \(style(.output, rest[0]))"
      for datum in rest.dropFirst() { text += " \(Word.written(datum))" }
    case ("told", 1...): text += style(.quiet, ([rest[0]] + rest.dropFirst().map(Word.written)).joined(separator: " "))
    case ("stayed", 1...): text += "stayed in \(style(.state, rest[0]))"
    case ("ignored", 1...): text += "ignored in \(style(.state, rest[0]))"
    case ("refused", 1...): text += "\(style(.bad, "refused")) in \(style(.state, rest[0]))"
    case ("created", 2...): text += "created, a \(rest[0]), \(style(.state, rest[1]))"
    case ("armed", 1...): text += style(.quiet, "\(rest[0]) until \(time(line["due"]))")
    case ("disarmed", 1...): text += style(.quiet, "\(rest[0]) stopped")
    case ("expired", 1...): text += "\(rest[0]) expired"
    case ("wired", 3...): text += "\(rest[0]) wired to \(rest[1]) \(rest[2])"
    case ("unwired", 3...): text += "\(rest[0]) no longer wired to \(rest[1]) \(rest[2])"
    case ("pointed", 1...): text += "look at \(style(.state, rest[0]))"
    case ("undone", _), ("redone", _): text += rewound(line, isRedo: words[3] == "redone")
    default: text += ScreenText(([words[3]] + rest.map(Word.written)).joined(separator: " "))
    }
    let causes = line.fields.filter {
      !Self.saidOtherwise.contains($0.key) && !["undone", "redone"].contains(words[3])
    }
    if !causes.isEmpty { text += style(.quiet, "  (\(plain(causes)))") }
    if let undoer = line["undone"] { text += style(.attention, "  undone by #\(undoer)") }
    if let note = line.note { text += style(.quiet, " : \(note)") }
    return text
  }

  /// Fields of a notice that are not causes.
  private static let saidOtherwise: Set = ["due", "undone", "at"]

  /// A time of the host without its time zone: `2031-05-04 05:02:01.000`.
  private func dateAndTime(_ text: String) -> String {
    "\(text.prefix(10)) \(text.dropFirst(11).prefix(12))"
  }

  /// The range of inputs undone, or in effect again: `from=A to=B`, or nothing.
  private func rewound(_ line: ServerLine, isRedo: Bool) -> ScreenText {
    guard let first = line["from"], let last = line["to"] else {
      return isRedo ? "time goes on again" : "time went back"
    }
    let what = isRedo ? "redone" : "undone"
    return style(.attention, first == last ? "#\(first) \(what)" : "#\(first) to #\(last) \(what)")
  }

  func flow(_ line: ServerLine) -> ScreenText {
    let note = self.note(line)
    switch line.code {
    case "gap":
      let from = line["from"] ?? "?"
      let dropped = style(
        .attention, "notices \(from) to \(line["to"] ?? "?") were dropped, as they were not read fast enough")
      return "\(dropped); 'journal since=\(from)' has them"
    case "livelock":
      let machine = style(.name, line["machine"] ?? "?")
      let what: ScreenText =
        if let output = line["output"] {
          "output \(output) of \(machine) loops through wires without end; the rest was not delivered"
        } else {
          "timer \(line["timer"] ?? "?") of \(machine) loops without time passing; timers that are due wait"
        }
      return "\(style(.bad, "livelock")): \(what), in the world \(line["world"] ?? "?")\(when(line))"
    case "limit":
      let timer: ScreenText = "\(line["timer"] ?? "?") of \(style(.name, line["machine"] ?? "?"))"
      let limit = style(.bad, "limit \(line["name"] ?? "?")=\(line["value"] ?? "?")")
      return "\(limit): timer \(timer) was not armed, in the world \(line["world"] ?? "?")\(when(line))"
    case "world":
      return "\(style(.attention, "the world \(line["dropped"] ?? "?") was dropped")); back in main\(note)"
    case "bye":
      return "\(style(.attention, farewell(line["reason"])))\(note)"
    default:
      return style(.attention, plain(line))
    }
  }

  private func farewell(_ reason: String?) -> String {
    switch reason {
    case "quit", nil: "goodbye"
    case "shutdown": "the daemon is shutting down"
    case "limit": "the daemon has no room for another client"
    case let other?: "the daemon closes the connection: \(other)"
    }
  }

  // MARK: Parts

  /// A row of a reply's data: a cell for each word and field, the text last.
  func row(_ line: ServerLine, answering verb: Verb?) -> [Table.Cell] {
    let text = line.note.map { [Table.Cell($0, .quiet, isText: true)] } ?? []
    if verb == .help {
      // A usage is one cell, however many words it has.
      return [Table.Cell((line.words + line.fields.map { "\($0.key)=\($0.value)" }).joined(separator: " "), .name)]
        + text
    }
    if verb == .show, line.words.first == "allowed" {
      // What `can` lists; what a refusal calls possible leaves out what would only be ignored.
      let events = line.words.dropFirst().joined(separator: ", ")
      return [Table.Cell("can", .name), Table.Cell(events.isEmpty ? "nothing" : events, isText: true)]
    }
    if verb == .coverage { return coverageRow(line) }
    return withTime(line.words).enumerated().map { index, word in
      Table.Cell(index == 0 && verb == .agenda ? time(word) : word, index == 0 ? .name : nil)
    }
      + line.fields.map { field in
        let value = Self.times.contains(field.key) ? time(field.value) : field.value
        return Table.Cell("\(field.key)=\(value.isEmpty ? "-" : value)")
      }
      + text
  }

  /// Fields whose values are times in seconds.
  private static let times: Set = ["t", "due", "left", "since", "idle"]

  /// The words of a row such as a reading; for a room, a time at its end has its unit in it.
  func withTime(_ words: [String]) -> [String] {
    guard style.isPresenting, words.count > 2, words.last == ShownMachine.unitOfTimes,
      let people = TimeText.people(words[words.count - 2])
    else { return words }
    return words.dropLast(2) + [people]
  }

  /// What the columns below it are, where that cannot be guessed.
  func legend(of verb: Verb?) -> ScreenText {
    let text =
      switch verb {
      case .agenda: "due time, machine, timer; left: time until then"
      case .list: "machine, kind, state"
      case .count: "kind, state, number of machines"
      case .can: "event and its arguments; effect: the outcome, if it is neither a move nor a stay"
      case .limits: "limit, highest value, unit"
      case .worlds: "world, its clock and its time; seq: the number of its last input"
      case .wires: "machine and its output, machine and its event"
      case .coverage: "tried/all; switch: two transitions in a row"
      case _: ""
      }
    return text.isEmpty ? "" : "  \(style(.quiet, text))\n"
  }

  /// The state in which an answer leaves a machine.
  func state(after line: ServerLine, answering verb: Verb?) -> String? {
    let words = line.words
    switch (line.lineClass, words.first, verb) {
    case (.success, "moved", _), (.success, "created", .new): return words.count > 2 ? words[2] : nil
    case (.success, "stayed", _), (.success, "ignored", _), (.success, "reached", .await):
      return words.count > 1 ? words[1] : nil
    case (.success, _, .expect): return words.count == 1 ? words[0] : nil
    case (.failure, _, _): return line["state"] ?? line["got"].flatMap { verb == .expect ? $0 : nil }
    case _: return nil
    }
  }

  /// A row below the figures of a kind; the heading already names the kind: `. WORD KIND …`.
  private func coverageRow(_ line: ServerLine) -> [Table.Cell] {
    var words = line.words
    if words.count > 1 { words.remove(at: 1) }
    var fields = line.fields.map { "\($0.key)=\($0.value)" }
    let arrow = " \(style.arrow) "
    switch (words.first, words.dropFirst().first, words.count) {
    case ("untried", "transition", 4):
      words = words.prefix(2) + [words[2...].joined(separator: arrow)]
    case ("untried", "switch", 7):
      fields = ["\(words[3]), \(words[5])"]
      words = words.prefix(2) + [[words[2], words[4], words[6]].joined(separator: arrow)]
    default:
      break
    }
    return words.enumerated().map { Table.Cell($0.element, $0.offset == 0 ? .name : nil) }
      + fields.map { Table.Cell($0) }
  }

  /// The heading above the figures of a kind: `. kind KIND machines=N …`.
  func heading(_ line: ServerLine) -> ScreenText {
    let machines = counted(line["machines"] ?? "?", "machine")
    let since = line["since"].map { ", since #\($0)" } ?? ""
    let isPart = line["graph"] == "partial" ? ", as far as explored" : ""
    return
      "\(style(.name, line.words.count > 1 ? line.words[1] : "?"))\(style(.quiet, "  \(machines)\(since)\(isPart)"))"
  }

  /// The figures of a kind, one per row: tried, total, and per cent. Figures with total 0 are omitted.
  func figures(_ line: ServerLine) -> [[Table.Cell]] {
    line.fields.filter { !["machines", "since", "graph"].contains($0.key) }.compactMap { field in
      let numbers = field.value.split(separator: "/").map { Int($0) ?? 0 }
      guard let all = numbers.last, all > 0 else { return nil }
      let name = Table.Cell(field.key, .name)
      guard numbers.count == 2 else { return [name, Table.Cell(field.value)] }
      let isWhole = numbers[0] == all
      let percent = Table.Cell("\(numbers[0] * 100 / all) %", isWhole ? .good : .quiet)
      return [name, Table.Cell(field.value), percent]
    }
  }

  private func change(_ from: String, _ to: String) -> ScreenText {
    "\(style(.state, from)) \(style.arrow) \(style(.newState, to))"
  }

  private func outputs(_ line: ServerLine) -> ScreenText {
    guard let outputs = line["outputs"], !outputs.isEmpty else { return "" }
    let names = outputs.split(separator: ",").map { style(.output, String($0)) }
    return "  \(style.emits) \(names.joined(separator: ", "))"
  }

  private func when(_ line: ServerLine, showsTime: Bool = true) -> ScreenText {
    guard reportsWhen else { return "" }
    let parts = [line["t"].flatMap { showsTime ? moment($0) : nil }, line["seq"].map { "#\($0)" }].compactMap(
      \.self)
    return parts.isEmpty ? "" : style(.quiet, "  \(parts.joined(separator: " "))")
  }

  /// A time with its unit.
  func moment(_ text: String?, unit: String = "s") -> String {
    guard let text else { return "?" }
    return style.isPresenting ? time(text) : ScreenTime.text(text, unit: unit)
  }

  func time(_ text: String?) -> String {
    guard let text else { return "?" }
    return style.isPresenting ? TimeText.people(text) ?? text : ScreenTime.text(text)
  }

  /// A text of a failure with the times in it as people say them, if it is about a time. Elsewhere than in a room the
  /// whole number stands beside, since that can be typed.
  private func times(in text: String, of failure: ServerLine) -> String {
    guard failure["argument"] == "time" else { return text }
    return text.replaced(runsOf: { "0"..."9" ~= $0 || $0 == "." }) { number in
      let parts = number.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].count >= 3 else { return String(number) }
      let people = time(String(number))
      if style.isPresenting { return people }
      return people.contains(":") ? "\(people) (\(parts[1] == "000" ? parts[0] : number)s)" : String(number)
    }
  }

  /// How many timers a request has fired, if its answer says so.
  private func fired(_ line: ServerLine) -> ScreenText? {
    line["fired"].map { "\(counted($0, "timer")) fired" }
  }

  /// What is said of a diagram that does not have all of its document.
  func omission(_ line: ServerLine) -> ScreenText {
    let parts = counted(line["omitted"] ?? "", "part")
    return "\(style(.attention, "\(parts) of the document cannot be drawn")): lines with 'left out' say what"
  }

  private func note(_ line: ServerLine) -> ScreenText {
    line.note.map { ": \($0)" } ?? ""
  }

  private func rate(_ line: ServerLine) -> String {
    let speed = line["speed"].flatMap { $0 == "1" ? nil : ", speed \($0)" } ?? ""
    return speed + (line["paused"] == "yes" && line.words.first == "clock" ? ", paused" : "")
  }

  private func pace(_ line: ServerLine) -> String {
    let speed = line["speed"].map { ", speed \($0)" } ?? ""
    return line["clock"].map { ", clock \($0)\(speed)\(line["paused"] == "yes" ? ", paused" : "")" } ?? ""
  }

  private func counted(_ number: String, _ one: String, _ many: String? = nil) -> String {
    number == "1" ? "1 \(one)" : "\(number) \(many ?? one + "s")"
  }

  /// A success or a line without its own wording: its words, its fields, its text.
  private func plain(_ line: ServerLine) -> ScreenText {
    let rest = line.fields.filter { $0.key != "t" && $0.key != "seq" }
    var parts = line.words
    if !rest.isEmpty { parts.append(plain(rest)) }
    if let note = line.note { parts.append(note) }
    return "\(parts.isEmpty ? "ok" : parts.joined(separator: "  "))\(when(line))"
  }

  private func plain(_ fields: [ServerLine.Field]) -> String {
    fields.map { "\($0.key) \($0.value.isEmpty ? "-" : $0.value)" }.joined(separator: ", ")
  }
}
