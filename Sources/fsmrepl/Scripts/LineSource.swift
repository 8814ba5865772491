internal import Glibc
internal import UnixHost

/// The requests of a script, line by line, from one source after the other.
///
/// It reads only on demand, so that a program at the other end of a pipe can wait for an answer before it writes the
/// next request.
struct LineSource {
  /// The origin of a request that was given with `-e`.
  static let onlyExpression = "-e"

  /// A line and its origin, for messages.
  struct Line: Equatable {
    /// `nil` for bytes that are not UTF-8.
    let text: String?
    /// For example `setup.fsm:12`.
    let origin: String
  }

  enum Next: Equatable {
    case line(Line)
    /// Standard input has to be read first: ``fill()``.
    case needsInput
    /// A source cannot be read any further; the next one follows.
    case failed(FileFailure)
    case end
  }

  private enum Reading {
    case lines([Substring], name: String)
    case descriptor(Descriptor, name: String)
  }

  /// The documents that the command line names, which are also the origins of their requests.
  let documents: Set<String>
  private var remaining: ArraySlice<Reading>
  private var number = 0
  private var bytes: [UInt8] = []
  private var consumed = 0
  private var inputHasEnded = false
  private var failure: SystemError?

  /// - Throws: The system's error with the name of the file that cannot be opened.
  init(_ sources: [Invocation.Source]) throws(FileFailure) {
    var readings: [Reading] = []
    var documents: Set<String> = []
    for source in sources {
      switch source {
      case .expression(let text):
        readings.append(
          .lines(text.split(separator: "\n", omittingEmptySubsequences: false), name: Self.onlyExpression))
      case .file(let path):
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure(path: path, error: .last) }
        readings.append(.descriptor(Descriptor(rawValue: file), name: path))
      case .document(let path):
        documents.insert(path)
        readings.append(.lines([source.request.map { $0[...] } ?? ""], name: path))
      case .standardInput:
        readings.append(.descriptor(.standardInput, name: "standard input"))
      }
    }
    self.documents = documents
    remaining = readings[...]
  }

  struct FileFailure: Error, Equatable, CustomStringConvertible {
    let path: String
    let error: SystemError

    var description: String { "cannot read \(path): \(error)" }
  }

  /// The descriptor that must be readable before ``fill()`` returns without waiting.
  var descriptor: Descriptor? {
    guard case .descriptor(let descriptor, _)? = remaining.first else { return nil }
    return descriptor
  }

  /// The next line, if it has been read.
  mutating func next() -> Next {
    while let reading = remaining.first {
      switch reading {
      case .lines(let lines, let name):
        guard number < lines.count else {
          advance()
          continue
        }
        number += 1
        return .line(Line(text: String(lines[number - 1]), origin: lines.count == 1 ? name : "\(name):\(number)"))
      case .descriptor(_, let name):
        if let end = bytes[consumed...].firstIndex(of: 0x0A) {
          return .line(take(upTo: end, name: name))
        }
        guard inputHasEnded else { return .needsInput }
        // A last line without a line end is a request too: editors and `printf` omit it.
        if consumed < bytes.count { return .line(take(upTo: bytes.count, name: name)) }
        let failure = failure
        advance()
        if let failure { return .failed(FileFailure(path: name, error: failure)) }
      }
    }
    return .end
  }

  /// Reads one chunk; waits if there is none.
  mutating func fill() {
    guard case .descriptor(let descriptor, _)? = remaining.first else { return }
    bytes.removeFirst(consumed)
    consumed = 0
    var portion = [UInt8](repeating: 0, count: 1 << 16)
    switch portion.withUnsafeMutableBytes({ descriptor.read(into: $0) }) {
    case .bytes(let count): bytes += portion.prefix(count)
    case .wouldBlock: break
    case .closed: inputHasEnded = true
    case .failed(let error):
      failure = error
      inputHasEnded = true
    }
  }

  private mutating func take(upTo end: Int, name: String) -> Line {
    var line = bytes[consumed..<end]
    if line.last == 0x0D { line = line.dropLast() }
    consumed = min(end + 1, bytes.count)
    number += 1
    return Line(text: String(validating: line, as: UTF8.self), origin: "\(name):\(number)")
  }

  private mutating func advance() {
    if case .descriptor(let descriptor, _)? = remaining.first, descriptor != .standardInput { descriptor.close() }
    remaining = remaining.dropFirst()
    number = 0
    bytes = []
    consumed = 0
    inputHasEnded = false
    failure = nil
  }
}
