package import JournalStore

/// What a server promises, for administrators.
package enum PostgresPromises {
  /// What `fsmd store check` prints: five lines, each a finding and what to do.
  package static func check(_ address: String) throws(StoreFailure) -> [String] {
    let reader = PostgresReader(try PostgresURL(address))
    defer { reader.close() }
    func value(_ text: String) throws(StoreFailure) -> String { try reader.ask(text).first?.text(0) ?? "" }
    func setting(_ name: String) throws(StoreFailure) -> String { try value("SELECT current_setting('\(name)')") }
    let connection = try reader.connection()
    let number = connection.serverVersion
    let standby = try value("SELECT pg_is_in_recovery()::text") == "true"
    let (fsync, pages) = (try setting("fsync"), try setting("full_page_writes"))
    let waits = try setting("synchronous_commit")
    let names = try setting("synchronous_standby_names")
    let states = try value(
      // A role without pg_read_all_stats sees that one follows, and not how.
      "SELECT coalesce(string_agg(coalesce(sync_state, 'hidden'), ',' ORDER BY sync_state), 'none') FROM pg_stat_replication"
    )
    // With a name given, a commit waits for one of those that are named: others are "async".
    let none = states.split(separator: ",").allSatisfy { $0 == "none" || $0 == "async" }
    let isPooled = try value("SELECT pg_backend_pid()::text") != "\(connection.process)"
    func keepsTransactions() -> Bool { (try? reader.withSnapshot { () throws(StoreFailure) in }) != nil }
    return [
      "server PostgreSQL \(try setting("server_version"))"
        + (number < 140_000
          ? ": use 14 or later"
          : standby ? ", a standby: add target_session_attrs=read-write to the address" : ": good"),
      "fsync \(fsync), full_page_writes \(pages)"
        + (fsync == "on" && pages == "on" ? ": good" : ": a crash of the host may damage all worlds; set both to on"),
      "synchronous_commit \(waits) for this role and database: fsmd sets it to on for each append",
      "standbys \(states), synchronous_standby_names '\(names)': "
        + (names.isEmpty
          ? "if the host is lost, what was not copied is lost too; name a standby there to wait for it"
          : none
            ? "none of those follows, and until one does no commit ends"
            : states.hasSuffix("hidden")
              ? "fsmd answers when these have it; 'GRANT pg_read_all_stats' to this role shows how they follow"
              : "fsmd answers when these have it"),
      !isPooled
        ? "pooler none: good"
        : keepsTransactions()
          ? "pooler in between: good in transaction or session mode; the database must be its last hop"
          : "pooler in between, which refuses transactions: fsmd needs them; set its pool_mode to transaction",
    ]
  }

  /// What `fsmd store setup --print` prints: SQL for an administrator.
  package static func setup(_ address: String) throws(StoreFailure) -> String {
    let url = try PostgresURL(address)
    let (role, database) = (quoted(url.user ?? "fsmd"), quoted(url.database ?? url.user ?? "fsmd"))
    return """
      -- Run it as an administrator, with psql. Then set a password: \\password \(role)
      CREATE ROLE \(role) LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE CONNECTION LIMIT 20;
      CREATE DATABASE \(database);
      REVOKE ALL ON DATABASE \(database) FROM PUBLIC;
      GRANT CONNECT ON DATABASE \(database) TO \(role);
      \\connect \(database)
      CREATE SCHEMA fsmd AUTHORIZATION \(role);
      -- For people who look: the view fsmd.status.
      CREATE ROLE fsmd_operator NOLOGIN;
      GRANT CONNECT ON DATABASE \(database) TO fsmd_operator;
      GRANT USAGE ON SCHEMA fsmd TO fsmd_operator;
      ALTER DEFAULT PRIVILEGES FOR ROLE \(role) IN SCHEMA fsmd GRANT SELECT ON TABLES TO fsmd_operator;

      """
  }

  private static func quoted(_ name: String) -> String {
    "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}
