import JournalStore
import StateMachines
import TestSupport

@testable import SimulationDaemon

extension KeptDaemon {
  /// A client in a new durable world.
  func begin(_ name: String, _ options: String = "") -> Guest {
    let guest = connect()
    _ = guest.say("world new \(name) durable=yes \(options)")
    _ = guest.say("use \(name)")
    return guest
  }

  /// A stored world, for reading only.
  func history(of name: String) throws -> StoredHistory {
    let store = try SQLiteReader.open(folder: folder.path)
    var catalogue = HostedService.catalogue
    for kind in setup.kinds { catalogue.add(kind) }
    return try StoredHistory(store, StoreAccess.world(name, in: store), catalogue)
  }

  /// The world's journal as a script.
  func script(of name: String) throws -> String {
    String(decoding: try ScriptExport.text(of: history(of: name), release: "0.0.0"), as: UTF8.self)
  }

  func file(_ name: String) -> String { "\(folder.path)/\(name)" }
}
