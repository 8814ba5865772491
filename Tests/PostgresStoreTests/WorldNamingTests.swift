import JournalStore
import TestSupport
import Testing

@testable import PostgresStore

/// One database, and two hosts on which users have other numbers.
@Suite("Names of worlds", .enabled(if: PostgresServer.isInstalled))
struct WorldNamingTests {
  /// Of a host on which anna has a number, and nobody has another name.
  private func open(_ address: String, anna number: String) throws -> PostgresStore {
    let naming = WorldNaming(
      stored: { $0 == "\(number)/lab" ? "anna/lab" : $0 },
      local: { name in name == "anna/lab" ? "\(number)/lab" : name.contains("ben") ? nil : name })
    return try PostgresStore.open(address, writer: StoreWriter(process: 1, socket: "/\(number)"), naming: naming)
  }

  @Test("a world of a user is that of the same name on each host; worlds of users that a host lacks are left to others")
  func hosts() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.makeDatabase()
    let (a, b) = (try open(address, anna: "1007"), try open(address, anna: "2001"))
    defer {
      a.close()
      b.close()
    }
    for name in ["main", "1007/lab", "ben/lab"] { try a.create(name, head: 0, moment: 5, settings: [1]) }
    try expectEqual(server.sql("SELECT name FROM fsmd.worlds ORDER BY name", in: address), "anna/lab\nben/lab\nmain")
    try expectEqual(a.worlds().map(\.name), ["1007/lab", "main"])
    try expectEqual(b.worlds().map(\.name), ["2001/lab", "main"])
    try expectEqual(b.take("2001/lab").world.name, "2001/lab")
    #expect(throws: StoreFailure.worldExists("2001/lab")) {
      try b.create("2001/lab", head: 0, moment: 0, settings: [])
    }
    try b.readers.reading { (reader) throws(StoreFailure) in
      expectEqual(try reader.worlds().map(\.name), ["2001/lab", "main"])
    }
    try b.remove("2001/lab")
    try expectNil(a.world("1007/lab"))
  }
}
