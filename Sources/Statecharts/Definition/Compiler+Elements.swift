// Elements and attributes against the grammar.

extension Compiler {
  /// The SCXML elements below a node, checked against the grammar. What is misspelled is read as what was meant.
  mutating func elements(of node: Int) -> [Int] {
    guard let element = document.element(node), let rule = Grammar.rules[element.name] else { return [] }
    var all: [Int] = []
    // A list, which does not keep the document from being changed in place.
    for child in Array(document.children(of: node)) {
      switch document.nodes[child].content {
      case .text(let text):
        if !rule.isOpen, !text.allSatisfy(\.isWhitespace) {
          let expected = rule.children.isEmpty ? "has no content" : "contains elements only, no text"
          error(child, "<\(element.name)> \(expected)")
        }
      case .element(let found):
        if isForeign(found), !rule.isOpen || isMark(found) {
          warn(child, "what is of the namespace \(found.namespace) has no meaning here and is left out")
        } else if rule.children.contains(found.name) {
          check(child)
          all.append(child)
        } else if !rule.isOpen {
          let meant = Self.meant(by: found.name, in: rule)
          error(
            child, Self.misplaced(found.name, in: element.name, rule), correction: meant.map { (found.name, $0) })
          if let meant {
            document.rename(child, to: meant)
            check(child)
            all.append(child)
          } else {
            leaveOut(child)
          }
        }
      }
    }
    return all
  }

  /// The element that a name that SCXML does not have stands for, if it is near enough.
  private static func meant(by name: String, in rule: Grammar.Rule) -> String? {
    guard Grammar.rules[name] == nil, Grammar.advice[name] == nil else { return nil }
    return Spelling.closest(to: name, in: rule.children)
  }

  private static func misplaced(_ name: String, in parent: String, _ rule: Grammar.Rule) -> String {
    if let advice = Grammar.advice[name], Grammar.rules[name] == nil {
      return "<\(name)> is no part of SCXML; write \(advice)"
    }
    if let meant = meant(by: name, in: rule) { return "<\(parent)> has no <\(name)>; did you mean <\(meant)>?" }
    if let advice = Grammar.placeAdvice["\(parent) \(name)"] {
      return "<\(name)> cannot stand in <\(parent)>; write \(advice)"
    }
    let allowed = rule.children.filter { Grammar.tolerated[parent] != $0 }.map { "<\($0)>" }
    let expected = allowed.isEmpty ? "nothing" : allowed.joined(separator: ", ")
    return "<\(name)> cannot stand in <\(parent)>; expected \(expected)"
  }

  /// Checks an element's attributes. One that is misspelled is read as what was meant.
  mutating func check(_ node: Int) {
    guard let element = document.element(node), let rule = Grammar.rules[element.name] else { return }
    for attribute in element.attributes where !rule.attributes.contains(attribute.name) {
      if Grammar.drafts.contains("\(element.name) \(attribute.name)") {
        warn(node, "\(attribute.name)= is of a draft of SCXML, and changes nothing", attribute: attribute.name)
        continue
      }
      let advice = Grammar.attributeAdvice["\(element.name) \(attribute.name)"]
      let closest = advice == nil ? Spelling.closest(to: attribute.name, in: rule.attributes) : nil
      let known = rule.attributes.isEmpty ? "" : "; it has \(rule.attributes.joined(separator: ", "))"
      let hint = advice.map { "; write \($0)" } ?? closest.map { "; did you mean \($0)?" } ?? known
      error(
        node, "<\(element.name)> has no attribute \(attribute.name)\(hint)", attribute: attribute.name,
        correction: closest.map { (attribute.name, $0) })
      let meant = closest ?? advice.flatMap { $0.hasSuffix("=") ? String($0.dropLast()) : nil }
      if let meant, document.element(node)?[meant] == nil {
        document.rename(attribute: attribute.name, of: node, to: meant)
      } else {
        faulty.insert(node)
      }
    }
    guard let element = document.element(node) else { return }
    for group in rule.required where !group.contains(where: { element[$0] != nil }) {
      error(node, "<\(element.name)> lacks \(group.map { "\($0)=" }.joined(separator: " or "))")
    }
    for group in rule.exclusive {
      let found = group.filter { element[$0] != nil }
      if found.count > 1 {
        error(node, "<\(element.name)> has either \(found.joined(separator: " or ")), not both", attribute: found[1])
      }
    }
  }

  /// Checks what stands in a document in front of the place where it stops being XML.
  mutating func checkBeginning(_ beginning: XMLDocument, before offset: Int) {
    document = beginning
    guard let root = document.element(0), root.name == "scxml" else { return }
    namespace = root.namespace
    check(0)
    var open = [0]
    var ids: [String] = []
    var names: [(node: Int, attribute: String)] = []
    while let node = open.popLast() {
      if let element = document.element(node) {
        if ["state", "parallel", "final", "history"].contains(element.name), let id = element["id"] { ids.append(id) }
        for attribute in ["initial", "target"]
        where element[attribute] != nil && (attribute == "initial" || element.name == "transition") {
          names.append((node, attribute))
        }
      }
      open += elements(of: node)
    }
    let known = Set(ids).union(unread)
    let rest = document.quotedWords(from: offset)
    for (node, attribute) in names {
      for id in (document.element(node)?[attribute] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
      where isTelling && !known.contains(id) && rest?.contains(id) == false {
        error(node, "there is no state \(id)\(Spelling.suggestion(for: id, in: ids.sorted()))", attribute: attribute)
      }
    }
  }
}
