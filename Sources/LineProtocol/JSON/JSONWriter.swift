/// Converts lines of the daemon from text to JSON, so that code that writes a line need not know its form.
package struct JSONWriter: ~Copyable {
  private var parts = LineParts()

  package init() {}

  /// Appends a line's object, without a line feed.
  ///
  /// - Parameters:
  ///   - line: Without its LF; it is rewritten in the process.
  ///   - verb: That of the request which a line of a reply answers.
  /// - Complexity: O(*n*) in the bytes of the line; allocates nothing once the buffer has room.
  package mutating func write(
    _ line: UnsafeMutableRawBufferPointer, answering verb: Verb, to buffer: inout ByteBuffer
  ) {
    if write(line, ofReplyTo: verb, to: &buffer) { return }
    // The daemon writes no such line; the client still gets to see it.
    assertionFailure("a line has no shape: \(String(decoding: line, as: UTF8.self))")
    write(whole: line, tagLength: 0, to: &buffer)
  }

  /// - Returns: False for a line that breaks the rules of words, or has no shape.
  private mutating func write(
    _ line: UnsafeMutableRawBufferPointer, ofReplyTo verb: Verb?, to buffer: inout ByteBuffer
  ) -> Bool {
    guard parts.take(line) else { return false }
    let line = UnsafeRawBufferPointer(line)
    guard let shape = ReplyShape.of(parts, line, answering: verb) else { return false }
    write(line, as: shape, hasArguments: verb == .describe, to: &buffer)
    return true
  }

  /// Appends the object of a line of data without parsing its text.
  ///
  /// - Parameter tagLength: Length of the request's tag, without its `@`; 0 if it has none.
  package mutating func write(
    whole line: UnsafeMutableRawBufferPointer, tagLength: Int, to buffer: inout ByteBuffer
  ) {
    parts.take(whole: line, tagLength: tagLength)
    buffer.append(literal: #"{"class":"data""#)
    writeTagAndText(UnsafeRawBufferPointer(line), to: &buffer) { _ in }
  }

  /// A line of text as an object. A line without a shape is its text.
  ///
  /// - Parameter verb: That of the request it answers; `nil` for an answer that a client gives itself.
  package static func object(of line: String, answering verb: Verb? = nil) -> String {
    var writer = JSONWriter()
    var buffer = ByteBuffer()
    var bytes = Array(line.utf8)
    bytes.withUnsafeMutableBytes {
      if !writer.write($0, ofReplyTo: verb, to: &buffer) { writer.write(whole: $0, tagLength: 0, to: &buffer) }
    }
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  /// A text as a JSON string, with its quotes.
  package static func quoted(_ text: String) -> String {
    var buffer = ByteBuffer(capacity: text.utf8.count + 16)
    var text = text
    text.withUTF8 { buffer.append(jsonText: UnsafeRawBufferPointer($0)) }
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  private func write(
    _ line: UnsafeRawBufferPointer, as shape: ReplyShape, hasArguments: Bool, to buffer: inout ByteBuffer
  ) {
    buffer.append(literal: #"{"class":""#)
    buffer.append(literal: JSONMembers.name(of: parts.lineClass))
    buffer.append(byte: JSONWriter.quote)
    writeTagAndText(line, to: &buffer) { buffer in
      if shape.isAsWritten {
        let end = parts.text.map { $0.lowerBound - 3 } ?? line.count
        let start = (parts.words.first ?? parts.fields.first?.key)?.lowerBound ?? end
        buffer.append(member: shape.tokens[0].member)
        buffer.append(jsonText: UnsafeRawBufferPointer(rebasing: line[min(start, end)..<end]))
        return
      }
      var words = parts.words[...]
      for token in shape.tokens {
        if token.isList {
          buffer.append(member: token.member)
          buffer.append(byte: UInt8(ascii: "["))
          for (number, word) in words.enumerated() {
            if number > 0 { buffer.append(byte: JSONWriter.comma) }
            buffer.append(json: UnsafeRawBufferPointer(rebasing: line[word]), as: .text)
          }
          buffer.append(byte: UInt8(ascii: "]"))
          words = []
        } else if let word = words.popFirst() {
          buffer.append(member: token.member)
          buffer.append(json: UnsafeRawBufferPointer(rebasing: line[word]), as: token.isNumber ? .number : .text)
        }
      }
      writeFields(line, areArguments: hasArguments && areArguments(line), to: &buffer)
    }
  }

  private func writeTagAndText(
    _ line: UnsafeRawBufferPointer, to buffer: inout ByteBuffer, between body: (inout ByteBuffer) -> Void
  ) {
    if let tag = parts.tag {
      buffer.append(literal: #","tag":"#)
      buffer.append(json: UnsafeRawBufferPointer(rebasing: line[tag]), as: .text)
    }
    body(&buffer)
    if let text = parts.text {
      buffer.append(literal: #","text":"#)
      buffer.append(json: UnsafeRawBufferPointer(rebasing: line[text]), as: .text)
    }
    buffer.append(byte: UInt8(ascii: "}"))
  }

  /// Whether the keys of a line are names that a kind has given.
  private func areArguments(_ line: UnsafeRawBufferPointer) -> Bool {
    parts.lineClass == .data
      && (parts.words.first.map { JSONMembers.namesArguments(UnsafeRawBufferPointer(rebasing: line[$0])) } ?? false)
  }

  private func writeFields(_ line: UnsafeRawBufferPointer, areArguments: Bool, to buffer: inout ByteBuffer) {
    guard !parts.fields.isEmpty else { return }
    if areArguments { buffer.append(literal: #","arguments":{"#) }
    for (number, field) in parts.fields.enumerated() {
      if number > 0 || !areArguments { buffer.append(byte: JSONWriter.comma) }
      let key = UnsafeRawBufferPointer(rebasing: line[field.key])
      buffer.append(byte: JSONWriter.quote)
      buffer.append(key)
      buffer.append(literal: #"":"#)
      buffer.append(
        json: UnsafeRawBufferPointer(rebasing: line[field.value]),
        as: areArguments ? .text : JSONMembers.form(of: key))
    }
    if areArguments { buffer.append(byte: UInt8(ascii: "}")) }
  }

  fileprivate static let quote: UInt8 = 0x22
  fileprivate static let comma: UInt8 = 0x2C
}

extension ByteBuffer {
  /// The bytes written so far, for changes in place; valid until the buffer changes.
  ///
  /// Safety: they are the buffer's own, and only initialized ones.
  package var mutableBytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: count) }

  /// The end of the line at an offset: the offset of its LF, or the end of the buffer.
  package func lineEnd(from place: Int) -> Int {
    var place = place
    // Safety: sixteen bytes past the buffer's room may be read.
    while place < count {
      let word = base.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian ^ 0x0A0A_0A0A_0A0A_0A0A
      let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
      if zeros != 0 { return min(count, place + zeros.trailingZeroBitCount >> 3) }
      place += 8
    }
    return count
  }

  /// `,"NAME":`
  fileprivate mutating func append(member name: [UInt8]) {
    append(literal: #",""#)
    name.withUnsafeBytes { append($0) }
    append(literal: #"":"#)
  }

  fileprivate mutating func append(json value: UnsafeRawBufferPointer, as form: JSONMembers.ValueForm) {
    switch form {
    case .text: append(jsonText: value)
    case .number: if value.isJSONNumber { append(value) } else { append(jsonText: value) }
    case .list: append(jsonList: value)
    }
  }

  /// A list of words; a value with a blank is no list and becomes the only element.
  private mutating func append(jsonList value: UnsafeRawBufferPointer) {
    append(byte: UInt8(ascii: "["))
    if !value.isEmpty {
      var rest = value
      let isList = !value.contains(WordScanner.space)
      while isList, let comma = rest.firstIndex(of: JSONWriter.comma) {
        append(jsonText: UnsafeRawBufferPointer(rebasing: rest[..<comma]))
        append(byte: JSONWriter.comma)
        rest = UnsafeRawBufferPointer(rebasing: rest[(comma + 1)...])
      }
      append(jsonText: rest)
    }
    append(byte: UInt8(ascii: "]"))
  }

  /// Appends a text as a JSON string, with its quotes.
  package mutating func append(jsonText text: UnsafeRawBufferPointer) {
    append(byte: JSONWriter.quote)
    var start = 0
    for place in 0..<text.count {
      let byte = text[place]
      guard byte < 0x20 || byte == JSONWriter.quote || byte == 0x5C else { continue }
      append(UnsafeRawBufferPointer(rebasing: text[start..<place]))
      start = place + 1
      switch byte {
      case 0x0A: append(literal: #"\n"#)
      case 0x09: append(literal: #"\t"#)
      case JSONWriter.quote: append(literal: #"\""#)
      case 0x5C: append(literal: #"\\"#)
      default:
        append(literal: #"\u00"#)
        for digit in [byte >> 4, byte & 15] { append(byte: digit + (digit < 10 ? 0x30 : 0x57)) }
      }
    }
    append(UnsafeRawBufferPointer(rebasing: text[start...]))
    append(byte: JSONWriter.quote)
  }
}
