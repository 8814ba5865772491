import JournalStore
import LineProtocol
import Scripts
import Simulator
import StateMachines

/// Writes a world's journal as a script that recreates the world; Docs/Scripts.md has the grammar.
///
/// Each line is played as it is written, and the result is compared with the journal. A finished script therefore
/// recreates the world, including its rewinds; where it cannot, the export fails.
struct ScriptExport: ~Copyable {
  private let story: Story
  /// Created when the limits are known.
  private var dryRun: DryRun?
  private let digest = InputDigest()
  private var text: ScriptText
  /// The moment of each input, from the first on.
  private var moments: ContiguousArray<Int64> = []
  /// The first input of each request in the script that was not undone.
  private var requests: ContiguousArray<UInt64> = []
  /// The requests that each rewind since the last of them has undone, for a redo.
  private var undone: [[UInt64]] = []
  /// A composed `new` that is not complete.
  private var assembly: Assembly?
  private var expiries = 0
  private static let expiriesAtOnce = 256

  private struct Assembly {
    let composition: Composition
    let name: String
    /// Its first input.
    let sequence: UInt64
    /// The time prefix of its line.
    let time: String?
    /// The parameters of the members so far.
    var parameters: [[(parameter: Int, value: Value)]] = []
    var wires = 0
  }

  /// A world whose journal is written, up to a moment.
  struct Story {
    let name: String
    let seed: UInt64
    /// Its last input.
    let head: UInt64
    let moment: Instant
    let catalogue: Catalogue
  }

  /// A stored world as a script.
  ///
  /// - Throws: ``HistoryFailure``.
  /// - Complexity: O(inputs), since all are played.
  static func text(of history: StoredHistory, release: String) throws -> [UInt8] {
    guard history.world.first == 1 else {
      throw HistoryFailure.forgotten(world: history.name, first: history.world.first)
    }
    let story = Story(
      name: WorldKey(history.name).name, seed: history.settings.seed, head: history.world.head, moment: history.moment,
      catalogue: history.catalogue)
    var export = try ScriptExport(story, release: release)
    try history.read { world, entry, composed in try export.add(entry, composed, of: world) }
    return try export.finish()
  }

  /// Begins a script. Its inputs follow in order, each with ``add(_:_:of:)``, then ``finish()``.
  ///
  /// - Throws: ``HistoryFailure``, as all that follows.
  init(_ story: Story, release: String) throws {
    self.story = story
    text = ScriptText(world: story.name)
    try text.begin(story, release: release)
  }

  /// About how many bytes it takes, without the world that it plays.
  var bytes: Int { text.storageBytes + moments.count * 16 }

  /// The dry run, created with the limits that were in force at the first input.
  private mutating func dryRun(_ limits: WorldLimits) throws -> DryRun {
    if let dryRun { return dryRun }
    var usual = WorldLimits()
    try text.tell(limits, unlike: usual)
    usual.chain = limits.chain
    usual.keyedTimers = limits.keyedTimers
    usual.wireChain = limits.wireChain
    usual.wireDeliveries = limits.wireDeliveries
    let made = DryRun(story.catalogue, seed: story.seed, usual, to: story.head)
    dryRun = made
    return made
  }

  // MARK: Inputs

  /// Adds the next input.
  ///
  /// - Parameters:
  ///   - composed: What the input is the first of, if a composed `new` brought it.
  ///   - world: It has the words of the input.
  mutating func add(
    _ entry: JournalEntry, _ composed: JournalSegment.Creation?, of world: borrowing WorldCore
  ) throws {
    let dryRun = try dryRun(world.limits)
    moments.append(entry.moment.nanoseconds)
    defer { digest.add(entry, of: world) }
    if entry.input == .rewound { return try goBack(entry, JournalInput(entry), dryRun) }
    if entry.input == .renewed {
      throw HistoryFailure.unsayable(
        world: story.name, sequence: entry.sequence,
        reason: "timers began anew when the daemon did (--on-restart restart), and no request does that")
    }
    guard entry.input.isFromOutside else { return try follow(entry, dryRun) }
    if assembly == nil {
      let time = try bring(dryRun, to: entry.moment)
      try compare(dryRun, before: entry.sequence)
      requests.append(entry.sequence)
      undone = []
      guard let composed else {
        let facts = JournalInput(entry)
        if let document = facts.defined?.document { return try say(document, time, dryRun, as: entry.sequence) }
        let request = ScriptText.request(entry, facts, of: world)
        return try say(request, time, dryRun, as: entry.sequence)
      }
      try begin(composed, time)
    }
    try assemble(entry, of: world, dryRun)
  }

  // MARK: Composed machines

  private mutating func begin(_ composed: JournalSegment.Creation, _ time: String?) throws {
    guard case .composition(let composition)? = story.catalogue.entry(stored: composed.kind) else {
      throw HistoryFailure.unreadable(
        world: story.name,
        reason: "\(Recovery.Failure.unreadable(.unknownKind(composed.kind), at: composed.sequence))")
    }
    assembly = Assembly(composition: composition, name: composed.name, sequence: composed.sequence, time: time)
  }

  /// Takes an input of a composed `new`. The line is written when all members are known; no other input comes between.
  private mutating func assemble(_ entry: JournalEntry, of world: borrowing WorldCore, _ dryRun: DryRun) throws {
    guard var made = assembly else { return }
    if entry.input == .created {
      made.parameters.append(JournalInput(entry).parameters)
      if made.parameters.count == made.composition.members.count {
        let request = ScriptText.new(made.composition, named: made.name, made.parameters)
        try say(request, made.time, dryRun, as: made.sequence)
      }
    } else {
      made.wires += 1
    }
    let isWhole =
      made.parameters.count == made.composition.members.count && made.wires == made.composition.wires.count
    assembly = isWhole ? nil : made
  }

