internal import UnixHost

/// What the command line asks for.
struct Invocation: Equatable {
  /// Where requests come from when nobody types them.
  enum Source: Equatable {
    case expression(String)
    case file(String)
    case standardInput
  }

  var socket: String?
  /// Whether a daemon is started for this session, whatever others there are.
  var isPrivate = false
  /// In the order in which they were given; none means whoever is at standard input.
  var sources: [Source] = []
  var keepsGoing = false
  var showsWire = false
  /// Whether the daemon is to write objects, which are shown as they are.
  var writesJSON = false
  /// Whether a script's lines are shown before their answers.
  var echoes = false
  var allowsColour = true

  enum Name {
    case socket, own, expression, file, keepGoing, echo, raw, json, noColour
  }

  static let table = OptionTable<Name>(
    program: "fsmrepl", synopsis: "[OPTION]… [-]",
    options: [
      .init(
        .socket, short: "s", long: "socket", argument: .required("PATH"),
        summary: "the daemon's socket, instead of $FSMD_SOCKET or the default"),
      .init(.own, long: "private", summary: "start a daemon for this session alone, whatever others there are"),
      .init(
        .expression, short: "e", long: "execute", argument: .required("CMD"),
        summary: "run a request and leave; may be repeated"),
      .init(
        .file, short: "f", long: "file", argument: .required("FILE"),
        summary: "run the requests in a file and leave; may be repeated"),
      .init(
        .keepGoing, short: "k", long: "keep-going",
        summary: "go on after a failed request; the first failure decides the exit code"),
      .init(.echo, long: "echo", summary: "show each line of a script, comments too, before what comes of it"),
      .init(.raw, long: "raw", summary: "show the lines of the protocol as they are"),
      .init(.json, long: "json", summary: "show the lines as JSON objects, and nothing else"),
      .init(.noColour, long: "no-color", summary: "no colours (as with $NO_COLOR)"),
    ])

  static let usage =
    table.usage + """

      '-' reads requests from standard input. Without a request and with a terminal it is a prompt.
      If no daemon is named and none answers at the default path, one is started for this session alone.

      Exit codes: 0 good, 1 usage, 2 no connection or lost, 3 refused or failed request,
      4 expectation failed, 5 time-out, 130 interrupted.

      """

  /// - Throws: A ``UsageFailure`` for an operand other than `-`.
  init(options: [OptionTable<Name>.Given], operands: [String]) throws(UsageFailure) {
    for option in options {
      switch option.name {
      case .socket: socket = option.value
      case .own: isPrivate = true
      case .expression: sources.append(.expression(option.value))
      case .file: sources.append(option.value == "-" ? .standardInput : .file(option.value))
      case .keepGoing: keepsGoing = true
      case .echo: echoes = true
      case .raw: showsWire = true
      case .json: writesJSON = true
      case .noColour: allowsColour = false
      }
    }
    if writesJSON, echoes { throw .wrong("--json shows objects only, and --echo the lines of a script") }
    if isPrivate, socket != nil { throw .wrong("--private starts a daemon of its own, and --socket names another") }
    for operand in operands {
      guard operand == "-" else {
        throw .wrong("'\(operand)' is not understood here; a request is given with -e, a file with -f")
      }
      sources.append(.standardInput)
    }
  }
}
