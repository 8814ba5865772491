import LineProtocol

/// Converts a line in JSON to its text form.
///
/// - Returns: A line that is not an object as it is; an unreadable one with a remark.
func textLine(of line: String) -> String {
  guard line.hasPrefix("{") else { return line }
  guard let read = ServerLine(json: line) else { return "unreadable: \(line)" }
  var buffer = ByteBuffer()
  Array((read.tag ?? "").utf8).withUnsafeBytes { buffer.begin(read.lineClass, tag: $0) }
  if let note = read.note, read.words.isEmpty, read.lineClass == .data {
    return String(decoding: buffer.bytes, as: UTF8.self) + " " + note
  }
  for word in read.words { buffer.word(word) }
  for field in read.fields { buffer.word(key: field.key, field.value) }
  if let note = read.note { buffer.note(note) }
  return String(decoding: buffer.bytes, as: UTF8.self)
}
