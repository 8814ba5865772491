/// The content of a copy of a store.
package struct BackupSummary: Hashable, Sendable {
  package let worlds: Int
  /// Stored inputs of all worlds.
  package let inputs: UInt64
  /// The size of the file.
  package let bytes: Int
}

extension SQLiteReader {
  /// Pages copied at once: 1 MB.
  private static let pagesInAStep: Int32 = 256

  /// Copies a snapshot of the store into a new file, and verifies the copy with all its checksums.
  ///
  /// A daemon can write meanwhile without waiting; its log is written back only after the copy, and grows until then.
  ///
  /// - Parameters:
  ///   - path: In a folder that exists. The file has mode 0600 before the umask, and is on the disk when this returns.
  ///   - rest: Called between two steps, to let others use the disk.
  /// - Throws: ``NewFile/Exists``; ``StoreFailure``, including `damaged` if the store is. Then no file is left.
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
    // A half-made file never gets the final name, so it needs no journal.
    for pragma in ["journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"] {
      try copy.run("PRAGMA \(pragma)")
    }
    try database.reading { () throws(StoreFailure) in
      // SQLite's snapshot begins with the first read.
      _ = try StoreRow.read(database)
      try database.copy(to: copy, pages: Self.pagesInAStep, rest)
    }
  }

  private static func inspectCopy(_ path: String) throws(StoreFailure) -> BackupSummary {
    let database = try Database(path: path, .readingFrozen, faults: nil)
    let reader = SQLiteReader(StoreFiles(copy: path), database, boot: 0)
    defer { reader.close() }
    try DatabaseHeader.check(database, hasWAL: false)
    try StoreSchema.check(database)
    let (_, rows) = try reader.inspectContents()
    return BackupSummary(
      worlds: rows.count, inputs: rows.reduce(0) { $0 + $1.head + 1 - $1.first }, bytes: StoreFile.size(path))
  }
}
