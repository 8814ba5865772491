internal import UnixHost

/// The options of `fsmrepl lesson`.
struct LessonOptions: Equatable {
  /// A number, or a part of a name; nil lists the lessons.
  var wish: String?
  /// The part with which it begins, from 1; nil to go on where it was left.
  var part: Int?
  /// The folder of the lessons; nil for the one that came with the program.
  var folder: String?
  /// Whether the lesson answers its questions itself.
  var isAutomatic = false

  /// - Throws: A ``UsageFailure`` for `--auto` without a lesson, and for a part that is no number.
  init(options: [OptionTable<Invocation.Name>.Given], operands: ArraySlice<String>) throws(UsageFailure) {
    var operands = operands
    if operands.count > 2, operands.dropLast().last == "from", let last = operands.last {
      guard let number = Int(last), number > 0 else {
        throw .wrong("'\(last)' is no part of a lesson; 'lesson NAME from 4' begins with its fourth part")
      }
      part = number
      operands.removeLast(2)
    }
    // A name may have several words.
    wish = operands.isEmpty ? nil : operands.joined(separator: " ")
    for option in options {
      switch option.name {
      case .lessons: folder = option.value
      case .auto: isAutomatic = true
      case _: break
      }
    }
    if isAutomatic, wish == nil { throw .wrong("--auto goes with the name of a lesson") }
  }
}
