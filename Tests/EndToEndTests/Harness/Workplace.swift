import Foundation
import TestSupport
import UnixHost

/// A folder of a test's own in which `fsmrepl` is run on files.
struct Workplace {
  struct Run {
    let code: Child.Ending
    let output: String
    let log: String
  }

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  func write(_ name: String, _ text: String) throws {
    let file = URL(filePath: path(name))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// Runs `fsmrepl`; `@NAME` in an argument is the path of a file.
  func run(_ arguments: String...) throws -> Run { try run(arguments) }

  func run(_ arguments: [String]) throws -> Run {
    let words = arguments.map { $0.hasPrefix("@") ? path(String($0.dropFirst())) : $0 }
    let program = try ProgramRun("fsmrepl", words, in: folder, environment: ScriptsTests.alone)
    let code = try program.ending()
    func bare(_ text: String) -> String { text.replacing("\(folder.path)/", with: "") }
    return Run(code: code, output: bare(program.output), log: bare(program.log))
  }
}
