import Foundation
import TestSupport
import Testing
import UnixHost

/// What becomes of a daemon's store from outside, with real processes: files are taken away, the disk is full at the
/// start, and copies are made.
@Suite("Files of a store that is in use")
struct KeptFilesTests {
  private let folder: TemporaryFolder
  private var store: String { "\(folder.path)/state/fsmd" }

  init() throws {
    folder = try TemporaryFolder()
  }

  // MARK: Files that go away

  @Test(
    "when the store's files are taken away nothing is acknowledged, other worlds go on, and the end is exit 3",
    arguments: ["journal.sqlite", "journal.sqlite-wal", ""])
  func gone(name: String) throws {
    let daemon = try DaemonProcess(in: folder)
    let client = try daemon.connect()
    try expect(client.ask("new power p"), hasPrefix: "+ created")
    try FileManager.default.removeItem(atPath: "\(store)/\(name)")
    for _ in 0..<2 {
      let answer = try client.ask("@1 send p buttonClick")
      expect(answer, hasPrefix: "- @1 STORAGE world=main : \(store)/journal.sqlite", "\(answer)")
      expect(answer, contains: "put it back", "\(answer)")
    }
    try expectEqual(client.ask("world new brief"), "+ created brief")
    try expect(client.ask("use brief"), hasPrefix: "+")
    try expect(client.ask("new power p"), hasPrefix: "+ created p")
    expect(daemon.run.log, contains: "was moved, removed or replaced")
    daemon.signal(SIGTERM)
    try expectEqual(daemon.run.ending(), .exited(3))
    expect(daemon.run.log, contains: "world main ends as it was stored last", "\(daemon.run.log)")
    expect(daemon.run.log, contains: "some changes of durable worlds are not stored", "\(daemon.run.log)")
  }

  // MARK: How the last end was

  @Test("a start says how the daemon before ended")
  func lastEnd() throws {
    // Who is greeted comes after what is logged at the start.
    let first = try DaemonProcess(in: folder)
    _ = try first.connect()
    expect(!first.run.log.contains(" before "), "\(first.run.log)")
    first.signal(SIGTERM)
    try expectEqual(first.run.ending(), .exited(0))
    let second = try DaemonProcess(in: folder)
    _ = try second.connect()
    expect(second.run.log, contains: "\(store)/journal.sqlite before ended in order", "\(second.run.log)")
    second.signal(SIGKILL)
    _ = try second.run.ending()
    let third = try DaemonProcess(in: folder)
    _ = try third.connect()
    expect(third.run.log, contains: "before was killed or crashed", "\(third.run.log)")
  }

  // MARK: No room

  /// Whether SQLite's own files are left by the daemon before, or have to be made.
  @Test("a daemon starts without room, what is stored can be read, and with room it goes on", arguments: [true, false])
  func noRoom(isKilled: Bool) throws {
    guard Products.isInPath("prlimit") else { return }
    let first = try DaemonProcess(in: folder)
    let one = try first.connect()
    for number in 0..<30 { try expect(one.ask("new power p\(number)"), hasPrefix: "+ created") }
    first.signal(isKilled ? SIGKILL : SIGTERM)
    _ = try first.run.ending()
    let socket = "\(folder.path)/o"
    // A file may have 2 KB: enough for what is logged and noted.
    let shell = #"ulimit -S -f 4 && exec "$0" --socket "$1""#
    let run = try ProgramRun(
      "sh", ["-c", shell, try Products.path(of: "fsmd"), socket], in: folder,
      environment: [("XDG_STATE_HOME", "\(folder.path)/state")], isOurs: false)
    let client = try TestClient(of: run, at: socket)
    _ = try client.line()
    try expectEqual(client.ask("count"), "+ 1")
    try expectEqual(client.askAll("count").first, ". power off 30")
    try expect(client.ask("journal since=1"), hasPrefix: "+ ")
    try expect(client.ask("send p3 buttonClick"), hasPrefix: "- STORAGE world=main : no room on the disk")
    try expect(client.ask("world new kept durable=yes"), hasPrefix: "- STORAGE world=kept : ")
    try expectEqual(client.ask("world new brief"), "+ created brief")
    expect(run.log, contains: "can only be read for now", "\(run.log)")
    let tool = try ProgramRun("prlimit", ["--pid", "\(run.child.pid)", "--fsize=unlimited"], in: folder, isOurs: false)
    try expectEqual(tool.ending(), .exited(0))
    try Patience.wait(until: "the world to be written") {
      try client.ask("send p3 buttonClick").hasPrefix("+ moved off on")
    }
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(run.ending(), .exited(0))
    let again = try DaemonProcess(in: folder)
    try expect(again.connect().ask("expect p3 on"), hasPrefix: "+ on")
  }

  // MARK: Copies

  private func fsmd(_ arguments: String...) throws -> (code: Child.Ending, output: String, log: String) {
    let run = try ProgramRun("fsmd", arguments, in: folder)
    return (try run.ending(), run.output, run.log)
  }

