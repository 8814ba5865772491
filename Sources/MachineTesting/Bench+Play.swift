import Simulator
import StateMachines
import Testing

extension Bench {
  /// Performs rows of inputs, and compares everything that comes of each with what the row says. The first row that
  /// differs is an issue at its line, and ends the play.
  ///
  /// A row is an input, `|`, and what happens then:
  ///
  /// | input | what happens |
  /// | --- | --- |
  /// | `EVENT ARGUMENT…` | the event is sent; the last argument takes the rest of the row |
  /// | `MACHINE EVENT ARGUMENT…` | the same, of several machines |
  /// | `advance 350ms` | time passes: `ns`, `us`, `ms`, `s`, `min`, `h` or `d` |
  /// | `fire TIMER` | a running timer expires now |
  /// | `created` | nothing: as the first row it says what came when the machines were made |
  ///
  /// What comes of an event is `→ STATE`, `stayed`, `ignored` or `refused: REASON`; a state has its data in parentheses.
  /// After it, in their order, come the outputs, `> text A`, and the timers that begin and end, `+ burn 60s` and
  /// `- burn`. Each input that follows from it has a line of its own, and in the rows after the first the left side is
  /// empty: a timer that expires (`burn → dark`, with its moment if time went on: `burn at 60s → dark`), or an event
  /// that a wire brings (`screen: shown → ready`). Of several machines each such line begins with the machine's name.
  ///
  /// - Parameter rows: The rows. The other parameters are where they are.
  public func play(
    _ rows: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) {
    var steps: [(input: String, expected: [String], location: SourceLocation)] = []
    for row in Rows(of: rows, fileID: fileID, filePath: filePath, line: line, column: column).rows {
      let came = Rows.plain(row.cells.dropFirst().joined(separator: "|"))
      if !row.cells[0].isEmpty || steps.isEmpty {
        steps.append((row.cells[0], came.isEmpty ? [] : [came], row.location))
      } else {
        steps[steps.count - 1].expected.append(came)
      }
    }
    for (place, step) in steps.enumerated() {
      let before = names.map { names.count == 1 ? state($0) : "\($0) \(state($0))" }.joined(separator: ", ")
      let began = now
      let came: [String]
      do {
        came = try perform(step.input, isFirst: place == 0)
      } catch {
        Issue.record(Comment(rawValue: "\(step.input): \(error)"), sourceLocation: step.location)
        return
      }
      if came != step.expected {
        let title = "\(step.input), at \(Nanoseconds(nanoseconds: began.nanoseconds).withUnit) in \(before)"
        Issue.record(
          Comment(rawValue: ([title] + Bench.difference(step.expected, came)).joined(separator: "\n")),
          sourceLocation: step.location)
        return
      }
    }
  }

  /// A row that cannot be performed.
  private struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  /// - Returns: A line for each thing that came.
  private func perform(_ input: String, isFirst: Bool) throws(Mistake) -> [String] {
    var words = input.split(separator: " ").map(String.init)[...]
    let isNamed = words.count > 1 && find(words[0]) != nil
    let name = isNamed ? words.removeFirst() : names.first ?? ""
    guard let verb = words.popFirst(), let machine = find(name) else {
      throw Mistake(description: "there is no machine on the bench, or no input in the row")
    }
    if !isNamed, verb == "created", words.isEmpty {
      guard isFirst, now == .beginning else { throw Mistake(description: "only the first row can say it") }
      return describe(happeningsOfCreation(), answers: true)
    }
    if !isNamed, verb == "advance", !kind(of: name).events.contains(where: { $0.name == verb }) {
      guard words.count == 1, let interval = words.first.flatMap(Nanoseconds.init(withUnit:)) else {
        throw Mistake(description: "a time is a number with its unit, as 350ms: ns, us, ms, s, min, h or d")
      }
      return describe(happenings { advance(interval) }, answers: false)
    }
    guard isNamed || names.count == 1 else {
      throw Mistake(description: "a row names its machine, one of \(names.joined(separator: ", "))")
    }
    let kind = kind(of: name)
    if verb == "fire", !kind.events.contains(where: { $0.name == verb }) {
      let running = timers(of: name).keys.sorted().joined(separator: ", ")
      guard words.count == 1, let timer = words.first, timers(of: name)[timer] != nil else {
        throw Mistake(description: "no such timer runs; these do: \(running.isEmpty ? "none" : running)")
      }
      return describe(happenings { fire(timer, of: name) }, answers: true)
    }
    guard let event = kind.events.firstIndex(where: { $0.name == verb }) else {
      let known = kind.events.map(\.name).joined(separator: ", ")
      throw Mistake(description: "\(name) is a \(kind.name) and knows no event \(verb), but \(known)")
    }
    let arguments = try arguments(Array(words), of: kind.events[event])
    return describe(happenings { send(event, arguments, to: machine) }, answers: true)
  }

  private func arguments(_ words: [String], of event: EventEntry) throws(Mistake) -> [Value] {
    let entries = event.arguments
    guard !entries.isEmpty else {
      if words.isEmpty { return [] }
      throw Mistake(description: "\(event.name) takes no arguments")
    }
    let texts = words.prefix(entries.count - 1) + [words.dropFirst(entries.count - 1).joined(separator: " ")]
    guard texts.count == entries.count, texts.allSatisfy({ !$0.isEmpty }) else {
      throw Mistake(description: "\(event.name) takes \(entries.map(\.name).joined(separator: ", "))")
    }
    var values: [Value] = []
    for (text, entry) in zip(texts, entries) {
      guard let value = Value(text, as: entry.type) else {
        throw Mistake(description: "\(entry.name) of \(event.name) cannot be \(text): it is \(entry.type.text)")
      }
      values.append(value)
    }
    return values
  }

  /// - Parameter answers: Whether the first is the answer to the row's input, which need not name it.
  private func describe(_ happenings: [Happening], answers: Bool) -> [String] {
    var lines = happenings.enumerated().map { place, happening in
      let owner = names.count == 1 ? "" : "\(happening.machine): "
      if happening.isCreation { return owner + happening.outcome }
      if answers, place == 0 { return happening.outcome }
      let moment =
        happening.moment == now ? "" : " at \(Nanoseconds(nanoseconds: happening.moment.nanoseconds).withUnit)"
      return "\(owner)\(happening.cause)\(moment) \(happening.outcome)"
    }
    if isStalled { lines.append("stopped: timers follow one another and no time passes") }
    return lines.map(Rows.plain)
  }

  /// Lines that only the rows have, `−`, and lines that only came, `+`, in the order in which they came.
  private static func difference(_ expected: [String], _ came: [String]) -> [String] {
    let changes = came.difference(from: expected)
    var lines = expected.map { "    " + $0 }
    for case .remove(let place, _, _) in changes.removals {
      lines[place] = "  − " + expected[place]
    }
    // An insertion's place counts what came; the lines removed before it stay in the list.
    for case .insert(let place, let line, _) in changes.insertions {
      var (left, index) = (place, 0)
      while index < lines.count, left > 0 || lines[index].hasPrefix("  − ") {
        if !lines[index].hasPrefix("  − ") { left -= 1 }
        index += 1
      }
      lines.insert("  + " + line, at: index)
    }
    return lines
  }
}
