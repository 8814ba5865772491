import Simulator
import Statecharts
import Surveys

/// The daemon's limits. `--limit NAME=VALUE` sets one, `limits` shows all.
struct Limits: Sendable {
  /// Bytes for all worlds and clients together. A daemon's default is half of the available memory.
  var memory = 1 << 40
  var clients = 256
  /// Bytes of a request line, without the line end.
  var line = 65_536
  /// Bytes of unread replies per client. At the limit the client's requests are not read.
  var replyQueue = 4 << 20
  /// Bytes of unread notices per client. Further notices are dropped, and the client gets a line that says so.
  var noticeQueue = 1 << 20
  /// Watched patterns per client and world.
  var watches = 1_024
  var worlds = 64
  /// Lines between `begin` and `end`.
  var batch = 10_000
  /// Bytes between `begin` and `end`.
  var batchBytes = 4 << 20
  /// Bytes of a document after `define`, with the files that it refers to.
  var definitionBytes = 4 << 20
  /// Bytes of a machine's or a world's name.
  var name = 64
  /// Bytes of a durable world's journal in the store. The oldest inputs are removed first.
  var storeBytes = 4 << 30
  /// Days that inputs stay in the store.
  var storeDays = 36_500
  /// The least number of inputs between two checkpoints in the store. Replaying that many takes about a tenth of a
  /// second.
  var checkpointInputs = 200_000
  /// Connections of one user, open ones and those with unfinished work.
  var userClients = 16
  /// Worlds of one user, `main` among them.
  var userWorlds = 16
  /// Machines in all worlds of one user.
  var userMachines = 100_000
  /// Bytes for all worlds and connections of one user.
  var userMemory = 1 << 36
  /// Bytes of the journals in the store of all durable worlds of one user. The oldest inputs are removed first.
  var userStore = 1 << 40
  var world = WorldLimits()

  struct Entry: Sendable {
    let name: String
    let unit: String
    let range: ClosedRange<Int>
    let path: any WritableKeyPath<Limits, Int> & Sendable
  }

  static let table: [Entry] = [
    Entry(name: "memory", unit: "bytes", range: 16 << 20...1 << 50, path: \.memory),
    Entry(name: "clients", unit: "connections", range: 1...65_536, path: \.clients),
    Entry(name: "line", unit: "bytes", range: 64...16 << 20, path: \.line),
    Entry(name: "replyQueue", unit: "bytes-per-client", range: 4_096...1 << 30, path: \.replyQueue),
    Entry(name: "noticeQueue", unit: "bytes-per-client", range: 1_024...1 << 30, path: \.noticeQueue),
    Entry(name: "watches", unit: "per-client", range: 1...100_000, path: \.watches),
    Entry(name: "worlds", unit: "worlds", range: 1...10_000, path: \.worlds),
    Entry(name: "machines", unit: "per-world", range: 1...8_000_000, path: \.world.machines),
    Entry(name: "kinds", unit: "per-world", range: 64...100_000, path: \.world.kinds),
    Entry(name: "batch", unit: "lines", range: 1...1_000_000, path: \.batch),
    Entry(name: "batchBytes", unit: "bytes", range: 64...1 << 30, path: \.batchBytes),
    Entry(name: "definitionBytes", unit: "bytes", range: 64...1 << 30, path: \.definitionBytes),
    Entry(name: "name", unit: "bytes", range: 1...255, path: \.name),
    Entry(name: "chain", unit: "firings-per-instant", range: 1...1_000_000_000, path: \.world.chain),
    Entry(name: "keyedTimers", unit: "per-machine", range: 1...1_000_000, path: \.world.keyedTimers),
    Entry(name: "wireChain", unit: "deliveries-long", range: 1...1_000_000, path: \.world.wireChain),
    Entry(name: "wireDeliveries", unit: "per-step", range: 1...1_000_000_000, path: \.world.wireDeliveries),
    Entry(name: "wires", unit: "per-world", range: 1...10_000_000, path: \.world.wires),
    Entry(name: "journal", unit: "inputs-per-world", range: 1...8_000_000, path: \.world.journal),
    Entry(name: "journalBytes", unit: "bytes-per-world", range: 131_072...1 << 40, path: \.world.journalBytes),
    Entry(name: "checkpointBytes", unit: "bytes-per-world", range: 0...1 << 40, path: \.world.checkpointBytes),
    Entry(name: "storeBytes", unit: "bytes-per-world", range: fewestStored...1 << 50, path: \.storeBytes),
    Entry(name: "storeDays", unit: "days", range: 1...36_500, path: \.storeDays),
    Entry(name: "checkpointInputs", unit: "inputs-at-least", range: 1...1_000_000_000, path: \.checkpointInputs),
  ]

