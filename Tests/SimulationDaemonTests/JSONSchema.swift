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
///
/// The schema is taken apart once, since all lines of all transcripts are checked.
// Unchecked: a `Regex` is not Sendable; these are made here, never change, and are only searched with.
struct JSONSchema: @unchecked Sendable {
  private indirect enum Rule {
    case definition(String)
    case types([String])
    case texts([String])
    case pattern(Regex<AnyRegexOutput>, String)
    case required([String])
    case properties([String: [Rule]])
    case others([Rule], known: Set<String>)
    case items([Rule])
    case oneOf([[Rule]])
    case not([Rule])
    case unusable(String)
  }

  private let root: JSONValue
  private let rules: [Rule]
  private let definitions: [String: [Rule]]

  /// The schema printed in `Docs/Json.md`.
  static let ofLines: JSONSchema = {
    guard let block = try? Document("Docs/Json.md").blocks(marked: "json").first, let root = JSONValue(block.text)
    else { preconditionFailure("Docs/Json.md has no schema") }
    return JSONSchema(root: root)
  }()

  private init(root: JSONValue) {
    self.root = root
    rules = Self.rules(of: root)
    definitions = (root.members["$defs"]?.members ?? [:]).mapValues(Self.rules(of:))
  }

  private static func rules(of schema: JSONValue) -> [Rule] {
    schema.members.compactMap { word, rule in
      switch word {
      case "$schema", "$defs", "title": return nil
      case "$ref": return .definition(name(rule))
      case "type": return .types(rule.texts)
      case "enum", "const": return .texts(rule.texts)
      case "pattern":
        let text = rule.text ?? "("
        return (try? Regex(text)).map { .pattern($0, text) } ?? .unusable("\(rule) is no pattern")
      case "required": return .required(rule.texts)
      case "properties": return .properties(rule.members.mapValues(rules(of:)))
      case "additionalProperties":
        return .others(rules(of: rule), known: Set((schema.members["properties"]?.members ?? [:]).keys))
      case "items": return .items(rules(of: rule))
      case "oneOf": return .oneOf(rule.items.map(rules(of:)))
      case "not": return .not(rules(of: rule))
      case _: return .unusable("the schema has the word \(word)")
      }
    }
  }

  private static func name(_ reference: JSONValue) -> String {
    String(reference.text?.split(separator: "/").last ?? "")
  }

  /// The allowed types of a line's member, or the name of a definition.
  func forms(of member: String) -> [String] {
    let rule = root.members["properties"]?.members[member]?.members ?? [:]
    return rule["type"]?.texts ?? rule["$ref"].map { [Self.name($0)] } ?? []
  }

  /// The error in a line, in words; nil if there is none.
  func problem(in line: String) -> String? {
    guard let value = JSONValue(line) else { return "no JSON: \(line)" }
    return problem(in: value, rules).map { "\($0): \(line)" }
  }

  private func problem(in value: JSONValue, _ rules: [Rule]) -> String? {
    for rule in rules { if let problem = problem(in: value, rule) { return problem } }
    return nil
  }

  private func problem(in value: JSONValue, _ rule: Rule) -> String? {
    switch rule {
    case .definition(let name):
      guard let found = definitions[name] else { return "no definition \(name)" }
      return problem(in: value, found)
    case .types(let types): return types.contains(value.type) ? nil : "\(value) is none of \(types)"
    case .texts(let texts): return value.text.map(texts.contains) == true ? nil : "\(value) is none of \(texts)"
    case .pattern(let pattern, let text):
      return value.text?.contains(pattern) == true ? nil : "\(value) does not match \(text)"
    case .required(let names):
      let members = value.members
      return names.first { members[$0] == nil }.map { "\($0) is missing" }
    case .properties(let known):
      for (name, member) in value.members {
        if let rules = known[name], let problem = problem(in: member, rules) { return "\(name): \(problem)" }
      }
      return nil
    case .others(let rules, let known):
      for (name, member) in value.members where !known.contains(name) {
        if let problem = problem(in: member, rules) { return "\(name): \(problem)" }
      }
      return nil
    case .items(let rules): return value.items.lazy.compactMap { problem(in: $0, rules) }.first
    case .oneOf(let forms):
      let fitting = forms.count { problem(in: value, $0) == nil }
      return fitting == 1 ? nil : "\(fitting) of the forms fit"
    case .not(let rules): return problem(in: value, rules) == nil ? "it is what it must not be" : nil
    case .unusable(let reason): return reason
    }
  }
}
