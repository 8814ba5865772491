internal import Glibc
internal import Scripts

/// A script with those of its parts that are played.
struct RunFile: Sendable {
  /// Nil for a file that cannot be read.
  let script: Script?
  /// What could be read of a file with mistakes, and these.
  let rest: Script?
  let mistakes: [String]
  let parts: [Script.Part]
  /// The tests, as they are before they are played: each part, as often as it is repeated.
  private(set) var tests: [RunResult]
  /// The path of the picture of each test; empty if none is wanted.
  var pictures: [String] = []
  /// Whether a test that passed is drawn, too.
  var drawsAll = false

  /// - Returns: Nil if nothing of the file is wanted.
  init?(_ reading: RunFiles.Reading<Script>, _ options: RunOptions) {
    func isWanted(_ result: RunResult) -> Bool {
      // A name as `--list` prints it is one, whatever signs of a pattern it has; the folders can be left out.
      let folders = result.name.lastIndex(of: "/").map { result.name[...$0].count } ?? 0
      let names = [result.name, result.label].flatMap { [$0, String($0.dropFirst(folders))] }
      return options.only.isEmpty
        || options.only.contains { pattern in names.contains { $0 == pattern || fnmatch(pattern, $0, 0) == 0 } }
    }
    let readable = reading.item ?? reading.rest
    let all = (readable?.parts ?? []).map { part in
      (part: part, test: RunResult(name: reading.name, title: part.title))
    }
    let wanted = all.filter { isWanted($0.test) }
    script = reading.item
    rest = reading.rest
    mistakes = reading.mistakes
    parts = wanted.map(\.part)
    guard reading.mistakes.isEmpty else {
      guard !wanted.isEmpty || isWanted(reading.result) else { return nil }
      tests = [reading.result]
      return
    }
    guard !wanted.isEmpty else { return nil }
    guard !options.onlyChecks else {
      tests = [reading.result]
      return
    }
    let first = options.seed ?? script?.seed ?? 0
    tests = wanted.flatMap { entry in
      (0..<options.times).map { round in
        var test = entry.test
        if options.times > 1 { test.seed = first &+ UInt64(round) }
        return test
      }
    }
  }

  /// The part that a test plays.
  func part(ofTest place: Int) -> Script.Part { parts[place * parts.count / tests.count] }
}
