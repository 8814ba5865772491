/// What keeps the worlds of a test.
package enum Engine: CaseIterable, Sendable {
  case sqlite, postgres

  /// Those that are on this machine.
  package static let here: [Engine] = {
    if PostgresServer.isInstalled { return allCases }
    print("PostgreSQL is not installed: its tests are skipped")
    return [.sqlite]
  }()
}
