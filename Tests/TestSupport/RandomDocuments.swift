internal import StateMachines

/// Makes documents, diagrams, scripts and expressions by chance, out of their own words: numbers where integers and
/// floating-point numbers end, deep and large ones among them.
package struct RandomDocuments {
  private var generator: Generator
  /// How many states the document has so far.
  private var states = 0

  package init(salt: some BinaryInteger) { generator = Generator(salt: salt) }

  package mutating func number(_ bound: Int) -> Int { generator.draw(in: 0...(bound - 1)) }
  private mutating func pick(_ words: [String]) -> String { words[number(words.count)] }

  /// An expression of the data model.
  package mutating func expression() -> String { expression(depth: 0) }

  /// Statements of the data model.
  package mutating func script() -> String { script(depth: 0) }

  /// Cuts, doubles and replaces parts of a text, most often none.
  package mutating func mutated(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for _ in 0..<number(3) where !bytes.isEmpty {
      let place = number(bytes.count)
      switch number(4) {
      case 0: bytes.removeSubrange(place..<min(bytes.count, place + 1 + number(8)))
      case 1: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + number(12))], at: place)
      case 2: bytes[place] = UInt8(number(256))
      case _: bytes.insert(contentsOf: pick(Self.pieces).utf8, at: place)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A word of those that the documents have as events.
  package mutating func event() -> String { pick(Self.events) }

  private static let events = ["a", "b", "a.b", "error.execution", "done.state.s1", "*", "x"]
  private static let pieces = [
    "<br/>", "#59;", "#lt;", "[", "]", "{", "}", "(", ")", "--", "-->", "[*]", "[H*]", "\"", "'", "\\", ";", ",", "%%",
    ":::",
    "é", "\u{0}", "\n", "&amp;", "]]>", "<!--", "9999999999999999999999", "0x", "1e999", "\\uD800", "×", "after ",
    "entry /",
  ]
  private static let values = [
    "0", "1", "-1", "3.5", "1e300", "NaN", "Infinity", "'x'", "'äö'", "''", "true", "null", "undefined", "n", "s", "l",
    "[]",
    "{}", "[1,2,3]", "{a: 1}", "In('s1')", "_event", "_event.data", "Math", "o", "function(x) { return x }",
    "\"\\u00e4\"",
    // Where integers and floating-point numbers end.
    "1e18", "-1e18", "9223372036854775807", "-9223372036854775808", "4294967295", "4294967296", "2147483648",
    "9007199254740993", "5e-324", "1.7976931348623157e308", "-0", "1e21", "65536", "-2147483649",
  ]
  private static let operators = [
    "+", "-", "*", "/", "%", "**", "==", "!=", "===", "!==", "<", "<=", ">", ">=", "&&", "||", "??", "&", "|", "^",
    "<<", ">>",
    ">>>", " in ", " instanceof ", "=", "+=", ",",
  ]
  private static let methods = [
    ".length", ".push(1)", ".pop()", ".shift()", ".unshift(2)", ".reverse()", ".concat([1])", ".join('-')",
    ".indexOf('x')",
    ".includes(1)", ".slice(-2, 1e9)", ".substring(5, -1)", ".charAt(1)", ".split('')", ".split('x')", ".toUpperCase()",
    ".toLowerCase()", ".toString()", "[0]", "[-1]", "['length']", ".a", "()", "++", "--", ".length = 1e7",
  ]
  /// Methods with values in the place of `#`.
  private static let methodsOfValues = [
    ".length = #", ".at(#)", ".slice(#, #)", ".splice(#, #, #)", ".fill(#, #, #)", ".indexOf(#, #)", ".repeat(#)",
    ".padStart(#)", ".padEnd(#, 'xy')", ".substr(#, #)", ".toFixed(#)", ".toString(#)", ".split('', #)", "[#]",
    "[#] = #", ".sort(#)", ".map(#)", ".reduce(#)", ".replace(#, #)", ".concat(#)", ".push(#)", "[#].a = #",
  ]
  private static let calls = [
    "Math.floor(", "Math.max(", "Math.pow(2, ", "Math.round(", "JSON.stringify(", "JSON.parse(", "String(", "Number(",
    "parseInt(", "isNaN(", "Object.keys(", "Object.values(", "Array.isArray(", "Array(", "typeof (", "!(", "-(", "~(",
    "(",
    "new (", "void (", "delete (",
  ]

  private mutating func expression(depth: Int) -> String {
    if depth > 5 { return pick(Self.values) }
    switch number(7) {
    case 0, 1: return pick(Self.values)
    case 2, 3: return expression(depth: depth + 1) + pick(Self.operators) + expression(depth: depth + 1)
    case 4:
      let receiver = expression(depth: depth + 1)
      guard number(2) == 0 else { return receiver + pick(Self.methods) }
      let parts = pick(Self.methodsOfValues).split(separator: "#", omittingEmptySubsequences: false)
      return parts.dropFirst().reduce(receiver + parts[0]) { $0 + pick(Self.values) + $1 }
    case 5: return pick(Self.calls) + expression(depth: depth + 1) + ")"
    case _:
      return "\(expression(depth: depth + 1)) ? \(expression(depth: depth + 1)) : \(expression(depth: depth + 1))"
    }
  }

  private mutating func script(depth: Int) -> String {
    if depth > 3 { return expression(depth: 3) + ";" }
    switch number(8) {
    case 0: return "var v = \(expression(depth: 2));"
    case 1: return "if (\(expression(depth: 3))) { \(script(depth: depth + 1)) } else \(script(depth: depth + 1))"
    case 2: return "while (\(expression(depth: 3))) { \(script(depth: depth + 1)) if (n) break; }"
    case 3: return "for (var i = 0; i < 9; i++) { \(script(depth: depth + 1)) }"
    case 4: return "function f(a, b) { \(script(depth: depth + 1)) return f(b, a) } f(1);"
    case 5: return "s += s; l.push(l); " + script(depth: depth + 1)
    case 6 where number(8) == 0:
      // As deep as statements can be, in each call; with data that are as deep as they can be, too.
      let depth = number(58)
      let (open, close) = (String(repeating: "{", count: depth), String(repeating: "}", count: depth))
      let call = pick(["f(x)", "l.sort(f)", "l.map(f)", "l.reduce(f)", "s.replace('x', f)", "new f(x)", "l[f(x)] = 1"])
      return "for (var i = 0; i < 97; i++) { l = [l, l[0]]; } function f(x) { \(open) \(call); \(close) } f(l);"
    case _: return expression(depth: 2) + ";"
    }
  }

  private mutating func label() -> String {
    var text = pick([
      "a", "b", "a, b", "a.b", "*", "after 5s", "x after 1ms", "b, or after 2s", "set(1|2)", "", "always",
    ])
    if number(3) == 0 { text += " [\(expression(depth: 4))]" }
    if number(2) == 0 { text += " / \(action()), \(action())" }
    if number(8) == 0 { text += "<br/>" + pick(["b", "/ beep", "[n]"]) }
    return text
  }

  private mutating func action() -> String {
    switch number(9) {
    case 0: "n = \(expression(depth: 4))"
    case 1: "raise \(event())"
    case 2: "send \(pick(["a", "b(x = n)"])) after \(number(9))s as t"
    case 3: "cancel t"
    case 4: "log \(expression(depth: 4)) as \"x\""
    case 5: "if (\(expression(depth: 4))) { \(pick(["beep", "n = 1"])) } else { raise a }"
    case 6: "for (i of l) { beep ×2 }"
    case 7: "beep(v = \(expression(depth: 4)))"
    case _: "beep"
    }
  }

  /// A state diagram for Mermaid; most are well-formed.
  package mutating func diagram() -> String {
    var text = "stateDiagram-v2\n%% data n = 0\n%% data l = [1, 2]\n[*] --> s1\n"
    var open = 0
    for _ in 0..<(1 + number(12)) {
      let state = "s\(1 + number(6))"
      let other = pick(["s1", "s2", "s3", "s4", "[*]", "s1[H]", "s2[H*]", "[H]", "c", "f", "j"])
      switch number(12) {
      case 0:
        text += "state \(state) {\n"
        open += 1
      case 1 where open > 0:
        text += "}\n"
        open -= 1
      case 2 where open > 0: text += "--\n"
      case 3:
        text += "state \(pick(["c <<choice>>", "f <<fork>>", "j <<join>>", "\"T<br/>entry / beep\" as \(state)"]))\n"
      case 4: text += "\(state) : \(pick(["entry / ", "exit / "]))\(action())\n"
      case 5: text += "\(state) : \(label())\n"
      case 6: text += "\(pick(["c", "f", "j", "[*]", "s1[H]"])) --> \(state)\(pick(["", " : [else]", " : / beep"]))\n"
      case _: text += "\(state) --> \(other)\(number(5) == 0 ? "" : " : " + label())\n"
      }
    }
    return text + String(repeating: "}\n", count: open)
  }

  /// The same for PlantUML.
  package mutating func plantUML() -> String {
    "@startuml\n" + diagram().replacing("stateDiagram-v2\n", with: "").replacing("%%", with: "'") + "@enduml\n"
  }

  // MARK: XState

  /// A machine of XState in JSON; most are well-formed.
  package mutating func machine() -> String {
    "{\"id\": \"m\", \"context\": {\"n\": \(pick(["0", "[1, 2]", "{\"a\": 1e18}", "null"]))}, \(node(depth: 0))}"
  }

  private static let targets = ["s1", "s2", "s3", ".s1", ".s2", "#m.s1", "#x", "^"]

  private mutating func node(depth: Int) -> String {
    var members: [String] = []
    let children = depth == 3 ? 0 : depth == 0 ? 1 + number(4) : number(4)
    if children > 0 {
      let inner = (1...children).map { "\"s\($0)\": {\(node(depth: depth + 1))}" }
      members = ["\"states\": {\(inner.joined(separator: ", "))}"]
      members.append(number(4) == 0 ? "\"type\": \"parallel\"" : "\"initial\": \"s\(1 + number(children))\"")
    } else if number(6) == 0 {
      members.append(pick(["\"type\": \"final\"", "\"type\": \"history\"", "\"history\": \"deep\"", "\"id\": \"x\""]))
    }
    for _ in 0..<number(3) {
      switch number(7) {
      case 0: members.append("\"after\": {\"\(pick(["1000", "0", "1e999", "long"]))\": \(arrow(depth))}")
      case 1: members.append("\"always\": \(arrow(depth))")
      case 2:
        members.append(
          "\"\(pick(["entry", "exit", "onEntry"]))\": \(pick(["\"beep\"", "[\"a\", {\"type\": \"xstate.raise\", \"event\": \"b\"}]"]))"
        )
      case 3:
        members.append("\"invoke\": {\"src\": \"load\", \"onDone\": \(arrow(depth)), \"onError\": \(arrow(depth))}")
      case 4: members.append("\"onDone\": \(arrow(depth))")
      case _: members.append("\"on\": {\"\(event())\": \(arrow(depth)), \"\(event())\": \(arrow(depth))}")
      }
    }
    return members.joined(separator: ", ")
  }

  /// A transition. Most lead to a state that is there.
  private mutating func arrow(_ depth: Int) -> String {
    let target = "\"\(number(8) == 0 ? pick(Self.targets) : depth == 0 ? ".s1" : "s1")\""
    switch number(6) {
    case 0: return "{\"target\": \(target), \"guard\": \"isOpen\", \"actions\": [\"beep\"]}"
    case 1:
      return "{\"target\": \(target), \"cond\": {\"type\": \"not\", \"guards\": [\"isOpen\"]}, \"internal\": true}"
    case 2: return "[{\"target\": \(target), \"guard\": \"isOpen\"}, {\"actions\": \"beep\"}]"
    case 3: return "{\"target\": [\(target), \(target)], \"reenter\": true}"
    case _: return target
    }
  }

  // MARK: SCXML

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  /// A document of SCXML; most are well-formed.
  package mutating func document() -> String {
    states = 0
    let content =
      switch number(12) {
      case 0: nested()
      case 1: wide()
      case _: (0..<(1 + number(3))).map { _ in state(depth: 0) }.joined()
      }
    return """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" datamodel="ecmascript"><datamodel><data id="n" expr="0"/>\
      <data id="s" expr="\(large())"/><data id="l">[1,2]</data></datamodel>\(content)</scxml>
      """
  }

  /// A value that takes much room, most often not.
  private mutating func large() -> String {
    number(6) == 0
      ? "'xy'.repeat(\(pick(["1", "1000", "100000", "500000", "600000"])))"
      : pick(Self.values).replacing("\"", with: "")
  }

  /// States within each other, each with something to do.
  private mutating func nested() -> String {
    let depth = 1 + number(80)
    return (0..<depth).map { "<state id=\"s\($0)\"><transition event=\"\(event())\" target=\"s\(number(depth))\"/>" }
      .joined()
      + "<onentry>\(content())</onentry>" + String(repeating: "</state>", count: depth)
  }

  /// Many states and events.
  private mutating func wide() -> String {
    let count = 1 + number(400)
    return (0..<count).map { (place) -> String in
      let event = number(2) == 0 ? event() : "e\(place)"
      let content = number(9) == 0 ? content() : ""
      return
        "<state id=\"s\(place)\"><transition event=\"\(event)\" target=\"s\(number(count))\">\(content)</transition></state>"
    }.joined()
  }

  private mutating func state(depth: Int) -> String {
    let name = pick(["state", "state", "state", "parallel", "final"])
    states += 1
    let own = states
    var text = "<\(name) id=\"s\(own)\">"
    if name == "final" { return text + "<onentry>\(content())</onentry></final>" }
    if depth < 3 {
      let children = (0..<number(3)).map { _ in state(depth: depth + 1) }
      text += children.joined()
      if !children.isEmpty, number(3) == 0 {
        text += "<history id=\"h\(own)\"><transition target=\"s\(own + 1)\"/></history>"
      }
    }
    for _ in 0..<number(3) {
      let condition = number(2) == 0 ? " cond=\"\(Self.escaped(expression(depth: 4)))\"" : ""
      // Now and then there is no such state.
      let target = number(60) == 0 ? "s\(own + 99)" : "s\(1 + number(states))"
      text += "<transition event=\"\(event())\"\(condition) target=\"\(target)\">\(content())</transition>"
    }
    if number(6) == 0 {
      let child = pick(["<final/>", "<state id=\"c\"/>"])
      text += "<invoke><content><scxml xmlns=\"http://www.w3.org/2005/07/scxml\">\(child)</scxml></content></invoke>"
    }
    return text + "<onentry>\(content())</onentry></\(name)>"
  }

  private mutating func content() -> String {
    switch number(9) {
    case 0: "<assign location=\"n\" expr=\"\(Self.escaped(expression(depth: 3)))\"/>"
    case 1: "<raise event=\"\(event())\"/>"
    case 2: "<send event=\"a\" delay=\"\(number(3))s\"/>"
    case 7: "<send event=\"b\" id=\"t\" delayexpr=\"\(Self.escaped(pick(Self.values)))\"/><cancel sendid=\"t\"/>"
    case 8:
      "<assign location=\"l[\(Self.escaped(pick(Self.values)))]\" expr=\"\(Self.escaped(expression(depth: 4)))\"/>"
    case 3: "<foreach array=\"l\" item=\"i\"><log expr=\"i\"/></foreach>"
    case 4: "<if cond=\"n\"><script>\(Self.escaped(script(depth: 2)))</script><else/><raise event=\"b\"/></if>"
    case 5:
      "<send type=\"output\" event=\"beep\"><param name=\"v\" expr=\"\(Self.escaped(expression(depth: 4)))\"/></send>"
    case _: ""
    }
  }
}
