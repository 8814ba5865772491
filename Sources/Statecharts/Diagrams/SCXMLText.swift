extension XMLDocument {
  /// The document as text, one element to a line.
  var scxml: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    var open: [(name: String, end: Int)] = []
    func close(upTo place: Int) {
      while let last = open.last, last.end <= place {
        open.removeLast()
        text += "\(String(repeating: "  ", count: open.count))</\(last.name)>\n"
      }
    }
    var place = 0
    while place < nodes.count {
      close(upTo: place)
      guard case .element(let element) = nodes[place].content else {
        place += 1
        continue
      }
      text += "\(String(repeating: "  ", count: open.count))<\(element.name)"
      if place == 0 { text += " xmlns=\"\(Grammar.namespace)\"" }
      for attribute in element.attributes { text += " \(attribute.name)=\"\(Self.escaped(attribute.value))\"" }
      if nodes[place].end == place + 1 {
        text += "/>\n"
      } else if case .text(let content) = nodes[place + 1].content, nodes[place].end == place + 2 {
        text += ">\(Self.escaped(content))</\(element.name)>\n"
        place += 1
      } else {
        text += ">\n"
        open.append((element.name, nodes[place].end))
      }
      place += 1
    }
    close(upTo: nodes.count)
    return text
  }
}
