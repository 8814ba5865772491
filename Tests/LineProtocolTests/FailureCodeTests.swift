import LineProtocol
import TestSupport
import Testing

@Suite("The codes of failures")
struct FailureCodeTests {
  @Test("they are those of the protocol, and are never renamed")
  func words() {
    expectEqual(
      FailureCode.allCases.map(\.word),
      [
        "SYNTAX", "TOO-LONG", "UNKNOWN-VERB", "USAGE", "UNKNOWN-KIND", "UNKNOWN-MACHINE", "UNKNOWN-EVENT",
        "UNKNOWN-TIMER", "UNKNOWN-WORLD", "NAME-TAKEN", "IN-USE", "BAD-DEFINITION", "BAD-ARGUMENT", "REFUSED",
        "EXPECTED", "TIMEOUT", "CANCELLED",
        "CLOCK", "READ-ONLY", "NOT-OWNER", "BATCH", "LIMIT", "EXPIRED-ID", "MOVED", "UNKNOWN-HOST", "BUSY",
        "STORAGE", "SHUTTING-DOWN", "INTERNAL",
      ])
  }
}
