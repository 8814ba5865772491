import LineProtocol
import Simulator

/// A world's journal as the lines that the request `journal what=all` prints. Nothing is played, so that it can be had of
/// a world that is out of service too.
enum JournalExport {
  /// - Throws: ``HistoryFailure``.
  /// - Complexity: O(inputs).
  static func text(of history: StoredHistory) throws -> [UInt8] {
    var printer = JournalPrinter()
    var line = ByteBuffer(capacity: 256)
    var text: [UInt8] = []
    let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
    try history.read { world, entry, _ in
      line.removeAll()
      _ = printer.print(entry, of: world, .all, .notice, tag: noTag, to: &line)
      // Without what tells a notice from other lines.
      for line in line.bytes.split(separator: UInt8(ascii: "\n")) { text += line.dropFirst(2) + [UInt8(ascii: "\n")] }
    }
    return text
  }
}
