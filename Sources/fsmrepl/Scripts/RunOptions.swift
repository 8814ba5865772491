internal import UnixHost

/// The options of `fsmrepl run`.
struct RunOptions: Equatable {
  /// Files and folders; `-` is standard input.
  var files: [String] = []
  var isTAP = false
  /// Whether scripts are only read, and the documents in them checked.
  var onlyChecks = false
  /// Whether diagrams that are checked have to be in the formal notation.
  var strictDocuments = false
  /// Path of the JUnit report for CI.
  var junit: String?
  /// Path of the picture of what a script did.
  var wave: String?
  /// Whether the script is shown line by line.
  var isShown = false
  /// Seed of each world; overrides the seed in the script.
  var seed: UInt64?
  /// World seconds per host second at which scripts are played; `nil` plays them as fast as possible.
  var speed: Double?

  private static let fastest = 1_000_000.0

  init(files: [String]) {
    self.files = files
  }

  /// The path of each script's picture, in the order of the scripts; empty if none is wanted.
  ///
  /// Of several scripts each has its own: with its name, and as many of its folders as tell it from the others.
  func wavePaths(of scripts: [String]) -> [String] {
    guard let wave else { return [] }
    guard scripts.count > 1 else { return [wave] }
    let (stem, ending) = wave.hasSuffix(".svg") ? (wave.dropLast(4), ".svg") : (wave[...], "")
    return Self.shortNames(of: scripts).map { "\(stem)-\($0)\(ending)" }
  }

  private static func shortNames(of scripts: [String]) -> [String] {
    let paths = scripts.map { script in
      let path = script.hasSuffix(".fsm") ? script.dropLast(4) : script[...]
      return path.split(separator: "/").filter { $0 != "." && $0 != ".." }
    }
    var names = paths.map { $0.last.map(String.init) ?? "" }
    for depth in 2...max(2, paths.map(\.count).max() ?? 0) {
      let count = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
      for (place, name) in names.enumerated() where count[name] != 1 {
        names[place] = paths[place].suffix(depth).joined(separator: "-")
      }
    }
    // A script may be given twice.
    var taken: Set<String> = []
    return names.map { name in
      var unique = name
      var number = 2
      while !taken.insert(unique).inserted {
        unique = "\(name)-\(number)"
        number += 1
      }
      return unique
    }
  }

  /// - Throws: A ``UsageFailure`` for options whose value is not allowed, or that do not go together.
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
      case .strictDocuments: strictDocuments = true
      case .junit: junit = option.value
      case .wave: wave = option.value
      case .seed:
        guard let number = UInt64(option.value) else {
          throw .wrong("--seed is a whole number from 0 on, not '\(option.value)'")
        }
        seed = number
      case .real: isReal = true
      case .show: isShown = true
      case .speed:
        guard let number = Double(option.value), number > 0, number <= Self.fastest else {
          throw .wrong("--speed is a number above 0, up to 1000000, not '\(option.value)'")
        }
        factor = number
      case _: break
      }
    }
    if isShown, isTAP || onlyChecks || isReal || junit != nil || wave != nil || seed != nil {
      throw .wrong("--show plays a script for a room, and goes with no other way of playing it")
    }
    if onlyChecks, isReal { throw .wrong("--check plays nothing, so it does not go with --real") }
    if strictDocuments, !onlyChecks { throw .wrong("--strict-documents goes with --check") }
    if factor != nil, !isReal { throw .wrong("--speed goes with --real") }
    speed = isReal ? factor ?? 1 : nil
  }
}
