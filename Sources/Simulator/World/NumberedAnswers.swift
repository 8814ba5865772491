/// The answers to requests that their clients have numbered: one that is repeated is answered again, and not run again.
///
/// A client has a name and gives its requests growing numbers. The world keeps the last answers of each name. They are
/// no part of the state: undo leaves them, and segments and archives have them, so that a request that was stored is known
/// by its number wherever the world lives next.
package struct NumberedAnswers: Sendable {
  package struct Answer: Equatable, Sendable {
    /// The world's last input when the request was answered.
    package let sequence: UInt64
    package let client: String
    package let number: UInt64
    /// The answer as its host writes it.
    package let text: [UInt8]
  }

  package enum Finding: Equatable {
    /// The number is greater than all before: the request has not been run.
    case new
    case answered([UInt8])
    /// The request may have been run, but its answer is no longer kept; with the numbers whose answers are.
    case expired(kept: ClosedRange<UInt64>)
  }

  /// By client, in the order of their numbers.
  private var answers: [String: [Answer]] = [:]
  /// About the memory of all answers.
  private(set) var bytes = 0

  /// The most names of clients in a world. None is forgotten, since its requests could then run again.
  package static let maxClients = 1_024
  /// The most answers of a client that are kept; the oldest go first.
  package static let maxAnswers = 64
  /// The most bytes of a client's answers; the last one is always kept.
  static let maxBytes = 64 << 10

  package func find(_ number: UInt64, of client: String) -> Finding {
    guard let known = answers[client], let first = known.first, let last = known.last, number <= last.number else {
      return .new
    }
    if let answer = known.last(where: { $0.number <= number }), answer.number == number {
      return .answered(answer.text)
    }
    return .expired(kept: first.number...last.number)
  }

  /// The greatest number of a client; 0 before its first request.
  package func last(of client: String) -> UInt64 { answers[client]?.last?.number ?? 0 }

  /// Whether a client is known, or there is room for another one.
  package func admits(_ client: String) -> Bool {
    answers[client] != nil || answers.count < NumberedAnswers.maxClients
  }

  /// Adds the answer to a request that has run.
  ///
  /// - Precondition: Its number is new.
  mutating func add(_ answer: Answer) {
    var known = answers[answer.client] ?? []
    known.append(answer)
    bytes += answer.weight
    var size = known.reduce(0) { $0 + $1.text.count }
    while known.count > NumberedAnswers.maxAnswers || known.count > 1 && size > NumberedAnswers.maxBytes {
      let oldest = known.removeFirst()
      size -= oldest.text.count
      bytes -= oldest.weight
    }
    answers[answer.client] = known
  }

  /// All answers, in the order in which they were given.
  var inOrder: [Answer] {
    answers.values.joined().sorted { ($0.sequence, $0.client, $0.number) < ($1.sequence, $1.client, $1.number) }
  }
}

extension NumberedAnswers.Answer {
  fileprivate var weight: Int { 96 + client.utf8.count + text.count }
}

extension WorldCore {
  /// Keeps the answer to a numbered request that has just run.
  ///
  /// - Parameters:
  ///   - text: As the host will read it again.
  ///   - number: Greater than those before of this client.
  package mutating func keepAnswer(_ text: [UInt8], to number: UInt64, of client: String) {
    let answer = NumberedAnswers.Answer(sequence: journal.last, client: client, number: number, text: text)
    answers.add(answer)
    unflushed?.answers.append(answer)
  }
}

// MARK: Segments

extension NumberedAnswers.Answer {
  /// Reads an answer from a segment; nil if the bytes have none.
  ///
  /// - Parameter place: Where it begins; then where it ends.
  init?(_ bytes: UnsafeRawBufferPointer, at place: inout Int) {
    func number() -> UInt64? {
      guard place + 8 <= bytes.count else { return nil }
      defer { place += 8 }
      return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
    func text() -> UnsafeRawBufferPointer? {
      guard let count = number(), count <= UInt64(bytes.count - place) else { return nil }
      defer { place += Int(count) }
      return UnsafeRawBufferPointer(rebasing: bytes[place..<place + Int(count)])
    }
    guard let sequence = number(), let id = number(), let name = text(), let lines = text(),
      let client = String(validating: name, as: UTF8.self)
    else { return nil }
    self.init(sequence: sequence, client: client, number: id, text: Array(lines))
  }

  func append(to bytes: inout [UInt8]) {
    func append(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
    append(sequence)
    append(number)
    append(UInt64(client.utf8.count))
    bytes.append(contentsOf: client.utf8)
    append(UInt64(text.count))
    bytes.append(contentsOf: text)
  }
}
