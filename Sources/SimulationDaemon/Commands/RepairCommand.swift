import Glibc
import JournalStore
import LineProtocol
import StateMachines
import UnixHost

/// `fsmd repair`: saves what it can of a world that is out of service.
struct RepairCommand: Subcommand {
  static let name = "repair"
  static let takesFiles = false

  /// Where the repaired world ends.
  enum End: Equatable {
    case input(UInt64)
    case checkpoint
  }

  /// A folder, or the address of a database; nil for the user's default.
  var place: String?
  let world: String
  /// Nil to only list the options.
  var end: End?
  /// The name of a new world; nil to replace the broken one.
  var other: String?
  var isAgreed = false

  enum Option {
    case to, toCheckpoint, asNew, yes, state
  }

  static let table = OptionTable<Option>(
    program: "\(ProgramName.current) repair", synopsis: "[OPTION]... WORLD",
    options: [
      .init(.to, long: "to", argument: .required("SEQ"), summary: "keep the inputs up to this one"),
      .init(.toCheckpoint, long: "to-checkpoint", summary: "keep the state at the latest checkpoint that can be read"),
      .init(
        .asNew, long: "as-new", argument: .required("NAME"),
        summary: "write another world with them; this one stays as it is"
      ),
      .init(.yes, long: "yes", summary: "put them in the place of this world"),
      .init(.state, long: "state", argument: .required("FOLDER"), summary: StoreAccess.summary),
    ])

  static let usage =
    table.usage + """

      Reports the part of a durable world that cannot be restored, and the loss of each way out. With --to or
      --to-checkpoint it reports the loss of that one. Only --yes and --as-new write, while no daemon has the
      store: the repaired world is written beside the other, restored once, and then takes its place.
      Copy the store before --yes: nothing brings back what it removes.

      Exit codes: 0 good, 1 usage or no such world, 3 this repair is not possible, or the store cannot be used.

      """

  init(_ options: [OptionTable<Option>.Given], _ operands: [String]) throws(UsageFailure) {
    guard let world = operands.first else { throw .wrong("which world? '\(Self.table.program) WORLD'") }
    guard operands.count == 1 else { throw .wrong("'\(operands[1])' is one word too many") }
    self.world = world
    for option in options {
      switch option.name {
      case .to:
        guard let number = UInt64(option.value) else {
          throw .wrong("--to takes the number of an input, not '\(option.value)'")
        }
        guard end == nil || end == .input(number) else { throw .wrong("the world can end in one place only") }
        end = .input(number)
      case .toCheckpoint:
        guard end == nil || end == .checkpoint else { throw .wrong("the world can end in one place only") }
        end = .checkpoint
      case .asNew:
        var name = option.value
        guard name.withUTF8({ TextRules.isName(UnsafeRawBufferPointer($0), longest: Limits().name) }) else {
          throw .wrong("'\(name)' cannot be the name of a world")
        }
        other = option.value
      case .yes: isAgreed = true
      case .state: place = option.value
      }
    }
    if other != nil, isAgreed {
      throw .wrong("--as-new leaves the world as it is, so there is nothing to say --yes to")
    }
    if other != nil || isAgreed, end == nil { throw .wrong("up to where? --to SEQ or --to-checkpoint says so") }
  }

  func run(_ catalogue: Catalogue, version: String) -> Int32 {
    StoreAccess.reporting {
      let survey = try survey(catalogue)
      guard let end else {
        for line in survey.lines { Descriptor.standardOutput.writeAll("\(line)\n") }
        return StoreAccess.good
      }
      let last: UInt64
      switch end {
      case .input(let sequence):
        let most = survey.reason == nil ? survey.head : survey.playable ?? 0
        guard sequence <= most else {
          throw HistoryFailure.notSoFar(world: world, to: sequence, most: most, head: survey.head)
        }
        last = sequence
      case .checkpoint:
        guard let checkpoint = survey.checkpoint else { throw HistoryFailure.noCheckpoint(world: world) }
        last = checkpoint
      }
      let (lost, past) = (survey.inputs(after: last), survey.past(of: last))
      guard isAgreed || other != nil else {
        Descriptor.standardOutput.writeAll(
          "world \(world) would end with input \(last)\(past.isEmpty ? "," : past) and lose \(lost); nothing was changed: "
            + "--yes does it, --as-new NAME writes another world instead\n")
        return StoreAccess.good
      }
      try write(catalogue, to: last)
      Descriptor.standardOutput.writeAll(
        other.map { "world \($0) has all of world \(world) up to input \(last); world \(world) is unchanged\n" }
          ?? "world \(world) ends with input \(last), and has lost \(lost)\n")
      return StoreAccess.good
    }
  }

  private func survey(_ catalogue: Catalogue) throws -> Repair.Survey {
    let store = try StoreAccess.open(place)
    defer { store.close() }
    return try StoreAccess.reading(store) {
      _ = try StoreAccess.world(world, in: store)
      return try Repair.survey(world, in: store, catalogue)
    }
  }

  private func write(_ catalogue: Catalogue, to last: UInt64) throws {
    guard let place = place ?? StateFolder.path() else { return }
    let store = try StoreAccess.openForWriting(place)
    defer { store.close() }
    try Repair(store, catalogue, world, wallClock: WallClock.milliseconds).run(to: last, as: other)
  }
}
