/// What a copy of a store has.
package struct BackupSummary: Hashable, Sendable {
  package let worlds: Int
  /// Of all worlds, as far as they are kept.
  package let inputs: UInt64
  /// The size of the file.
  package let bytes: Int
}

extension SQLiteReader {
  /// Pages that are copied at once: 1 MB.
  private static let pagesInAStep: Int32 = 256

  /// Copies all of the store, as it is at one moment, into a new file, and reads the copy with all its checksums.
  ///
  /// A daemon may write meanwhile, and waits for nothing; its log is written back only when the copy is done, and grows
  /// until then.
  ///
  /// - Parameters:
  ///   - path: In a folder that exists. The file has mode 0600 before the umask, and is on the disk when this returns.
  ///   - rest: Called between two steps, to leave the disk to others.
  /// - Throws: ``NewFile/Exists``; ``StoreFailure``, `damaged` too where the store is. Then nothing is left.
  /// - Complexity: O(size).
  package func backUp(to path: String, _ rest: () -> Void = {}) throws -> BackupSummary {
    var summary: BackupSummary?
    try NewFile.make(path) { new in
      try copy(to: new, rest)
      summary = try Self.inspectCopy(new)
    }
    guard let summary else { preconditionFailure("a file that was made was filled") }
    return summary
  }

  private func copy(to new: String, _ rest: () -> Void) throws(StoreFailure) {
    let copy = try Database(path: new, .writing, faults: nil)
    defer { copy.close() }
    // What a crash leaves half made never gets its name, so that a journal of SQLite's own would be in vain.
    for pragma in ["journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"] {
      try copy.run("PRAGMA \(pragma)")
    }
    try database.reading { () throws(StoreFailure) in
      // SQLite's moment is that of the first look.
      _ = try StoreRow.read(database)
      try database.copy(to: copy, pages: Self.pagesInAStep, rest)
    }
  }

  private static func inspectCopy(_ path: String) throws(StoreFailure) -> BackupSummary {
    let database = try Database(path: path, .readingFrozen, faults: nil)
    let reader = SQLiteReader(StoreFiles(copy: path), database, boot: 0)
    defer { reader.close() }
    try DatabaseHeader.check(database, hasWAL: false)
    try Schema.check(database)
    let (_, rows) = try reader.inspectContents()
    return BackupSummary(
      worlds: rows.count, inputs: rows.reduce(0) { $0 + $1.head + 1 - $1.first }, bytes: StoreFile.size(path))
  }
}
