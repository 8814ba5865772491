import Glibc
import JournalStore
import StateMachines
import UnixHost

/// `fsmd backup`: copies all durable worlds while a daemon may run.
struct BackupCommand: Subcommand {
  static let name = "backup"
  static let takesFiles = true

  /// The store's folder; nil for the user's default.
  let folder: String?
  let file: String

  enum Option {
    case state
  }

  static let table = OptionTable<Option>(
    program: "\(ProgramName.current) backup", synopsis: "[OPTION]... FILE",
    options: [.init(.state, long: "state", argument: .required("FOLDER"), summary: StoreAccess.summary)])

  static let usage =
    table.usage + """

      Copies all durable worlds to FILE, which must not exist yet, and checks the copy. A daemon may write
      meanwhile and is not delayed: the copy is of one moment.

      Exit codes: 0 good, 1 usage or FILE exists, 3 the store cannot be read or FILE cannot be written.

      """

  init(_ options: [OptionTable<Option>.Given], _ operands: [String]) throws(UsageFailure) {
    guard let file = operands.first else { throw .wrong("to which file? '\(Self.table.program) FILE'") }
    guard operands.count == 1 else { throw .wrong("'\(operands[1])' is one word too many") }
    (folder, self.file) = (options.last?.value, file)
  }

  func run(_ catalogue: Catalogue, version: String) -> Int32 {
    StoreAccess.reporting {
      let store = try StoreAccess.openFolder(folder)
      defer { store.close() }
      var begun = HostClock.now()
      let copied = try store.backUp(to: file) {
        // Pauses as long as the step took, at most 100 ms, to leave disk and processor time to others.
        _ = poll(nil, 0, Int32(min((HostClock.now() - begun) / 1_000_000, 100)))
        begun = HostClock.now()
      }
      Descriptor.standardOutput.writeAll(
        "copied to \(file) and checked: \(copied.worlds) worlds, \(copied.inputs) inputs, \(copied.bytes) bytes\n")
      return StoreAccess.good
    }
  }
}