  // MARK: Time

  /// Advances time to a moment.
  ///
  /// - Returns: The time prefix of the next request's line; nil if time stands there already.
  private mutating func bring(_ dryRun: DryRun, to moment: Instant) throws -> String? {
    let time = TimeText.written(moment.nanoseconds)
    while moment > dryRun.now {
      let last = dryRun.lastSequence
      guard case .failure(let code, _) = dryRun.play("advance until \(time)") else { return "at \(time)" }
      // A livelock has stopped it. If the timers go on, the next try advances further.
      try text.append("advance until \(time) => refused \(code)")
      if dryRun.lastSequence == last { break }
    }
    return nil
  }

  /// Lets time follow the timers of the journal, so that no request has to catch up with very many of them.
  private mutating func follow(_ entry: JournalEntry, _ dryRun: DryRun) throws {
    guard entry.input == .expiry, assembly == nil else { return }
    expiries += 1
    guard expiries % Self.expiriesAtOnce == 0 else { return }
    _ = try bring(dryRun, to: entry.moment)
  }

  // MARK: Rewinds

  /// Writes a rewind. An `undo` goes back to the moment of the first input that it undoes, a `goto` to an earlier
  /// moment.
  ///
  /// A redo is written as one. It needs the moment that the undo has left.
  private mutating func goBack(_ entry: JournalEntry, _ rewind: JournalInput, _ dryRun: DryRun) throws {
    let first = rewind.firstUndone
    let last = moments.count > 1 ? Instant(nanoseconds: moments[moments.count - 2]) : .beginning
    if let redone = rewind.redone {
      try compare(dryRun, before: entry.sequence)
      for _ in 0..<redone.undos { requests += undone.popLast() ?? [] }
      return try say("redo" + (redone.undos == 1 ? "" : " \(redone.undos)"), nil, dryRun, as: entry.sequence)
    }
    let isUndo = first < entry.sequence && moments[Int(first) - 1] == entry.moment.nanoseconds
    let least = isUndo ? last : max(last, entry.moment + Nanoseconds(nanoseconds: 1))
    let time = try bring(dryRun, to: rewind.due.map { max($0, least) } ?? least)
    try compare(dryRun, before: entry.sequence)
    let count = requests.count - (requests.lastIndex { $0 < first }.map { $0 + 1 } ?? 0)
    undone.append(Array(requests.suffix(count)))
    requests.removeLast(count)
    let request =
      isUndo ? "undo" + (count == 1 ? "" : " \(count)") : "goto \(TimeText.written(entry.moment.nanoseconds))"
    try say(request, time, dryRun, as: entry.sequence)
  }

  // MARK: Lines

  /// Plays the request of an input, spelled as in a script, and writes it with its result.
  private mutating func say(
    _ request: String, _ time: String?, _ dryRun: DryRun, as sequence: UInt64
  ) throws {
    let answer = dryRun.play(ScriptSpelling.request(request))
    let line = [time, request].compactMap(\.self).joined(separator: "  ")
    switch answer {
    case .success: try text.append(line)
    case .failure(let code, let answer):
      guard dryRun.lastSequence >= sequence else {
        throw HistoryFailure.unsayable(world: story.name, sequence: sequence, reason: "'\(request)' brings \(answer)")
      }
      try text.append("\(line) => refused \(code)")
    }
  }

  /// Plays the requests of a document and writes them with its lines.
  private mutating func say(
    _ document: KindDocument, _ time: String?, _ dryRun: DryRun, as sequence: UInt64
  ) throws {
    if let time { try text.append(time) }
    for request in document.source.requests {
      guard case .success = dryRun.play(request.announcement, request.bytes), let lines = request.lines else {
        throw HistoryFailure.unsayable(
          world: story.name, sequence: sequence, reason: "the document of '\(document.name)' does not fit in a script"
        )
      }
      for line in lines {
        guard line.utf8.count <= ScriptLimits.line else {
          throw HistoryFailure.unsayable(
            world: story.name, sequence: sequence,
            reason: "the document of '\(document.name)' has a line of more than \(ScriptLimits.line) bytes")
        }
        try text.append(line)
      }
    }
  }

  /// Checks that exactly the inputs before this one were recreated.
  private func compare(_ dryRun: DryRun, before sequence: UInt64) throws {
    guard dryRun.lastSequence == sequence - 1, dryRun.digest.value == digest.value else {
      throw HistoryFailure.unsayable(
        world: story.name, sequence: sequence,
        reason: "the inputs before it have another outcome on a virtual clock with these limits")
    }
  }

  // MARK: The end

  /// Ends the script with what the world has come to.
  ///
  /// - Returns: The whole script.
  mutating func finish() throws -> [UInt8] {
    try end()
    return text.bytes
  }

  private mutating func end() throws {
    let dryRun = try dryRun(WorldLimits())  // Only a world without inputs has none yet.
    if let time = try bring(dryRun, to: story.moment) { try text.append(time) }
    let head = story.head
    guard dryRun.lastSequence >= head, dryRun.digest.value == digest.value, dryRun.now == story.moment else {
      return try compare(dryRun, before: head + 1)
    }
    if dryRun.lastSequence > head {
      try text.tellOfMore(dryRun.lastSequence - head)
    }
    try dryRun.withWorld { world in
      try text.expect(&world)
    }
    try text.append(
      "world => ok t=\(TimeText.seconds(story.moment.nanoseconds)) seq=\(dryRun.lastSequence)")
  }
}
