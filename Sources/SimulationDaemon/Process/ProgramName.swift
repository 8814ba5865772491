/// The name under which this process was started, for messages and help: `fsmd`, or the program of another author.
enum ProgramName {
  /// The last part of the path in `argv[0]`; `fsmd` if there is none.
  static let current = name(of: CommandLine.arguments.first)

  static func name(of path: String?) -> String {
    path?.split(separator: "/").last.map(String.init) ?? "fsmd"
  }
}
