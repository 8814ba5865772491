internal import UnixHost

/// The options of `fsmrepl lesson`.
struct LessonOptions: Equatable {
  /// A number, or a part of a name; nil lists the lessons.
  var wish: String?
  /// The folder of the lessons; nil for the one that came with the program.
  var folder: String?
  /// Whether the lesson answers its questions itself.
  var isAutomatic = false

  /// - Throws: A ``UsageFailure`` for `--auto` without a lesson.
  init(options: [OptionTable<Invocation.Name>.Given], operands: ArraySlice<String>) throws(UsageFailure) {
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
