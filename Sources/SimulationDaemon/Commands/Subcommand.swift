import StateMachines
import UnixHost

/// A command of `fsmd` that is not the daemon.
protocol Subcommand {
  associatedtype Option: Sendable

  static var name: String { get }
  /// Whether the shell completes the names of files after it.
  static var takesFiles: Bool { get }
  /// The words that its first operand can be; empty if it is no such word.
  static var actions: [String] { get }
  static var table: OptionTable<Option> { get }
  /// What `--help` prints.
  static var usage: String { get }

  init(_ options: [OptionTable<Option>.Given], _ operands: [String]) throws(UsageFailure)

  /// Runs the command.
  ///
  /// - Returns: The exit code.
  func run(_ catalogue: Catalogue, version: String) -> Int32
}

extension Subcommand {
  static var actions: [String] { [] }
  static var completion: ShellCompletion.Command {
    .init(name, table.completions(), takesFiles: takesFiles, words: actions)
  }

  /// Parses the words after its name. Prints help, version and usage errors.
  static func read(_ words: [String], version: String) -> Invocation.Outcome {
    StoreAccess.read(table, words, usage: usage, version: version) { options, operands throws(UsageFailure) in
      .command(try Self(options, operands))
    }
  }
}
