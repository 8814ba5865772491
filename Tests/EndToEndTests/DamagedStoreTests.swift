import Foundation
import TestSupport
import Testing
import UnixHost

@Suite("Daemons whose store is not as it was")
struct DamagedStoreTests {
  /// What can be wrong with a file, and a word of what is said of it.
  enum Harm: String, CaseIterable {
    case empty, short, flipped, foreign, newer

    func change(_ bytes: Data) -> Data {
      var bytes = bytes
      switch self {
      case .empty: return Data()
      case .short: return bytes.prefix(bytes.count / 2)
      case .flipped: for place in stride(from: 4_096 + 100, to: bytes.count, by: 997) { bytes[place] ^= 0x10 }
      case .foreign: return Data("These are not the bytes of a database, nor of anything else.\n".utf8)
      case .newer: bytes[63] = 99  // The schema's version stands in bytes 60 to 63.
      }
      return bytes
    }

    var word: String {
      switch self {
      case .empty, .short, .flipped: "damaged"
      case .foreign: "journal.sqlite"
      case .newer: "later release"
      }
    }
  }

  @Test(
    "the daemon does not start, says what is wrong and what to do, and leaves the file as it is",
    arguments: Harm.allCases)
  func start(harm: Harm) throws {
    let folder = try TemporaryFolder()
    let daemon = try DaemonProcess(in: folder)
    let client = try daemon.connect()
    try client.ask("quiet on")
    for number in 0..<200 { try client.send("new shiftKey key\(number)\nsend key\(number) tap\n") }
    try client.ask("sync")
    try client.ask("shutdown")
    try expectEqual(daemon.run.ending(), .exited(0))
    let file = URL(filePath: "\(folder.path)/state/fsmd/journal.sqlite")
    let harmed = harm.change(try Data(contentsOf: file))
    try harmed.write(to: file)
    let run = try ProgramRun("fsmd", ["--socket", "\(folder.path)/other"], in: folder)
    try expectEqual(run.ending(), .exited(3), "\(run.log)")
    expect(run.log.contains("journal.sqlite") && run.log.contains(harm.word), "\(run.log)")
    try expectEqual(Data(contentsOf: file), harmed)
    // One that keeps nothing has nothing to do with it.
    let other = try DaemonProcess("--ephemeral", in: folder, socket: "third")
    try expect(other.connect().ask("new power p"), hasPrefix: "+ created p")
  }

  @Test("a second daemon on a store is told whose it is")
  func second() throws {
    let folder = try TemporaryFolder()
    let daemon = try DaemonProcess(in: folder)
    let run = try ProgramRun("fsmd", ["--socket", "\(folder.path)/other"], in: folder)
    try expectEqual(run.ending(), .exited(3))
    expect(run.log.contains(daemon.socket) && run.log.contains("\(daemon.run.child.pid)"), "\(run.log)")
    try expect(daemon.connect().ask("new power p"), hasPrefix: "+ created p")
  }
}
