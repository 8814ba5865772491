internal import LineProtocol
internal import Scripts

/// How far a learner is in a lesson, and how many answers were right. It decides what comes next and judges answers; it
/// shows nothing and asks nobody.
struct LessonPlay: Equatable {
  struct Score: Equatable {
    var right = 0
    var asked = 0

    var text: String { asked == 0 ? "nothing was answered" : "\(right) of \(asked) right" }
    var fraction: String { "\(right)/\(asked)" }

    /// Counts an answer.
    mutating func count(_ judgement: Judgement) {
      switch judgement {
      case .right:
        right += 1
        asked += 1
      case .wrong: asked += 1
      case .unclear: break
      }
    }

    /// This score, or another one with a larger share of right answers.
    func best(_ other: Score?) -> Score {
      guard let other, other.right * max(asked, 1) > right * max(other.asked, 1) else { return self }
      return other
    }
  }

  let lesson: Lesson
  /// The index of the present item.
  private(set) var place: Int
  private(set) var score: Score
  /// The furthest place that was reached. What was answered before is not counted again.
  private(set) var reached: Int
  /// Whether the score is about all of the lesson, up to here.
  let isWhole: Bool

  /// - Parameters:
  ///   - place: Where it begins; at the beginning if there is no such item.
  ///   - score: That of the items before, which may be of a part of them; nil if they are left out.
  init(_ lesson: Lesson, from place: Int = 0, score: Score? = Score()) {
    self.lesson = lesson
    let isThere = lesson.items.indices.contains(place)
    self.place = isThere ? place : 0
    self.score = isThere ? score ?? Score() : Score()
    reached = self.place
    let asked = lesson.items[..<self.place].count { if case .ask = $0 { true } else { false } }
    isWhole = self.place == 0 || score.map { $0.asked >= asked } ?? false
  }

  /// What is to be done now; nil at the end.
  var item: Lesson.Item? { lesson.items.indices.contains(place) ? lesson.items[place] : nil }

  /// The text that was shown last before the present item; nil if there is none, or if the item is a text itself.
  var reminder: [String]? {
    if case .text? = item { return nil }
    for item in lesson.items[..<place].reversed() {
      if case .text(let lines) = item { return lines }
    }
    return nil
  }

  /// The present item is done.
  mutating func next() {
    place = min(place + 1, lesson.items.count)
    reached = max(reached, place)
  }

  /// Whether there is an item before.
  var hasBack: Bool { place > 0 }

  /// Back to the item before; at the beginning nothing happens.
  mutating func back() { place = max(place - 1, 0) }

  /// Back to the last question, free play or page before, or to the beginning.
  mutating func backToStop() {
    place =
      lesson.items[..<place].indices.last { place in
        switch lesson.items[place] {
        case .ask, .attempt: true
        case .text, .play, .picture, .pause: place > 0 && lesson.items[place - 1] == .pause
        }
      } ?? 0
  }

  /// The verdict on an answer, with the text to say.
  enum Judgement: Equatable {
    case right(String)
    case wrong(String)
    /// It is no answer; the question is asked again.
    case unclear(String)
  }

  /// Judges an answer to a question and counts it, unless the question was answered before.
  mutating func judge(_ answer: String, to question: Script.Question, _ truth: LessonTruth) -> Judgement {
    let judgement = truth.judge(answer, to: question)
    if place >= reached { score.count(judgement) }
    return judgement
  }
}
