import Glibc
import TestSupport
import UnixHost

/// A program of this package as a process, with what it writes kept in files.
///
/// It is killed when this value is let go, however the test ends. Our own programs keep what they keep in that folder too,
/// never in the user's.
final class ProgramRun {
  let child: Child
  let folder: TemporaryFolder
  private let number: Int
  private var ended: Child.Ending?

  /// - Parameters:
  ///   - program: Its name; it is looked for where the tests themselves were built.
  ///   - folder: Where its output goes, and its `$XDG_STATE_HOME`.
  ///   - environment: Variables that are set (or, with nil, unset) for the program only.
  ///   - isOurs: False for a program of the system, which is looked for in the path.
  init(
    _ program: String, _ arguments: [String], in folder: TemporaryFolder, input: Descriptor? = nil,
    environment: [(String, String?)] = [], isOurs: Bool = true
  ) throws {
    self.folder = folder
    number = TemporaryFolder.names(in: folder.path).count
    let output = try Self.file("\(folder.path)/out.\(number)")
    let log = try Self.file("\(folder.path)/log.\(number)")
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer {
      output.close()
      log.close()
      close(nothing)
    }
    let path = isOurs ? try Products.path(of: program) : program
    let environment =
      isOurs && !environment.contains { $0.0 == "XDG_STATE_HOME" }
      ? [("XDG_STATE_HOME", "\(folder.path)/state")] + environment : environment
    // With env(1), since this process's own environment is shared with other tests.
    let words =
      environment.flatMap { name, value in value == nil ? ["-u", name] : [] }
      + environment.compactMap { name, value in value.map { "\(name)=\($0)" } } + [path] + arguments
    child = try Child.spawn(
      environment.isEmpty ? path : "env", environment.isEmpty ? arguments : words,
      input: input ?? Descriptor(rawValue: nothing), output: output, error: log)
  }

  deinit {
    guard ended == nil else { return }
    child.signal(SIGKILL)
    child.waitForEnding()
  }

  var facts: ProcessFacts { ProcessFacts(pid: child.pid) }

  /// What it has written to standard output so far.
  var output: String { contents(of: "\(folder.path)/out.\(number)") }

  /// What it has written to standard error so far.
  var log: String { contents(of: "\(folder.path)/log.\(number)") }

  var isRunning: Bool { look() == nil }

  /// Waits until it has ended by itself.
  func ending() throws -> Child.Ending {
    try Patience.wait(for: "the end of process \(child.pid)") { look() }
  }

  private func look() -> Child.Ending? {
    if ended == nil { ended = child.ending() }
    return ended
  }

  private static func file(_ path: String) throws -> Descriptor {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw HarnessFailure(what: "cannot make \(path): errno \(errno)") }
    return Descriptor(rawValue: file)
  }
}

/// The folder into which this very test was built, with the programs beside it.
enum Products {
  static func path(of program: String) throws -> String {
    for folder in getenv("FSMD_PROGRAMS").map({ [String(cString: $0)] }) ?? folders {
      let path = "\(folder)/\(program)"
      if access(path, X_OK) == 0 { return path }
    }
    throw HarnessFailure(what: "\(program) is not beside the tests in any of \(folders)")
  }

  /// Whether the system has a program.
  static func isInPath(_ program: String) -> Bool {
    guard let path = getenv("PATH") else { return false }
    return String(cString: path).split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// Folders of the running program and of what it has loaded: a test bundle is either of them.
  private static let folders: [String] = {
    let mapped = contents(of: "/proc/self/maps").split(separator: "\n").compactMap { line in
      line.firstIndex(of: "/").map { String(line[$0...]) }
    }
    var folders: [String] = []
    for path in mapped where path.contains(".xctest") {
      guard let bundle = path.range(of: ".xctest"), let slash = path[..<bundle.lowerBound].lastIndex(of: "/")
      else { continue }
      let folder = String(path[..<slash])
      if !folders.contains(folder) { folders.append(folder) }
    }
    return folders
  }()
}

extension StringProtocol {
  /// The first place of a text in this one; the standard library has it for collections of characters only.
  fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
