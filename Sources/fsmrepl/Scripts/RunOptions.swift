internal import Scripts
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
  /// Path of the picture of what a script did; of several scripts, of each that failed.
  var wave: String?
  /// Whether those that passed are drawn, too.
  var drawsAll = false
  /// Whether the script is shown line by line.
  var isShown = false
  /// Names that are set from outside.
  var values: [String: String] = [:]
  /// Patterns of the files and cases that are played; empty for all.
  var only: [String] = []
  /// Whether files and cases are only listed.
  var onlyLists = false
  /// How many files are played side by side.
  var jobs = 1
  /// How often each file or case is played, with one seed after the other.
  var times = 1
  /// Whether a warning fails a script.
  var failsOnWarnings = false
  /// Path of the report on coverage; `-` for standard output, a folder for a page.
  var coverage: String?
  /// How much of each kind has to be covered.
  var floor: RunCoverage.Floor?
  /// Seed of each world; overrides the seed in the script.
  var seed: UInt64?
  /// World seconds per host second at which scripts are played; `nil` plays them as fast as possible.
  var speed: Double?

  private static let fastest = 1_000_000.0
  private static let maxJobs = 64
  private static let maxTimes = 1_000_000

  init(files: [String]) {
    self.files = files
  }

  /// The path of each script's picture, in the order of the scripts; empty if none is wanted.
  ///
  /// Of several scripts each has its own: with its name, and as many of its folders as tell it from the others.
  func wavePaths(of scripts: [RunResult]) -> [String] {
    guard let wave else { return [] }
    guard scripts.count > 1 else { return [wave] }
    let (stem, ending) = wave.hasSuffix(".svg") ? (wave.dropLast(4), ".svg") : (wave[...], "")
    return Self.shortNames(of: scripts).map { "\(stem)-\($0)\(ending)" }
  }

  private static func shortNames(of scripts: [RunResult]) -> [String] {
    let paths = scripts.map { script in
      let path = script.name.hasSuffix(".fsm") ? script.name.dropLast(4) : script.name[...]
      var parts = path.split(separator: "/").filter { $0 != "." && $0 != ".." }.map(String.init)
      let rest = [script.title, script.seed.map { "seed\($0)" }].compactMap(\.self)
      let marks = rest.map { "-" + $0.map { $0.isLetter || $0.isNumber ? "\($0)" : "-" }.joined() }
      if let last = parts.popLast() { parts.append(last + marks.joined()) }
      return parts
    }
    var names = paths.map { $0.last ?? "" }
    for depth in 2...max(2, paths.map(\.count).max() ?? 0) {
      let count = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
      for (index, name) in names.enumerated() where count[name] != 1 {
        names[index] = paths[index].suffix(depth).joined(separator: "-")
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

  var wantsCoverage: Bool { coverage != nil || floor != nil }

  /// Whether the report on coverage is a page with pictures.
  var coverageFolder: String? {
    guard let coverage, coverage != "-", coverage.hasSuffix("/") || RunFiles.isFolder(coverage) else { return nil }
    return coverage.hasSuffix("/") ? coverage : coverage + "/"
  }

  private mutating func add(value text: String) throws(UsageFailure) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, ScriptLimits.isName(parts[0]) else {
      throw .wrong("--let is NAME=VALUE, with a name of letters, digits and '_', not '\(text)'")
    }
    guard ScriptLimits.isValue(parts[1]) else {
      throw .wrong(
        "--let \(parts[0]): a value has at most \(ScriptLimits.value) bytes, and no control characters")
    }
    guard values.updateValue(parts[1], forKey: parts[0]) == nil else {
      throw .wrong("--let gives '\(parts[0])' twice")
    }
  }

  private static func number(
    _ option: OptionTable<Invocation.Name>.Given, upTo most: Int
  ) throws(UsageFailure) -> Int {
    guard let number = Int(option.value), 1...most ~= number else {
      throw .wrong("--\(option.long) is a number from 1 to \(most), not '\(option.value)'")
    }
    return number
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
      case .junit:
        guard option.value != "-" else { throw .wrong("--junit takes the name of a file, not '-'") }
        junit = option.value
      case .wave: wave = option.value
      case .waveAll: drawsAll = true
      case .seed:
        guard let number = UInt64(option.value) else {
          throw .wrong("--seed is a whole number from 0 on, not '\(option.value)'")
        }
        seed = number
      case .real: isReal = true
      case .show: isShown = true
      case .letName: try add(value: option.value)
      case .only: only.append(option.value)
      case .list: onlyLists = true
      case .jobs: jobs = try Self.number(option, upTo: Self.maxJobs)
      case .times: times = try Self.number(option, upTo: Self.maxTimes)
      case .warningsFail: failsOnWarnings = true
      case .coverage: coverage = option.value
      case .atLeast:
        guard let found = RunCoverage.Floor(option.value) else {
          let levels = RunCoverage.Level.allCases.map(\.rawValue).joined(separator: "|")
          throw .wrong("--at-least is N% or LEVEL=N%, with 0 to 100 and LEVEL \(levels), not '\(option.value)'")
        }
        floor = found
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
    if isShown, !values.isEmpty || !only.isEmpty || onlyLists || jobs > 1 || times > 1 || wantsCoverage {
      throw .wrong("--show plays one script for a room, and goes with no choice of tests")
    }
    if onlyChecks, wantsCoverage || times > 1 {
      throw .wrong("--check plays nothing, so it does not go with --\(times > 1 ? "repeat" : "coverage")")
    }
    if isReal, jobs > 1 { throw .wrong("--real shows what one script does, so it does not go with --jobs") }
    if onlyChecks, isReal { throw .wrong("--check plays nothing, so it does not go with --real") }
    if strictDocuments, !onlyChecks { throw .wrong("--strict-documents goes with --check") }
    if drawsAll, wave == nil { throw .wrong("--wave-all goes with --wave") }
    if factor != nil, !isReal { throw .wrong("--speed goes with --real") }
    speed = isReal ? factor ?? 1 : nil
  }
}
