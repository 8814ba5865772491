import Glibc
import JournalStore
import LineProtocol
import PostgresStore
import StateMachines
import UnixHost

/// `fsmd store`: checks and prepares databases, and copies worlds between stores.
enum StoreCommand: Subcommand {
  static let name = "store"
  static let takesFiles = true

  /// The addresses of databases.
  case check([String])
  case setup(String)
  case copy(from: String, to: String)

  private enum Action: String, CaseIterable {
    case check, setup, copy

    /// How it is called, after the name of the command.
    var form: String {
      switch self {
      case .check: "check URL"
      case .setup: "setup URL --print"
      case .copy: "copy FROM TO"
      }
    }
  }

  static var actions: [String] { Action.allCases.map(\.rawValue) }

  enum Option {
    case print, storeMap
  }

  static let table = OptionTable<Option>(
    program: "\(ProgramName.current) store",
    synopsis: [Action.check.form, "check --store-map FILE", Action.setup.form, Action.copy.form].joined(
      separator: "\n       \(ProgramName.current) store "),
    options: [
      .init(.print, long: "print", summary: "print the SQL of 'setup'; nothing is run"),
      .init(
        .storeMap, long: "store-map", argument: .required("FILE"),
        summary: "check all databases of a file for 'fsmd --store-map'"),
    ])

  static let usage =
    table.usage + """

      'check' says what a PostgreSQL server promises to 'fsmd --store URL', and what to do. 'setup' prints the
      roles and grants that it needs. 'copy' copies all worlds from one store to another, each a folder or the
      URL of a database, replays both and compares. FROM may be in use; a world that TO has already is an error.

      Exit codes: 0 good, 1 usage, 3 a store cannot be used, or the copies differ.

      """

  init(_ options: [OptionTable<Option>.Given], _ operands: [String]) throws(UsageFailure) {
    let isPrinted = options.contains { $0.name == .print }
    if let map = options.last(where: { $0.name == .storeMap }) {
      guard operands == ["check"] else {
        throw .wrong("'check --store-map FILE' takes no URL, and no other command has --store-map")
      }
      let databases = try StoreMap(file: map.value).places.filter(PostgresURL.isOne)
      guard !databases.isEmpty else { throw .wrong("\(map.value) names no database; 'fsmd verify' is for folders") }
      self = .check(databases)
      return
    }
    guard let word = operands.first else {
      throw .wrong("which of \(Action.allCases.map { "'\($0.form)'" }.joined(separator: ", "))?")
    }
    guard let action = Action(rawValue: word) else {
      let hint = Nearest.match(word, among: Self.actions).map { "did you mean '\($0)'?" }
      throw .wrong("'\(word)' is no action of a store; \(hint ?? "there are \(Self.actions.joined(separator: ", "))")")
    }
    if isPrinted, action != .setup { throw .wrong("only 'setup URL --print' prints what would be run") }
    let places = Array(operands.dropFirst())
    let wanted = action == .copy ? 2 : 1
    guard places.count >= wanted else {
      throw .wrong("'\(word)' lacks \(action == .copy && places.count == 1 ? "TO" : "a store"): '\(action.form)'")
    }
    guard places.count == wanted else {
      throw .wrong("'\(places[wanted])' is one word too many: '\(action.form)'")
    }
    if let mistake = places.compactMap(PostgresURL.mistake).first { throw .wrong(mistake) }
    switch action {
    case .check, .setup:
      guard PostgresURL.isOne(places[0]) else {
        throw .wrong("'\(word)' takes the URL of a database, postgresql://USER@HOST/DATABASE, not '\(places[0])'")
      }
      guard action == .check || isPrinted else {
        throw .wrong("'setup' changes nothing by itself; 'setup URL --print' prints what an administrator runs")
      }
      self = action == .check ? .check(places) : .setup(places[0])
    case .copy: self = .copy(from: places[0], to: places[1])
    }
  }

