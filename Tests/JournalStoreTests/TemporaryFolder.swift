import Foundation

/// A folder for one test, removed with all that is in it.
final class TemporaryFolder {
  let path: String

  init() {
    let url = FileManager.default.temporaryDirectory.appending(path: "fsmd-store-\(UUID().uuidString)")
    path = url.path
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      preconditionFailure("no temporary folder to be had: \(error)")
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
