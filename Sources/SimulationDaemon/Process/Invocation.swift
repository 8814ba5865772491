import JournalStore
import LineProtocol
import PostgresStore
import UnixHost

/// The parsed command line.
struct Invocation {
  var socket: String?
  var limits = Limits()
  var logLevel = Log.Level.info
  /// How long to poll for requests before sleeping, in nanoseconds.
  var pollNanoseconds: UInt64 = 0
  var endsWithStandardInput = false
  /// The number of threads for long work; nil for as many as there are processors, and two at least for several users.
  var workers: Int?
  /// Which failures durable worlds survive; nil for a daemon without a store.
  var durability: Durability? = .batch
  /// This daemon's name among those that share a database; nil for the host's.
  var name: String?
  /// Where durable worlds are kept; nil for the usual folder.
  var stores: StoreMap?
  var onRestart = OnRestart.remaining
  /// The folder of documents that all worlds can make machines of.
  var kinds: String?

  /// Where the live page listens; nil without one.
  var page: InternetAddress?
  /// Whether the page may change worlds.
  var pageMayControl = false
  /// The file that keeps the page's token; nil for a new token at each start.
  var pageToken: String?
  /// The Unix group whose members may connect; nil for the daemon's owner alone.
  var group: String?
  /// Where connections may only look; nil without such a socket.
  var watchSocket: String?
  /// Whether other users than the daemon's owner may connect.
  var hasUsers: Bool { group != nil || watchSocket != nil }

  private enum Option {
    case socket, group, watchSocket, ephemeral, kinds, store, storeMap, name, durability, onRestart, page, pageControl,
      pageToken
    case memory, limit, log, poll, workers, untilStandardInputCloses, completion
  }

  private static let table = OptionTable<Option>(
    program: ProgramName.current,
    synopsis: [
      "[OPTION]...", "export [OPTION]... WORLD [FILE]", "verify [OPTION]... [WORLD]...", "repair [OPTION]... WORLD",
      "backup [OPTION]... FILE", "store check|setup|copy ...",
    ].joined(separator: "\n       \(ProgramName.current) "),
    options: [
      .init(
        .socket, short: "s", long: "socket", argument: .required("PATH"),
        summary:
          "listen on PATH\n(default: $FSMD_SOCKET, $XDG_RUNTIME_DIR/fsmd/fsmd.sock, or a folder in the temporary one)"),
      .init(
        .group, long: "group", argument: .required("GROUP"),
        summary: "let the members of a Unix group connect, each with worlds of their own; needs a named socket"),
      .init(
        .watchSocket, long: "watch-socket", argument: .required("PATH"),
        summary: "listen on PATH too, for connections that may only look"),
      .init(.ephemeral, long: "ephemeral", summary: "keep nothing when the daemon ends"),
      .init(
        .store, long: "store", argument: .required("URL"),
        summary:
          "keep durable worlds in a PostgreSQL database, postgresql://USER@HOST/DATABASE, or in a folder\n(default: $XDG_STATE_HOME/fsmd, or .local/state/fsmd in $HOME)"
      ),
      .init(
        .storeMap, long: "store-map", argument: .required("FILE"),
        summary:
          "keep durable worlds in several stores: each line of FILE is 'PATTERN STORE',\nthe first pattern that matches a world's name decides"
      ),
      .init(
        .name, long: "name", argument: .required("NAME"),
        summary: "this daemon's name among those that keep worlds in the same database\n(default: the host's name)"),
      .init(
        .durability, long: "durability", argument: .required("HOW"), values: ["batch", "full"],
        summary: "what a durable world survives: batch, the daemon's death (default);\nfull, a power cut as well"),
      .init(
        .onRestart, long: "on-restart", argument: .required("HOW"), values: OnRestart.allCases.map(\.rawValue),
        summary:
          "what running timers of durable worlds do after a restart: keep their remaining time\n(remaining, the default), keep their due time (deadline), or start again (restart)"
      ),
      .init(
        .kinds, long: "kinds", argument: .required("DIR"),
        summary:
          "offer a kind for each document in a folder: SCXML (.scxml, .xml), Mermaid (.mmd, .mermaid),\nPlantUML (.puml …) and XState (.json); a mistake in one ends the start"
      ),
      .init(
        .page, long: "page", argument: .required("[HOST:]PORT"),
        summary:
          "show worlds and machines in browsers, by HTTP; the link is logged\n(HOST: an address in numbers, default 127.0.0.1; PORT 0: any that is free)"
      ),
      .init(.pageControl, long: "page-control", summary: "let the page change worlds too"),
      .init(
        .pageToken, long: "page-token", argument: .required("FILE"),
        summary: "keep the page's token in FILE, so that its link is the same after a restart"),
      .init(
        .memory, long: "memory", argument: .required("SIZE"),
        summary:
          "how much memory worlds and clients may have together, 16M or more; K, M and G are powers of 1024\n(default: half of what the machine or its control group has)"
      ),
      .init(
        .limit, long: "limit", argument: .required("NAME=VALUE"),
        summary: "set a limit; may be repeated, the request 'limits' shows all"),
      .init(
        .log, long: "log", argument: .required("LEVEL"), values: Log.Level.allCases.map(\.name),
        summary: "what is logged on standard error: error, warning, info (default), debug"),
      .init(
        .poll, long: "poll", argument: .required("MICROSECONDS"),
        summary:
          "look for further requests so long before sleeping: shorter round trips,\nmore processor time (default 0)"
      ),
      .init(
        .workers, long: "workers", argument: .required("N"),
        summary:
          "threads for long work, 1 to 256 (default: as many as there are processors);\nwith several users, each has at most one fewer"
      ),
      .init(
        .untilStandardInputCloses, long: "until-stdin-closes",
        summary: "end when standard input ends, at once if it is a file"),
      .init(
        .completion, long: "completion", argument: .required("SHELL"),
        values: ShellCompletion.Shell.allCases.map(\.rawValue),
        summary: "print the completion of this command line for bash, zsh or fish"),
    ])