  /// Limits for each user but the daemon's owner, where others may connect.
  static let ofUsers: [Entry] = [
    Entry(name: "userClients", unit: "connections-per-user", range: 1...65_536, path: \.userClients),
    Entry(name: "userWorlds", unit: "worlds-per-user", range: 1...10_000, path: \.userWorlds),
    Entry(name: "userMachines", unit: "machines-per-user", range: 1...1 << 40, path: \.userMachines),
    Entry(name: "userMemory", unit: "bytes-per-user", range: 1 << 20...1 << 50, path: \.userMemory),
    Entry(name: "userStore", unit: "bytes-per-user", range: 4_096...1 << 50, path: \.userStore),
  ]

  /// Limits that cannot be set. What comes of an input, and whether a stored document is one, depends on most of them.
  static let fixed =
    StatechartLimits().listed + DocumentLimits().listed
    + [
      ListedLimit(name: "diagramStates", value: RequestContext.mostDrawn, unit: "per-kind"),
      ListedLimit(name: "diagramPairs", value: RequestContext.mostPairs, unit: "states-times-events"),
      ListedLimit(name: "pictureLines", value: GraphvizJob.mostLines, unit: "lines-of-dot"),
      ListedLimit(name: "drawings", value: Graphs.mostGraphvizJobs, unit: "pictures-at-once"),
      ListedLimit(name: "waveInputs", value: WaveSurvey.mostInputs, unit: "inputs-per-wave"),
      ListedLimit(name: "forkBytes", value: Persistence.mostCopied, unit: "bytes-in-the-store"),
      ListedLimit(name: "clientNames", value: NumberedAnswers.maxClients, unit: "per-world"),
      ListedLimit(name: "answers", value: NumberedAnswers.maxAnswers, unit: "per-client-name"),
      ListedLimit(name: "testLines", value: GraphScript.mostLines, unit: "lines-per-script"),
    ]

  /// The limits for a memory budget. A small budget also lowers the limits per world and per client.
  static func fitting(memory: Int) -> Limits {
    var limits = Limits()
    limits.memory = memory
    limits.replyQueue = min(limits.replyQueue, max(64 << 10, memory / 256))
    limits.noticeQueue = min(limits.noticeQueue, max(32 << 10, memory / 1_024))
    limits.batchBytes = min(limits.batchBytes, memory / 32)
    limits.definitionBytes = min(limits.definitionBytes, memory / 32)
    limits.world.journalBytes = min(limits.world.journalBytes, memory / 4)
    limits.world.checkpointBytes = min(limits.world.checkpointBytes, memory / 16)
    return limits
  }

  /// Sets the defaults of a daemon that other users may connect to: more clients and worlds, for each user a part of the
  /// memory, and less of the disk for each world and each user: a class of thirty fits on 16 GiB.
  mutating func makeRoomForUsers() {
    clients = 1_024
    worlds = 1_024
    userMemory = max(1 << 20, memory / 16)
    world.journalBytes = min(world.journalBytes, max(131_072, userMemory / 4))
    world.checkpointBytes = min(world.checkpointBytes, userMemory / 16)
    storeBytes = 256 << 20
    userStore = 512 << 20
  }

  /// The smallest limit for the journal of a world, in bytes.
  static let fewestStored = 4_096

  /// A daemon's default memory budget: half of what is available.
  ///
  /// - Parameter available: The memory of the computer or of the control group; nil if the system does not say.
  static func memory(of available: Int?) -> Int {
    guard let range = table.first(where: { $0.name == "memory" })?.range else { return Limits().memory }
    return min(max((available ?? Limits().memory) / 2, range.lowerBound), range.upperBound)
  }

  /// Parses a size as `--memory` takes it: a number of bytes, or of `K`, `M` or `G`, which are powers of 1024.
  ///
  /// - Returns: Nil if the text is not a size or the size is out of range.
  static func memory(_ text: String) -> Int? {
    let units: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let shift = text.last.flatMap { units[$0] } ?? 0
    let digits = shift > 0 ? text.dropLast() : text[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else { return nil }
    let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: 1 << shift)
    guard !isTooMuch, let entry = table.first(where: { $0.name == "memory" }), entry.range.contains(bytes) else {
      return nil
    }
    return bytes
  }

  /// Sets a limit from `NAME=VALUE`.
  ///
  /// - Parameter hasUsers: Whether there are limits of other users.
  /// - Returns: An error text; nil on success.
  mutating func set(_ text: String, hasUsers: Bool = true) -> String? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return "a limit is set as NAME=VALUE, not '\(text)'" }
    let known = Limits.table + (hasUsers ? Limits.ofUsers : [])
    guard let entry = known.first(where: { $0.name == parts[0] }) else {
      if Limits.ofUsers.contains(where: { $0.name == parts[0] }) {
        return "\(text) is about other users, whom --group lets in"
      }
      if Limits.fixed.contains(where: { $0.name == parts[0] }) {
        return "\(parts[0]) cannot be set, since what is stored depends on it"
      }
      return "there is no limit '\(parts[0])'; there are \(known.map(\.name).joined(separator: " "))"
    }
    guard let value = Int(parts[1]), entry.range.contains(value) else {
      return "\(entry.name) is \(entry.range.lowerBound) to \(entry.range.upperBound) \(entry.unit), not '\(parts[1])'"
    }
    self[keyPath: entry.path] = value
    return nil
  }
}
