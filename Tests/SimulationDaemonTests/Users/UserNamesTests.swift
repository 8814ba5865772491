import Glibc
import JournalStore
import Synchronization
import TestSupport
import Testing
import UnixHost

@testable import SimulationDaemon

/// Names of worlds in a database that several hosts share.
struct UserNamesTests {
  private let names = UserNames(
    UserNames.Directory(
      nameOf: { [7: "anna", 8: "9", 10: "bea"][$0] }, numberOf: { ["anna": 7, "9": 8, "ben": 10][$0] }))

  @Test("the name of a user stands for the number, there and back", arguments: ["lab", "7/lab", "8/lab", "11/lab"])
  func both(key: String) throws {
    try expectEqual(names.stored(key), ["7/lab": "anna/lab"][key] ?? key)
    try expectEqual(names.key(names.stored(key)), key)
  }

  @Test("worlds of users that this host lacks, or knows by another name, are left to others")
  func others() {
    expectNil(names.key("zoe/lab"))
    expectNil(names.key("ben/lab"))
    // A host on which 7 has no name wrote it; here it is anna's number.
    expectNil(names.key("7/lab"))
  }

  @Test("while the directory of users is away, no world is stored under a number that may have a name")
  func directoryAway() throws {
    let isAway = Atomic(true)
    let names = UserNames(
      UserNames.Directory(
        nameOf: { (number) throws(SystemError) in
          if isAway.load(ordering: .relaxed) { throw SystemError(code: EIO) }
          return number == 7 ? "anna" : nil
        },
        numberOf: { (_) throws(SystemError) in throw SystemError(code: EIO) }))
    #expect(throws: StoreFailure.self) { try names.stored("7/lab") }
    expectNil(names.key("anna/lab"))
    // Whoever comes meanwhile goes by the number, for now.
    names.ask(.other(7))
    expect(!names.isKnown(.other(7)) && names.name(of: .other(7)) == "7")
    isAway.store(false, ordering: .relaxed)
    try expectEqual(names.stored("7/lab"), "anna/lab")
    try expectEqual(names.stored("8/lab"), "8/lab")
    expectEqual(names.key("anna/lab"), "7/lab")
  }
}
