import LineProtocol
import Simulator

/// A world's journal in the lines of the request `journal what=all at=yes`. Nothing is replayed, so it also works for a
/// world that is out of service.
enum JournalExport {
  /// - Throws: ``HistoryFailure``.
  /// - Complexity: O(inputs).
  static func text(of history: StoredHistory) throws -> [UInt8] {
    var printer = JournalPrinter()
    printer.tellsWallTime = true
    var line = ByteBuffer(capacity: 256)
    var text: [UInt8] = []
    let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
    try history.read { world, entry, _ in
      line.removeAll()
      _ = printer.print(entry, of: world, .all, .notice, tag: noTag, to: &line)
      // Without the class of a notice.
      for line in line.bytes.split(separator: UInt8(ascii: "\n")) { text += line.dropFirst(2) + [UInt8(ascii: "\n")] }
    }
    return text
  }
}
