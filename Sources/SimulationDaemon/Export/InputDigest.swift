import LineProtocol
import Simulator

/// Inputs in the words of the journal, as one number: two journals are the same where it is.
///
/// It holds within this process alone.
final class InputDigest {
  private var hasher = Hasher()
  private var printer = JournalPrinter()
  private var line = ByteBuffer(capacity: 256)

  func add(_ entry: JournalEntry, of world: borrowing WorldCore) {
    line.removeAll()
    let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
    // As notices, which say nothing of what came later.
    _ = printer.print(entry, of: world, .all, .notice, tag: noTag, to: &line)
    hasher.combine(bytes: line.bytes)
  }

  /// Of all that was added.
  var value: Int {
    let present = hasher
    return present.finalize()
  }
}
