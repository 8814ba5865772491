import LineProtocol

extension DiagramReader {
  /// Something that is to be said of a diagram.
  typealias Remark = (severity: Finding.Severity, position: XMLDocument.Position, message: String, write: String?)

  /// The document that a diagram stands for, and what is to be said of it.
  static func document(
    _ bytes: [UInt8], _ notation: DiagramNotation, _ asked: DiagramReading, limits: DocumentLimits, _ pace: ReadingPace
  ) -> (XMLDocument, [Remark]) {
    // JSON has no labels to be read formally or freely; what is assumed of it, strictly read, is warned of.
    let reading = notation == .xstate ? .free : asked
    let reader = DiagramReader(complete: bytes, notation, reading, limits: limits, pace)
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
    var proposals = Proposals(reader)
    if reading == .strict, !translation.diagram.hasErrors {
      // Warns where the free reading differs and the strict one has no finding.
      let foundOffsets = Set(translation.diagram.notes.map(\.offset))
      for note in proposals.free.diagram.notes
      where note.severity != .warning && !note.isFoundStrictly && !foundOffsets.contains(note.offset) {
        let reading = note.severity == .error ? "read freely, this is a mistake: " : "read freely, "
        translation.diagram.warn(note.offset, reading + note.message, hint: note.hint, write: note.write)
      }
    }
    let notes = translation.diagram.notes.map { note -> Remark in
      let isWarned = note.severity == .note && asked == .strict
      let proposal = proposals.proposal(for: note)
      return (
        isWarned ? .warning : note.severity, lines.position(of: note.offset),
        note.message + (proposal.map { proposals.advice($0, at: note.offset) } ?? note.hint), proposal
      )
    }
    var document = XMLDocument(diagram: nodes)
    document.timerEvents = translation.timerEvents
    document.declaredStates = Set(
      translation.diagram.states.lazy.filter { $0.declared != nil || $0.isDescribed }.map(\.id))
    document.helpers = translation.helpers
    for state in translation.diagram.states {
      guard !state.title.isEmpty || !state.descriptions.isEmpty || state.kind == .choice else { continue }
      document.texts[state.id] = (state.title, state.descriptions, state.kind == .choice)
    }
    // The translation asks for samples and conditions; what else is asked stands in the text.
    let asksEvents = bytes.includes("_event")
    document.asksSamplesOnly = !asksEvents && translation.diagram.namedData.isEmpty
    if !asksEvents { document.namedData = translation.diagram.namedData }
    document.conditions = translation.diagram.conditions
    if reading == .strict, !translation.diagram.hasErrors { document.declarations = proposals.declarations }
    document.eventTexts = translation.diagram.eventTexts
    document.eventData = translation.eventData
    return (document, notes)
  }

  /// Reads a diagram in full.
  init(
    complete bytes: [UInt8], _ notation: DiagramNotation, _ reading: DiagramReading, limits: DocumentLimits,
    _ pace: ReadingPace
  ) {
    self.init(bytes, notation, reading, limits: limits, pace)
    read()
    let vocabulary = Vocabulary(diagram)
    // What words mean can depend on what comes after them.
    if reading == .free && (asksVocabulary || !vocabulary.kinds.isEmpty) || vocabulary.outerState != nil {
      self = DiagramReader(bytes, notation, reading, limits: limits, pace)
      self.vocabulary = vocabulary
      read()
    }
    self.vocabulary = vocabulary
    diagram.findHomes(reading)
    if reading == .free { complete() }
  }
}

/// What can stand in a diagram instead of what is no formal notation: as a free reading takes it. Each proposal is read
/// at its place before it is made.
private struct Proposals {
  let reader: DiagramReader
  /// How many bytes may still be read to try proposals.
  private var room = 512 << 10
  /// The diagram as it is read freely, and what was found at each place.
  private(set) lazy var free = reader.again(reader.bytes, .free)
  private lazy var places = free.formalPlaces
  /// The lines that declare what a free reading lets guards and actions ask for, by the names.
  private(set) lazy var declarations = free.declarations

  init(_ reader: DiagramReader) {
    self.reader = reader
  }

  mutating func proposal(for note: Diagram.Note) -> String? {
    guard note.severity != .note, !note.isOpen, room >= reader.bytes.count, reader.pace.mayGoOn() else { return nil }
    if let proposal = note.write, isAccepted(proposal, at: note.offset) { return proposal }
    guard reader.reading == .strict, let proposal = formalText(from: note.offset),
      isAccepted(proposal, at: note.offset)
    else { return nil }
    return proposal
  }

  /// What a finding says of its proposal, and of what that asks for.
  mutating func advice(_ proposal: String, at offset: Int) -> String {
    if proposal.isEmpty {
      let end = reader.bytes[offset...].firstIndex(of: 0x0A) ?? reader.bytes.count
      let rest = PlacedText(reader.bytes, offset..<end).trimmed
      return rest.isEmpty ? "" : "; leave \(rest.string) away"
    }
    guard let guarded = TokenText(proposal) else { return "; write \(proposal)" }
    var needed: [String] = []
    for case (.name(let name), _) in guarded.tokens {
      if let declaration = declarations[name], !needed.contains(declaration) { needed.append(declaration) }
    }
    return "; write \(proposal)" + (needed.isEmpty ? "" : ", and the line \(needed.joined(separator: ", the line "))")
  }

