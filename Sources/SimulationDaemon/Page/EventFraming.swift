/// Lines as server-sent events: `data: LINE`, LF, LF.
///
/// Lines come and go in pieces of any size; no line has a CR, which would end it for a browser too.
struct EventFraming {
  private enum Place {
    case start, line, end
  }

  private var place = Place.start

  private static let head: StaticString = "data: "

  /// Whether the next byte begins an event, so that something else may be written between two.
  var isBetweenEvents: Bool { place == .start }

  /// The least room that is of use.
  static let leastRoom = 8

  /// Frames as much as there is, or as fits.
  ///
  /// - Returns: How many bytes were read and written. Nothing is lost if the rest comes with a later call.
  mutating func frame(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> (read: Int, written: Int) {
    var (read, written) = (0, 0)
    while read < source.count {
      let room = target.count - written
      switch place {
      case .start:
        guard room >= 6 else { return (read, written) }
        UnsafeMutableRawBufferPointer(rebasing: target[written...]).copyMemory(
          from: UnsafeRawBufferPointer(start: EventFraming.head.utf8Start, count: 6))
        written += 6
        place = .line
      case .line:
        let most = min(source.count, read + room)
        var end = read
        while end < most, source[end] != 0x0A { end += 1 }
        UnsafeMutableRawBufferPointer(rebasing: target[written...]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: source[read..<end]))
        written += end - read
        read = end
        guard end < most else { return (read, written) }
        place = .end
      case .end:
        guard room >= 2 else { return (read, written) }
        target[written] = 0x0A
        target[written + 1] = 0x0A
        read += 1
        written += 2
        place = .start
      }
    }
    return (read, written)
  }
}
