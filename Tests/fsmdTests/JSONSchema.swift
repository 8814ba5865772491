import Foundation

/// As much of JSON Schema as the one in the documentation uses; a word that is not known here is a failure too.
struct JSONSchema {
  private let root: [String: Any]

  /// The schema that `Docs/Json.md` prints.
  static let ofLines: JSONSchema = {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Docs/Json.md")
    guard let text = try? String(contentsOf: page, encoding: .utf8),
      let block = text.components(separatedBy: "```json\n").dropFirst().first?.components(separatedBy: "\n```").first,
      let root = try? JSONSerialization.jsonObject(with: Data(block.utf8)) as? [String: Any]
    else { preconditionFailure("Docs/Json.md has no schema") }
    return JSONSchema(root: root)
  }()

  /// What is wrong with a line, in words; nil if nothing is.
  func problem(in line: String) -> String? {
    guard let value = try? JSONSerialization.jsonObject(with: Data(line.utf8)) else { return "no JSON: \(line)" }
    return problem(in: value, root).map { "\($0): \(line)" }
  }

  private func problem(in value: Any, _ schema: [String: Any]) -> String? {
    for (word, rule) in schema {
      switch word {
      case "$schema", "$defs", "title": continue
      case "$ref":
        guard let path = rule as? String, let name = path.split(separator: "/").last,
          let found = (root["$defs"] as? [String: Any])?[String(name)] as? [String: Any]
        else { return "no definition \(rule)" }
        if let problem = problem(in: value, found) { return problem }
      case "type":
        let types = rule as? [String] ?? [rule as? String ?? "?"]
        guard types.contains(where: { has($0, value) }) else { return "\(value) is no \(types)" }
      case "enum":
        guard let choices = rule as? [String], choices.contains(value as? String ?? "") else {
          return "\(value) is none of \(rule)"
        }
      case "const":
        guard value as? String == rule as? String else { return "\(value) is not \(rule)" }
      case "pattern":
        guard let text = value as? String, let pattern = try? Regex(rule as? String ?? "("), text.contains(pattern)
        else { return "\(value) does not match \(rule)" }
      case "required":
        for name in rule as? [String] ?? [] where (value as? [String: Any])?[name] == nil {
          return "\(name) is missing"
        }
      case "properties":
        for (name, inner) in rule as? [String: [String: Any]] ?? [:] {
          guard let member = (value as? [String: Any])?[name] else { continue }
          if let problem = problem(in: member, inner) { return "\(name): \(problem)" }
        }
      case "additionalProperties":
        let known = (schema["properties"] as? [String: Any]) ?? [:]
        for (name, member) in value as? [String: Any] ?? [:] where known[name] == nil {
          if let problem = problem(in: member, rule as? [String: Any] ?? ["?": ""]) { return "\(name): \(problem)" }
        }
      case "items":
        for item in value as? [Any] ?? [] {
          if let problem = problem(in: item, rule as? [String: Any] ?? ["?": ""]) { return problem }
        }
      case "oneOf":
        let fitting = (rule as? [[String: Any]] ?? []).count { problem(in: value, $0) == nil }
        guard fitting == 1 else { return "\(fitting) of the forms fit" }
      case "not":
        guard problem(in: value, rule as? [String: Any] ?? [:]) != nil else { return "it is what it must not be" }
      case _: return "the schema has the word \(word)"
      }
    }
    return nil
  }

  private func has(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "number": value is NSNumber
    case _: false
    }
  }
}
