internal import Scripts
import LineProtocol

/// The report on played files: for people, as TAP, or as JUnit XML for CI servers.
struct RunReport {
  /// Whether scripts or transcripts were played; the report counts different things in each.
  enum Subject {
    case scripts, transcripts

    /// The command that plays them.
    var command: String {
      switch self {
      case .scripts: "run"
      case .transcripts: "check"
      }
    }

    func facts(_ result: RunResult) -> String {
      switch self {
      case .scripts:
        "\(counted(result.steps, "step")), \(counted(result.expectations, "expectation"))"
      case .transcripts:
        "\(counted(result.steps, "request")), \(counted(result.expectations, "line"))"
      }
    }
  }

  enum Format: Equatable {
    /// With `showsDuration`, the report includes the host time taken, which differs in each run.
    case people(Style, showsDuration: Bool)
    case tap
  }

  let format: Format
  var subject = Subject.scripts
  /// Why a file was not run.
  var skipReason = "not run after a failure"

  /// The text before the first of `count` files.
  func beginning(_ count: Int) -> ScreenText {
    switch format {
    case .people: ""
    case .tap: "TAP version 14\n1..\(count)\n"
    }
  }

  /// The text for a file that has ended; `number` counts from 1.
  func text(of result: RunResult, number: Int) -> ScreenText {
    switch format {
    case .people(let style, let showsDuration): forPeople(result, style, showsDuration)
    case .tap: tap(result, number)
    }
  }

  /// The text after the last file.
  func ending(_ results: [RunResult]) -> ScreenText {
    guard case .people(let style, _) = format, results.count > 1 else { return "" }
    let failed = results.count { $0.hasFailed }
    let skipped = results.count { $0.ending == .skipped }
    let passed = results.count - failed - skipped
    let isComplete = failed + skipped == 0
    var text: ScreenText = style(isComplete ? .good : .bad, "\(passed) of \(results.count) passed")
    for result in results {
      if case .interrupted(let why) = result.ending { text += ", \(why) in \(result.fullLabel)" }
    }
    if skipped > 0 { text += ", \(skipped) not run" }
    return "\(text)\n"
  }

  /// The text for a run that stops early.
  func stopping(_ why: String) -> ScreenText { format == .tap ? "Bail out! \(why)\n" : "" }

  private func forPeople(_ result: RunResult, _ style: Style, _ showsDuration: Bool) -> ScreenText {
    switch result.ending {
    case .skipped, .interrupted: return ""
    case .passed:
      let first: ScreenText =
        "\(style(.good, "ok"))      \(result.fullLabel)  \(style(.quiet, facts(result, showsDuration)))\n"
      return "\(first)\(findings(result))"
    case .updated(let answers):
      let facts = "\(facts(result, showsDuration)); \(counted(answers, "answer")) changed"
      return "\(style(.attention, "updated")) \(result.name)  \(style(.quiet, facts))\n"
    case .unreadable(let lines):
      let first: ScreenText = "\(style(.bad, "not ok"))  \(result.fullLabel)\n"
      return lines.reduce(first) { "\($0)  \($1)\n" }
    case .failed(let failure):
      var text: ScreenText =
        "\(style(.bad, "not ok"))  \(result.fullLabel)  \(style(.quiet, facts(result, showsDuration)))\n"
      text += findings(result)
      var isFirst = true
      for failure in [failure] + failure.others {
        text += self.text(of: failure, style)
        if !failure.journal.isEmpty { text += "    the journal \(isFirst ? "" : "from there ")up to here\n" }
        for line in failure.journal { text += "      \(style(.quiet, line))\n" }
        isFirst = isFirst && failure.journal.isEmpty
      }
      return failure.more > 0 ? "\(text)  and \(counted(failure.more, "more mistake"))\n" : text
    }
  }

