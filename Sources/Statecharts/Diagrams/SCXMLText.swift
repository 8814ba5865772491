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

extension DiagramReader {
  /// The document that a diagram stands for, and what is to be said of it.
  static func document(
    _ bytes: [UInt8], _ notation: DiagramNotation, _ asked: DiagramReading, limits: DocumentLimits, _ pace: ReadingPace
  ) -> (XMLDocument, [(severity: Finding.Severity, position: XMLDocument.Position, message: String)]) {
    // JSON has no labels to be read formally or freely; what is assumed of it, strictly read, is warned of.
    let reading = notation == .xstate ? .free : asked
    var reader = DiagramReader(bytes, notation, reading, limits: limits, pace)
    reader.read()
    switch reading {
    case .strict: reader.warnOfOtherReadings()
    case .free:
      // What words mean can depend on what comes after them.
      let vocabulary = Vocabulary(reader.diagram)
      reader = DiagramReader(bytes, notation, reading, limits: limits, pace)
      reader.vocabulary = vocabulary
      reader.read()
      reader.complete()
    }
    var translation = DiagramTranslation(reader.diagram, reading, most: limits.nodes, pace)
    // Without a state there is one mistake, and not two.
    var nodes = reader.diagram.states.isEmpty && reader.diagram.hasErrors ? [] : translation.nodes()
    let lines = LineTable(bytes)
    for node in nodes.indices where pace.mayGoOn() {
      nodes[node].position = lines.position(of: nodes[node].position.offset)
      guard case .element(var element) = nodes[node].content else { continue }
      element.positions = element.positions.map { lines.position(of: $0.offset) }
      nodes[node].content = .element(element)
    }
    let notes = translation.diagram.notes.map { note in
      let isWarned = note.severity == .note && asked == .strict
      return (isWarned ? .warning : note.severity, lines.position(of: note.offset), note.message)
    }
    var document = XMLDocument(diagram: nodes)
    document.timerEvents = translation.timerEvents
    document.declaredStates = Set(
      translation.diagram.states.lazy.filter { $0.declared != nil || $0.isDescribed }.map(\.id))
    document.conditions = translation.diagram.conditions
    document.eventTexts = translation.diagram.eventTexts
    document.eventData = translation.eventData
    return (document, notes)
  }
}
