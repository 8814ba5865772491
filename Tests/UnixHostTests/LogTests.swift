import CSystem
import Glibc
import TestSupport
import Testing

@testable import UnixHost

struct LogTests {
  /// - Parameter isJournal: Whether the journal reads them.
  private func lines(at level: Log.Level, isJournal: Bool = false, _ write: (Log) -> Void) throws -> [Substring] {
    let pipe = try Pipe()
    var found = stat()
    fstat(pipe.writing.rawValue, &found)
    let journal = "\(found.st_dev):\(isJournal ? found.st_ino : 1)"
    write(Log(level: level, output: pipe.writing, journal: journal))
    pipe.writing.close()
    defer { pipe.reading.close() }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ pipe.reading.read(into: $0) }) else { return [] }
    return String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n")
  }

  @Test("one line per message with time and level; lower levels are silent")
  func levels() throws {
    let found = try lines(at: .warning) { log in
      log.error("one")
      log.warning("two")
      log.info("three")
    }
    expectEqual(found.map { $0.split(separator: " ", maxSplits: 1).last }, ["error one", "warning two"])
    try expect(lines(at: .info) { $0.debug("never made") }.isEmpty)
  }

  @Test("the journal gets a level that it understands, and lines that it does not cut")
  func journal() throws {
    let long = String(repeating: "é", count: Log.longest / 2)
    let found = try lines(at: .debug, isJournal: true) { log in
      log.error("one")
      log.warning("two")
      log.info("a\(long)")
      log.debug("four")
    }
    expectEqual(found.prefix(2), ["<3>one", "<4>two"])
    expectEqual(found[2], "<6>a\(long.dropLast())... (of \(Log.longest + 1) bytes)")
    expectEqual(found[3], "<7>four")
    expect(found.allSatisfy { $0.utf8.count < 48 << 10 })
  }

  @Test("what a client sent cannot fake a line or drive a terminal")
  func controls() {
    expectEqual(Log.oneLine("a\nb\u{1B}[2Jü"), "a\\nb\\u{1B}[2Jü")
  }

  @Test("names of levels")
  func names() {
    for level in Log.Level.allCases { expectEqual(Log.Level(name: level.name), level) }
    expectNil(Log.Level(name: "loud"))
  }

  @Test("a stamp is the date in UTC to the millisecond")
  func stamp() {
    expectEqual(WallClock.stamp(seconds: 1_000_000_000, nanoseconds: 7_900_000), "2001-09-09T01:46:40.007Z")
  }

  @Test("the host's clock goes on, and the descriptor limit is not lowered")
  func clockAndLimit() {
    let first = HostClock.now()
    expect(HostClock.now() >= first)
    let limit = FileDescriptorLimit.raise(to: 1)
    expect(limit > 1)
    expectEqual(FileDescriptorLimit.raise(to: limit), limit)
  }
}
