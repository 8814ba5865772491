package import LineProtocol

/// A conversation with the daemon, as text that people read and `fsmrepl check` repeats.
///
/// A request follows `> `, with the world time if time has passed; the daemon's lines follow as received. In a Markdown
/// file all blocks marked `fsmd` form the conversation. Docs/Transcripts.md has the grammar.
package struct Transcript: Sendable {
  /// When a request is made, in nanoseconds.
  package enum Time: Hashable, Sendable {
    /// World time.
    case at(Int64)
    /// Time since the previous request.
    case after(Int64)
  }

  /// A request and the lines after it, up to the next one.
  package struct Exchange: Sendable {
    /// The index of its line, from 0.
    package let place: Int
    package let time: Time?
    /// Without `> ` and the time; empty where only time passes.
    package let request: String
    /// `nil` for a word that this version does not know, and without a request.
    package let verb: Verb?
    /// For `define`: the indices of the lines of its document, each with `> |` before it.
    package internal(set) var document: [Int] = []
    /// The indices of the daemon's lines.
    package internal(set) var answers: [Int] = []
  }

  /// The path of the file.
  package let name: String
  private let bytes: [UInt8]
  /// The range of each line, without its end.
  private let lines: [Range<Int>]
  package let exchanges: [Exchange]

  init(name: String, bytes: [UInt8], lines: [Range<Int>], exchanges: [Exchange]) {
    self.name = name
    self.bytes = bytes
    self.lines = lines
    self.exchanges = exchanges
  }

  /// The line with this index.
  package func line(_ place: Int) -> String { String(decoding: bytes[lines[place]], as: UTF8.self) }

  /// The document of a `define`.
  package func document(of exchange: Exchange) -> [UInt8] {
    exchange.document.flatMap { place in
      let line = bytes[lines[place]].drop { $0 != UInt8(ascii: "|") }.dropFirst()
      return (line.first == 0x20 ? line.dropFirst() : line) + [0x0A]
    }
  }

  /// The lines after a request.
  package func answers(to exchange: Exchange) -> [String] { exchange.answers.map { line($0) } }

  /// `FILE:LINE` of a request.
  package func place(of exchange: Exchange) -> String { "\(name):\(exchange.place + 1)" }

  /// The file with other answers. Prose, comments and unchanged answers stay as they are.
  ///
  /// - Parameter answers: For each exchange from the first on; exchanges without an entry stay as they are.
  package func updated(with answers: [[String]]) -> [UInt8] {
    var result: [UInt8] = []
    var next = 0
    for (exchange, came) in zip(exchanges, answers) {
      let last = exchange.document.last ?? exchange.place
      append(from: next, through: last, to: &result)
      next = last + 1
      let end = ending(of: exchange.place)
      for edit in LineDifference(from: self.answers(to: exchange), to: came).edits {
        switch edit {
        case .same(let old, _):
          append(from: next, through: exchange.answers[old], to: &result)
          next = exchange.answers[old] + 1
        case .removed(let old):
          append(from: next, through: exchange.answers[old] - 1, to: &result)
          next = exchange.answers[old] + 1
        case .added(let new):
          // A last line without a line end gets one.
          if result.last != 0x0A { result += end }
          result += Array(came[new].utf8) + end
        }
      }
    }
    append(from: next, through: lines.count - 1, to: &result)
    return result
  }

  private func append(from first: Int, through last: Int, to result: inout [UInt8]) {
    guard first <= last else { return }
    // A byte order mark precedes the first line.
    let start = first == 0 ? 0 : lines[first].lowerBound
    let end = last + 1 < lines.count ? lines[last + 1].lowerBound : bytes.count
    result += bytes[start..<end]
  }

  /// The line end as the file has it.
  private func ending(of place: Int) -> [UInt8] {
    let end = lines[place].upperBound
    return end < bytes.count && bytes[end] == 0x0D ? [0x0D, 0x0A] : [0x0A]
  }
}
