import Foundation
import JournalStore

/// The folder of a store for one test, removed with its content.
///
/// In memory if the system has a folder for that: these tests make thousands of stores, and each waits for the disk.
final class TestFolder {
  let path: String

  init() {
    let inMemory = "/dev/shm"
    let manager = FileManager.default
    let parent = manager.isWritableFile(atPath: inMemory) ? URL(filePath: inMemory) : manager.temporaryDirectory
    path = parent.appending(path: "fsmd-kept-\(UUID().uuidString)").path
    do {
      try manager.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      preconditionFailure("no temporary folder to be had: \(error)")
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

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
  func asAfterKill() -> TestFolder {
    let copy = TestFolder()
    for (name, data) in contents {
      guard FileManager.default.createFile(atPath: "\(copy.path)/\(name)", contents: data) else {
        preconditionFailure("a file cannot be copied")
      }
    }
    return copy
  }
}