  @Test("a copy made under load has what was acknowledged before it began, whole, and starts a daemon")
  func backup() throws {
    let daemon = try DaemonProcess(in: folder)
    let client = try daemon.connect()
    try expectEqual(client.ask("world new lesson durable=yes"), "+ created lesson")
    let load = try (0..<2).map { try LoadClient("c\($0)", path: daemon.socket, world: $0 == 0 ? "main" : "lesson") }
    for round in 0..<4 {
      try expect(client.ask("new power mark\(round)"), hasPrefix: "+ created")
      let copy = "\(folder.path)/copy-\(round).sqlite"
      let run = try ProgramRun("fsmd", ["backup", copy], in: folder)
      var number = 0
      while run.isRunning {
        for client in load {
          if client.pending < 500 {
            for _ in 0..<50 {
              client.ask("new power \(client.name)r\(round)n\(number)")
              number += 1
            }
          }
          client.pump()
        }
      }
      try expectEqual(run.ending(), .exited(0), "\(run.log)")
      expect(run.output, hasPrefix: "copied to \(copy) and checked: 2 worlds, ", "\(run.output)")
      expectEqual(run.log, "")
      let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
      expectEqual(mode, 0o600)
      // It is put back as the documentation says, in another place.
      let place = try TemporaryFolder()
      try FileManager.default.createDirectory(
        atPath: "\(place.path)/state/fsmd", withIntermediateDirectories: true, attributes: nil)
      try FileManager.default.copyItem(atPath: copy, toPath: "\(place.path)/state/fsmd/journal.sqlite")
      let verify = try ProgramRun("fsmd", ["verify"], in: place)
      try expectEqual(verify.ending(), .exited(0), "\(verify.log)")
      let other = try DaemonProcess(in: place)
      try expect(other.connect().ask("expect mark\(round) off"), hasPrefix: "+ off")
    }
    for client in load {
      try Patience.wait(until: "all answers") {
        client.pump()
        return client.pending == 0
      }
      expect(client.answers.values.allSatisfy { $0.hasPrefix("+ ") })
    }
  }

  @Test("a copy is made without a daemon too; over an old one in its place all is as it was then")
  func putBack() throws {
    let first = try DaemonProcess(in: folder)
    try expect(first.connect().ask("new power early"), hasPrefix: "+")
    let copy = "\(folder.path)/copy"
    try expectEqual(fsmd("backup", copy).code, .exited(0))
    try expect(first.connect().ask("new power late"), hasPrefix: "+")
    first.signal(SIGKILL)
    _ = try first.run.ending()
    let second = try fsmd("backup", copy + "2")
    expect(second.output, contains: "1 worlds, 2 inputs", "\(second)")
    for name in ["journal.heads", "journal.sqlite-wal", "journal.sqlite-shm", "journal.sqlite"] {
      try? FileManager.default.removeItem(atPath: "\(store)/\(name)")
    }
    try FileManager.default.copyItem(atPath: copy, toPath: "\(store)/journal.sqlite")
    let third = try DaemonProcess(in: folder)
    try expectEqual(third.connect().askAll("count"), [". power off 1", "+ 1"])
  }

  @Test("wrong words and a file that is there are exit 1; a store that is none, or damaged, is exit 3; nothing is left")
  func backupMistakes() throws {
    let daemon = try DaemonProcess(in: folder)
    for number in 0..<100 { try expect(daemon.connect().ask("new power p\(number)"), hasPrefix: "+") }
    daemon.signal(SIGTERM)
    _ = try daemon.run.ending()
    let file = "\(folder.path)/taken"
    try Data("mine".utf8).write(to: URL(filePath: file))
    for (words, said) in [
      (["backup"], "fsmd: to which file? 'fsmd backup FILE'\nTry 'fsmd backup --help'.\n"),
      (["backup", "a", "b"], "fsmd: 'b' is one word too many\nTry 'fsmd backup --help'.\n"),
      (["backup", file], "fsmd: there is a file \(file) already, and it is not overwritten\n"),
      (["bakcup", file], "fsmd: 'bakcup' is no command; did you mean 'backup'?\nTry 'fsmd --help'.\n"),
    ] {
      let run = try ProgramRun("fsmd", words, in: folder)
      try expectEqual(run.ending(), .exited(1), "\(words)")
      expect(run.output == "" && run.log == said, "\(run.log)")
    }
    try expectEqual(String(contentsOfFile: file, encoding: .utf8), "mine")
    try expectEqual(fsmd("backup", "\(folder.path)/none/copy").code, .exited(3))
    let empty = try fsmd("backup", "--state", "\(folder.path)/none", "\(folder.path)/copy")
    expect(empty.code == .exited(3) && empty.log.contains("no durable world was ever stored there"))
    let help = try fsmd("backup", "--help")
    expect(help.code == .exited(0) && help.output.hasPrefix("usage: fsmd backup [OPTION]... FILE"))
    // A bit that was turned over in what is stored is not copied as if it were good.
    let database = URL(filePath: "\(store)/journal.sqlite")
    var bytes = try Data(contentsOf: database)
    for place in stride(from: 4_096 + 100, to: bytes.count, by: 997) { bytes[place] ^= 0x10 }
    try bytes.write(to: database)
    let damaged = try fsmd("backup", "\(folder.path)/copy")
    expect(damaged.code == .exited(3) && damaged.log.contains("damaged"), "\(damaged)")
    expect(!TemporaryFolder.names(in: folder.path).contains { $0.hasPrefix("copy") })
  }
}