  private func text(of failure: RunFailure, _ style: Style) -> ScreenText {
    var text: ScreenText = "  \(style(.name, failure.place))\(failure.line.isEmpty ? "" : ": \(failure.line)")\n"
    for line in Self.details(of: failure, isShort: !failure.difference.isEmpty) { text += "    \(line)\n" }
    return failure.difference.isEmpty ? text : text + difference(failure.difference, style)
  }

  private func findings(_ result: RunResult) -> ScreenText {
    result.findings.reduce("") { "\($0)\($1)\n" }
  }

  private func facts(_ result: RunResult, _ showsDuration: Bool) -> String {
    var text = "\(result.worldTime) s, \(subject.facts(result))"
    if showsDuration { text += ", \(Self.duration(result.duration))" }
    return text
  }

  private func difference(_ rows: [DifferenceRow], _ style: Style) -> ScreenText {
    let width = rows.compactMap(\.number).map { "\($0)".count }.max() ?? 0
    var text: ScreenText = "    \(style(.quiet, "- in the file, + what came"))\n"
    for row in rows {
      let number = row.number.map { "\($0)" } ?? ""
      let role: Style.Role? =
        switch row.side {
        case .both: nil
        case .expected: .bad
        case .got: .good
        }
      text += "    \(style(role, row.side.rawValue)) "
      text += style(.quiet, String(repeating: " ", count: width - number.count) + number)
      text += "  \(style(role, row.text))\n"
    }
    return text
  }

  private static func duration(_ nanoseconds: UInt64) -> String {
    let tenths = (nanoseconds + 50_000) / 100_000
    return tenths < 10_000 ? "\(tenths / 10).\(tenths % 10) ms" : "\(tenths / 10_000).\(tenths / 1_000 % 10) s"
  }

  // MARK: TAP

  private func tap(_ result: RunResult, _ number: Int) -> ScreenText {
    let name = result.fullLabel.map { "\\#".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    switch result.ending {
    case .passed: return result.findings.reduce("ok \(number) - \(name)\n") { "\($0)# \($1)\n" }
    // The line that bails out says so.
    case .interrupted: return ""
    case .updated(let answers): return "ok \(number) - \(name)\n# \(counted(answers, "answer")) changed\n"
    case .skipped: return "ok \(number) - \(name) # SKIP \(skipReason)\n"
    case .unreadable(let lines):
      let mistakes = Self.yaml("mistakes", lines)
      return "not ok \(number) - \(name)\n  ---\n\(mistakes)  exit: \(ExitCode.usage.rawValue)\n  ...\n"
    case .failed(let failure):
      var text: ScreenText = "not ok \(number) - \(name)\n  ---\n"
      for finding in result.findings { text += "  # \(finding)\n" }
      text += "  at: \(Self.yaml(failure.place))\n  line: \(Self.yaml(failure.line))\n"
      if let played = failure.played { text += "  played: \(Self.yaml(played))\n" }
      text += Self.yaml("included-by", failure.inclusions)
      text += "  expected: \(Self.yaml(failure.expected))\n  got: \(Self.yaml(failure.got))\n"
      text += Self.yaml("hints", failure.hints)
      text += Self.yaml("more", failure.others.isEmpty ? [] : failure.otherLines)
      for other in failure.others { text += Self.yaml(Self.yaml("journal up to \(other.place)"), other.journal) }
      text += "  exit: \(failure.status.rawValue)\n"
      text += Self.yaml("difference", failure.difference.map(\.line))
      text += Self.yaml("journal", failure.journal)
      return "\(text)  ...\n"
    }
  }

  /// A text as a YAML scalar on one line.
  private static func yaml(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "''" : "\($0)" }.joined() + "'"
  }

  /// A list under its name; nothing without lines.
  private static func yaml(_ name: String, _ lines: [String]) -> ScreenText {
    lines.isEmpty ? "" : lines.reduce("  \(name):\n" as ScreenText) { "\($0)    - \(yaml($1))\n" }
  }

  // MARK: XML

