/// The numbers that a counter takes while a script plays: those of `repeat N as NAME`, or of a range `{FIRST..LAST}`.
struct ScriptCounter: Hashable, Sendable {
  /// Empty for a range.
  let name: String
  private let first: Int
  private let stride: Int
  let count: Int
  /// How many digits each number has at least.
  private let width: Int

  /// The counter of a `repeat`, from 1 on.
  init(_ name: String, upTo count: Int) {
    self.name = name
    first = 1
    stride = 1
    self.count = count
    width = 0
  }

  /// The numbers from one end to the other, upwards or downwards.
  ///
  /// - Parameter width: 0 for numbers without leading zeros.
  init(from first: Int, to last: Int, width: Int) {
    name = ""
    self.first = first
    stride = first <= last ? 1 : -1
    count = abs(last - first) + 1
    self.width = width
  }

  func text(_ index: Int) -> String {
    let digits = "\(first + index * stride)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The largest of its numbers, which has the most digits.
  var longest: String { text(stride > 0 ? max(0, count - 1) : 0) }
}

/// Bytes with places for the numbers of counters.
///
/// A `repeat` is not written out in memory: its lines are stored once, and the numbers are filled in when they are
/// played. Which number is due follows from the turn: how often the lines around have been played before, all the repeats and
/// ranges around counted together.
struct ScriptTemplate: Sendable {
  /// A place that holds the longest number of a counter.
  struct Hole: Sendable {
    let offset: Int
    let length: Int
    /// Index in ``Script/counters``.
    let counter: Int
    /// For how many turns its number stays.
    let turns: Int
  }

  let bytes: [UInt8]
  let holes: [Hole]

  func filled(turn: Int32, _ counters: [ScriptCounter]) -> [UInt8] {
    bytes.withUnsafeBytes { Self.filled($0, holes, turn: turn, counters) }
  }

  /// The bytes with a text in the place of each number.
  func filled(with text: String) -> [UInt8] { bytes.withUnsafeBytes { Self.filled($0, holes) { _ in text } } }

  static func filled(
    _ bytes: UnsafeRawBufferPointer, _ holes: [Hole], turn: Int32, _ counters: [ScriptCounter]
  ) -> [UInt8] {
    filled(bytes, holes) { hole in
      let counter = counters[hole.counter]
      return counter.text(Int(turn) / hole.turns % max(1, counter.count))
    }
  }

  private static func filled(
    _ bytes: UnsafeRawBufferPointer, _ holes: [Hole], _ text: (Hole) -> String
  ) -> [UInt8] {
    var filled: [UInt8] = []
    filled.reserveCapacity(bytes.count)
    var index = 0
    for hole in holes {
      filled += bytes[index..<hole.offset]
      filled += text(hole).utf8
      index = hole.offset + hole.length
    }
    filled += bytes[index...]
    return filled
  }
}
