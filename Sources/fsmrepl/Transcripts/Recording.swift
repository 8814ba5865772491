internal import Glibc
internal import LineProtocol
internal import UnixHost

/// A session recorded in a file. Each request is written as a whole, so the file is complete at any time.
final class Recording {
  enum Failure: Error, Equatable, CustomStringConvertible {
    /// The file is not empty.
    case exists(String)
    case system(String, SystemError)
    /// It is not a regular file but, for example, a pipe or a device.
    case noFile(String, String)

    var description: String {
      switch self {
      case .exists(let path):
        "\(path) is there already; 'record \(Word.written(path)) replace' overwrites it"
      case .system(let path, let error): "cannot write \(path): \(error)"
      case .noFile(let path, let why): "cannot record in \(path): \(why)"
      }
    }
  }

  let path: String
  private let file: Descriptor
  private var recorder = Recorder()
  private var writer = TranscriptWriter(watches: [], isQuiet: false)
  private var isOpen = true

  /// The first line of the file, for a reader.
  private static let heading = "# A session with fsmd; 'fsmrepl check' repeats it.\n"
  private static let fence = "```"

  /// Opens the file.
  ///
  /// - Parameter replaces: Whether existing content may be overwritten.
  init(_ path: String, replaces: Bool = false) throws(Failure) {
    self.path = path
    if let problem = RegularFile.problem(at: path) { throw .noFile(path, problem) }
    let number = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    guard number >= 0 else { throw .system(path, .last) }
    file = Descriptor(rawValue: number)
    var found = stat()
    if fstat(number, &found) == 0, found.st_size > 0 {
      guard replaces else {
        file.close()
        throw .exists(path)
      }
      guard ftruncate(number, 0) == 0 else {
        let error = SystemError.last
        file.close()
        throw .system(path, error)
      }
    }
  }

  /// How many requests have been written.
  var count: Int { writer.count }

  /// Whether the file is Markdown, so that the recording is a code block in it.
  private var isMarkdown: Bool { path.hasSuffix(".md") }

  /// Starts recording.
  ///
  /// - Parameters:
  ///   - watches: The requests by which the connection watches the world in use.
  ///   - isQuiet: Whether successes are not answered.
  func begin(watches: [String], isQuiet: Bool) {
    writer = TranscriptWriter(watches: watches, isQuiet: isQuiet)
    file.writeAll(isMarkdown ? "\(Self.fence)fsmd\n" : Self.heading)
  }

  /// Records a request that is sent; see ``Recorder/note(_:_:isKept:)``.
  func note(_ text: String, document: [UInt8]? = nil, isKept: Bool) -> (before: Bool, after: Bool) {
    let request = RequestText(text)
    guard isOpen, !request.isBlank else { return (false, false) }
    return recorder.note(text, request.verb.flatMap(Verb.named), document: document, isKept: isKept)
  }

  /// Processes a line from the daemon.
  ///
  /// - Returns: A message for the person who records, if any.
  func take(_ received: Conversation.Received, raw: RawLine) -> String? {
    guard isOpen else { return nil }
    let line = Recorder.Line(raw: received.withoutOurTag(raw).text, line: received.line)
    return write(recorder.take(line, answering: received.asked))
  }

  /// Closes the file. Does nothing if it is closed.
  func end() {
    guard isOpen else { return }
    _ = write(recorder.end())
    if isOpen, isMarkdown { file.writeAll("\(Self.fence)\n") }
    close()
  }

  private func write(_ pieces: [Recorder.Piece]) -> String? {
    var note: String?
    for piece in pieces {
      let output = writer.take(piece)
      note = output.note ?? note
      guard !output.lines.isEmpty, !file.writeAll(output.lines.joined(separator: "\n") + "\n") else { continue }
      let error = SystemError.last
      close()
      return "the recording has ended: \(Failure.system(path, error))"
    }
    return note
  }

  private func close() {
    isOpen = false
    file.close()
  }
}
