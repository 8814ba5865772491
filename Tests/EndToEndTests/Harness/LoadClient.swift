import UnixHost

/// A client that sends without waiting and keeps account: what it asked, and what was answered before the daemon's end.
///
/// Each request bears its number as a tag.
final class LoadClient {
  /// Of all its machines' names the beginning, which no other client ever had.
  let name: String
  private(set) var asked: [String] = []
  /// The lines that ended requests, by the requests' numbers.
  private(set) var answers: [Int: String] = [:]
  private let descriptor: Descriptor
  private var outgoing: [UInt8] = []
  private var incoming: [UInt8] = []
  private var isAtEnd = false

  /// - Parameter world: The one that it uses.
  init(_ name: String, path: String, world: String) throws {
    self.name = name
    descriptor = try ClientSocket.connect(path: path)
    outgoing = Array("use \(world)\n".utf8)
  }

  deinit { descriptor.close() }

  /// Requests that are not answered yet.
  var pending: Int { asked.count - answers.count }

  func ask(_ request: String) {
    outgoing += "@\(asked.count) \(request)\n".utf8
    asked.append(request)
  }

  /// Sends what fits and takes what has come, without waiting.
  func pump() {
    if !outgoing.isEmpty, !isAtEnd {
      let transfer = outgoing.withUnsafeBytes { descriptor.send($0) }
      switch transfer {
      case .bytes(let count): outgoing.removeFirst(count)
      case .wouldBlock: break
      case .closed, .failed: outgoing = []
      }
    }
    while receive() {}
  }

  /// Takes all that was sent to it, of a daemon that has ended.
  func drain() throws {
    outgoing = []
    try Patience.wait(until: "the end of a connection") {
      while receive() {}
      return isAtEnd
    }
  }

  /// Takes what has come; false when nothing has.
  private func receive() -> Bool {
    guard !isAtEnd else { return false }
    let transfer = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
      let transfer = descriptor.read(into: buffer)
      if case .bytes(let count) = transfer { incoming += UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
      return transfer
    }
    switch transfer {
    case .bytes: break
    case .wouldBlock: return false
    case .closed, .failed: isAtEnd = true
    }
    takeLines()
    return !isAtEnd
  }

  /// What is behind the last line feed is not acknowledged.
  private func takeLines() {
    guard let end = incoming.lastIndex(of: UInt8(ascii: "\n")) else { return }
    for line in incoming[..<end].split(separator: UInt8(ascii: "\n")) where line.dropFirst(2).first == UInt8(ascii: "@")
    {
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("."), let number = number(in: text), answers[number] == nil { continue }
      if let number = number(in: text) { answers[number] = text }
    }
    incoming.removeFirst(end + 1)
  }

  private func number(in line: String) -> Int? { Int(line.dropFirst(3).prefix { $0 != " " }) }
}
