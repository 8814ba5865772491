import Glibc
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

struct LineSourceTests {
  /// All lines as `origin text`, reading when asked to.
  private func lines(_ sources: [Invocation.Source]) throws -> [String] {
    var source = try LineSource(sources)
    var found: [String] = []
    while true {
      switch source.next() {
      case .line(let line): found.append("\(line.origin) \(line.text ?? "not UTF-8")")
      case .needsInput: source.fill()
      case .failed(let failure): found.append("\(failure)")
      case .end: return found
      }
    }
  }

  /// A file with this content for as long as `body` runs.
  private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
    var template = Array("/tmp/fsmrepl-test-XXXXXX".utf8CString)
    let file = Descriptor(rawValue: mkstemp(&template))
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { unlink(path) }
    bytes.withUnsafeBytes { _ = file.writeAll($0) }
    file.close()
    try body(path)
  }

  @Test("expressions, one or several lines each")
  func expressions() throws {
    try expectEqual(lines([.expression("a b"), .expression("c\nd")]), ["-e a b", "-e:1 c", "-e:2 d"])
    try expectEqual(lines([.expression("")]), ["-e "])
  }

  @Test("files are numbered by line; the last line needs no end, CRLF is an end")
  func files() throws {
    try withFile(Array("one\r\n\ntwo".utf8)) { (path: String) throws in
      try expectEqual(
        lines([.file(path), .expression("x")]), ["\(path):1 one", "\(path):2 ", "\(path):3 two", "-e x"])
    }
    try withFile([]) { (path: String) throws in try expectEqual(lines([.file(path)]), []) }
    try withFile([0x61, 0xFF, 0x0A, 0x62, 0x0A]) { (path: String) throws in
      try expectEqual(lines([.file(path)]), ["\(path):1 not UTF-8", "\(path):2 b"])
    }
  }

  @Test("a line longer than one read comes whole")
  func longLine() throws {
    let long = String(repeating: "x", count: 200_000)
    try withFile(Array("\(long)\nend\n".utf8)) { (path: String) throws in
      try expectEqual(lines([.file(path)]), ["\(path):1 \(long)", "\(path):2 end"])
    }
  }

  @Test("a folder is no file, and the next source follows; a document is a line that loads it")
  func folder() throws {
    try expectEqual(
      lines([.document("a.mmd"), .file("/proc/self"), .expression("x")]),
      ["a.mmd load a.mmd", "cannot read /proc/self: Is a directory", "-e x"])
  }

  @Test("a file that is not there is named")
  func missing() {
    #expect(throws: LineSource.FileFailure(path: "/no/such", error: SystemError(code: ENOENT))) {
      _ = try LineSource([.file("/no/such")])
    }
  }
}