  /// The formal notation from a place to the end of the line; of a place within a label, if what is in front of it there
  /// is formal already.
  private mutating func formalText(from offset: Int) -> String? {
    var start = offset
    while places[start] == nil {
      start -= 1
      guard start > 0, reader.bytes[start] != 0x0A else { return nil }
    }
    let before = String(decoding: reader.bytes[start..<offset], as: UTF8.self)
    return places[start].flatMap { free.formalText(at: $0).removing(prefix: before) }
  }

  /// Whether the line has no mistakes with a text from a place to its end, and the text changes it.
  private mutating func isAccepted(_ text: String, at offset: Int) -> Bool {
    let bytes = reader.bytes
    let end = bytes[offset...].firstIndex(of: 0x0A) ?? bytes.count
    guard !bytes[offset..<end].elementsEqual(text.utf8), !text.contains(where: \.isNewline) else { return false }
    let start = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    room -= bytes.count
    let changed = Array(bytes[..<offset]) + Array(text.utf8) + Array(bytes[end...])
    let diagram = reader.again(changed, reader.reading).diagram
    var translation = DiagramTranslation(diagram, reader.reading, most: reader.limits.nodes, reader.pace)
    _ = translation.nodes()
    let line = start...(offset + text.utf8.count)
    return !translation.diagram.notes.contains { $0.severity == .error && line.contains($0.offset) }
  }
}

extension DiagramReader {
  /// A reader that has read another text in the same way, or in another one.
  fileprivate func again(_ bytes: [UInt8], _ reading: DiagramReading) -> DiagramReader {
    DiagramReader(complete: bytes, notation, reading, limits: limits, pace)
  }

  /// A label, or the actions of one from one of them on; by their indices.
  fileprivate typealias FormalPlace = (arrow: Int, action: Int?)

  /// The lines that declare what guards and actions ask for and nothing declares, by the names.
  fileprivate var declarations: [String: String] {
    let mark = notation == .plantuml ? "'" : "%%"
    var lines: [String: String] = [:]
    for condition in diagram.conditions {
      lines[condition.name] = "\(mark) data \(condition.name) = \(condition.form.literal)"
    }
    for data in diagram.data {
      // What nobody wrote stands where it is asked for, and its value, too.
      guard let value = data.value, value.start == data.name.start else { continue }
      lines[data.name.string] = "\(mark) data \(data.name.string) = \(value.string)"
    }
    return lines
  }

  /// What was read freely, by the offsets that it begins at.
  fileprivate var formalPlaces: [Int: FormalPlace] {
    var places: [Int: FormalPlace] = [:]
    for (index, arrow) in diagram.arrows.enumerated() where !arrow.label.isEmpty || arrow.label.remark != nil {
      places[arrow.offset] = (index, nil)
      for (place, action) in arrow.label.actions.enumerated() {
        places[action.offset] = (index, place)
      }
    }
    return places
  }

  /// How the formal notation says it, up to the end of the line. Its length can be that of all actions of the line, so
  /// it is made for a place that is asked for.
  fileprivate func formalText(at place: FormalPlace) -> String {
    let (label, offset) = (diagram.arrows[place.arrow].label, diagram.arrows[place.arrow].offset)
    guard let action = place.action else {
      // The place of an arrow without a label is that of its target.
      let isLabel = bytes[..<offset].last { !PlacedText.isBlank($0) } == UInt8(ascii: ":")
      if isLabel { return formalText(of: label) }
      // It ends with the line, or where a comment begins.
      var target = bytes[offset...].prefix { !"\n\r;%".utf8.contains($0) }
      while let byte = target.last, PlacedText.isBlank(byte) { target.removeLast() }
      return "\(String(decoding: target, as: UTF8.self)) : \(formalText(of: label))"
    }
    return label.actions[action...].map(\.text).joined(separator: ", ")
  }

  private func formalText(of label: DiagramLabel) -> String {
    var parts = label.isInternal ? ["internal"] : []
    if label.isAlways { parts.append("always") }
    let triggers = label.triggers.map { trigger in
      switch trigger {
      case .event(let name): name.string + (label.samples?.text ?? "")
      case .timer(let name, let nanoseconds, _):
        (name.map { "\($0.string) " } ?? "") + "after \(TimeText.written(nanoseconds))"
      }
    }
    if !triggers.isEmpty { parts.append(triggers.joined(separator: ", ")) }
    if label.isElse {
      parts.append("[else]")
    } else if let condition = label.condition {
      let question = label.conditions.first.map(Self.question)
      if label.isWorded, let flag = label.conditions.first, label.expression == question {
        parts.append("[\(flag.name)]")
      } else if label.isWorded, let flag = label.conditions.first, let question, label.expression == "!\(question)" {
        parts.append("[!\(flag.name)]")
      } else {
        parts.append(Self.formalGuard(condition.string))
      }
    }
    if !label.actions.isEmpty { parts.append("/ " + label.actions.map(\.text).joined(separator: ", ")) }
    return parts.joined(separator: " ")
  }
}
