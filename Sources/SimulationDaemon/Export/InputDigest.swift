import LineProtocol
import Simulator

/// A hash of inputs in the words of the journal: equal journals have equal digests.
///
/// It is valid only within this process.
final class InputDigest {
  private var hasher = Hasher()
  private var printer = JournalPrinter()
  private var line = ByteBuffer(capacity: 256)

  func add(_ entry: JournalEntry, of world: borrowing WorldCore) {
    line.removeAll()
    let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
    // Printed as notices, which do not mention a later undo.
    _ = printer.print(entry, of: world, .all, .notice, tag: noTag, to: &line)
    hasher.combine(bytes: line.bytes)
  }

  /// The hash of all inputs so far.
  var value: Int {
    let present = hasher
    return present.finalize()
  }
}
