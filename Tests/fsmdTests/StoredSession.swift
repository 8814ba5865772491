import Foundation
import JournalStore
import LineProtocol
import Testing

@testable import fsmd

/// A ``HostedService`` whose worlds can be durable, with the store that they are kept in.
final class StoredSession {
  let folder: URL
  private(set) var host: HostedService
  private let store: SQLiteStore

  /// - Parameter limits: Of the worlds.
  init(limits: Limits = Limits()) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "fsmd-stored-\(UUID().uuidString)")
    store = try SQLiteStore.open(
      folder: folder.path, durability: .batch, writer: StoreWriter(process: getpid(), socket: ""))
    let store = store
    host = HostedService(limits: limits) { Keeper(store, $0, limits, wallClock: { 0 }) }
    try host.service.bringBackAll()
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// A client in a durable world of its own.
  func connect(toWorld name: String, _ options: String = "") -> Guest {
    let guest = host.connect()
    _ = guest.say("world new \(name) durable=yes \(options)")
    _ = guest.say("use \(name)")
    return guest
  }

  /// A world as the store has it.
  func history(of name: String) throws -> StoredHistory {
    let store = try SQLiteStore.openForReading(folder: folder.path)
    return try StoredHistory(store, StoreAccess.world(name, in: store), HostedService.catalogue)
  }

  /// The world's journal as a script.
  func script(of name: String) throws -> String {
    String(decoding: try ScriptExport.text(of: history(of: name), release: "0.0.0"), as: UTF8.self)
  }

  func file(_ name: String) -> String { folder.appending(path: name).path }
}