  /// The report in JUnit's XML format.
  func junit(_ results: [RunResult]) -> String {
    let failed = results.filter { $0.failure?.status == .expectation || $0.failure?.status == .timeOut }.count
    let errors = results.count { $0.hasFailed } - failed
    let skipped = results.filter { $0.ending == .skipped }.count
    let seconds = Self.seconds(results.reduce(0) { $0 + $1.duration })
    let counts = "tests=\"\(results.count)\" failures=\"\(failed)\" errors=\"\(errors)\" skipped=\"\(skipped)\""
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites \(counts) time=\"\(seconds)\">\n"
    text += "  <testsuite name=\"fsmrepl \(subject.command)\" \(counts) time=\"\(seconds)\">\n"
    for result in results {
      let slash = result.name.lastIndex(of: "/")
      let folder = slash.map { String(result.name[..<$0]) } ?? "."
      let file = slash.map { String(result.name[result.name.index(after: $0)...]) } ?? result.name
      let seed = result.seed.map { " seed=\($0)" } ?? ""
      // A case is a test of its file, a file without cases one of its folder.
      let (group, test) = result.title.map { (result.name, $0 + seed) } ?? (folder, file + seed)
      text += "    <testcase classname=\"\(XMLText.escaped(group))\" name=\"\(XMLText.escaped(test))\""
      text += " assertions=\"\(result.expectations)\" time=\"\(Self.seconds(result.duration))\""
      switch result.ending {
      case .passed, .updated: text += result.picture == nil ? "/>\n" : ">\(Self.attachment(result))</testcase>\n"
      case .skipped: text += "><skipped/></testcase>\n"
      case .interrupted(let why):
        text += ">\n      <error type=\"interrupted\" message=\"\(XMLText.escaped(why))\"/>\n    </testcase>\n"
      case .unreadable(let lines):
        text += ">\n      <error type=\"\(ExitCode.usage)\" message=\"\(XMLText.escaped(lines.first ?? ""))\">"
        text += "\(XMLText.escaped(lines.joined(separator: "\n")))</error>\n    </testcase>\n"
      case .failed(let failure):
        let isExpectation = failure.status == .expectation || failure.status == .timeOut
        let element = isExpectation ? "failure" : "error"
        let lines = ([failure] + failure.others).flatMap { Self.lines(of: $0) + $0.journal }
        text += ">\n      <\(element) type=\"\(failure.status)\" message=\"\(XMLText.escaped(failure.summary))\">"
        text += XMLText.escaped((result.findings + lines + failure.difference.map(\.line)).joined(separator: "\n"))
        text += "</\(element)>\n\(Self.attachment(result))    </testcase>\n"
      }
    }
    return text + "  </testsuite>\n</testsuites>\n"
  }

  private static func lines(of failure: RunFailure) -> [String] {
    [failure.line.isEmpty ? failure.place : "\(failure.place): \(failure.line)"] + details(of: failure)
  }

  /// What stands below the line that has failed; if it is short, only where that line is included.
  private static func details(of failure: RunFailure, isShort: Bool = false) -> [String] {
    let inclusions = failure.inclusions.map { "included by \($0)" }
    guard !isShort else { return inclusions }
    return inclusions + (failure.played.map { ["played    \($0)"] } ?? [])
      + ["expected  \(failure.expected)", "got       \(failure.got)"] + failure.hints.map { "          \($0)" }
  }

  /// The name of the picture, as build servers look for it.
  private static func attachment(_ result: RunResult) -> String {
    result.picture.map { "<system-out>[[ATTACHMENT|\(XMLText.escaped($0))]]</system-out>\n" } ?? ""
  }

  private static func seconds(_ nanoseconds: UInt64) -> String {
    TimeText.seconds(Int64(nanoseconds / 1_000_000) * 1_000_000)
  }
}

private func counted(_ number: Int, _ what: String) -> String {
  number == 1 ? "1 \(what)" : "\(number) \(what)s"
}
