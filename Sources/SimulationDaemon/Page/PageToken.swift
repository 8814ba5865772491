import Glibc
import UnixHost

/// A page's token that a file keeps, so that a link and a browser's cookie hold after a restart.
enum PageToken {
  /// Hexadecimal digits of a token: 128 bits.
  static let digits = 32

  /// Why a file cannot keep a token.
  struct Failure: Error, CustomStringConvertible {
    let file: String
    let why: String
    var description: String { "\(file) cannot keep the page's token: \(why)" }
  }

  /// The token in a file, which is made with a new one if it is missing.
  ///
  /// Whoever reads the file can use the page, so it must belong to the daemon's user, and nobody else may read it.
  ///
  /// - Throws: ``Failure`` if it cannot be read or written, others may read it, or it has something else in it.
  static func kept(in file: String) throws(Failure) -> String {
    func failure(_ why: String) -> Failure { Failure(file: file, why: why) }
    if let problem = RegularFile.problem(at: file) { throw failure(problem) }
    // A power cut can leave a file that has no token yet.
    var left = stat()
    if stat(file, &left) == 0, left.st_size == 0, left.st_uid == geteuid(), left.st_mode & 0o077 == 0 { unlink(file) }
    let made = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if made >= 0 {
      let descriptor = Descriptor(rawValue: made)
      defer { descriptor.close() }
      let token = PageAccess.randomDigits(count: digits)
      guard descriptor.writeAll("\(token)\n") else {
        let why = "\(SystemError.last)"
        unlink(file)
        throw failure(why)
      }
      return token
    }
    guard errno == EEXIST else { throw failure("\(SystemError.last)") }
    let opened = open(file, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw failure("\(SystemError.last)") }
    let descriptor = Descriptor(rawValue: opened)
    defer { descriptor.close() }
    var found = stat()
    guard fstat(opened, &found) == 0 else { throw failure("\(SystemError.last)") }
    guard found.st_uid == geteuid(), found.st_mode & 0o077 == 0 else {
      throw failure("other users may read or own it; 'chmod 600' it, or delete it")
    }
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try descriptor.readToEnd(atMost: 2 * digits) {} } catch {
      throw failure("\(error)")
    }
    let text = bytes.last == 0x0A ? bytes.dropLast() : bytes[...]
    guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else {
      throw failure("it has something else in it than \(digits) digits, 0 to 9 and a to f; delete it for a new one")
    }
    return String(decoding: text, as: UTF8.self)
  }
}
