import Glibc
import TestSupport
import Testing
import UnixHost

/// Starts of a daemon that has a large world to bring back, which takes it seconds.
@Suite("Starts with a large world")
struct ReturningWorldsTests {
  private static let options = ["--workers", "1", "--limit", "checkpointInputs=1000000000"]

  /// Makes the world `large`, whose inputs are all to be played again.
  ///
  /// - Returns: The folder of the daemon, which was killed, and what `world` says of it.
  private func makeLargeWorld() throws -> (TemporaryFolder, String) {
    let daemon = try DaemonProcess(with: Self.options)
    let client = try daemon.connect()
    try expect(client.ask("new power m"), hasPrefix: "+ created")
    try expectEqual(client.ask("world new large durable=yes"), "+ created large")
    try expect(client.ask("use large"), hasPrefix: "+ world=large ")
    try expect(client.ask("new game g frameRate=1000"), hasPrefix: "+ created")
    try expect(client.ask("send g start"), hasPrefix: "+ moved")
    try expect(client.ask("advance 100s"), hasPrefix: "+ advanced fired=100000 ")
    let world = try client.ask("world")
    daemon.signal(SIGKILL)
    try expectEqual(daemon.run.ending(), .killed(signal: SIGKILL))
    return (daemon.folder, world)
  }

  @Test("clients of other worlds are served, those of the large one get their answers when it is back")
  func served() throws {
    let (folder, world) = try makeLargeWorld()
    let daemon = try DaemonProcess(with: Self.options, in: folder)
    let (other, waiting) = (try daemon.connect(), try daemon.connect())
    try expectEqual(waiting.ask("use large"), world)
    try waiting.send("@1 send g pause\n@2 world\n")
    try expect(other.ask("send m buttonClick"), hasPrefix: "+ moved off on ")
    try expect(other.askAll("worlds").first, hasPrefix: ". large clock=virtual t=100.000 seq=")
    try expect(waiting.final(), hasPrefix: "+ @1 ")
    try expect(waiting.final(), hasPrefix: "+ @2 world=large clock=virtual t=100.000 ")
    expect(daemon.run.log, contains: "world large is back with ")
  }

  @Test("a signal ends such a start in order, and nothing is lost", arguments: 0..<3)
  func ended(_ round: Int) throws {
    let (folder, world) = try makeLargeWorld()
    let daemon = try DaemonProcess(with: Self.options, in: folder)
    let client = try daemon.connect()
    try expectEqual(client.ask("use large"), world)
    try client.send(String(repeating: "sync\n", count: round))
    daemon.signal(SIGTERM)
    try expectEqual(client.readToEnd().last, "! bye reason=shutdown")
    try expectEqual(daemon.run.ending(), .exited(0))
    let last = try DaemonProcess(with: Self.options, in: folder)
    let again = try last.connect()
    try expect(again.ask("expect m off"), hasPrefix: "+ off ")
    try expectEqual(again.ask("use large"), world)
    try expectEqual(again.ask("sync"), "+")
    try expectEqual(again.ask("world"), world)
  }
}
