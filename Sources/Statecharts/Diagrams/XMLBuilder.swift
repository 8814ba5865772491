/// Makes the nodes of a document, as a reader of XML would. Places are offsets only, until they are located.
struct XMLBuilder {
  private(set) var nodes: [XMLDocument.Node] = []
  private var open: [Int] = []
  /// How many nodes there may be. Those that would be more are left out, and ``isFull`` says so.
  let most: Int
  private(set) var isFull = false

  init(most: Int = .max) {
    self.most = most
  }

  /// An attribute's value and where it stands; `nil` for one that the text does not have.
  typealias Attribute = (name: String, value: String, offset: Int?)

  /// - Parameter condition: How the diagram has the condition, if not as the attribute.
  mutating func begin(_ name: String, _ attributes: [Attribute] = [], at offset: Int, condition: String? = nil) {
    var element = XMLElement(
      name: name, namespace: Grammar.namespace, attributes: attributes.map { ($0.name, $0.value) })
    element.condition = condition
    element.positions = attributes.map { Self.place($0.offset ?? offset) }
    open.append(nodes.count)
    add(.element(element), at: offset)
  }

  mutating func end() {
    guard let node = open.popLast(), node < nodes.count else { return }
    nodes[node].end = nodes.count
  }

  mutating func empty(_ name: String, _ attributes: [Attribute], at offset: Int) {
    begin(name, attributes, at: offset)
    end()
  }

  mutating func text(_ text: PlacedText) { add(.text(text.string), at: text.start) }

  private mutating func add(_ content: XMLDocument.Content, at offset: Int) {
    guard nodes.count < most else { return isFull = true }
    nodes.append(XMLDocument.Node(content: content, end: nodes.count + 1, position: Self.place(offset)))
  }

  private static func place(_ offset: Int) -> XMLDocument.Position {
    XMLDocument.Position(line: 0, column: 0, offset: offset)
  }

  /// Appends nodes that were made elsewhere.
  mutating func append(_ content: [XMLDocument.Node]) {
    let start = nodes.count
    guard content.count <= most - start else { return isFull = true }
    for var node in content {
      node.end += start
      nodes.append(node)
    }
  }
}

extension PlacedText {
  func attribute(_ name: String) -> XMLBuilder.Attribute { (name, string, start) }
}

/// Lines and columns of a text by offset.
struct LineTable {
  private var starts: [Int32] = [0]
  /// How many characters begin in front of each byte: lines of diagrams can be long, and have many places.
  private var characters: [Int32] = [0]

  init(_ bytes: [UInt8]) {
    characters.reserveCapacity(bytes.count + 1)
    for (offset, byte) in bytes.enumerated() {
      characters.append(characters[offset] + (byte & 0xC0 != 0x80 ? 1 : 0))
      if byte == 0x0A { starts.append(Int32(offset + 1)) }
    }
  }

  /// - Complexity: O(log *n*) in the number of lines, however long they are.
  func position(of offset: Int) -> XMLDocument.Position {
    let offset = min(max(offset, 0), characters.count - 1)
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    let column = characters[offset] - characters[Int(starts[low])] + 1
    return XMLDocument.Position(line: low + 1, column: Int(column), offset: offset)
  }
}
