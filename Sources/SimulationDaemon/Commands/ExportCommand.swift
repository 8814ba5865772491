import JournalStore
import LineProtocol
import StateMachines
import UnixHost

/// `fsmd export`: writes a durable world as a script, a database or a journal.
struct ExportCommand: Subcommand {
  static let name = "export"
  static let takesFiles = true

  enum Format: String, CaseIterable {
    case script, sqlite, journal
  }

  var format = Format.script
  /// The store's folder; nil for the user's default.
  var folder: String?
  let world: String
  /// Nil for standard output.
  let file: String?

  enum Option {
    case format, state
  }

  static let table = OptionTable<Option>(
    program: "\(ProgramName.current) export", synopsis: "[OPTION]... WORLD [FILE]",
    options: [
      .init(
        .format, short: "f", long: "format", argument: .required("FORMAT"), values: Format.allCases.map(\.rawValue),
        summary:
          "script: requests with times that make the world again, for 'fsmrepl run' (default)\nsqlite: a database with tables for people; it needs a FILE\njournal: what the request 'journal' prints, also of a world that is out of service"
      ),
      .init(.state, long: "state", argument: .required("FOLDER"), summary: StoreAccess.summary),
    ])

  static let usage =
    table.usage + """

      Writes the journal of a durable world to FILE, which must not exist yet, or a script to standard output.
      The store is only read, and a daemon may write it meanwhile: the export is of one moment.

      Exit codes: 0 good, 1 usage or FILE exists, 3 the store cannot be read or FILE cannot be written.

      """

  init(_ options: [OptionTable<Option>.Given], _ operands: [String]) throws(UsageFailure) {
    guard let world = operands.first else { throw .wrong("which world? '\(Self.table.program) WORLD [FILE]'") }
    guard operands.count <= 2 else { throw .wrong("'\(operands[2])' is one word too many") }
    self.world = world
    file = operands.count > 1 && operands[1] != "-" ? operands[1] : nil
    for option in options {
      switch option.name {
      case .format:
        guard let known = Format(rawValue: option.value) else {
          throw .wrong("--format is script, sqlite or journal, not '\(option.value)'")
        }
        format = known
      case .state: folder = option.value
      }
    }
    if format == .sqlite, file == nil {
      throw .wrong("a database needs a FILE: '\(Self.table.program) --format sqlite WORLD FILE'")
    }
  }

  func run(_ catalogue: Catalogue, version: String) -> Int32 {
    StoreAccess.reporting {
      let store = try StoreAccess.open(folder)
      defer { store.close() }
      try StoreAccess.reading(store) {
        let history = try StoredHistory(store, StoreAccess.world(world, in: store), catalogue)
        switch (format, file) {
        case (.sqlite, let file?): try TableExport.write(history, to: file, release: version)
        case (.script, let file?), (.journal, let file?): try NewFile.write(try text(of: history, version), to: file)
        case (_, nil):
          let text = try text(of: history, version)
          guard text.withUnsafeBytes({ Descriptor.standardOutput.writeAll($0) }) else {
            throw StoreFailure.other(path: "standard output", reason: "\(SystemError.last)")
          }
        }
      }
      return StoreAccess.good
    }
  }

  private func text(of history: StoredHistory, _ version: String) throws -> [UInt8] {
    format == .journal ? try JournalExport.text(of: history) : try ScriptExport.text(of: history, release: version)
  }
}
