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
  private let bytes: [UInt8]
  private var starts = [0]
  /// How many characters begin in front of each block of bytes.
  private var characters: [Int] = []

  private static let block = 64

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var count = 0
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.block == 0 { characters.append(count) }
      if byte & 0xC0 != 0x80 { count += 1 }
      if byte == 0x0A { starts.append(offset + 1) }
    }
    characters.append(count)
  }

  private func characters(before offset: Int) -> Int {
    let block = offset / Self.block
    return characters[block] + characters(in: block * Self.block..<offset)
  }

  private func characters(in range: Range<Int>) -> Int {
    var count = 0
    for place in range where bytes[place] & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// - Complexity: O(log *n*) in the number of lines, however long they are.
  func position(of offset: Int) -> XMLDocument.Position {
    let offset = min(max(offset, 0), bytes.count)
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    let start = starts[low]
    // Most lines are shorter than a block.
    let before =
      offset - start < Self.block
      ? characters(in: start..<offset) : characters(before: offset) - characters(before: start)
    let column = before + 1
    return XMLDocument.Position(line: low + 1, column: column, offset: offset)
  }
}
