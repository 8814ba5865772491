internal import LineProtocol
internal import Scripts

/// Finds out what a quiz asks about: it tries all inputs of a machine in a ``Trial``, whose clock stands still.
///
/// The world itself is not changed, and the fork is dropped before the first question is asked. So the world may go on
/// during the quiz.
struct QuizMaker {
  typealias Stop = Trial.Failure

  let machine: String
  /// Sends a request in the fork. The answer ends with its final line; `nil` if none comes.
  let ask: (String) -> [ServerLine]?

  /// The states that a quiz visits, and its questions, at most.
  static let maxScenes = 6
  static let maxQuestions = 24
  /// The inputs of one event that are tried, with different arguments.
  static let maxVariants = 3

  func find() throws(Stop) -> Quiz {
    try demand("clock virtual")
    let description = try demand("describe \(try kind())")
    var listed: Set<String> = []
    let states = CatalogueRow.all("state", in: description).map(\.name).filter { listed.insert($0).inserted }
    return Quiz(machine: machine, states: states, questions: try questions(Self.inputs(of: description)))
  }

  // MARK: Requests

  private func reply(_ request: String) throws(Stop) -> [ServerLine] {
    guard let lines = ask(request), !lines.isEmpty else { throw .silence }
    return lines
  }

  /// The data of the answer to a request that must succeed.
  @discardableResult
  private func demand(_ request: String) throws(Stop) -> [ServerLine] {
    let lines = try reply(request)
    guard let last = lines.last, last.lineClass == .success else { throw lines.last.map(Stop.refused) ?? .silence }
    return lines.dropLast()
  }

  private func show() throws(Stop) -> ShownMachine { ShownMachine(try demand("show \(machine)")) }

  private func kind() throws(Stop) -> String {
    _ = try show()
    let row = try demand("list \(machine) limit=1").first
    guard let row, row.words.count > 1 else { throw .silence }
    return row.words[1]
  }

  // MARK: Questions

  /// About the machine's state now, then about a state that one of the inputs leads to, and so on, as long as there is a
  /// new one.
  private func questions(_ inputs: [String]) throws(Stop) -> [Quiz.Question] {
    var questions: [Quiz.Question] = []
    var seen: Set<String> = []
    var cause: String?
    while seen.count < Self.maxScenes, questions.count < Self.maxQuestions {
      let shown = try show()
      seen.insert(LessonTruth.name(of: shown.state))
      let first = questions.count
      for input in inputs.prefix(Self.maxQuestions - first) {
        guard let truth = try truth(input, in: shown.state) else { continue }
        let scene = questions.count == first ? Quiz.Scene(cause: cause, timers: shown.timers) : nil
        questions.append(Quiz.Question(truth: truth, scene: scene))
      }
      let next = questions[first...].first {
        $0.truth.reply?.lineClass == .success && !seen.contains(LessonTruth.name(of: $0.truth.after))
      }
      guard let next else { break }
      cause = next.truth.event
      try demand("send \(machine) \(next.truth.event)")
    }
    return questions
  }

  /// Tries an input and takes it back.
  ///
  /// - Returns: `nil` for an input that cannot be sent: its arguments are not right for this machine.
  private func truth(_ input: String, in state: String) throws(Stop) -> LessonTruth? {
    // Without a number it was no input, so there is nothing to take back.
    guard let reply = try reply("send \(machine) \(input)").last, reply["seq"] != nil else { return nil }
    let after = try show().state
    try demand("undo")
    return LessonTruth(machine: machine, before: state, after: after, reply: reply, event: input)
  }

  // MARK: Inputs

  /// The inputs to try: each event of a kind, with some arguments if it takes any.
  ///
  /// - Parameter description: The answer to `describe`.
  static func inputs(of description: [ServerLine]) -> [String] {
    // `*` stands for the names that a document does not list.
    let events = CatalogueRow.all("event", in: description).filter { $0.name != "*" }
    return events.flatMap { event -> [String] in
      let samples = event.arguments.map { Self.samples(of: $0.value) }
      // What can be left out is left out, as long as nothing follows that cannot.
      let wanted = samples.prefix((samples.lastIndex { !$0.isOptional } ?? -1) + 1)
      let count = min(maxVariants, wanted.map(\.words.count).max() ?? 1)
      let variants = (0..<count).map { number in
        ([event.name] + wanted.map { Word.written($0.words[min(number, $0.words.count - 1)]) })
          .joined(separator: " ")
      }
      return variants.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
  }

  /// Words for an argument, by what `describe` says of it: `one character`, `on,off,true,false`, `0..100`.
  static func samples(of type: String) -> (words: [String], isOptional: Bool) {
    let optional = ", or nil"
    let isOptional = type.hasSuffix(optional)
    let type = isOptional ? String(type.dropLast(optional.count)) : type
    // Of documents: data that a machine may or may not look at.
    if type == "any data" { return (["1"], true) }
    if type == "one character" { return (["a"], isOptional) }
    if type.hasPrefix("text ") { return (["x"], isOptional) }
    if type == "on,off,true,false" { return (["on", "off"], isOptional) }
    guard let (least, most) = type.cut(at: "..") else {
      return (type.split(separator: ",").map(String.init), isOptional)
    }
    // A unit may stand after a number: `-100..100 °C`.
    guard let from = Int(least), let to = Int(most.prefix { $0.isNumber }), to > from else {
      return ([String(least)], isOptional)
    }
    return ([String(least), "\(min(to, from + 3))"], isOptional)
  }
}
