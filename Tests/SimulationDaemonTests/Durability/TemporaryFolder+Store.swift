import Foundation
import JournalStore
import TestSupport

/// The folder of a store for one test.
extension TemporaryFolder {
  var files: StoreFiles { StoreFiles(folder: path) }

  /// The stored data, by file name: without the lock, the index of the log and an empty log, which contain none.
  var contents: [String: Data] {
    var contents: [String: Data] = [:]
    for path in [files.database, files.log, files.heads] {
      guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else { continue }
      contents[String(path.dropFirst(self.path.count + 1))] = data
    }
    return contents
  }

  /// The disk content if the process is killed now: everything written, nothing else.
  func asAfterKill() -> TemporaryFolder {
    let copy = TemporaryFolder.inMemory()
    for (name, data) in contents {
      guard FileManager.default.createFile(atPath: "\(copy.path)/\(name)", contents: data) else {
        preconditionFailure("a file cannot be copied")
      }
    }
    return copy
  }
}
