import Glibc
import TestSupport
import Testing

@testable import UnixHost

struct ChildTests {
  private func output(of program: String, _ arguments: [String]) throws -> String {
    let pipe = try Pipe()
    let child = try Child.spawn(program, arguments, output: pipe.writing)
    pipe.writing.close()
    defer { pipe.reading.close() }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case .bytes(let count) = buffer.withUnsafeMutableBytes({ pipe.reading.read(into: $0) }) {
      text += buffer.prefix(count)
    }
    expectEqual(child.waitForEnding(), .exited(0))
    expectNil(child.waitForEnding())
    return String(decoding: text, as: UTF8.self)
  }

  @Test("a program runs with its arguments, and what it writes arrives")
  func runs() throws {
    try expectEqual(output(of: "printf", ["%s-%s", "a b", "c"]), "a b-c")
  }

  @Test("it leads its own process group and ignores no signal")
  func isolated() throws {
    signal(SIGPIPE, SIG_IGN)
    // Fields 1 and 5 of stat(5): the process and its group.
    let fields = try output(of: "cat", ["/proc/self/stat"]).split(separator: " ")
    expectEqual(fields[0], fields[4])
    let status = try output(of: "cat", ["/proc/self/status"])
    for name in ["SigIgn", "SigBlk"] {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
      let mask = line.flatMap { UInt64($0.dropFirst(name.count + 2), radix: 16) }
      expectEqual(mask.map { $0 & 0x7FFF_FFFF }, 0, "\(name); bits 31 and 32 are glibc's own")
    }
  }

  @Test("the ending says how")
  func endings() throws {
    try expectEqual(Child.spawn("sh", ["-c", "exit 3"]).waitForEnding(), .exited(3))
    let pipe = try Pipe()
    let reader = try Child.spawn("cat", [], input: pipe.reading)
    expectNil(reader.ending())
    reader.signal(SIGKILL)
    expectEqual(reader.waitForEnding(), .killed(signal: SIGKILL))
    pipe.reading.close()
    pipe.writing.close()
  }

  @Test("a child that reads a pipe of ours sees its end when we let go")
  func untilInputCloses() throws {
    let pipe = try Pipe()
    let reader = try Child.spawn("cat", [], input: pipe.reading)
    pipe.reading.close()
    pipe.writing.close()
    expectEqual(reader.waitForEnding(), .exited(0))
  }

  @Test("a program that is not there is an error")
  func missing() {
    #expect(throws: SystemError(code: ENOENT)) { try Child.spawn("no-such-program-anywhere", []) }
    expectEqual(Child.siblingProgram("no-such-program-anywhere"), "no-such-program-anywhere")
  }
}
