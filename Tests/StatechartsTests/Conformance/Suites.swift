import Foundation
import StateMachines

@testable import Statecharts

/// The suites that nobody of this project wrote. They are not part of it: they are looked for beside the checkout, in
/// `../shared/scxml`, and in the folder that `FSMD_STATECHART_SUITES` names.
enum Suites {
  static let folder: URL? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let named = ProcessInfo.processInfo.environment["FSMD_STATECHART_SUITES"].map { URL(filePath: $0) }
    let folder = named ?? root.deletingLastPathComponent().appending(path: "shared/scxml")
    return FileManager.default.fileExists(atPath: folder.appending(path: "w3c/index.tsv").path) ? folder : nil
  }()

  static var areThere: Bool { folder != nil }

  /// A row of an index, by column.
  typealias Row = [String: String]

  static func rows(_ path: String) -> [Row] {
    guard let folder, let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8) else {
      return []
    }
    let lines = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    guard let names = lines.first?.map(String.init) else { return [] }
    return lines.dropFirst().map { line in
      Dictionary(zip(names, line.map(String.init))) { first, _ in first }
    }
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    return [UInt8](try Data(contentsOf: folder.appending(path: path)))
  }

  /// The files beside a document that it can refer to.
  static func resources(beside path: String) throws -> [String: [UInt8]] {
    guard let folder else { return [:] }
    let place = folder.appending(path: path).deletingLastPathComponent()
    let document = try String(decoding: bytes(path), as: UTF8.self)
    var resources: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: place.path) where document.contains(name) {
      guard name.hasSuffix(".scxml") || name.hasSuffix(".txt") || name.hasSuffix(".js") else { continue }
      resources[name] = [UInt8](try Data(contentsOf: place.appending(path: name)))
    }
    return resources
  }

  static func compile(_ path: String) throws -> Definition {
    switch Definition.compile(try bytes(path), resources: try resources(beside: path)) {
    case .definition(let definition, _): return definition
    case .mistakes(let findings, let missing): throw Definition.Mistakes(findings: findings, missing: missing)
    }
  }
}

/// One test of a suite and what came of it.
struct ConformanceResult {
  var suite: String
  var test: String
  var section: String
  /// What went wrong; `nil` if nothing did.
  var failure: String?
}

enum Conformance {
  /// Runs a test of the W3C: passed when the top-level final state `pass` is entered.
  static func w3c(_ row: Suites.Row) -> ConformanceResult {
    var result = ConformanceResult(
      suite: "W3C \(row["conformance"] ?? "")", test: row["id"] ?? "", section: row["section"] ?? "")
    do {
      var run = VirtualRun(try Suites.compile("w3c/\(row["file"] ?? "")"))
      run.advance(by: .minutes(10))
      if run.word != "pass" { result.failure = "ended in \(run.word), \(run.outcome)" }
    } catch {
      result.failure = "\(error)"
    }
    return result
  }

  /// Runs a trace of SCION: the active atomic states at the start and after each event.
  static func scion(_ row: Suites.Row) -> ConformanceResult {
    let path = row["scxml"] ?? ""
    var result = ConformanceResult(suite: "SCION", test: path, section: row["features"] ?? "")
    do {
      let data = Data(try Suites.bytes("scion/\(row["trace"] ?? "")"))
      var trace = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
      // Two tests have the Recommendation's result in this block, and another one in front.
      if row["trace_valid_under_w3c"]?.contains("legacySemantics") == true,
        let recommended = trace["legacySemantics"] as? [String: Any]
      {
        trace = recommended
      }
      var run = VirtualRun(try Suites.compile("scion/\(path)"))
      func compare(_ expected: Any?, _ when: String) {
        let expected = Set(expected as? [String] ?? [])
        let found = Set(run.word.split(separator: "+").map(String.init))
        if found != expected, result.failure == nil {
          result.failure = "\(when): \(found.sorted()), expected \(expected.sorted())"
        }
      }
      compare(trace["initialConfiguration"], "at the start")
      for (place, step) in (trace["events"] as? [[String: Any]] ?? []).enumerated() {
        if let after = step["after"] as? Int { run.advance(by: .milliseconds(Int64(after))) }
        let event = step["event"] as? [String: Any] ?? [:]
        run.send(event["name"] as? String ?? "", value(event["data"]))
        compare(step["nextConfiguration"], "after event \(place + 1)")
      }
    } catch {
      result.failure = "\(error)"
    }
    return result
  }

  private static func value(_ json: Any?) -> DataValue {
    guard let json, let data = try? JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed) else {
      return .undefined
    }
    return JSON.value(of: String(decoding: data, as: UTF8.self)) ?? .undefined
  }

  static func all() -> [ConformanceResult] {
    Suites.rows("w3c/index.tsv").map(w3c) + Suites.rows("scion/index.tsv").map(scion)
  }
}
