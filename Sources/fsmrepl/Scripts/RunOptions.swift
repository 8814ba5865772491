internal import UnixHost

/// The options of `fsmrepl run`.
struct RunOptions: Equatable {
  /// Files and folders; `-` is standard input.
  var files: [String] = []
  var isTAP = false
  /// Whether scripts are only read, and the documents in them checked.
  var onlyChecks = false
  /// Path of the JUnit report for CI.
  var junit: String?
  /// Path of the picture of what a script did.
  var wave: String?
  /// Seed of each world; overrides the seed in the script.
  var seed: UInt64?
  /// World seconds per host second at which scripts are played; `nil` plays them as fast as possible.
  var speed: Double?

  private static let fastest = 1_000_000.0

  init(files: [String]) {
    self.files = files
  }

  /// The path of a script's picture: of several scripts, each has its own.
  func wavePath(of script: String, isOnly: Bool) -> String? {
    guard let wave, !isOnly else { return wave }
    let name = script.split(separator: "/").last.map(String.init) ?? script
    let stem = name.hasSuffix(".fsm") ? String(name.dropLast(4)) : name
    guard wave.hasSuffix(".svg") else { return "\(wave)-\(stem)" }
    return "\(wave.dropLast(4))-\(stem).svg"
  }

  /// - Throws: A ``UsageFailure`` for options that do not belong to `run`, or whose value is not allowed.
  init(
    options: [OptionTable<Invocation.Name>.Given], operands: ArraySlice<String>
  ) throws(UsageFailure) {
    files = Array(operands)
    guard !files.isEmpty else { throw .wrong("'run' needs scripts or folders of them") }
    var isReal = false
    var factor: Double?
    for option in options {
      switch option.name {
      case .tap: isTAP = true
      case .check: onlyChecks = true
      case .junit: junit = option.value
      case .wave: wave = option.value
      case .seed:
        guard let number = UInt64(option.value) else {
          throw .wrong("--seed is a whole number from 0 on, not '\(option.value)'")
        }
        seed = number
      case .real: isReal = true
      case .speed:
        guard let number = Double(option.value), number > 0, number <= Self.fastest else {
          throw .wrong("--speed is a number above 0, up to 1000000, not '\(option.value)'")
        }
        factor = number
      case .expression, .file, .echo, .json, .record, .update:
        throw .wrong("--\(option.long) does not go with 'run'")
      case .socket, .own, .daemon, .page, .pageControl, .keepGoing, .raw, .noColour: break
      }
    }
    if factor != nil, !isReal { throw .wrong("--speed goes with --real") }
    speed = isReal ? factor ?? 1 : nil
  }
}
