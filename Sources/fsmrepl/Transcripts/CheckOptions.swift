internal import UnixHost

/// The options of `fsmrepl check`.
struct CheckOptions: Equatable {
  /// Files and folders; `-` is standard input.
  var files: [String] = []
  var isTAP = false
  /// Path of the JUnit report for CI.
  var junit: String?
  /// Whether files that differ are rewritten.
  var updates = false

  init(files: [String]) {
    self.files = files
  }

  /// - Throws: A ``UsageFailure`` without files, and for options that do not go with them.
  init(
    options: [OptionTable<Invocation.Name>.Given], operands: ArraySlice<String>
  ) throws(UsageFailure) {
    files = Array(operands)
    guard !files.isEmpty else { throw .wrong("'check' needs transcripts or folders of them") }
    for option in options {
      switch option.name {
      case .tap: isTAP = true
      case .junit: junit = option.value
      case .update: updates = true
      case _: break
      }
    }
    if updates, files.contains("-") { throw .wrong("--update cannot rewrite standard input") }
  }
}