  private static var commands: [any Subcommand.Type] {
    [ExportCommand.self, VerifyCommand.self, RepairCommand.self, BackupCommand.self, StoreCommand.self]
  }

  private static let completion = ShellCompletion(
    program: ProgramName.current,
    commands: commands.map { $0.completion } + [.init("", table.completions(), takesFiles: false)])

  private static let usage =
    table.usage + """

      Without a command it is the daemon. 'export' writes a durable world as a script or a database, 'verify'
      replays the store and compares, 'repair' saves what it can of a world that is out of service, 'backup'
      copies the store, 'store' is about stores on PostgreSQL; '--help' after each says more.

      """

  enum Outcome {
    case run(Invocation)
    case command(any Subcommand)
    case exit(Int32)
  }

  /// Parses the words after the program's name. Prints help, version and usage errors.
  static func read(_ words: [String], version: String) -> Outcome {
    if let command = commands.first(where: { $0.name == words.first }) {
      return command.read(Array(words.dropFirst()), version: version)
    }
    return StoreAccess.read(table, words, usage: usage, version: version) { options, operands throws(UsageFailure) in
      if let operand = operands.first { throw unknownCommand(operand) }
      if let wish = options.first(where: { $0.name == .completion }) {
        Descriptor.standardOutput.writeAll(completion.script(for: try .init(option: wish.value)))
        return .exit(0)
      }
      return .run(try Invocation(options))
    }
  }

  private static func unknownCommand(_ word: String) -> UsageFailure {
    let known = commands.map { $0.name }
    if known.contains(word) { return .wrong("'\(word)' stands before all options") }
    let hint = Nearest.match(word, among: known).map { "did you mean '\($0)'?" }
    return .wrong("'\(word)' is no command; \(hint ?? "there are \(known.joined(separator: ", "))")")
  }

