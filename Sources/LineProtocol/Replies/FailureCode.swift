/// The stable code of a failure. Programs read it; codes are never renamed.
package enum FailureCode: String, CaseIterable, Sendable {
  case syntax = "SYNTAX"
  case tooLong = "TOO-LONG"
  case unknownVerb = "UNKNOWN-VERB"
  case usage = "USAGE"
  case unknownKind = "UNKNOWN-KIND"
  case unknownMachine = "UNKNOWN-MACHINE"
  case unknownEvent = "UNKNOWN-EVENT"
  case unknownTimer = "UNKNOWN-TIMER"
  case unknownWorld = "UNKNOWN-WORLD"
  case nameTaken = "NAME-TAKEN"
  case inUse = "IN-USE"
  case badDefinition = "BAD-DEFINITION"
  case badArgument = "BAD-ARGUMENT"
  case refused = "REFUSED"
  case expected = "EXPECTED"
  case timeout = "TIMEOUT"
  case cancelled = "CANCELLED"
  case clock = "CLOCK"
  case readOnly = "READ-ONLY"
  case notOwner = "NOT-OWNER"
  case batch = "BATCH"
  case limit = "LIMIT"
  case expiredID = "EXPIRED-ID"
  case storage = "STORAGE"
  case shuttingDown = "SHUTTING-DOWN"
  case `internal` = "INTERNAL"

  /// The code as written on the line.
  package var word: String { rawValue }
}