  func run(_ catalogue: Catalogue, version: String) -> Int32 {
    StoreAccess.reporting {
      switch self {
      case .check(let urls):
        for url in urls {
          if urls.count > 1 { Descriptor.standardOutput.writeAll("\(try PostgresURL(url).shown):\n") }
          for line in try PostgresPromises.check(url) { Descriptor.standardOutput.writeAll("\(line)\n") }
        }
        return StoreAccess.good
      case .setup(let url):
        Descriptor.standardOutput.writeAll(try PostgresPromises.setup(url))
        return StoreAccess.good
      case .copy(let from, let to):
        return try StoreCommand.copy(from, to, catalogue)
      }
    }
  }

  private static func copy(_ from: String, _ to: String, _ catalogue: Catalogue) throws -> Int32 {
    let source = try StoreAccess.open(from)
    defer { source.close() }
    let target = try StoreAccess.openForWriting(to)
    defer { target.close() }
    return try StoreAccess.reading(source) {
      let worlds = try source.worlds()
      for world in worlds where try target.world(world.name) != nil { throw StoreFailure.worldExists(world.name) }
      var isGood = true
      for world in worlds {
        try StoreCopy(source, world, to: target).run()
        isGood = try compare(world, source, to, catalogue) && isGood
      }
      return isGood ? StoreAccess.good : StoreAccess.badStore
    }
  }

  /// Replays a world in both stores and compares the results.
  private static func compare(
    _ world: StoredWorld, _ source: any StoreReading, _ to: String, _ catalogue: Catalogue
  ) throws -> Bool {
    let copy = try StoreAccess.open(to)
    defer { copy.close() }
    func stretches(_ store: any StoreReading, _ world: StoredWorld) throws -> [Verification.Stretch] {
      var all: [Verification.Stretch] = []
      Verification(try StoredHistory(store, world, catalogue)).run { all.append($0) }
      return all
    }
    let (old, new) = (try stretches(source, world), try stretches(copy, try StoreAccess.world(world.name, in: copy)))
    for stretch in new { Descriptor.standardOutput.writeAll("\(stretch)\n") }
    if old != new { StoreAccess.complain("world \(world.name): the copy has another result than the original") }
    return old == new && new.allSatisfy(\.isGood)
  }
}

/// Copies a world to another store.
private struct StoreCopy {
  private let source: any StoreReading
  private let world: StoredWorld
  private let target: any WorldStore

  init(_ source: any StoreReading, _ world: StoredWorld, to target: any WorldStore) {
    (self.source, self.world, self.target) = (source, world, target)
  }

  /// Copies it. If that fails, the target does not have it.
  func run() throws(StoreFailure) {
    try target.create(world.name, head: world.first - 1, moment: world.moment, settings: world.settings)
    do throws(StoreFailure) {
      let lease = try target.take(world.name).lease
      try append(with: lease)
      for mark in try source.checkpoints(of: world.name) {
        guard let checkpoint = try source.checkpoint(of: world.name, atOrBefore: mark.sequence) else { continue }
        try checkpoint.bytes.withUnsafeBytes { bytes in
          Result { () throws(StoreFailure) in
            try target.putCheckpoint(lease, at: mark.sequence, hash: mark.hash, bytes)
          }
        }.get()
      }
      try target.release(lease)
    } catch {
      try? target.remove(world.name)
      throw error
    }
  }

  private func append(with lease: Lease) throws(StoreFailure) {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    var creations = try source.creations(of: world.name)[...]
    var head = world.first - 1
    // What is not about a segment of its own comes first.
    let early = creations.prefix { $0.sequence <= head }
    creations = creations.dropFirst(early.count)
    try target.append(
      Append(
        lease, head: head, last: head, nothing, moment: world.moment, creations: Array(early),
        kinds: try source.kinds(of: world.name)))
    let failure = try source.readSegments(
      of: world.name, from: world.first,
      trying: { (segment) throws(StoreFailure) in
        let made = creations.prefix { $0.sequence <= segment.last }
        creations = creations.dropFirst(made.count)
        try target.append(
          Append(lease, head: head, last: segment.last, segment.bytes, moment: world.moment, creations: Array(made)))
        head = segment.last
        return true
      })
    if let failure { throw failure }
    let undone = try source.undone(in: world.name, 0...UInt64.max)
    try target.append(Append(lease, head: head, last: head, nothing, moment: world.moment, undone: undone))
  }
}
