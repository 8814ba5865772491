import TestSupport
import Testing

@testable import SimulationDaemon

/// Names of worlds in a database that several hosts share.
struct SharedNamesTests {
  private let names = SharedNames(
    nameOf: { [7: "anna", 8: "9", 10: "bea"][$0] }, numberOf: { ["anna": 7, "9": 8, "ben": 10][$0] })

  @Test("the name of a user stands for the number, there and back", arguments: ["lab", "7/lab", "8/lab", "11/lab"])
  func both(key: String) {
    expectEqual(names.stored(key), ["7/lab": "anna/lab"][key] ?? key)
    expectEqual(names.key(names.stored(key)), key)
  }

  @Test("worlds of users that this host lacks, or knows by another name, are left to others")
  func others() {
    expectNil(names.key("zoe/lab"))
    expectNil(names.key("ben/lab"))
    // A host on which 7 has no name wrote it; here it is anna's number.
    expectNil(names.key("7/lab"))
  }
}
