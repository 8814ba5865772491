import Glibc

/// A folder for one test, removed with all that is in it.
package final class TemporaryFolder: Sendable {
  package let path: String

  /// No folder can be made.
  package struct Failure: Error {
    package let code: Int32
  }

  package convenience init() throws { try self.init(in: "/tmp") }

  private init(in parent: String) throws {
    var template = Array("\(parent)/fsmd-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// A folder in memory if the system has a place for that: for thousands of stores, each of which waits for the disk.
  package static func inMemory() -> TemporaryFolder {
    let memory = "/dev/shm"
    do {
      return try TemporaryFolder(in: access(memory, W_OK) == 0 ? memory : "/tmp")
    } catch {
      preconditionFailure("no temporary folder to be had: \(error)")
    }
  }

  deinit { Self.removeTree(path) }

  private static func removeTree(_ path: String) {
    for name in names(in: path) {
      let inside = "\(path)/\(name)"
      var found = stat()
      let isFolder = lstat(inside, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
      if isFolder { removeTree(inside) } else { unlink(inside) }
    }
    rmdir(path)
  }

  /// What is in a folder, in no order; nothing if there is no such folder.
  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
