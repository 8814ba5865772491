internal import CPostgres
internal import Glibc
package import JournalStore

/// The address of a database, as libpq reads it. It may contain a password, so it is never shown.
package struct PostgresURL: Sendable {
  let text: String
  /// What may be shown of it: hosts and database.
  package let shown: String

  let database: String?
  let user: String?

  /// Whether a text is meant as such an address.
  package static func isOne(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// What is wrong with a place for a store that is an address of something else; nil for a folder.
  package static func mistake(in place: String) -> String? {
    guard let colon = place.firstIndex(of: ":"), place[colon...].hasPrefix("://"), !isOne(place) else { return nil }
    return "'\(place)' is no store: it is a folder, or postgresql://USER@HOST/DATABASE"
  }

  /// Loads libpq and reads the address.
  ///
  /// - Throws: `cannotOpen` without libpq, which names the package; or if the address is not one.
  package init(_ text: String) throws(StoreFailure) {
    if let problem = PostgresURL.loading {
      throw .cannotOpen(
        path: "a store on PostgreSQL", reason: "\(problem); it needs libpq 14 or later: apt install libpq5")
    }
    // Safety: the texts are libpq's copies, ours to free.
    var (host, port): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
    var (database, user): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
    guard fsm_pg_parse(text, &host, &port, &database, &user) != 0 else {
      throw .cannotOpen(
        path: "a store on PostgreSQL",
        reason: "libpq does not understand the address; it is postgresql://USER@HOST:PORT/DATABASE?OPTION=VALUE")
    }
    let words = [host, port, database, user].map { part in
      defer { free(part) }
      return part.map { String(cString: $0) }
    }
    let hosts = (words[0] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let ports = (words[1] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let places = hosts.enumerated().map { place, host in
      let port = ports.count == 1 ? ports[0] : place < ports.count ? ports[place] : ""
      return port.isEmpty ? "\(host)" : "\(host):\(port)"
    }
    self.text = text
    (self.database, self.user) = (words[2], words[3])
    shown = "postgresql://\(places.joined(separator: ","))/\(words[2] ?? words[3] ?? "")"
  }

  /// Why libpq cannot be loaded; nil if it is.
  private static let loading: String? = fsm_pg_load().map { String(cString: $0) }
}