  private init(_ options: [OptionTable<Option>.Given]) throws(UsageFailure) {
    let names = options.map(\.name)
    if names.contains(.ephemeral), names.contains(.durability) {
      throw .wrong("--ephemeral keeps nothing, so there is no --durability")
    }
    if names.contains(.ephemeral), names.contains(.store) {
      throw .wrong("--ephemeral keeps nothing, so there is no --store")
    }
    if names.contains(.storeMap), names.contains(.store) || names.contains(.ephemeral) {
      throw .wrong("--store-map says where all durable worlds are kept, so there is no --store or --ephemeral")
    }
    if names.contains(.pageControl), !names.contains(.page) {
      throw .wrong("--page-control is about the page, which --page [HOST:]PORT opens")
    }
    if names.contains(.pageToken), !names.contains(.page) {
      throw .wrong("--page-token is about the page, which --page [HOST:]PORT opens")
    }
    // Memory and users come first, since some limits follow from them.
    var memory = Limits.memory(of: MachineMemory.available)
    for option in options {
      switch option.name {
      case .memory:
        guard let size = Limits.memory(option.value) else {
          throw .wrong("--memory takes 16M to 1048576G, with K, M, G or in bytes, not '\(option.value)'")
        }
        memory = size
      case .group:
        guard !option.value.isEmpty else { throw .wrong("--group needs the name of a group") }
        group = option.value
      case .watchSocket:
        guard !option.value.isEmpty else { throw .wrong("--watch-socket needs a path") }
        watchSocket = option.value
      case .socket, .ephemeral, .kinds, .store, .storeMap, .name, .durability, .onRestart, .page, .pageControl,
        .pageToken, .limit,
        .log,
        .poll,
        .workers, .untilStandardInputCloses, .completion:
        break
      }
    }
    limits = .fitting(memory: memory)
    if hasUsers { limits.makeRoomForUsers() }
    for option in options {
      switch option.name {
      case .memory, .group, .watchSocket, .completion: break
      case .socket:
        guard !option.value.isEmpty else { throw .wrong("--socket needs a path") }
        socket = option.value
      case .ephemeral: durability = nil
      case .store:
        guard !option.value.isEmpty else { throw .wrong("--store needs an address or a folder") }
        if let mistake = PostgresURL.mistake(in: option.value) { throw .wrong(mistake) }
        stores = StoreMap(option.value)
      case .storeMap: stores = try StoreMap(file: option.value)
      case .name:
        var text = option.value
        guard text.withUTF8({ TextRules.isName(UnsafeRawBufferPointer($0), longest: limits.name) }) else {
          throw .wrong(
            "--name takes 1 to \(limits.name) of A-Z a-z 0-9 . _ -, first a letter, not '\(option.value)'")
        }
        name = option.value
      case .durability:
        guard let known = ["batch": Durability.batch, "full": .full][option.value] else {
          throw .wrong("--durability is batch or full, not '\(option.value)'")
        }
        durability = known
      case .onRestart:
        guard let known = OnRestart(rawValue: option.value) else {
          throw .wrong("--on-restart is remaining, deadline or restart, not '\(option.value)'")
        }
        onRestart = known
      case .kinds:
        guard !option.value.isEmpty else { throw .wrong("--kinds needs a folder") }
        kinds = option.value
      case .page:
        guard let address = InternetAddress(option.value) else {
          throw .wrong(
            "--page takes [HOST:]PORT, HOST an address in numbers (IPv6 in brackets), not '\(option.value)'")
        }
        page = address
      case .pageControl: pageMayControl = true
      case .pageToken:
        guard !option.value.isEmpty else { throw .wrong("--page-token needs a file") }
        pageToken = option.value
      case .limit:
        if let problem = limits.set(option.value, hasUsers: hasUsers) { throw .wrong(problem) }
      case .log:
        guard let level = Log.Level(name: option.value) else {
          throw .wrong("a log level is error, warning, info or debug, not '\(option.value)'")
        }
        logLevel = level
      case .poll:
        guard let microseconds = UInt64(option.value), microseconds <= 1_000_000 else {
          throw .wrong("--poll takes 0 to 1000000 microseconds, not '\(option.value)'")
        }
        pollNanoseconds = microseconds * 1_000
      case .workers:
        guard let count = Int(option.value), (1...256).contains(count) else {
          throw .wrong("--workers takes 1 to 256, not '\(option.value)'")
        }
        workers = count
      case .untilStandardInputCloses: endsWithStandardInput = true
      }
    }
    if name != nil, stores?.hasDatabase != true {
      throw .wrong(
        "--name is for daemons that share a database, which --store postgresql://USER@HOST/DATABASE or --store-map FILE names"
      )
    }
  }
}
