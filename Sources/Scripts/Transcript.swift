package import LineProtocol

/// A conversation with the daemon as a text that people read and `fsmrepl check` repeats.
///
/// A request stands behind `> `, with the world's time where time has passed; the lines of the daemon follow as they
/// came. In a Markdown file the conversation is made of all blocks that are marked `fsmd`. Docs/Transcripts.md has the
/// grammar.
package struct Transcript: Sendable {
  /// When a request is made, in nanoseconds.
  package enum Time: Hashable, Sendable {
    /// World time.
    case at(Int64)
    /// Since the request before it.
    case after(Int64)
  }

  /// A request, and the lines that stand behind it up to the next one.
  package struct Exchange: Sendable {
    /// The place of its line, from 0.
    package let place: Int
    package let time: Time?
    /// Without `> ` and the time; empty where time only passes.
    package let request: String
    /// `nil` for a word that this version does not know, and where there is no request.
    package let verb: Verb?
    /// The places of the daemon's lines.
    package internal(set) var answers: [Int] = []
  }

  /// The path of the file.
  package let name: String
  private let bytes: [UInt8]
  /// Where each line stands, without its end.
  private let lines: [Range<Int>]
  package let exchanges: [Exchange]

  init(name: String, bytes: [UInt8], lines: [Range<Int>], exchanges: [Exchange]) {
    self.name = name
    self.bytes = bytes
    self.lines = lines
    self.exchanges = exchanges
  }

  /// A line by its place.
  package func line(_ place: Int) -> String { String(decoding: bytes[lines[place]], as: UTF8.self) }

  /// The lines that stand behind a request.
  package func answers(to exchange: Exchange) -> [String] { exchange.answers.map { line($0) } }

  /// `FILE:LINE` of a request.
  package func place(of exchange: Exchange) -> String { "\(name):\(exchange.place + 1)" }

  /// The file with other answers. What is none, prose and remarks, stays where it is, and so do answers that are the
  /// same.
  ///
  /// - Parameter answers: For each exchange from the first on; those without any stay as they are.
  package func updated(with answers: [[String]]) -> [UInt8] {
    var result: [UInt8] = []
    var next = 0
    for (exchange, came) in zip(exchanges, answers) {
      append(from: next, through: exchange.place, to: &result)
      next = exchange.place + 1
      let end = ending(of: exchange.place)
      for step in LineDifference(from: self.answers(to: exchange), to: came).steps {
        switch step {
        case .same(let old, _):
          append(from: next, through: exchange.answers[old], to: &result)
          next = exchange.answers[old] + 1
        case .removed(let old):
          append(from: next, through: exchange.answers[old] - 1, to: &result)
          next = exchange.answers[old] + 1
        case .added(let new):
          // A last line without its end is one no more.
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
    // A mark of the encoding stands before the first line.
    let start = first == 0 ? 0 : lines[first].lowerBound
    let end = last + 1 < lines.count ? lines[last + 1].lowerBound : bytes.count
    result += bytes[start..<end]
  }

  /// The end of a line as the file has it.
  private func ending(of place: Int) -> [UInt8] {
    let end = lines[place].upperBound
    return end < bytes.count && bytes[end] == 0x0D ? [0x0D, 0x0A] : [0x0A]
  }
}
