import CExpat

/// A document of XML as a list of nodes in document order, each with its place in the text.
struct XMLDocument: Sendable {
  /// Events that only timers of the document bring: what `after` in a diagram stands for.
  var timerEvents: Set<String> = []
  /// The states of a diagram that it declares or has a text for.
  var declaredStates: Set<String> = []
  /// Names in the guards of a diagram that nothing declares.
  var conditions: [ChartCondition] = []
  /// The lines that would declare what a strict reading of a diagram does not know, by the names.
  var declarations: [String: String] = [:]
  /// The words that events of a diagram are named after.
  var eventTexts: [String: String] = [:]
  /// Whether only data that ``eventData`` has samples of are asked of events.
  var asksSamplesOnly = false
  /// Data of events that actions of a diagram have by their names alone.
  var namedData: Set<String> = []
  /// The ids of the states that the translation of a diagram has added.
  var helpers: Set<String> = []
  /// The titles and descriptions of states, by their ids.
  var texts: [String: (title: String, about: [String], isChoice: Bool)] = [:]
  /// Data of events that guards of a diagram ask for, as JSON.
  var eventData: [String: [String]] = [:]
  enum Content: Sendable {
    case element(XMLElement)
    case text(String)
  }

  struct Node: Sendable {
    var content: Content
    /// Where the node's subtree ends, exclusive. The children of a node are the nodes after it, each skipped to its end.
    var end: Int
    var position: Position
  }

  /// A place in the text.
  struct Position: Sendable {
    /// Counted from 1.
    var line: Int
    var column: Int
    /// In bytes.
    var offset: Int
  }

  fileprivate(set) var nodes: [Node] = []
  /// The text, to find attributes in.
  fileprivate(set) var bytes: [UInt8] = []
  /// The namespaces that the root element declares.
  fileprivate(set) var rootNamespaces: Set<String> = []
  /// Whether the nodes were made from a diagram: findings speak of states and arrows then.
  private(set) var isDiagram = false

  init() {}

  /// A document that was made from a diagram.
  init(diagram nodes: [Node]) {
    self.nodes = nodes
    isDiagram = true
  }

  /// The nodes directly below one.
  func children(of node: Int) -> Children { Children(document: self, place: node + 1, end: nodes[node].end) }

  struct Children: Sequence, IteratorProtocol {
    fileprivate let document: XMLDocument
    fileprivate var place: Int
    fileprivate let end: Int

    mutating func next() -> Int? {
      guard place < end else { return nil }
      defer { place = document.nodes[place].end }
      return place
    }
  }

  /// The element of a node; `nil` for a text.
  func element(_ node: Int) -> XMLElement? {
    if case .element(let element) = nodes[node].content { element } else { nil }
  }

  /// All text below a node.
  func text(of node: Int) -> String {
    nodes[(node + 1)..<nodes[node].end].reduce(into: "") { text, node in
      if case .text(let more) = node.content { text += more }
    }
  }

  /// The elements below a node, written as XML.
  func markup(below node: Int) -> String { markup(of: (node + 1)..<nodes[node].end, inLines: false) }

  /// A document that was made from a diagram as text.
  var scxml: String { "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\(markup(of: nodes.indices, inLines: true))\n" }

  /// - Parameter inLines: Whether each element has a line of its own.
  private func markup(of places: Range<Int>, inLines: Bool) -> String {
    var text = ""
    var open: [(name: String, end: Int, hasText: Bool)] = []
    func beginLine() { if inLines { text += "\n" + String(repeating: "  ", count: open.count) } }
    func close(upTo place: Int) {
      while let last = open.last, last.end <= place {
        open.removeLast()
        if !last.hasText { beginLine() }
        text += "</\(last.name)>"
      }
    }
    for place in places {
      close(upTo: place)
      switch nodes[place].content {
      case .text(let more): text += Self.escaped(more)
      case .element(let element):
        beginLine()
        text += "<\(element.name)"
        if inLines, place == 0 { text += " xmlns=\"\(Grammar.namespace)\"" }
        for attribute in element.attributes { text += " \(attribute.name)=\"\(Self.escaped(attribute.value))\"" }
        let isEmpty = inLines && nodes[place].end == place + 1
        text += isEmpty ? "/>" : ">"
        if isEmpty { continue }
        let hasText = nodes[place].end > place + 1 && self.element(place + 1) == nil
        open.append((element.name, nodes[place].end, hasText))
      }
    }
    close(upTo: places.upperBound)
    return text
  }

