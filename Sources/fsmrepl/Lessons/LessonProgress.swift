internal import Glibc
internal import LineProtocol
internal import UnixHost

/// How far a learner is in each lesson. In the file each has a line, `NAME ITEM/ITEMS RIGHT/ASKED [done RIGHT/ASKED]`.
struct LessonProgress: Equatable {
  struct Entry: Equatable {
    /// The index of the item that comes next, and how many there are.
    var item: Int
    var items: Int
    var score: LessonPlay.Score
    /// The best score with which its end was reached; nil if it never was.
    var best: LessonPlay.Score?

    /// Where to go on in a lesson that has so many items now; nil at its beginning, at its end, and if it has changed.
    func place(of items: Int) -> Int? { items == self.items && item > 0 && item < items ? item : nil }
  }

  /// By ``LessonFolder/Entry/key``, escaped.
  private(set) var entries: [String: Entry] = [:]
  private static let done = "done"
  private static let heading =
    "# How far you are in the lessons of fsmrepl: part of parts, right answers of all; if done, the best of all."

  init() {}

  /// Reads a text; lines that it does not understand are left out.
  init(_ text: String) {
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      guard words.count == 3 || (4...5).contains(words.count) && words[3] == Self.done,
        let (item, items) = Self.pair(words[1]), let score = Self.score(words[2]), score.asked <= items
      else { continue }
      entries[String(words[0])] = Entry(
        item: item, items: items, score: score, best: words.count == 3 ? nil : Self.score(words.last ?? "") ?? score)
    }
  }

  /// The largest number that is believed.
  private static let most = 10_000_000

  private static func pair(_ text: Substring) -> (Int, Int)? {
    let numbers = text.split(separator: "/").compactMap { Int($0) }
    guard numbers.count == 2, numbers[0] >= 0, numbers[0] <= numbers[1], numbers[1] <= most else { return nil }
    return (numbers[0], numbers[1])
  }

  private static func score(_ text: Substring) -> LessonPlay.Score? {
    pair(text).map { LessonPlay.Score(right: $0.0, asked: $0.1) }
  }

  var text: String {
    let lines = entries.sorted { $0.key < $1.key }.map { name, entry in
      let best = entry.best.map { " \(Self.done) \($0.fraction)" } ?? ""
      return "\(name) \(entry.item)/\(entry.items) \(entry.score.fraction)\(best)\n"
    }
    return "\(Self.heading)\n\(lines.joined())"
  }

  /// Notes how far somebody is. A lesson that was played to its end stays done, with its best score, when it is played
  /// again or gets other items.
  mutating func note(_ play: LessonPlay, of name: String) {
    let best = entry(of: name)?.best
    entries[Self.key(name)] = Entry(
      item: play.reached, items: play.lesson.items.count, score: play.score,
      // Who left out a part is done, but has no score of the whole.
      best: play.item == nil ? (play.isWhole ? play.score.best(best) : best ?? .init()) : best)
  }

  /// How far somebody is in a lesson; nil for one that was not begun.
  func entry(of name: String) -> Entry? { entries[Self.key(name)] }

  /// A name as one word of the file: what separates words and lines is written as in a URL.
  private static func key(_ name: String) -> String {
    name.replaced("%", by: "%25").replaced(" ", by: "%20").replaced("#", by: "%23")
      .replaced("\n", by: "%0A")
  }

  // MARK: The file

  /// Reads the user's file. Errors are ignored, as those of the history are: a lesson goes on without.
  static func load() -> LessonProgress {
    guard let folder = StateFolder.path() else { return LessonProgress() }
    let file = open("\(folder)/lessons", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return LessonProgress() }
    let descriptor = Descriptor(rawValue: file)
    defer { descriptor.close() }
    guard let bytes = try? descriptor.readToEnd(atMost: 1 << 20, wait: {}) else { return LessonProgress() }
    return LessonProgress(String(decoding: bytes, as: UTF8.self))
  }

  /// Keeps it, at once and whole: another program, or one that is killed, leaves the old file or the new one.
  ///
  /// - Returns: False if it could not be kept.
  func save() -> Bool {
    guard let folder = StateFolder.make() else { return false }
    return (try? RegularFile.replace("\(folder)/lessons", with: Array(text.utf8))) != nil
  }
}
