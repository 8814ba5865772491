import LineProtocol

/// What an input buffer makes of a peer's bytes.
enum Reading: Equatable, CustomStringConvertible {
  case line([UInt8], isPlain: Bool)
  case tooLong

  var description: String {
    switch self {
    case .line(let bytes, let isPlain): "\(String(decoding: bytes, as: UTF8.self).debugDescription) plain=\(isPlain)"
    case .tooLong: "too long"
    }
  }

  /// Fills a buffer piece by piece and takes every line as soon as it is there.
  static func all(of pieces: [ArraySlice<UInt8>], longestLine: Int) -> [Reading] {
    var buffer = InputBuffer(longestLine: longestLine, capacity: 64)
    var readings: [Reading] = []
    for piece in pieces {
      buffer.fill(piece)
      readings += buffer.takeAll()
    }
    return readings
  }

  /// The same by the words of the protocol: lines end at LF, a CR before it belongs to the end, and a line over the
  /// limit is told of once, also before its end is there.
  static func expected(of bytes: [UInt8], longestLine: Int) -> [Reading] {
    var parts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let rest = parts.removeLast()
    var readings = parts.map { part in
      let line = part.last == 0x0D ? part.dropLast() : part
      return line.count > longestLine
        ? Reading.tooLong : .line(Array(line), isPlain: line.allSatisfy { (0x20...0x7E).contains($0) })
    }
    let couldEndHere = rest.last == 0x0D && rest.count == longestLine + 1
    if rest.count > longestLine, !couldEndHere { readings.append(.tooLong) }
    return readings
  }
}

extension InputBuffer {
  mutating func fill(_ piece: ArraySlice<UInt8>) {
    let room = room(atLeast: piece.count)
    room.copyBytes(from: piece)
    didFill(piece.count)
  }

  mutating func takeAll() -> [Reading] {
    var readings: [Reading] = []
    while true {
      switch nextLine() {
      case .line(let line): readings.append(.line(Array(line.bytes), isPlain: line.isPlain))
      case .tooLong: readings.append(.tooLong)
      case .incomplete: return readings
      }
    }
  }
}
