import Foundation
import JournalStore
import LineProtocol
import Simulations
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// A store with machines of all kinds, each used as in its example. Later releases must be able to read a store that a
/// release has written: with `FSMD_STORE_FIXTURE=FOLDER` the test leaves it there, with what to expect of it.
@Suite("A store with all kinds")
struct AllKindsStoreTests {
  private static let entries = Catalogue.simulations.entries

  /// The visible content of a world.
  private struct Sight: Codable, Equatable {
    var view: [String]
    var journal: [String]
    /// The same after an undo.
    var undone: [String]
  }

  private static func example(of entry: CatalogueEntry) -> [String] {
    switch entry {
    case .machine(let kind): kind.example
    case .composition(let composition): composition.example
    }
  }

  private static func daemon(in folder: TemporaryFolder, hasCheckpoints: Bool) throws -> KeptDaemon {
    try KeptDaemon(
      KeptDaemon.Setup("worlds=1000", "checkpointInputs=\(hasCheckpoints ? 10 : 200_000)"), in: folder)
  }

  private static func make(_ daemon: KeptDaemon) {
    for entry in entries {
      let guest = daemon.connect()
      _ = guest.ask("world new \(entry.name) durable=yes seed=5", "use \(entry.name)")
      for request in example(of: entry) { _ = guest.say(request) }
      _ = guest.ask("undo", "advance 1s")
      daemon.pass(1)
    }
  }

  private static func look(at daemon: KeptDaemon) -> [String: Sight] {
    var sights: [String: Sight] = [:]
    for entry in entries {
      let guest = daemon.connect(entry.name)
      var sight = Sight(view: guest.view(), journal: guest.journal(), undone: [])
      _ = guest.ask("undo 2")
      sight.undone = guest.view()
      sights[entry.name] = sight
    }
    return sights
  }

  @Test("is read back with states, journals and what can be undone", arguments: [false, true])
  func all(hasCheckpoints: Bool) throws {
    let folder = TemporaryFolder.inMemory()
    let daemon = try Self.daemon(in: folder, hasCheckpoints: hasCheckpoints)
    Self.make(daemon)
    let copy = folder.asAfterKill()
    let sights = Self.look(at: daemon)
    expect(sights.values.allSatisfy { $0.journal.count > 1 })
    let again = try Self.daemon(in: copy.asAfterKill(), hasCheckpoints: hasCheckpoints)
    expectEqual(again.log, [])
    for (name, sight) in Self.look(at: again).sorted(by: { $0.key < $1.key }) {
      expectEqual(sight.view, sights[name]?.view, "\(name)")
      expectEqual(sight.journal, sights[name]?.journal, "\(name)")
      // What lies before the checkpoint used at a start cannot be undone.
      if !hasCheckpoints { expectEqual(sight.undone, sights[name]?.undone, "\(name)") }
    }
    guard hasCheckpoints, let fixture = ProcessInfo.processInfo.environment["FSMD_STORE_FIXTURE"] else { return }
    try FileManager.default.createDirectory(atPath: fixture, withIntermediateDirectories: true)
    for (name, bytes) in copy.contents { try bytes.write(to: URL(filePath: "\(fixture)/\(name)")) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(sights).write(to: URL(filePath: "\(fixture)/sights.json"))
  }

  @Test("a composed kind with options is read back with the members that it has", arguments: [false, true])
  func variants(hasCheckpoints: Bool) throws {
    let folder = TemporaryFolder.inMemory()
    let daemon = try Self.daemon(in: folder, hasCheckpoints: hasCheckpoints)
    let guest = daemon.connect()
    _ = guest.ask("world new w durable=yes", "use w")
    let requests = ["new proxy p clients=3", "new resumeApp a mode=faithful outside=on", "send p.supervisor accept 80"]
    for request in requests { expect(guest.say(request).last, hasPrefix: "+", "\(request)") }
    let script = guest.say("script")
    let again = try Self.daemon(in: folder.asAfterKill(), hasCheckpoints: hasCheckpoints).connect("w")
    expect(again.say("graph a format=json").contains { $0.contains("listChanged") })
    // From a checkpoint on, the journal of before is in the store alone.
    if !hasCheckpoints { expectEqual(again.say("script"), script) }
    for request in requests.dropLast() { expect(script.contains { $0.contains(request) }, "\(request)") }
    expect(again.say("drop a")[0], hasPrefix: "+ dropped a")
  }
}
