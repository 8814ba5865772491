/// Translates names of worlds between a daemon and the database that it shares.
package struct WorldNaming: Sendable {
  /// The name in the database.
  let stored: @Sendable (String) -> String
  /// The name here; nil for a world that this host leaves to others.
  let local: @Sendable (String) -> String?

  /// - Precondition: `local` of what `stored` returns is the name that it was given.
  package init(stored: @escaping @Sendable (String) -> String, local: @escaping @Sendable (String) -> String?) {
    (self.stored, self.local) = (stored, local)
  }

  /// The same everywhere.
  package static let same = WorldNaming(stored: { $0 }, local: { $0 })
}