  /// A text as the value of an attribute or the content of an element.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case "\"": escaped += "&quot;"
      case "\n": escaped += "&#10;"
      case "\t": escaped += "&#9;"
      case "\r": escaped += "&#13;"
      case _: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }

  /// Reads an element as another one.
  mutating func rename(_ node: Int, to name: String) {
    guard case .element(var element) = nodes[node].content else { return }
    element.name = name
    nodes[node].content = .element(element)
  }

  /// Reads an attribute as another one.
  mutating func rename(attribute: String, of node: Int, to name: String) {
    guard case .element(var element) = nodes[node].content,
      let place = element.attributes.firstIndex(where: { $0.name == attribute })
    else { return }
    element.attributes[place].name = name
    element.spellings[name] = attribute
    nodes[node].content = .element(element)
  }

  /// The words within quotes from a place on; `nil` if the text cannot be looked at byte by byte.
  func quotedWords(from offset: Int) -> Set<String>? {
    let rest = bytes.dropFirst(offset)
    if rest.contains(0) { return nil }
    let parts = rest.split { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
    return Set(parts.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Where an attribute stands, or its element if that cannot be told.
  func position(of attribute: String, in node: Int) -> Position {
    let start = nodes[node].position
    let attribute = element(node)?.spellings[attribute] ?? attribute
    if isDiagram {
      guard let element = element(node), let place = element.attributes.firstIndex(where: { $0.name == attribute }),
        place < element.positions.count
      else { return start }
      return element.positions[place]
    }
    var position = start
    var quote: UInt8?
    var previous = UInt8(ascii: " ")
    let name = Array(attribute.utf8)
    while position.offset < bytes.count {
      let byte = bytes[position.offset]
      if quote == nil, previous <= 0x20, bytes[position.offset...].starts(with: name) {
        let after = position.offset + name.count
        if after < bytes.count, bytes[after] == UInt8(ascii: "=") || bytes[after] <= 0x20 { return position }
      }
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return start
      }
      if byte == 0x0A {
        position.line += 1
        position.column = 1
      } else if byte & 0xC0 != 0x80 {
        position.column += 1
      }
      previous = byte
      position.offset += 1
    }
    return start
  }
}

/// An element's name and attributes.
struct XMLElement: Sendable {
  /// Without prefix.
  var name: String
  var namespace: String
  /// Those without a namespace.
  var attributes: [(name: String, value: String)]
  /// Where the attributes' values stand, in elements made from a diagram.
  var positions: [XMLDocument.Position] = []
  /// How the diagram has the condition, if not as the expression that is its attribute.
  var condition: String?
  /// How attributes that were read as others are written.
  var spellings: [String: String] = [:]

  subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
}

extension XMLDocument {
  /// Why a text is no document.
  struct Mistake: Error {
    var position: Position
    var message: String
    /// What stands in front of the place where the text stops being XML.
    var document: XMLDocument?
  }

  /// Reads a document. Nothing outside of it is read.
  init(_ bytes: [UInt8], limits: DocumentLimits, _ pace: ReadingPace) throws(Mistake) {
    guard bytes.count <= limits.bytes else {
      throw Mistake(
        position: Position(line: 1, column: 1, offset: 0),
        message: "the document has \(bytes.count) bytes, and the limit is \(limits.bytes)")
    }
    let reader = XMLReader(limits, pace)
    self = try reader.document(bytes)
  }
}

/// Feeds a document to Expat and keeps what it says.
///
/// Safety: the parser is made and freed by `document`. It is handed this object without ownership, which the call keeps
/// alive, and the strings that it hands out are copied before a handler returns.
private final class XMLReader {
  private var document = XMLDocument()
  private let limits: DocumentLimits
  private let pace: ReadingPace
  private var parser: OpaquePointer?
  private var open: [Int] = []
  /// The text that the next one continues.
  private var openText: Int?
  private var mistake: XMLDocument.Mistake?
  /// Where names end that Expat joins with their namespace.
  private static var separator: UInt8 { 0x0A }
  /// What an element of SCXML has is a dozen at most; each is looked for among all.
  private static var mostAttributes: Int { 1_000 }

  init(_ limits: DocumentLimits, _ pace: ReadingPace) {
    self.limits = limits
    self.pace = pace
  }

  func document(_ bytes: [UInt8]) throws(XMLDocument.Mistake) -> XMLDocument {
    guard let parser = XML_ParserCreateNS(nil, XML_Char(bitPattern: Self.separator)) else {
      throw XMLDocument.Mistake(position: position(), message: "there is no memory for the parser")
    }
    self.parser = parser
    defer {
      XML_ParserFree(parser)
      self.parser = nil
    }
    document.bytes = bytes
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, 10)
    XML_SetBillionLaughsAttackProtectionActivationThreshold(parser, UInt64(limits.entityBytes))
    XML_SetElementHandler(
      parser,
      { reader, name, attributes in
        guard let reader, let name else { return }
        Unmanaged<XMLReader>.fromOpaque(reader).takeUnretainedValue().start(name, attributes)
      },
      { reader, _ in
        guard let reader else { return }
        Unmanaged<XMLReader>.fromOpaque(reader).takeUnretainedValue().end()
      })
    XML_SetStartNamespaceDeclHandler(parser) { reader, _, name in
      guard let reader, let name else { return }
      Unmanaged<XMLReader>.fromOpaque(reader).takeUnretainedValue().declare(name)
    }
    XML_SetCharacterDataHandler(parser) { reader, text, count in
      guard let reader, let text else { return }
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
      Unmanaged<XMLReader>.fromOpaque(reader).takeUnretainedValue().text(bytes)
    }
    XML_SetEntityDeclHandler(parser) { reader, name, _, value, _, _, _, _, _ in
      guard let reader, let name, value == nil else { return }
      Unmanaged<XMLReader>.fromOpaque(reader).takeUnretainedValue()
        .stop(
          "the entity \(String(cString: name)) lies outside of the document, which is never read; put its text here")
    }
    XML_SetUnknownEncodingHandler(
      parser, { _, name, encoding in XMLReader.describe(name, encoding) }, nil)
    let status = bytes.withUnsafeBytes { bytes in
      XML_Parse(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 1)
    }
    if let mistake { throw mistake }
    guard status == XML_STATUS_OK else {
      let message = explanation(of: XML_GetErrorCode(parser))
      for node in open { document.nodes[node].end = document.nodes.count }
      throw XMLDocument.Mistake(
        position: position(), message: message, document: document.nodes.isEmpty ? nil : document)
    }
    return document
  }

  private func explanation(of code: XML_Error) -> String {
    let rest = document.bytes.dropFirst(position().offset)
    switch code {
    case XML_ERROR_NO_ELEMENTS:
      guard let open = openElement else { return "the document is empty; expected <scxml>" }
      return "the document ends, and \(open) is still open"
    case XML_ERROR_TAG_MISMATCH:
      let name = String(decoding: rest.prefix(40).prefix { $0 != UInt8(ascii: ">") && $0 > 0x20 }, as: UTF8.self)
      return "</\(name)> ends no open element; \(openElement ?? "no element") is open"
    case XML_ERROR_AMPLIFICATION_LIMIT_BREACH: return "the entities of the document expand to more than is allowed"
    case XML_ERROR_RECURSIVE_ENTITY_REF: return "an entity contains itself"
    case XML_ERROR_UNDEFINED_ENTITY: return "the entity is not known; write &amp; for &"
    case XML_ERROR_UNKNOWN_ENCODING, XML_ERROR_INCORRECT_ENCODING:
      return "the encoding is not known; write UTF-8, UTF-16, ISO-8859-1, US-ASCII or windows-1252"
    case XML_ERROR_UNCLOSED_TOKEN where rest.starts(with: "<!--".utf8): return "the comment has no end; write -->"
    case XML_ERROR_UNCLOSED_TOKEN where rest.starts(with: "<?".utf8): return "the instruction has no end; write ?>"
    case XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR: return "the document ends within a tag or a text"
    case XML_ERROR_SYNTAX where document.nodes.isEmpty,
      XML_ERROR_INVALID_TOKEN where document.nodes.isEmpty && isPlain(rest.first):
      let line = String(decoding: rest.prefix(40).prefix { $0 >= 0x20 }, as: UTF8.self)
      let hint =
        line.hasPrefix("stateDiagram")
        ? "; this is Mermaid: give the file a name that ends with .mmd, or write format=mermaid"
        : line.hasPrefix("@startuml")
          ? "; this is PlantUML: write format=plantuml, or name the file *.puml"
          : line.hasPrefix("{") ? "; this is JSON: write format=xstate, or name the file *.json" : ""
      return "expected <scxml>; found \(line)\(hint)"
    case XML_ERROR_INVALID_TOKEN: return "this is not XML\(hint(at: position().offset))"
    case _: return "this is not XML: \(XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)")"
    }
  }

  /// Whether a document starts with something that is neither markup nor broken.
  private func isPlain(_ first: UInt8?) -> Bool {
    guard let first, position().offset == document.bytes.prefix(while: { $0 <= 0x20 }).count else { return false }
    return first > 0x20 && first < 0x7F && first != UInt8(ascii: "<") && first != UInt8(ascii: "&")
  }

  /// The innermost element whose end is not read yet, and its line.
  private var openElement: String? {
    guard let node = open.last, case .element(let element) = document.nodes[node].content else { return nil }
    return "<\(element.name)> of line \(document.nodes[node].position.line)"
  }

  /// What is probably wrong where Expat finds something that it cannot read.
  private func hint(at place: Int) -> String {
    guard place < document.bytes.count else { return "" }
    let rest = document.bytes[place...]
    switch rest[place] {
    case UInt8(ascii: "<"): return "; < is written &lt;, or a quote or > is missing in front of it"
    case UInt8(ascii: "&"): return "; & is written &amp;"
    case _ where rest.starts(with: "“".utf8) || rest.starts(with: "”".utf8) || rest.starts(with: "„".utf8):
      return "; the quotes of a value are \""
    case 0x80...:
      return document.bytes.firstNotUTF8 == place
        ? "; the text is not UTF-8: save the file as UTF-8, or name its encoding in the first line" : ""
    case let byte where byte < 0x20:
      let digits = String(byte, radix: 16, uppercase: true)
      return "; the character U+\(String(repeating: "0", count: 4 - digits.count))\(digits) is not allowed"
    case _ where document.bytes[..<place].suffix(2).elementsEqual("--".utf8): return "; a comment has no -- in it"
    case _: return place > 0 && document.bytes[place - 1] == UInt8(ascii: "=") ? "; a value stands in quotes" : ""
    }
  }

  /// WINDOWS-1252, which editors still write; Expat knows the Unicode encodings, ISO-8859-1 and ASCII.
  private static func describe(
    _ name: UnsafePointer<XML_Char>?, _ encoding: UnsafeMutablePointer<XML_Encoding>?
  ) -> Int32 {
    guard let name, let encoding, String(cString: name).lowercased() == "windows-1252" else { return 0 }
    let upper: [Int32] = [
      0x20AC, -1, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, -1, 0x017D,
      -1,
      -1, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, -1, 0x017E,
      0x0178,
    ]
    withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
      for byte in 0..<256 {
        let scalar = byte >= 0x80 && byte < 0xA0 ? upper[byte - 0x80] : Int32(byte)
        map.storeBytes(of: scalar, toByteOffset: byte * 4, as: Int32.self)
      }
    }
    encoding.pointee.convert = nil
    encoding.pointee.release = nil
    return 1
  }

  private func position() -> XMLDocument.Position {
    guard let parser else { return XMLDocument.Position(line: 1, column: 1, offset: 0) }
    return XMLDocument.Position(
      line: Int(XML_GetCurrentLineNumber(parser)), column: Int(XML_GetCurrentColumnNumber(parser)) + 1,
      offset: max(0, Int(XML_GetCurrentByteIndex(parser))))
  }

  private func stop(_ message: String) {
    guard mistake == nil else { return }
    mistake = XMLDocument.Mistake(position: position(), message: message)
    XML_StopParser(parser, 0)
  }

  private func add(_ content: XMLDocument.Content) {
    guard document.nodes.count < limits.nodes else {
      return stop("the document has more than \(limits.nodes) elements and texts")
    }
    document.nodes.append(
      XMLDocument.Node(content: content, end: document.nodes.count + 1, position: position()))
  }

  private func start(_ name: UnsafePointer<CChar>, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    guard mistake == nil else { return }
    guard pace.mayGoOn() else { return stop("reading was interrupted") }
    guard open.count < limits.depth else { return stop("elements are nested more than \(limits.depth) deep") }
    var attributes: [(name: String, value: String)] = []
    var next = list
    while let pair = next, let name = pair[0], let value = pair[1] {
      let full = Self.split(name)
      if full.namespace.isEmpty { attributes.append((full.name, String(cString: value))) }
      guard attributes.count <= Self.mostAttributes else {
        return stop("an element has more than \(Self.mostAttributes) attributes")
      }
      next = pair + 2
    }
    let full = Self.split(name)
    openText = nil
    open.append(document.nodes.count)
    add(.element(XMLElement(name: full.name, namespace: full.namespace, attributes: attributes)))
  }

  /// A namespace is declared, by the element that starts next.
  private func declare(_ name: UnsafePointer<CChar>) {
    if document.nodes.isEmpty { document.rootNamespaces.insert(String(cString: name)) }
  }

  private static func split(_ name: UnsafePointer<CChar>) -> (namespace: String, name: String) {
    // Safety: the bytes are copied, and both parts lie before the zero at the end.
    var end = 0
    while name[end] != 0, name[end] != CChar(bitPattern: separator) { end += 1 }
    if name[end] == 0 { return ("", String(cString: name)) }
    let namespace = UnsafeRawBufferPointer(start: name, count: end)
    return (String(decoding: namespace, as: UTF8.self), String(cString: name + end + 1))
  }

  private func end() {
    guard mistake == nil, let node = open.popLast() else { return }
    openText = nil
    document.nodes[node].end = document.nodes.count
  }

  private func text(_ bytes: UnsafeRawBufferPointer) {
    guard mistake == nil else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    if let last = openText, case .text(var before) = document.nodes[last].content {
      // Taken out of the list meanwhile, so that it grows in place.
      document.nodes[last].content = .text("")
      before += text
      document.nodes[last].content = .text(before)
    } else {
      openText = document.nodes.count
      add(.text(text))
    }
  }
}

extension [UInt8] {
  /// The place of the first byte that no text in UTF-8 has there; `nil` if all of it is UTF-8.
  ///
  /// - Complexity: O(*n*).
  var firstNotUTF8: Int? {
    // The usual case, and much faster than character by character.
    guard String(validating: self, as: UTF8.self) == nil else { return nil }
    var parser = UTF8.ForwardParser()
    var bytes = makeIterator()
    var place = 0
    while case .valid(let character) = parser.parseScalar(from: &bytes) { place += character.count }
    return place
  }
}
