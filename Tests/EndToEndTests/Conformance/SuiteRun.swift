import Foundation

/// One test of a suite and what came of it.
struct ConformanceResult {
  var suite: String
  var test: String
  var section: String
  /// What went wrong; `nil` if nothing did.
  var failure: String?
}

/// Runs the tests of the suites as any client does: over the socket of a daemon, each in a virtual world of its own.
struct SuiteRun {
  private let daemon: DaemonProcess
  private let client: TestClient

  init() throws {
    daemon = try DaemonProcess("--ephemeral")
    client = try daemon.connect()
  }

  func all() -> [ConformanceResult] {
    Suites.rows("w3c/index.tsv").map(w3c) + Suites.rows("scion/index.tsv").map(scion)
  }

  /// Runs a test of the W3C: passed when the top-level final state `pass` is entered.
  private func w3c(_ row: Suites.Row) -> ConformanceResult {
    var result = ConformanceResult(
      suite: "W3C \(row["conformance"] ?? "")", test: row["id"] ?? "", section: row["section"] ?? "")
    result.failure = failure(of: "w3c/\(row["file"] ?? "")") {
      try client.ask("advance 10m")
      let end = try client.ask("expect m pass")
      return end.hasPrefix("+ pass ") ? nil : end
    }
    return result
  }

  /// Runs a trace of SCION: the active atomic states at the start and after each event.
  private func scion(_ row: Suites.Row) -> ConformanceResult {
    let path = row["scxml"] ?? ""
    var result = ConformanceResult(suite: "SCION", test: path, section: row["features"] ?? "")
    result.failure = failure(of: "scion/\(path)") {
      let data = Data(try Suites.bytes("scion/\(row["trace"] ?? "")"))
      var trace = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
      // Two tests have the Recommendation's result in this block, and another one in front.
      if row["trace_valid_under_w3c"]?.contains("legacySemantics") == true,
        let recommended = trace["legacySemantics"] as? [String: Any]
      {
        trace = recommended
      }
      if let failure = try difference(from: trace["initialConfiguration"], "at the start") { return failure }
      for (place, step) in (trace["events"] as? [[String: Any]] ?? []).enumerated() {
        if let after = step["after"] as? Int { try client.ask("advance \(after)ms") }
        let event = (step["event"] as? [String: Any])?["name"] as? String ?? ""
        // An event that no transition can match is an error on the wire, and nothing to the machine.
        let answer = try client.ask("send m \(event)")
        guard answer.hasPrefix("+ ") || answer.hasPrefix("- UNKNOWN-EVENT ") else { return answer }
        if let failure = try difference(from: step["nextConfiguration"], "after event \(place + 1)") { return failure }
      }
      return nil
    }
    return result
  }

  /// Defines the kind of a document, makes a machine `m` of it in a world of its own, and plays a test.
  ///
  /// - Parameter play: Returns what went wrong.
  private func failure(of path: String, _ play: () throws -> String?) -> String? {
    do {
      for request in ["world new test clock=virtual", "use test"] {
        let answer = try client.ask(request)
        guard answer.hasPrefix("+ ") else { return answer }
      }
      defer { for request in ["use main", "world drop test"] { _ = try? client.ask(request) } }
      let file = path.split(separator: "/").last.map(String.init) ?? path
      let kind = file.hasSuffix(".scxml") ? String(file.dropLast(".scxml".count)) : file
      let answers = [try define(kind, path), try client.ask("new \(kind) m")]
      if let failure = answers.first(where: { !$0.hasPrefix("+ ") }) { return failure }
      return try play()
    } catch {
      return "\(error)"
    }
  }

  /// Defines a kind; if the daemon misses files, again with those beside the document.
  private func define(_ kind: String, _ path: String) throws -> String {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let answer = try define("define \(kind) format=scxml", Suites.bytes(path))
    let missing = answer.split(separator: " ").first { $0.hasPrefix("missing=") }?.dropFirst("missing=".count)
    guard let missing else { return answer }
    for name in missing.split(separator: ",") {
      try define("define \(kind) format=scxml resource=\(name)", Suites.bytes("\(folder)/\(name)"))
    }
    return try define("define \(kind) format=scxml", Suites.bytes(path))
  }

  @discardableResult
  private func define(_ line: String, _ bytes: [UInt8]) throws -> String {
    try client.send(Array("\(line) bytes=\(bytes.count)\n".utf8) + bytes)
    return try client.final()
  }

  private func difference(from expected: Any?, _ when: String) throws -> String? {
    let expected = Set(expected as? [String] ?? [])
    let state = try client.askAll("show m").first { $0.hasPrefix(". state ") }?.dropFirst(". state ".count) ?? ""
    let found = Set(state.split(separator: "+").map(String.init))
    return found == expected ? nil : "\(when): \(found.sorted()), expected \(expected.sorted())"
  }
}
