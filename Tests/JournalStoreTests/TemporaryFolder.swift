import Foundation

/// A folder for one test, removed with all that is in it.
///
/// In memory where the system has a folder for that: these tests make thousands of stores, and each waits for the disk.
final class TemporaryFolder {
  let path: String

  init() {
    let inMemory = "/dev/shm"
    let manager = FileManager.default
    let parent = manager.isWritableFile(atPath: inMemory) ? URL(filePath: inMemory) : manager.temporaryDirectory
    let url = parent.appending(path: "fsmd-store-\(UUID().uuidString)")
    path = url.path
    do {
      try manager.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      preconditionFailure("no temporary folder to be had: \(error)")
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
