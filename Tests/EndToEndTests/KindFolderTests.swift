import Foundation
import TestSupport
import Testing
import UnixHost

/// `fsmd --kinds DIR`.
struct KindFolderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
  }

  private static func lamp(_ event: String) -> String {
    "stateDiagram-v2\n  [*] --> off\n  off --> on : \(event)\n  on --> off : \(event)\n"
  }

  @Test("a folder that changes does not change the worlds that have its kinds, and a durable world needs it no more")
  func changes() throws {
    try write("lamp.mmd", Self.lamp("press"))
    let state = try TemporaryFolder()
    func start(_ arguments: [String]) throws -> DaemonProcess {
      try DaemonProcess(with: arguments, in: state)
    }
    var daemon = try start(["--kinds", folder.path])
    var client = try daemon.connect()
    try expectEqual(client.ask("world new w clock=virtual durable=yes"), "+ created w")
    try expect(client.ask("use w"), hasPrefix: "+ ")
    try expectEqual(client.ask("new lamp a"), "+ created a off t=0.000 seq=2")
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(daemon.run.ending(), .exited(0))

    try write("lamp.mmd", Self.lamp("push"))
    daemon = try start(["--kinds", folder.path])
    client = try daemon.connect()
    try expect(client.ask("use w"), hasPrefix: "+ ")
    try expectEqual(client.ask("send a press"), "+ moved off on t=0.000 seq=3")
    try expectEqual(client.ask("new lamp b"), "+ created b off t=0.000 seq=4")
    try expect(client.ask("send b push"), hasPrefix: "- UNKNOWN-EVENT ")
    // A world that has not used it gets what the folder has now.
    for request in ["world new v", "use v", "new lamp c"] { try expect(client.ask(request), hasPrefix: "+ ") }
    try expectEqual(client.ask("send c push"), "+ moved off on t=0.000 seq=3")
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(daemon.run.ending(), .exited(0))

    daemon = try start([])
    client = try daemon.connect()
    try expect(client.ask("use w"), hasPrefix: "+ ")
    try expectEqual(client.ask("send b press"), "+ moved off on t=0.000 seq=5")
    try expectEqual(client.ask("world new u"), "+ created u")
    try expect(client.ask("use u"), hasPrefix: "+ ")
    try expect(client.ask("new lamp d"), hasPrefix: "- UNKNOWN-KIND ")
  }

  @Test("a mistake ends the start with its place, and so does a folder that is not there: exit 2")
  func mistakes() throws {
    try write("lamp.mmd", "stateDiagram-v2\n  [*] --> off\n  off --> on : press [\n")
    let broken = try ProgramRun(
      "fsmd", ["--ephemeral", "--socket", "\(folder.path)/s", "--kinds", folder.path], in: folder)
    try expectEqual(broken.ending(), .exited(2))
    expect(broken.log, contains: " error \(folder.path)/lamp.mmd:3:", "\(broken.log)")
    expect(broken.log, hasSuffix: "1 of the documents in \(folder.path) cannot be used; see above\n", "\(broken.log)")
    let gone = try ProgramRun("fsmd", ["--ephemeral", "--socket", "\(folder.path)/s", "--kinds", "/none"], in: folder)
    try expectEqual(gone.ending(), .exited(2))
    expect(gone.log, contains: "cannot read the folder of kinds, /none: No such file", "\(gone.log)")
    expectEqual(TemporaryFolder.names(in: folder.path).contains("s"), false)
  }
}
