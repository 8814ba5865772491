@testable import MachineForms
import Foundation
import TestSupport

/// A JSON value, as far as a schema checks it.
enum JSONValue: Sendable {
  case object([String: JSONValue])
  case array([JSONValue])
  case string(String)
  case number
  case other

  /// - Returns: nil for a text that is not JSON.
  init?(_ text: String) {
    guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else { return nil }
    self.init(of: value)
  }

  private init(of value: Any) {
    switch value {
    case let value as [String: Any]: self = .object(value.mapValues(JSONValue.init(of:)))
    case let value as [Any]: self = .array(value.map(JSONValue.init(of:)))
    case let value as String: self = .string(value)
    case is NSNumber: self = .number
    case _: self = .other
    }
  }

  var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
  var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
  var text: String? { if case .string(let text) = self { text } else { nil } }
  /// One text, or all of a list.
  var texts: [String] { text.map { [$0] } ?? items.compactMap(\.text) }

  var type: String {
    switch self {
    case .object: "object"
    case .array: "array"
    case .string: "string"
    case .number: "number"
    case .other: "other"
    }
  }
}

/// The part of JSON Schema that the documentation's schema uses; an unknown keyword is a failure too.
struct JSONSchema: Sendable {
  private let root: JSONValue

  /// The schema printed in `Docs/Json.md`.
  static let ofLines: JSONSchema = {
    guard let block = try? Document("Docs/Json.md").blocks(marked: "json").first, let root = JSONValue(block.text)
    else { preconditionFailure("Docs/Json.md has no schema") }
    return JSONSchema(root: root)
  }()

  /// The allowed types of a line's member, or the name of a definition.
  func forms(of member: String) -> [String] {
    let rule = root.members["properties"]?.members[member]?.members ?? [:]
    return rule["type"]?.texts ?? rule["$ref"]?.texts.map { String($0.split(separator: "/").last ?? "") } ?? []
  }

  /// The error in a line, in words; nil if there is none.
  func problem(in line: String) -> String? {
    guard let value = JSONValue(line) else { return "no JSON: \(line)" }
    return problem(in: value, root).map { "\($0): \(line)" }
  }

  private func problem(in value: JSONValue, _ schema: JSONValue) -> String? {
    for (word, rule) in schema.members {
      if let problem = problem(in: value, word, rule, of: schema) { return problem }
    }
    return nil
  }

  private func problem(in value: JSONValue, _ word: String, _ rule: JSONValue, of schema: JSONValue) -> String? {
    switch word {
    case "$schema", "$defs", "title":
      return nil
    case "$ref":
      let name = rule.text?.split(separator: "/").last.map(String.init) ?? ""
      guard let found = root.members["$defs"]?.members[name] else { return "no definition \(name)" }
      return problem(in: value, found)
    case "type":
      return rule.texts.contains(value.type) ? nil : "\(value) is none of \(rule.texts)"
    case "enum", "const":
      return value.text.map(rule.texts.contains) == true ? nil : "\(value) is none of \(rule.texts)"
    case "pattern":
      guard let pattern = try? Regex(rule.text ?? "(") else { return "\(rule) is no pattern" }
      return value.text?.contains(pattern) == true ? nil : "\(value) does not match \(rule)"
    case "required":
      return rule.texts.first { value.members[$0] == nil }.map { "\($0) is missing" }
    case "properties":
      for (name, inner) in rule.members {
        guard let member = value.members[name] else { continue }
        if let problem = problem(in: member, inner) { return "\(name): \(problem)" }
      }
      return nil
    case "additionalProperties":
      let known = schema.members["properties"]?.members ?? [:]
      for (name, member) in value.members where known[name] == nil {
        if let problem = problem(in: member, rule) { return "\(name): \(problem)" }
      }
      return nil
    case "items":
      return value.items.lazy.compactMap { problem(in: $0, rule) }.first
    case "oneOf":
      let fitting = rule.items.count { problem(in: value, $0) == nil }
      return fitting == 1 ? nil : "\(fitting) of the forms fit"
    case "not":
      return problem(in: value, rule) == nil ? "it is what it must not be" : nil
    case _:
      return "the schema has the word \(word)"
    }
  }
}
