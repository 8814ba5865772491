internal import LineProtocol

/// How requests are written, as the daemon's `help` tells it. Nothing about a verb is known here beforehand.
struct Grammar: Equatable {
  /// One way to write a verb.
  struct Form: Equatable {
    let verb: String
    /// What stands behind the verb.
    let words: UsageForm
    let summary: String

    /// As `help` wrote it.
    let usage: String
  }

  let forms: [Form]

  /// - Parameter help: The data lines of `help`: a usage, and what the verb does behind ` : `.
  init(help: [ServerLine]) {
    forms = help.compactMap { line in
      // Words such as `what=moves|all]` do not come as fields, as their brackets stand before the key.
      let words = line.words + line.fields.map { "\($0.key)=\($0.value)" }
      guard let verb = words.first else { return nil }
      return Form(
        verb: verb, words: UsageForm(words.dropFirst()), summary: line.note ?? "", usage: words.joined(separator: " "))
    }
  }

  /// The verbs in the daemon's order, each with the summary of its first form.
  var verbs: [(name: String, summary: String)] {
    var seen: Set<String> = []
    return forms.compactMap { seen.insert($0.verb).inserted ? ($0.verb, $0.summary) : nil }
  }
}
