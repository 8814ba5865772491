internal import Glibc

/// Files that are read whole. Pipes, devices and folders are not: they may block when opened or read.
package enum RegularFile {
  /// Why a file cannot be read.
  package struct Problem: Error, Equatable {
    package let text: String
  }

  /// What the file at a path is if it is not a regular file; `nil` for a regular file or a missing one.
  package static func problem(at path: String) -> String? {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    let what =
      switch found.st_mode & S_IFMT {
      case S_IFREG: ""
      case S_IFDIR: "a folder"
      case S_IFIFO: "a pipe"
      case S_IFSOCK: "a socket"
      default: "a device"
      }
    return what.isEmpty ? nil : "it is \(what), not a regular file"
  }

  /// The bytes of a file that the user has not named.
  ///
  /// An error quotes the text around it, so a file must not be able to bring others into messages.
  ///
  /// - Parameters:
  ///   - endings: The name of the file must end with one of these; for a link, that of the target too.
  ///   - most: No more is read than this many bytes and one piece, so that the caller can refuse what is longer.
  package static func read(_ path: String, endings: [String], atMost most: Int) throws(Problem) -> [UInt8] {
    guard let resolved = realpath(path, nil) else { throw Problem(text: "\(SystemError.last)") }
    defer { free(resolved) }
    let target = String(cString: resolved)
    guard endings.contains(where: { target.hasSuffix($0) }) else {
      throw Problem(text: "it is a link to a file whose name does not end with \(endings.joined(separator: " or "))")
    }
    if let problem = problem(at: path) { throw Problem(text: problem) }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Problem(text: "\(SystemError.last)") }
    let descriptor = Descriptor(rawValue: file)
    defer { descriptor.close() }
    do throws(SystemError) {
      return try descriptor.readToEnd(atMost: most) {}
    } catch {
      throw Problem(text: "\(error)")
    }
  }
}

extension RegularFile {
  /// Writes a file. Without room for the text there is no new file, and one that is there keeps its own text.
  ///
  /// - Parameter replaces: Whether a file of this name is overwritten.
  /// - Throws: ``Problem``: it is there already, is no regular file, or cannot be written.
  package static func write(_ text: String, to path: String, replaces: Bool) throws(Problem) {
    if let problem = problem(at: path) { throw Problem(text: problem) }
    if replaces, access(path, F_OK) == 0 {
      do throws(SystemError) { return try replace(path, with: Array(text.utf8)) } catch {
        throw Problem(text: "\(error)")
      }
    }
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      throw Problem(text: errno == EEXIST ? "it is there already; 'replace' overwrites it" : "\(SystemError.last)")
    }
    let descriptor = Descriptor(rawValue: file)
    defer { descriptor.close() }
    guard descriptor.writeAll(text) else {
      let error = SystemError.last
      unlink(path)
      throw Problem(text: "\(error)")
    }
  }

  /// Writes a file atomically: readers see the old bytes or the new ones. A new file is the user's alone.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    // Follow a link to its target.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    let target = resolved.map { String(cString: $0) } ?? path
    var found = stat()
    let mode = stat(target, &found) == 0 ? found.st_mode & 0o7777 : 0o600
    var name = Array("\(target).XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { throw .last }
    let descriptor = Descriptor(rawValue: file)
    let isWritten =
      bytes.withUnsafeBytes { descriptor.writeAll($0) } && fchmod(file, mode) == 0
      && rename(name, target) == 0
    let error = SystemError.last
    descriptor.close()
    guard !isWritten else { return }
    unlink(name)
    throw error
  }
}

extension Descriptor {
  /// All bytes up to the end, or a little more than `most`.
  ///
  /// - Parameter wait: Called when there is nothing to read at the moment.
  package func readToEnd(atMost most: Int, wait: () -> Void) throws(SystemError) -> [UInt8] {
    let piece = 1 << 20
    var bytes: [UInt8] = []
    while bytes.count <= most {
      let transfer = withUnsafeTemporaryAllocation(byteCount: piece, alignment: 1) { buffer in
        let transfer = read(into: buffer)
        if case .bytes(let count) = transfer { bytes.append(contentsOf: buffer[..<count]) }
        return transfer
      }
      switch transfer {
      case .bytes: continue
      case .closed: return bytes
      case .wouldBlock: wait()
      case .failed(let error): throw error
      }
    }
    return bytes
  }
}
