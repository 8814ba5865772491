import JournalStore
import Simulator
import StateMachines
import UnixHost

/// `fsmd verify`: replays stored worlds from checkpoint to checkpoint and compares the results.
struct VerifyCommand: Subcommand {
  static let name = "verify"
  static let takesFiles = false

  /// The store's folder; nil for the user's default.
  let folder: String?
  /// Empty for all worlds.
  let worlds: [String]

  enum Option {
    case state
  }

  static let table = OptionTable<Option>(
    program: "\(ProgramName.current) verify", synopsis: "[OPTION]... [WORLD]...",
    options: [.init(.state, long: "state", argument: .required("FOLDER"), summary: StoreAccess.summary)])

  static let usage =
    table.usage + """

      Reads everything that the store has of each WORLD, or of all worlds, with its checksums, replays it from
      checkpoint to checkpoint and compares the results. One line per stretch. Nothing is written, and a
      daemon may write the store meanwhile.

      Exit codes: 0 good, 1 usage, 3 something is damaged, cannot be read, or has another result.

      """

  init(_ options: [OptionTable<Option>.Given], _ operands: [String]) {
    (folder, worlds) = (options.last?.value, operands)
  }

  func run(_ catalogue: Catalogue, version: String) -> Int32 {
    StoreAccess.reporting {
      let store = try StoreAccess.open(folder)
      defer { store.close() }
      let played = try StoreAccess.reading(store) {
        let wanted = worlds.isEmpty ? try store.worlds() : try worlds.map { try StoreAccess.world($0, in: store) }
        var isGood = true
        for world in wanted {
          do {
            let verification = Verification(try StoredHistory(store, world, catalogue))
            verification.run { stretch in
              Descriptor.standardOutput.writeAll("\(stretch)\n")
              isGood = isGood && stretch.isGood
            }
          } catch {
            Descriptor.standardOutput.writeAll("\(world.name) \(error)\n")
            isGood = false
          }
        }
        return isGood ? StoreAccess.good : StoreAccess.badStore
      }
      // Checks the rest: the structure of the file and the notes beside it.
      for warning in try store.inspect({ _ in }) { StoreAccess.complain("\(warning)") }
      return played
    }
  }
}
