internal import LineProtocol

/// Questions about what inputs do to a machine, which are judged as those of a lesson are. It only decides: it asks
/// nobody and shows nothing.
struct Quiz: Equatable {
  struct Question: Equatable {
    /// What the engine did with the input, ``LessonTruth/event``, and with all that it caused, through wires too.
    let truth: LessonTruth
    /// The scene that begins with it.
    let scene: Scene?
  }

  /// Some questions about one state.
  struct Scene: Equatable {
    /// The input that led here from the scene before.
    let cause: String?
    /// The timers that run.
    let timers: [String]
  }

  let machine: String
  /// The names of the machine's states, as `describe` has them: of each region its own.
  let states: [String]
  let questions: [Question]
  private(set) var score = LessonPlay.Score()

  init(machine: String, states: [String], questions: [Question]) {
    self.machine = machine
    self.states = states
    self.questions = questions
  }

  var prompt: Prompt {
    Prompt(parts: [.init(.attention, "quiz"), .init(.quiet, "\(score.asked + 1)/\(questions.count)")])
  }

  /// The completions of an answer.
  func completion(of text: String) -> Completion {
    Completion(
      candidates: (states + LessonTruth.verdicts).filter { $0.hasPrefix(text) }.map { Completion.Candidate(text: $0) },
      typed: text)
  }

  /// The next question; `nil` at the end.
  var question: Question? { questions.indices.contains(score.asked) ? questions[score.asked] : nil }

  /// Judges an answer to the present question: a state, `stayed`, `ignored` or `refused`, or a sentence with one of them.
  ///
  /// After a right or a wrong answer the next question follows.
  ///
  /// - Returns: `nil` at the end of the quiz.
  mutating func judge(_ answer: String) -> LessonPlay.Judgement? {
    guard var truth = question?.truth else { return nil }
    let (ends, states) = ([truth.before, truth.after], states)
    // A state may have the name of an outcome.
    let word = truth.word(naming: answer, to: LessonTruth.verdicts.joined(separator: " "), wanted: nil) { state in
      guard let wanted = StateText(state), isKnown(state) || ends.contains(where: { wanted.matches($0) }) else {
        return (nil, states)
      }
      return (wanted.matches(ends[1]), states)
    }
    let hint = Nearest.match(answer, among: states).map { "did you mean \($0)?" }
    truth.word =
      word ?? .isNone("\(machine) has no state '\(answer)'; \(hint ?? "it has: \(states.joined(separator: ", "))")")
    score.count(truth.judgementOfState)
    return truth.judgementOfState
  }

  /// Whether each part of an answer is a state of the machine, or one around some.
  private func isKnown(_ answer: String) -> Bool {
    LessonTruth.name(of: answer).split(separator: "+").allSatisfy { part in
      StateText(String(part)).map { wanted in states.contains { wanted.matches($0) } } ?? false
    }
  }
}
