internal import LineProtocol

/// The request syntax, read from the daemon's `help`. No verb is built in.
struct Grammar: Equatable {
  /// One way to write a verb.
  struct Entry: Equatable {
    let verb: String
    /// The words after the verb.
    let form: UsageForm
    let summary: String

    /// As `help` printed it.
    let usage: String
  }

  let entries: [Entry]

  /// - Parameter help: The data lines of `help`: a usage, and after ` : ` what the verb does.
  init(help: [ServerLine]) {
    entries = help.compactMap { line in
      // Words such as `what=moves|all]` are not parsed as fields, since brackets precede the key.
      let words = line.words + line.fields.map { "\($0.key)=\($0.value)" }
      guard let verb = words.first else { return nil }
      return Entry(
        verb: verb, form: UsageForm(words.dropFirst()), summary: line.note ?? "", usage: words.joined(separator: " "))
    }
  }

  /// The syntax of a daemon with the words of this program.
  ///
  /// - Parameter help: The data lines of the daemon's `help`.
  static func atPrompt(help: [ServerLine]) -> Grammar {
    Grammar(help: help.filter { !LocalVerb.replaces($0) } + PromptHelp.usageRows.compactMap { ServerLine($0) })
  }

  /// The syntax of the daemon that belongs to this program, for hints before a daemon was asked.
  static let builtIn = Grammar.atPrompt(
    help: VerbEntry.table.flatMap { entry in
      zip(entry.usages, entry.summaries).compactMap { ServerLine(". \($0) : \($1)") }
    })

  /// The verbs in the daemon's order, each with the summary of its first form.
  var verbs: [(name: String, summary: String)] {
    var seen: Set<String> = []
    return entries.compactMap { seen.insert($0.verb).inserted ? ($0.verb, $0.summary) : nil }
  }
}
